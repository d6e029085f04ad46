//! The shape of generated ASTs: common loop nests come out as a programmer would write them.

use tessera_polyhedral::affine::Aff;
use tessera_polyhedral::arith::Int;
use tessera_polyhedral::ast::AstBuild;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::relation::Set;
use tessera_polyhedral::schedule::{Band, Instances, LoopType, Member, Node, ScheduleTree};

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

#[test]
fn triangle_interchanged() {
    let domain = instances("[n] -> { S[i, j] : 0 <= j <= i < n }");
    let tree = ScheduleTree::new(domain, Node::band(band(&["{ S[i, j] -> [(j)] }", "{ S[i, j] -> [(i)] }"]), Node::leaf()));
    insta::assert_snapshot!(code(&tree, None), @"");
}

#[test]
fn gemm_tiled() {
    let domain = instances("[m, n, k] -> { S[i, j, l] : 0 <= i < m and 0 <= j < n and 0 <= l < k }");
    let members = ["{ S[i, j, l] -> [(i)] }", "{ S[i, j, l] -> [(j)] }", "{ S[i, j, l] -> [(l)] }"];
    let tree = ScheduleTree::new(domain, Node::band(band(&members), Node::leaf()));
    let tiled = tree.tile(&[0], &[Int::from(32), Int::from(32), Int::from(32)]).unwrap();
    let tiled = tiled.permute(&[0, 0], &[0, 2, 1]).unwrap();
    insta::assert_snapshot!(code(&tiled, Some("[m, n, k] -> { : m >= 1 and n >= 1 and k >= 1 }")), @"");
    insta::assert_snapshot!(code(&tiled, None), @"");
}
#[test]
fn fused_different_domains() {
    let domain = instances("[m, n] -> { S[i] : 0 <= i < m }|[m, n] -> { T[i] : 0 <= i < n }");
    let tree = ScheduleTree::new(
        domain,
        Node::band(band(&["{ S[i] -> [(i)] }|{ T[i] -> [(i)] }"]), filters(&["{ S[i] }", "{ T[i] }"], vec![Node::leaf(), Node::leaf()])),
    );
    insta::assert_snapshot!(code(&tree, None), @"");
    let separate = tree.update_band(&[0], |_, m| m[0].loop_type = LoopType::Separate).unwrap();
    insta::assert_snapshot!(code(&separate, None), @"");
}
