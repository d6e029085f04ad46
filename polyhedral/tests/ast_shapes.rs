//! The shape of generated ASTs: common loop nests come out as a programmer would write them.

use tessera_polyhedral::affine::Aff;
use tessera_polyhedral::arith::Int;
use tessera_polyhedral::ast::AstBuild;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::relation::Set;
use tessera_polyhedral::schedule::{Band, Instances, LoopType, Member, Node, ScheduleTree, TileOptions};

fn set(text: &str) -> Set {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// Instances from sets separated by `|`.
fn instances(text: &str) -> Instances {
    Instances::from_sets(text.split('|').map(set)).unwrap()
}

/// A member from functions separated by `|`.
fn member(text: &str) -> Member {
    Member::new(text.split('|').map(|t| t.parse::<Aff>().unwrap_or_else(|e| panic!("{t}: {e}")))).unwrap()
}

fn band(members: &[&str]) -> Band {
    Band::new(members.iter().map(|m| member(m)).collect()).with_permutable(true)
}

fn filters(names: &[&str], children: Vec<Node>) -> Node {
    let pairs = names.iter().zip(children);
    Node::sequence(pairs.map(|(name, child)| Node::filter(instances(name), child)).collect())
}

fn code(tree: &ScheduleTree, context: Option<&str>) -> String {
    let mut build = AstBuild::new();
    if let Some(context) = context {
        build = build.with_context(set(context));
    }
    let text = build.build(tree, &Budget::new(50_000_000)).unwrap().to_string();
    if std::env::var_os("SHOW").is_some() {
        println!("{tree}=>\n{text}");
    }
    text
}

/// A tree of one band over one statement domain.
fn nest(domain: &str, members: &[&str]) -> ScheduleTree {
    ScheduleTree::new(instances(domain), Node::band(band(members), Node::leaf()))
}

fn sizes(sizes: &[i64]) -> Vec<Int> {
    sizes.iter().map(|&size| Int::from(size)).collect()
}

/// The tree with its outermost band tiled.
fn tiled(tree: &ScheduleTree, by: &[i64]) -> ScheduleTree {
    tree.cursor_at(&[0])
        .unwrap()
        .tile(&sizes(by), TileOptions { scale_tiles: false, shift_points: false })
        .unwrap()
        .into_tree()
}

#[test]
fn triangle_interchanged() {
    let tree = nest("[n] -> { S[i, j] : 0 <= j <= i < n }", &["{ S[i, j] -> [(j)] }", "{ S[i, j] -> [(i)] }"]);
    insta::assert_snapshot!(code(&tree, None), @r"
    for (int c0 = 0; c0 <= n - 1; c0 += 1)
      for (int c1 = c0; c1 <= n - 1; c1 += 1)
        S(c1, c0);
    ");
}

#[test]
fn triangle_tiled() {
    let tree = nest("[n] -> { S[i, j] : 0 <= j <= i < n }", &["{ S[i, j] -> [(i)] }", "{ S[i, j] -> [(j)] }"]);
    insta::assert_snapshot!(code(&tiled(&tree, &[32, 32]), None), @r"
    for (int c0 = 0; c0 <= floord(n - 1, 32); c0 += 1)
      for (int c1 = 0; c1 <= c0; c1 += 1)
        for (int c2 = 32 * c0; c2 <= min(n - 1, 32 * c0 + 31); c2 += 1)
          for (int c3 = 32 * c1; c3 <= min(32 * c1 + 31, c2); c3 += 1)
            S(c2, c3);
    ");
}

const GEMM: &str = "[m, n, k] -> { S[i, j, l] : 0 <= i < m and 0 <= j < n and 0 <= l < k }";

fn gemm() -> ScheduleTree {
    let tree = nest(GEMM, &["{ S[i, j, l] -> [(i)] }", "{ S[i, j, l] -> [(j)] }", "{ S[i, j, l] -> [(l)] }"]);
    tiled(&tree, &[32, 32, 32]).cursor_at(&[0, 0]).unwrap().permute(&[0, 2, 1]).unwrap().into_tree()
}

#[test]
fn gemm_tiled() {
    insta::assert_snapshot!(code(&gemm(), Some("[m, n, k] -> { : m >= 1 and n >= 1 and k >= 1 }")), @r"
    for (int c0 = 0; c0 <= (m - 1) / 32; c0 += 1)
      for (int c1 = 0; c1 <= (n - 1) / 32; c1 += 1)
        for (int c2 = 0; c2 <= (k - 1) / 32; c2 += 1)
          for (int c3 = 32 * c0; c3 <= min(m - 1, 32 * c0 + 31); c3 += 1)
            for (int c4 = 32 * c2; c4 <= min(k - 1, 32 * c2 + 31); c4 += 1)
              for (int c5 = 32 * c1; c5 <= min(n - 1, 32 * c1 + 31); c5 += 1)
                S(c3, c5, c4);
    ");
}

#[test]
fn gemm_full_tiles_isolated() {
    let tree = gemm().update_band(&[0], |band, _| band.isolate_full_tiles = true).unwrap();
    insta::assert_snapshot!(code(&tree, Some("[m, n, k] -> { : m >= 1 and n >= 1 and k >= 1 }")), @r"
    for (int c0 = 0; c0 <= (m - 1) / 32; c0 += 1)
      for (int c1 = 0; c1 <= (n - 1) / 32; c1 += 1)
        for (int c2 = 0; c2 <= (k - 1) / 32; c2 += 1) {
          if (32 * c2 <= k - 32 && 32 * c1 <= n - 32 && 32 * c0 <= m - 32) {
            for (int c3 = 32 * c0; c3 <= 32 * c0 + 31; c3 += 1)
              for (int c4 = 32 * c2; c4 <= 32 * c2 + 31; c4 += 1)
                for (int c5 = 32 * c1; c5 <= 32 * c1 + 31; c5 += 1)
                  S(c3, c5, c4);
          } else {
            for (int c3 = 32 * c0; c3 <= min(m - 1, 32 * c0 + 31); c3 += 1)
              for (int c4 = 32 * c2; c4 <= min(k - 1, 32 * c2 + 31); c4 += 1)
                for (int c5 = 32 * c1; c5 <= min(n - 1, 32 * c1 + 31); c5 += 1)
                  S(c3, c5, c4);
          }
        }
    ");
}

/// The points of a tile may be the members of several bands, one below the other.
#[test]
fn full_tiles_of_split_bands() {
    let tree = gemm().update_band(&[0], |band, _| band.isolate_full_tiles = true).unwrap();
    let context = Some("[m, n, k] -> { : m >= 1 and n >= 1 and k >= 1 }");
    let whole = code(&tree, context);
    for at in [1, 2] {
        let split = tree.cursor_at(&[0, 0]).unwrap().split(at).unwrap().into_tree();
        assert_eq!(code(&split, context), whole);
    }
}

#[test]
fn one_tile_in_context() {
    insta::assert_snapshot!(code(&gemm(), Some("[m, n, k] -> { : 1 <= m <= 32 and n = 64 and k = 100 }")), @r"
    for (int c0 = 0; c0 <= 1; c0 += 1)
      for (int c1 = 0; c1 <= 3; c1 += 1)
        for (int c2 = 0; c2 <= m - 1; c2 += 1)
          for (int c3 = 32 * c1; c3 <= min(32 * c1 + 31, 99); c3 += 1)
            for (int c4 = 32 * c0; c4 <= 32 * c0 + 31; c4 += 1)
              S(c2, c4, c3);
    ");
}

#[test]
fn skewed_and_tiled() {
    let domain = "[T, n] -> { S[t, i] : 0 <= t < T and 1 <= i < n - 1 }";
    let tree = tiled(&nest(domain, &["{ S[t, i] -> [(t)] }", "{ S[t, i] -> [(2t + i)] }"]), &[16, 64]);
    insta::assert_snapshot!(code(&tree, Some("[T, n] -> { : T >= 1 and n >= 3 }")), @r"
    for (int c0 = 0; c0 <= (T - 1) / 16; c0 += 1)
      for (int c1 = c0 / 2; c1 <= min((2 * T + n - 4) / 64, (n + 32 * c0 + 28) / 64); c1 += 1)
        for (int c2 = max(32 * c1 + floord(1 - n, 2) + 1, 16 * c0); c2 <= min(T - 1, 16 * c0 + 15); c2 += 1)
          for (int c3 = max(2 * c2 + 1, 64 * c1); c3 <= min(n + 2 * c2 - 2, 64 * c1 + 63); c3 += 1)
            S(c2, c3 - 2 * c2);
    ");
    let tree = tree.update_band(&[0], |band, _| band.isolate_full_tiles = true).unwrap();
    insta::assert_snapshot!(code(&tree, Some("[T, n] -> { : T >= 1 and n >= 3 }")), @r"
    for (int c0 = 0; c0 <= (T - 1) / 16; c0 += 1)
      for (int c1 = c0 / 2; c1 <= min((2 * T + n - 4) / 64, (n + 32 * c0 + 28) / 64); c1 += 1) {
        if (n + 32 * c0 >= 64 * c1 + 65 && 2 * c1 >= c0 + 1 && 16 * c0 <= T - 16) {
          for (int c2 = 16 * c0; c2 <= 16 * c0 + 15; c2 += 1)
            for (int c3 = 64 * c1; c3 <= 64 * c1 + 63; c3 += 1)
              S(c2, c3 - 2 * c2);
        } else {
          for (int c2 = max(32 * c1 + floord(1 - n, 2) + 1, 16 * c0); c2 <= min(T - 1, 16 * c0 + 15); c2 += 1)
            for (int c3 = max(2 * c2 + 1, 64 * c1); c3 <= min(n + 2 * c2 - 2, 64 * c1 + 63); c3 += 1)
              S(c2, c3 - 2 * c2);
        }
      }
    ");
}

#[test]
fn reversed() {
    let tree = nest("[n] -> { S[i] : 0 <= i < n }", &["{ S[i] -> [(-i)] }"]);
    insta::assert_snapshot!(code(&tree, None), @r"
    for (int c0 = 1 - n; c0 <= 0; c0 += 1)
      S(-c0);
    ");
}

#[test]
fn fused_different_domains() {
    let domain = instances("[m, n] -> { S[i] : 0 <= i < m }|[m, n] -> { T[i] : 0 <= i < n }");
    let body = filters(&["{ S[i] }", "{ T[i] }"], vec![Node::leaf(), Node::leaf()]);
    let tree = ScheduleTree::new(domain, Node::band(band(&["{ S[i] -> [(i)] }|{ T[i] -> [(i)] }"]), body));
    insta::assert_snapshot!(code(&tree, None), @r"
    for (int c0 = 0; c0 <= max(m - 1, n - 1); c0 += 1) {
      if (c0 <= m - 1)
        S(c0);
      if (c0 <= n - 1)
        T(c0);
    }
    ");
    let separate = tree.update_band(&[0], |_, m| m[0].loop_type = LoopType::Separate).unwrap();
    insta::assert_snapshot!(code(&separate, None), @r"
    for (int c0 = 0; c0 <= min(m - 1, n - 1); c0 += 1) {
      S(c0);
      T(c0);
    }
    for (int c0 = max(0, n); c0 <= m - 1; c0 += 1)
      S(c0);
    for (int c0 = max(0, m); c0 <= n - 1; c0 += 1)
      T(c0);
    ");
}

#[test]
fn imperfect_nest() {
    let domain = "[n, m] -> { S[i] : 0 <= i < n }|[n, m] -> { T[i, j] : 0 <= i < n and 0 <= j < m }|[n, m] -> { U[i] : 0 <= i < n }";
    let inner = Node::band(band(&["{ T[i, j] -> [(j)] }"]), Node::leaf());
    let body = filters(&["{ S[i] }", "{ T[i, j] }", "{ U[i] }"], vec![Node::leaf(), inner, Node::leaf()]);
    let outer = band(&["{ S[i] -> [(i)] }|{ T[i, j] -> [(i)] }|{ U[i] -> [(i)] }"]);
    let tree = ScheduleTree::new(instances(domain), Node::band(outer, body));
    insta::assert_snapshot!(code(&tree, None), @r"
    for (int c0 = 0; c0 <= n - 1; c0 += 1) {
      S(c0);
      for (int c1 = 0; c1 <= m - 1; c1 += 1)
        T(c0, c1);
      U(c0);
    }
    ");
}

#[test]
fn conditions_on_parameters_stand_outside() {
    let domain = "[n, p] -> { S[i, j] : 0 <= i < n and 0 <= j < n and p >= 5 }|[n, p] -> { Z[] : p <= 3 }";
    let nest = Node::band(band(&["{ S[i, j] -> [(i)] }", "{ S[i, j] -> [(j)] }"]), Node::leaf());
    let tree = ScheduleTree::new(instances(domain), filters(&["{ Z[] }", "{ S[i, j] }"], vec![Node::leaf(), nest]));
    insta::assert_snapshot!(code(&tree, None), @r"
    if (p <= 3) {
      Z();
    } else if (p >= 5) {
      for (int c0 = 0; c0 <= n - 1; c0 += 1)
        for (int c1 = 0; c1 <= n - 1; c1 += 1)
          S(c0, c1);
    }
    ");
    insta::assert_snapshot!(code(&tree, Some("[p] -> { : p >= 7 }")), @r"
    for (int c0 = 0; c0 <= n - 1; c0 += 1)
      for (int c1 = 0; c1 <= n - 1; c1 += 1)
        S(c0, c1);
    ");
}

#[test]
fn conditions_inside_a_fused_loop() {
    let domain = "[n, m] -> { S[i] : 0 <= i < n }|[n, m] -> { T[i, j] : 0 <= i < n and i mod 4 = 0 and 0 <= j < m and j >= i - 3 }";
    let inner = Node::band(band(&["{ T[i, j] -> [(j)] }"]), Node::leaf());
    let body = filters(&["{ S[i] }", "{ T[i, j] }"], vec![Node::leaf(), inner]);
    let tree =
        ScheduleTree::new(instances(domain), Node::band(band(&["{ S[i] -> [(i)] }|{ T[i, j] -> [(i)] }"]), body));
    insta::assert_snapshot!(code(&tree, None), @r"
    for (int c0 = 0; c0 <= n - 1; c0 += 1) {
      S(c0);
      if (c0 % 4 == 0)
        for (int c1 = max(0, c0 - 3); c1 <= m - 1; c1 += 1)
          T(c0, c1);
    }
    ");
}

#[test]
fn strided_domain() {
    let tree = nest("[n] -> { S[i] : 0 <= i < n and i mod 3 = 1 }", &["{ S[i] -> [(i)] }"]);
    insta::assert_snapshot!(code(&tree, None), @r"
    for (int c0 = 1; c0 <= n - 1; c0 += 3)
      S(c0);
    ");
    let tree = nest(
        "[n] -> { S[i, j] : 0 <= i < n and i <= j < n and (i + j) mod 2 = 0 }",
        &["{ S[i, j] -> [(i)] }", "{ S[i, j] -> [(j)] }"],
    );
    insta::assert_snapshot!(code(&tree, None), @r"
    for (int c0 = 0; c0 <= n - 1; c0 += 1)
      for (int c1 = c0; c1 <= n - 1; c1 += 2)
        S(c0, c1);
    ");
    let tree = nest("[n] -> { S[i] : 0 <= i < n and i mod 3 <= 1 }", &["{ S[i] -> [(i)] }"]);
    insta::assert_snapshot!(code(&tree, None), @r"
    for (int c0 = 0; c0 <= n - 1; c0 += 1)
      if (c0 % 3 <= 1)
        S(c0);
    ");
}

#[test]
fn scaled_members() {
    let tree = nest("[n] -> { S[i] : 0 <= i < n }", &["{ S[i] -> [(2i)] }"]);
    insta::assert_snapshot!(code(&tree, None), @r"
    for (int c0 = 0; c0 <= n - 1; c0 += 1)
      S(c0);
    ");
    let domain = "[n] -> { S[i] : 0 <= i < n }|[n] -> { T[i] : 0 <= i < n }";
    let tree = nest(domain, &["{ S[i] -> [(2i)] }|{ T[i] -> [(2i + 1)] }"]);
    insta::assert_snapshot!(code(&tree, None), @r"
    for (int c0 = 0; c0 <= n - 1; c0 += 1) {
      S(c0);
      T(c0);
    }
    ");
}

#[test]
fn union_domain() {
    let tree = nest("[n] -> { S[i] : 0 <= i < 5 or 10 <= i < n }", &["{ S[i] -> [(i)] }"]);
    insta::assert_snapshot!(code(&tree, None), @r"
    for (int c0 = 0; c0 <= 4; c0 += 1)
      S(c0);
    for (int c0 = 10; c0 <= n - 1; c0 += 1)
      S(c0);
    ");
    let tree = nest(
        "[n, m] -> { S[i, j] : (0 <= i < n and 0 <= j < m) or (0 <= i < n and i <= j < 2 m) }",
        &["{ S[i, j] -> [(i)] }", "{ S[i, j] -> [(j)] }"],
    );
    insta::assert_snapshot!(code(&tree, None), @r"
    for (int c0 = 0; c0 <= n - 1; c0 += 1) {
      for (int c1 = 0; c1 <= m - 1; c1 += 1)
        S(c0, c1);
      for (int c1 = max(c0, m); c1 <= 2 * m - 1; c1 += 1)
        S(c0, c1);
    }
    ");
}

#[test]
fn instances_without_order() {
    let tree = nest("[n] -> { S[i, j] : 0 <= i < n and 0 <= j <= i }", &["{ S[i, j] -> [(i)] }"]);
    insta::assert_snapshot!(code(&tree, None), @r"
    for (int c0 = 0; c0 <= n - 1; c0 += 1)
      for (int c1 = 0; c1 <= c0; c1 += 1)
        S(c0, c1);
    ");
}

#[test]
fn marks_names_and_empty_parts() {
    let domain = "[n] -> { S[i] : 0 <= i < n }|[n] -> { E[i] : 0 <= i < n and n <= -1 }";
    let member = member("{ S[i] -> [(i)] }|{ E[i] -> [(i)] }").with_name("i");
    let tree =
        ScheduleTree::new(instances(domain), Node::mark("kernel", Node::band(Band::new(vec![member]), Node::leaf())));
    insta::assert_snapshot!(code(&tree, None), @r"
    // kernel
    for (int i = 0; i <= n - 1; i += 1)
      S(i);
    ");
    insta::assert_snapshot!(code(&tree, Some("[n] -> { : n <= 0 }")), @"");
}

#[test]
fn loops_without_begin_are_errors() {
    let tree = nest("[n] -> { S[i] : i <= n }", &["{ S[i] -> [(i)] }"]);
    let error = AstBuild::new().build(&tree, &Budget::unlimited()).unwrap_err();
    insta::assert_snapshot!(error, @"member 0 of band 0 has no lower bound for statement S; bound the domain of the statement");
}

#[test]
fn jacobi_two_statements() {
    let domain =
        "[T, n] -> { S[t, i] : 0 <= t < T and 1 <= i < n - 1 }|[T, n] -> { R[t, i] : 0 <= t < T and 1 <= i < n - 1 }";
    let members =
        ["{ S[t, i] -> [(t)] }|{ R[t, i] -> [(t)] }", "{ S[t, i] -> [(2t + i)] }|{ R[t, i] -> [(2t + i + 1)] }"];
    let body = filters(&["{ S[t, i] }", "{ R[t, i] }"], vec![Node::leaf(), Node::leaf()]);
    let tree = ScheduleTree::new(instances(domain), Node::band(band(&members), body));
    insta::assert_snapshot!(code(&tree, Some("[T, n] -> { : T >= 1 and n >= 3 }")), @r"
    for (int c0 = 0; c0 <= T - 1; c0 += 1)
      for (int c1 = 2 * c0 + 1; c1 <= n + 2 * c0 - 1; c1 += 1) {
        if (n + 2 * c0 >= c1 + 2)
          S(c0, c1 - 2 * c0);
        if (c1 >= 2 * c0 + 2)
          R(c0, c1 - 2 * c0 - 1);
      }
    ");
}

#[test]
fn parameters_align_by_name() {
    let domain = "[n, m] -> { S[i] : 0 <= i < n and m >= 2 }|[m, n] -> { T[i] : 0 <= i < m and n >= 3 }|{ Z[] }";
    let members = ["[m] -> { S[i] -> [(i + m)] }|[n] -> { T[i] -> [(i + n)] }|{ Z[] -> [(0)] }"];
    let tree = nest(domain, &members);
    insta::assert_snapshot!(code(&tree, Some("[k, n, m] -> { : n = 5 and m = k }")), @r"
    Z();
    if (m >= 2) {
      for (int c0 = min(m, 5); c0 <= m + 4; c0 += 1) {
        if (c0 >= m)
          S(c0 - m);
        if (c0 >= 5)
          T(c0 - 5);
      }
    } else if (m >= 1) {
      T(0);
    }
    ");
}

#[test]
fn no_parameters_no_dimensions() {
    let tree = ScheduleTree::new(instances("{ Z[] }"), Node::leaf());
    insta::assert_snapshot!(code(&tree, None), @"Z();");
    let tree = ScheduleTree::new(instances("{ Z[] : false }"), Node::leaf());
    insta::assert_snapshot!(code(&tree, None), @"");
    let tree = ScheduleTree::new(Instances::new(), Node::leaf());
    insta::assert_snapshot!(code(&tree, None), @"");
}

/// The rows of two statements end at different parameters, of which only the range of a type is known: the loop over
/// both ends at the larger one. A bound of one parameter that holds for both would run through the whole range.
#[test]
fn ranges_of_parameters_are_no_distances() {
    let names = ["[n, m] -> { S[i] : 0 <= i < n }", "[n, m] -> { T[i] : 0 <= i < m }"];
    let members = ["{ S[i] -> [(floor((i)/16))] } | { T[i] -> [(floor((i)/16))] }"];
    let inner = filters(&names, vec![Node::leaf(), Node::leaf()]);
    let tree = ScheduleTree::new(instances(&names.join(" | ")), Node::band(band(&members), inner));
    let context = "[n, m] -> { [] : 1 <= n <= 2147483647 and 1 <= m <= 2147483647 }";
    let text = code(&tree, Some(context));
    let first = text.lines().next().unwrap_or_default();
    assert!(first.contains("max(") && !first.contains("1342177"), "{text}");
}
