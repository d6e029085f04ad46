//! Loops that do not run in vain: what parts a loop, which conditions stand before it, steps that divisions hide.

use tessera_polyhedral::ast::AstBuild;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::relation::{Set, UnionMap};

fn code(schedule: &str) -> String {
    code_in("{ : }", schedule)
}

fn code_in(context: &str, schedule: &str) -> String {
    let context: Set = context.parse().unwrap_or_else(|e| panic!("{context}: {e}"));
    let schedule: UnionMap = schedule.parse().unwrap_or_else(|e| panic!("{schedule}: {e}"));
    let build = AstBuild::new().with_context(context);
    build.build_relation(&schedule, None, &Budget::new(50_000_000)).unwrap().to_string()
}

/// `x` is `8 k + 3`, so that the division by 2 is exact and the loop has the step 12.
#[test]
fn step_of_a_quotient() {
    let schedule = "[n] -> { S[x] -> [floor((3x + 1)/2), x] : -1 <= x <= n and (3x + 1) mod 8 = 2 }";
    insta::assert_snapshot!(code(schedule), @r"
    for (int c0 = 0; c0 <= floord(n - 3, 8); c0 += 1)
      S(8 * c0 + 3);
    ");
}

/// The same with a coefficient of another unknown.
#[test]
fn step_of_a_quotient_of_two_dimensions() {
    let schedule =
        "[n] -> { S[x, y] -> [floor((3x + 5y)/4), x, y] : 0 <= x <= n and 0 <= y <= 9 and (3x + 5y) mod 12 = 7 }";
    insta::assert_snapshot!(code(schedule), @r"
    for (int c0 = 4; c0 <= floord(3 * n + 1, 4) + 9; c0 += 3)
      for (int c1 = max(5 - ((c0 + 2) / 3) % 5, 4 * ((c0 + 2) / 3) - 15); c1 <= min(n, 4 * ((c0 + 2) / 3) - 5); c1 += 5)
        S(c1, c0 - 3 * (((c0 + 2) / 3 + c1) / 5) + 1);
    ");
}

/// Where `i > n` there is nothing to do but `T`.
#[test]
fn parted_by_range() {
    let schedule = "[n] -> { S[i, j] -> [i, j] : 0 <= i <= 9 and 0 <= j <= n - i; T[i] -> [i, 9] : 0 <= i <= 9 }";
    insta::assert_snapshot!(code(schedule), @r"
    for (int c0 = 0; c0 <= 9; c0 += 1) {
      if (c0 <= n) {
        for (int c1 = 0; c1 <= min(n - c0, 8); c1 += 1)
          S(c0, c1);
        for (int c1 = 9; c1 <= max(n - c0, 9); c1 += 1) {
          if (c0 + c1 <= n)
            S(c0, c1);
          if (c1 == 9)
            T(c0);
        }
      } else {
        T(c0);
      }
    }
    ");
}

/// The outer loop is parted where only `S1` is left; inside, the second loop is parted where only `S0` is left, with a
/// longer step.
#[test]
fn parted_for_a_step() {
    let schedule = "{ S0[x, y] -> [3 * floor((2x)/3), 3 * floor((3x + 3y + 1)/3), (2x) mod 3, (3x + 3y + 1) mod 3] :
                             0 <= x <= 9 and 0 <= y <= 9 and (-x + 3y + 2) mod 4 = 0;
                      S1[x, y] -> [3 * floor((3x + y + 1)/3), floor((2x + 2y + 1)/3), (3x + y + 1) mod 3,
                                   (2x + 2y + 1) mod 3] : 0 <= x <= 9 and 1 <= y <= 9 and (x + y + 1) mod 2 = 0 }";
    insta::assert_snapshot!(code(schedule), @r"
    for (int c0 = 0; c0 <= 12; c0 += 1) {
      if (c0 <= 6) {
        for (int c1 = (2 * c0) / 3 + 1; c1 <= min(4 * c0 + (c0 + 1) / 2 - 3, (2 * c0) / 3 + 4); c1 += 1)
          if ((3 * c1) % 4 >= 1)
            for (int c2 = max((3 * c1 + 3) / 4 - 2 * c0, floord(1 - c0, 2)); c2 <= min(floord(-c0, 2) + 1, 3 * ((3 * c1 + 3) / 4) - 2 * c0 - 2); c2 += 1)
              S1(2 * c0 + c2 - (3 * c1 + 3) / 4, 3 * ((3 * c1 + 3) / 4) - 2 * c0 - c2 - 1);
        if (c0 <= 0) {
          S1(0, 1);
          for (int c1 = 0; c1 <= 2; c1 += 1)
            for (int c2 = max(0, 4 * c1 - 7); c2 <= 1; c2 += 1)
              S0(c2, 4 * c1 - c2 + 2);
        } else {
          for (int c1 = (3 * c0 + 3) / 8; c1 <= (3 * c0 + 7) / 8 + 1; c1 += 1)
            for (int c2 = floord(1 - c0, 2); c2 <= min(floord(-c0, 2) + 1, min(4 * c1 - 2 * c0 + 2, 9 - 2 * c0)); c2 += 1)
              S0(2 * c0 + c2, 4 * c1 - 2 * c0 - c2 + 2);
        }
      } else {
        for (int c1 = max((2 * c0) / 3 + 1, 2 * c0 - 13); c1 <= (2 * c0 + 1) / 3 + 4; c1 += 1)
          if ((3 * c1) % 4 >= 1)
            for (int c2 = max(3 * ((3 * c1 + 3) / 4) - 2 * c0 - 10, floord(1 - c0, 2)); c2 <= min(floord(-c0, 2) + 1, min(3 * ((3 * c1 + 3) / 4) - 2 * c0 - 2, (3 * c1 + 3) / 4 - 2 * c0 + 9)); c2 += 1)
              S1(2 * c0 + c2 - (3 * c1 + 3) / 4, 3 * ((3 * c1 + 3) / 4) - 2 * c0 - c2 - 1);
      }
    }
    ");
}

/// No multiple of 32 lies inside of a tile of 16: the quotient is the same in all of its iterations.
#[test]
fn quotient_of_a_bound() {
    let schedule = "[n] -> { S[t, i] -> [floor(i/16), i] : t = floor(i/32) and 0 <= i < n }";
    insta::assert_snapshot!(code(schedule), @r"
    for (int c0 = 0; c0 <= floord(n - 1, 16); c0 += 1)
      for (int c1 = 16 * c0; c1 <= min(n - 1, 16 * c0 + 15); c1 += 1)
        S(c0 / 2, c1);
    ");
}

/// What is left of strips of 32 begins at one: that `c2` is in the tile `c0` needs no bound, over the integers.
#[test]
fn bound_that_follows_over_the_integers() {
    let schedule = "[n] -> { S[j] -> [floor(j/256), 0, floor(j/8), j] :
                               0 <= j < n and 8 * floor(j/8) + 8 <= n <= 32 * floor(j/32) + 31;
                             T[j] -> [floor(j/256), 1, 0, j] : 0 <= j < n }";
    insta::assert_snapshot!(code(schedule), @r"
    for (int c0 = 0; c0 <= floord(floord(n + 31, 32) - 1, 8); c0 += 1) {
      if (256 * c0 >= n - 256 && n % 32 >= 1)
        for (int c1 = 4 * ((n + 31) / 32) - 4; c1 <= n / 8 - 1; c1 += 1)
          for (int c2 = 8 * c1; c2 <= 8 * c1 + 7; c2 += 1)
            S(c2);
      for (int c1 = 256 * c0; c1 <= min(n - 1, 256 * c0 + 255); c1 += 1)
        T(c1);
    }
    ");
}

/// The first two loops would run for every `n`.
#[test]
fn condition_before_loops_that_do_not_need_it() {
    let schedule = "[n] -> { S[i, j, k] -> [i, j, k] : 0 <= i <= 8 and 0 <= j <= i and 4 <= k <= n }";
    insta::assert_snapshot!(code(schedule), @r"
    if (n >= 4)
      for (int c0 = 0; c0 <= 8; c0 += 1)
        for (int c1 = 0; c1 <= c0; c1 += 1)
          for (int c2 = 4; c2 <= n; c2 += 1)
            S(c0, c1, c2);
    ");
}

/// Only one loop runs in vain where `m < 4`.
#[test]
fn condition_of_the_next_loop() {
    let schedule = "[n, m] -> { S[i, j] -> [i, j] : 0 <= i <= n and 4 <= j <= m }";
    insta::assert_snapshot!(code(schedule), @r"
    for (int c0 = 0; c0 <= n; c0 += 1)
      for (int c1 = 4; c1 <= m; c1 += 1)
        S(c0, c1);
    ");
}

/// In the lattice `2 x2 + 2 = x0 + x1 + 8 e + 12 f` all constraints together leave `e` and `f` one value for a `c0`: the loop
/// over `c1` has the bounds of its instances, not `c0` to `c0 + 1` with a condition inside.
#[test]
fn unknowns_of_a_lattice() {
    let schedule = "[n] -> { S0[x0, x1, x2] -> [2 * floor((-x0 + 2x1 + 3x2 + 1)/2), -x0 + 2x1 + 3x2 + 1, x0, x1, x2] :
        -1 <= x0 <= n and 0 <= x1 <= n + 4 and -1 <= x2 <= n + 4 and exists (e, f : -x0 - x1 + 2x2 + 2 = 8e + 12f) }";
    insta::assert_snapshot!(code_in("[n] -> { : n = -1 }", schedule), @r"
    for (int c0 = 0; c0 <= 14; c0 += 2)
      for (int c1 = max(6 * ((c0 / 2) / 3) + 1, c0); c1 <= min(c0 + 1, min(8 * ((c0 / 2) / 3) + 1, 6 * ((c0 / 2) / 3) + 2)); c1 += 1)
        S0(-1, 2 * c1 - 12 * ((c0 / 2) / 3) - 1, 8 * ((c0 / 2) / 3) - c1);
    ");
}

/// Three congruences of `x0`, `x1` and `x2` leave one `x0` and one `x2` for `c0` and `c1`: conditions instead of two
/// more loops that run over all that could be.
#[test]
fn unknowns_of_congruences() {
    let schedule = "[n] -> { S0[x0, x1, x2] -> [floor((2x0 + x1 + x2 + 1)/2), 2 * floor((x1)/2), x0, x1, x2] :
        0 <= x0 <= n and 0 <= x1 <= 9 and -1 <= x2 <= 9 and (-x0 + 3x1 + 3x2 + 1) mod 8 = 2 and (x0 + 2x2 + 1) mod 5 = 2 }";
    let code = code_in("[n] -> { : n <= 2 }", schedule);
    assert_eq!(code.matches("for (").count(), 2, "{code}");
}

/// Of the two cases of the context only one has instances: the code asks for it, and knows the number of iterations.
#[test]
fn only_case_of_a_context() {
    let code = code_in("[n] -> { : n <= -1 or n = 2 }", "[n] -> { S[i] -> [i] : 0 <= i < n }");
    assert!(code.starts_with("if (n == 2)") && code.contains("c0 <= 1;"), "{code}");
}

/// One loop for both; that of `T` is there for some parameters only, and runs for them only.
#[test]
fn parts_of_an_atomic_loop_under_a_condition() {
    let schedule: UnionMap = "[n, m] -> { S[i] -> [i] : 0 <= i < 5; T[i] -> [i] : n <= i < n + 5 and 2 <= m <= 7 }"
        .parse()
        .expect("a schedule");
    let atomic: UnionMap = "{ [i] -> atomic[0] }".parse().expect("options");
    let unit = AstBuild::new().build_relation(&schedule, Some(&atomic), &Budget::new(50_000_000)).unwrap();
    insta::assert_snapshot!(unit, @r"
    for (int c0 = min(0, (m >= 2 && m <= 7 ? n : 0)); c0 <= max(4, (m >= 2 && m <= 7 ? n + 4 : 4)); c0 += 1) {
      if (c0 >= 0 && c0 <= 4)
        S(c0);
      if (m >= 2 && c0 >= n && c0 <= n + 4 && m <= 7)
        T(c0);
    }
    ");
}

/// Two values that are up to seven apart: the loop over both does not run through what lies between their ranges.
#[test]
fn an_atomic_loop_from_the_least_to_the_greatest_value() {
    let schedule: UnionMap = "[n] -> { A[] -> [n] : -3 <= n <= 8; B[] -> [1] }".parse().expect("a schedule");
    let atomic: UnionMap = "{ [i] -> atomic[0] }".parse().expect("options");
    let unit = AstBuild::new().build_relation(&schedule, Some(&atomic), &Budget::new(50_000_000)).unwrap();
    insta::assert_snapshot!(unit, @r"
    if (n >= -3 && n <= 8) {
      for (int c0 = min(n, 1); c0 <= max(n, 1); c0 += 1) {
        if (c0 == n)
          A();
        if (c0 == 1)
          B();
      }
    } else {
      B();
    }
    ");
}

/// The inner loop runs only where it has something to do: for one of its two parts.
#[test]
fn an_atomic_loop_whose_parts_are_all_under_a_condition() {
    let schedule: UnionMap = "[n] -> { S[k, i] -> [k, i] : 0 <= k < 90 and k mod 3 = 0 and 0 <= i < 5;
        T[k, i] -> [k, i] : 0 <= k < 90 and k >= n and 0 <= i < 5 }"
        .parse()
        .expect("a schedule");
    let atomic: UnionMap = "{ [k, i] -> atomic[0]; [k, i] -> atomic[1] }".parse().expect("options");
    let unit = AstBuild::new().build_relation(&schedule, Some(&atomic), &Budget::new(50_000_000)).unwrap();
    insta::assert_snapshot!(unit, @r"
    for (int c0 = 0; c0 <= 89; c0 += 1)
      if (c0 % 3 == 0 || c0 >= n)
        for (int c1 = 0; c1 <= 4; c1 += 1) {
          if (c0 % 3 == 0)
            S(c0, c1);
          if (c0 >= n)
            T(c0, c1);
        }
    ");
}

/// One loop in vain costs as much as a test, three cost more: they stand under one (seed 19738 of the random relations had four).
#[test]
fn loops_in_a_row_that_one_condition_empties() {
    let loops = |n: usize| {
        let part =
            |k: usize| format!("S{k}[i, j] -> [{k}, i, j] : {} <= i <= {} and {} <= j < n", 3 * k, 3 * k + 2, k.max(2));
        let parts: Vec<String> = (0..n).map(part).collect();
        code(&format!("[n] -> {{ {} }}", parts.join("; ")))
    };
    insta::assert_snapshot!(loops(2), @r"
    for (int c0 = 0; c0 <= 2; c0 += 1)
      for (int c1 = 2; c1 <= n - 1; c1 += 1)
        S0(c0, c1);
    for (int c0 = 3; c0 <= 5; c0 += 1)
      for (int c1 = 2; c1 <= n - 1; c1 += 1)
        S1(c0, c1);
    ");
    insta::assert_snapshot!(loops(4), @r"
    if (n >= 3) {
      for (int c0 = 0; c0 <= 2; c0 += 1)
        for (int c1 = 2; c1 <= n - 1; c1 += 1)
          S0(c0, c1);
      for (int c0 = 3; c0 <= 5; c0 += 1)
        for (int c1 = 2; c1 <= n - 1; c1 += 1)
          S1(c0, c1);
      for (int c0 = 6; c0 <= 8; c0 += 1)
        for (int c1 = 2; c1 <= n - 1; c1 += 1)
          S2(c0, c1);
    }
    for (int c0 = 9; c0 <= 11; c0 += 1)
      for (int c1 = 3; c1 <= n - 1; c1 += 1)
        S3(c0, c1);
    ");
}
