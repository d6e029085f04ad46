//! Edits, verification, printing and the flat form of schedule trees.

use tessera_polyhedral::affine::Aff;
use tessera_polyhedral::arith::Int;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::relation::{Map, Set};
use tessera_polyhedral::schedule::{Band, Cursor, EditError, Instances, Member, Node, ScheduleTree, TileOptions};

fn set(text: &str) -> Set {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn map(text: &str) -> Map {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn instances(text: &str) -> Instances {
    Instances::from_sets(text.split('|').map(set)).unwrap()
}

fn band(members: &[&str]) -> Band {
    let member = |text: &&str| Member::new(text.split('|').map(|t| t.parse::<Aff>().unwrap())).unwrap();
    Band::new(members.iter().map(member).collect())
}

/// `S[i, j]` under `[i, j]`, then `T[i]` and `U[i]` in one loop.
fn example() -> ScheduleTree {
    let domain = "[n] -> { S[i, j] : 0 <= i, j < n }|[n] -> { T[i] : 0 <= i < n }|[n] -> { U[i] : 0 <= i < n }";
    let nest = Node::band(band(&["{ S[i, j] -> [(i)] }", "{ S[i, j] -> [(j)] }"]).with_permutable(true), Node::leaf());
    let body = Node::sequence(vec![
        Node::filter(instances("{ T[i] }"), Node::leaf()),
        Node::filter(instances("{ U[i] }"), Node::leaf()),
    ]);
    let fused = Node::band(band(&["{ T[i] -> [(i)] }|{ U[i] -> [(i)] }"]), body);
    let root = Node::sequence(vec![
        Node::filter(instances("{ S[i, j] }"), nest),
        Node::filter(instances("{ T[i] }|{ U[i] }"), Node::mark("late", fused)),
    ]);
    ScheduleTree::new(instances(domain), root)
}

fn at(tree: &ScheduleTree, path: &[usize]) -> Cursor {
    tree.cursor_at(path).unwrap()
}

fn tile(tree: &ScheduleTree, path: &[usize], sizes: &[i64]) -> Result<ScheduleTree, EditError> {
    let sizes: Vec<Int> = sizes.iter().map(|&size| Int::from(size)).collect();
    at(tree, path).tile(&sizes, TileOptions { scale_tiles: false, shift_points: false }).map(Cursor::into_tree)
}

fn permute(tree: &ScheduleTree, path: &[usize], order: &[usize]) -> Result<ScheduleTree, EditError> {
    at(tree, path).permute(order).map(Cursor::into_tree)
}

#[test]
fn drawing() {
    insta::assert_snapshot!(example(), @r"
    domain [n] -> { S[i, j] : 0 <= i < n and 0 <= j < n; T[i] : 0 <= i < n; U[i] : 0 <= i < n }
      sequence
        filter { S[..] }
          band (permutable)
            S -> [i, j]
        filter { T[..]; U[..] }
          mark late
            band
              T -> [i]
              U -> [i]
              sequence
                filter { T[..] }
                filter { U[..] }
    ");
    let tiled = tile(&example(), &[0, 0, 0], &[32, 8]).unwrap();
    insta::assert_snapshot!(tiled, @r"
    domain [n] -> { S[i, j] : 0 <= i < n and 0 <= j < n; T[i] : 0 <= i < n; U[i] : 0 <= i < n }
      sequence
        filter { S[..] }
          band (permutable)
            S -> [floor((i)/32), floor((j)/8)]
            band (permutable)
              S -> [i, j]
        filter { T[..]; U[..] }
          mark late
            band
              T -> [i]
              U -> [i]
              sequence
                filter { T[..] }
                filter { U[..] }
    ");
}

#[test]
fn yaml() {
    let tree = example().update_band(&[0, 0, 0], |_, m| m[0].coincident = true).unwrap();
    insta::assert_snapshot!(tree.to_yaml(), @r#"
    domain: "[n] -> { S[i, j] : 0 <= i < n and 0 <= j < n; T[i] : 0 <= i < n; U[i] : 0 <= i < n }"
    child:
      sequence:
      - filter: "{ S[i, j] }"
        child:
          schedule: "[{ S[i, j] -> [(i)] }, { S[i, j] -> [(j)] }]"
          permutable: 1
          coincident: [1, 0]
      - filter: "{ T[i]; U[i] }"
        child:
          mark: "late"
          child:
            schedule: "[{ T[i] -> [(i)]; U[i] -> [(i)] }]"
            child:
              sequence:
              - filter: "{ T[i] }"
              - filter: "{ U[i] }"
    "#);
}

#[test]
fn instances_and_union_sets() {
    let both = instances("[n] -> { S[i] : 0 <= i < n }|{ T[] }");
    assert_eq!(Instances::from_union_set(&both.to_union_set().unwrap()).unwrap().to_string(), both.to_string());
    assert!(Instances::from_sets([set("{ S[i] }"), set("{ S[i, j] }")]).is_err());
}

#[test]
fn bands_in_preorder() {
    let paths: Vec<Vec<usize>> = example().bands().into_iter().map(|(path, _)| path).collect();
    assert_eq!(paths, [vec![0, 0, 0], vec![0, 1, 0, 0]]);
}

#[test]
fn edits_that_are_refused() {
    let tree = example();
    let not_permutable = ScheduleTree::new(
        instances("{ S[i, j] : 0 <= i, j < 4 }"),
        Node::band(band(&["{ S[i, j] -> [(i)] }", "{ S[i, j] -> [(j)] }"]), Node::leaf()),
    );
    assert_eq!(permute(&not_permutable, &[0], &[1, 0]), Err(EditError::NotPermutable { path: vec![0] }));
    assert_eq!(tile(&not_permutable, &[0], &[2, 2]), Err(EditError::NotPermutable { path: vec![0] }));
    assert!(permute(&not_permutable, &[0], &[0, 1]).is_ok());
    assert!(matches!(tile(&tree, &[0, 0, 0], &[2]), Err(EditError::BadArgument { .. })));
    assert!(matches!(tile(&tree, &[0, 0, 0], &[2, 0]), Err(EditError::BadArgument { .. })));
    assert!(matches!(permute(&tree, &[0, 0, 0], &[0, 0]), Err(EditError::BadArgument { .. })));
    assert_eq!(tile(&tree, &[0], &[]), Err(EditError::NotABand { path: vec![0], found: "sequence" }));
    assert!(tree.cursor_at(&[3]).is_none());
    assert_eq!(tree.replace(&[3], Node::leaf()), Err(EditError::NoSuchNode { path: vec![3] }));
    assert_eq!(tree.insert_mark(&[0, 0], "m"), Err(EditError::AboveFilter { path: vec![0, 0] }));
    assert!(tree.insert_mark(&[0, 0, 0], "m").is_ok());
    insta::assert_snapshot!(permute(&not_permutable, &[0], &[1, 0]).unwrap_err(), @"the band at [0] is not permutable: its members cannot be interchanged or tiled together");
}

#[test]
fn splitting_keeps_the_order() {
    let tree = example();
    let split = at(&tree, &[0, 0, 0]).split(1).unwrap().into_tree();
    let budget = Budget::unlimited();
    assert_eq!(split.bands().len(), 3);
    assert_eq!(tree.to_map(&budget).unwrap(), split.to_map(&budget).unwrap());
}

#[test]
fn flat_schedule() {
    let maps = example().to_map(&Budget::unlimited()).unwrap();
    let text: Vec<String> = maps.members().map(Map::to_string).collect();
    insta::assert_snapshot!(text.join("\n"), @r"
    [n] -> { S[i, j] -> [t0 = 0, t1 = i, t2 = j] : 0 <= i < n and 0 <= j < n }
    [n] -> { T[i] -> [t0 = 1, t1 = i, t2 = 0] : 0 <= i < n }
    [n] -> { U[i] -> [t0 = 1, t1 = i, t2 = 1] : 0 <= i < n }
    ");
}

#[test]
fn verification() {
    let budget = Budget::unlimited();
    assert_eq!(example().verify(&budget).unwrap(), []);
    let domain = || instances("{ S[i] : 0 <= i < 4 }|{ T[] }");
    let half = |text: &str| Node::filter(instances(text), Node::leaf());
    let broken = ScheduleTree::new(
        domain(),
        Node::sequence(vec![half("{ S[i] : i <= 2 }"), half("{ S[i] : i >= 2 }"), Node::leaf()]),
    );
    let defects: Vec<String> = broken.verify(&budget).unwrap().iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(defects.join("\n"), @r"
    schedule node at [0]: S[2] passes filters 0 and 1 (V2)
    schedule node at [0]: child 2 of a sequence is a leaf, not a filter (V1)
    ");
    let missing = ScheduleTree::new(domain(), Node::band(band(&["{ S[i] -> [(i)] }"]), Node::leaf()));
    let defects: Vec<String> = missing.verify(&budget).unwrap().iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(defects.join("\n"), @"schedule node at [0]: member 0 has no expression for T[], which reaches the band (V4)");
}

#[test]
fn legality() {
    let budget = Budget::unlimited();
    let domain = "[n] -> { S[i, j] : 1 <= i, j < n }";
    let forward = band(&["{ S[i, j] -> [(i)] }", "{ S[i, j] -> [(j)] }"]).with_permutable(true);
    let tree = ScheduleTree::new(instances(domain), Node::band(forward, Node::leaf()));
    let swapped = permute(&tree, &[0], &[1, 0]).unwrap();
    let tiled = tile(&tree, &[0], &[4, 4]).unwrap();
    let down = map("[n] -> { S[i, j] -> S[i + 1, j] : 1 <= i < n - 1 and 1 <= j < n }");
    let diagonal = map("[n] -> { S[i, j] -> S[i + 1, j - 1] : 1 <= i < n - 1 and 2 <= j < n }");
    for tree in [&tree, &swapped, &tiled] {
        assert!(tree.is_legal(std::slice::from_ref(&down), &budget).unwrap());
    }
    assert!(tree.is_legal(std::slice::from_ref(&diagonal), &budget).unwrap());
    assert!(!tiled.is_legal(&[down.clone(), diagonal.clone()], &budget).unwrap());
    let violation = swapped.first_violation(&[down, diagonal], &budget).unwrap().unwrap();
    assert_eq!((violation.dependence, violation.dim), (1, Some(0)));
    // Unordered instances must not depend on each other.
    let only_rows = ScheduleTree::new(instances(domain), Node::band(band(&["{ S[i, j] -> [(i)] }"]), Node::leaf()));
    let right = map("[n] -> { S[i, j] -> S[i, j + 1] : 1 <= i < n and 1 <= j < n - 1 }");
    let violation = only_rows.first_violation(&[right], &budget).unwrap().unwrap();
    assert_eq!(violation.dim, None);
}

#[test]
fn children_of_a_set_node_must_be_independent() {
    let budget = Budget::unlimited();
    let domain = || instances("{ S[i] : 0 <= i < 4 }|{ T[i] : 0 <= i < 4 }");
    let children =
        || ["{ S[i] }", "{ T[i] }"].iter().map(|text| Node::filter(instances(text), Node::leaf())).collect::<Vec<_>>();
    let dep = [map("{ S[i] -> T[i] : 0 <= i < 4 }")];
    let sequence = ScheduleTree::new(domain(), Node::sequence(children()));
    let set = ScheduleTree::new(domain(), Node::set(children()));
    assert!(sequence.is_legal(&dep, &budget).unwrap());
    assert!(!set.is_legal(&dep, &budget).unwrap());
    assert!(set.is_legal(&[], &budget).unwrap());
}
