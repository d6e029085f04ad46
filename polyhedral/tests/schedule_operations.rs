//! The acceptance cases of operations on schedule trees ("Schedule Trees", IMPACT 2014), by name.
//!
//! Deliberately different: an operation clears the flags that it could make wrong, where isl copies them (AC-O4, AC-O9:
//! bands that a sunk band passes; deleting a band). Fusion, combination and reordering, which isl does not have, are
//! checked by `Cursor::checked`. Fusing all children of a sequence leaves no sequence of one child.

use crate::schedule_support::*;
use tessera_polyhedral::affine::MultiUnionPwAff;
use tessera_polyhedral::relation::Set;
use tessera_polyhedral::schedule::{EditError, Node, ScheduleTree, TileOptions};

#[test]
fn ac_o2_apply() {
    let one = nest("[n] -> { S[i] : 0 <= i < n }", &["S[i] -> [(i)]"], ", permutable: 1, coincident: [1]");
    let apply = |text: &str| at(&one, &[0]).apply(&function(text), &budget()).unwrap().into_tree();
    // a: strip-mining, b (below): skewing, c: reversal, e: splitting of the index set, f: piecewise scaling.
    let strip = apply("{ [a] -> [floor(a/32), a mod 32] }");
    assert_schedule(&strip, "{ S[i] -> [floor(i/32), i mod 32] }");
    assert_eq!(trace(&apply("{ [a] -> [-a] }"), &[3]), "S(2) S(1) S(0)");
    let split = apply("{ [a] -> [0, a] : a < 10; [a] -> [1, -a] : a >= 10 }");
    assert_eq!(trace(&split, &[13]), "S(0) S(1) S(2) S(3) S(4) S(5) S(6) S(7) S(8) S(9) S(12) S(11) S(10)");
    let scaled = apply("{ [a] -> [2a] : a < 10; [a] -> [4a - 20] : a >= 10 }");
    assert_eq!(trace(&scaled, &[12]), trace(&one, &[12]));
    let Some(Node::Band(band, _)) = scaled.node(&[0]) else { panic!() };
    assert!(!band.permutable && !band.members()[0].coincident);
    let partial = at(&one, &[0]).apply(&function("{ [a] -> [a] : a < 10 }"), &budget()).unwrap_err();
    assert!(partial.to_string().contains("S[10]"), "{partial}");
    let two = nest("[n] -> { S[i, j] : 0 <= i, j < n }", &["S[i, j] -> [(i)]", "S[i, j] -> [(j)]"], "");
    let skewed = at(&two, &[0]).apply(&function("{ [a, b] -> [a + b, b] }"), &budget()).unwrap().into_tree();
    assert_eq!(trace(&skewed, &[2]), "S(0,0) S(1,0) S(0,1) S(1,1)");
}

#[test]
fn ac_o2d_interchange() {
    let tree = nest(
        "[n, m] -> { S[i, j] : 0 <= i < n and 0 <= j < m }",
        &["S[i, j] -> [(i)]", "S[i, j] -> [(j)]"],
        ", permutable: 1, coincident: [1, 0]",
    );
    let swapped = at(&tree, &[0]).permute(&[1, 0]).unwrap();
    let Node::Band(band, _) = swapped.node() else { panic!() };
    assert_eq!(band.members().iter().map(|m| m.coincident).collect::<Vec<_>>(), [false, true]);
    assert_schedule(swapped.tree(), "{ S[i, j] -> [j, i] }");
}

#[test]
fn ac_o3_split() {
    let tree = nest(
        "{ S[i, j] : 0 <= i, j < 9 }",
        &["S[i, j] -> [(i)]", "S[i, j] -> [(j)]"],
        ", permutable: 1, coincident: [1, 0]",
    );
    let split = at(&tree, &[0]).split(1).unwrap().into_tree();
    assert_eq!((flags(&split, &[0]), flags(&split, &[0, 0])), ((true, vec![true]), (true, vec![false])));
    let end = at(&tree, &[0]).split(2).unwrap().into_tree();
    assert_eq!(flags(&end, &[0, 0]).1, [false; 0]);
    assert_schedule(&end, "{ S[i, j] -> [i, j] }");
    // AC-O4, the way back.
    let back = at(&split, &[0]).combine().unwrap().into_tree();
    assert_schedule(&back, "{ S[i, j] -> [i, j] }");
    assert_eq!(at(&end, &[0]).combine().unwrap().into_tree().bands().len(), 1);
}

#[test]
fn ac_o4_combine_clears_flags() {
    let text = "{ domain: \"{ S[t, i] : 0 <= t, i < 9 }\", child: { schedule: \"[{ S[t, i] -> [(t)] }]\", permutable: 1, child: \
                { schedule: \"[{ S[t, i] -> [(i)] }]\", permutable: 1, coincident: [1] } } }";
    let tree = tree(text);
    let dependences = map("{ S[t, i] -> S[t + 1, i - 1] : 0 <= t < 8 and 1 <= i < 9 }");
    assert!(tree.verify_flags(&dependences, &dependences, &budget()).unwrap().is_empty());
    let combined = at(&tree, &[0]).combine().unwrap();
    assert_eq!(flags(combined.tree(), &[0]), (false, vec![false, false]));
    let truth = combined.checked(&dependences, &budget()).unwrap().into_tree();
    assert_eq!(flags(&truth, &[0]), (false, vec![false, false]));
}

#[test]
fn ac_o5_tile() {
    let tree = nest(
        "{ S[i, j] : 0 <= i, j < 100 }",
        &["S[i, j] -> [(i)]", "S[i, j] -> [(j)]"],
        ", permutable: 1, coincident: [1, 0]",
    );
    let tile = |scale_tiles, shift_points| {
        at(&tree, &[0]).tile(&ints(&[32, 32]), TileOptions { scale_tiles, shift_points }).unwrap().into_tree()
    };
    for (scale, shift, expected) in [
        (true, true, "[i - i mod 32, j - j mod 32, i mod 32, j mod 32]"),
        (true, false, "[i - i mod 32, j - j mod 32, i, j]"),
        (false, true, "[floor(i/32), floor(j/32), i mod 32, j mod 32]"),
        (false, false, "[floor(i/32), floor(j/32), i, j]"),
    ] {
        let tiled = tile(scale, shift);
        assert_schedule(&tiled, &format!("{{ S[i, j] -> {expected} }}"));
        let expected = (true, vec![true, false]);
        assert_eq!((flags(&tiled, &[0]), flags(&tiled, &[0, 0])), (expected.clone(), expected));
    }
    assert_eq!(TileOptions::default(), TileOptions { scale_tiles: true, shift_points: true });
    assert!(matches!(at(&tree, &[0]).tile(&ints(&[32]), TileOptions::default()), Err(EditError::BadArgument { .. })));
}

#[test]
fn ac_o5e_tile_negative_values() {
    let tree = nest("{ S[i] : -5 <= i < 5 }", &["S[i] -> [(i)]"], "");
    let options = TileOptions { scale_tiles: false, shift_points: true };
    let tiled = at(&tree, &[0]).tile(&ints(&[4]), options).unwrap().into_tree();
    let expected =
        "{ S[-5] -> [-2, 3]; S[i] -> [-1, i + 4] : -4 <= i < 0; S[i] -> [0, i] : 0 <= i < 4; S[4] -> [1, 0] }";
    assert_schedule(&tiled, expected);
    assert_eq!(trace(&tiled, &[]), trace(&tree, &[]));
}

#[test]
fn scale_modulo_and_shift() {
    let tree = nest(
        "{ S[i] : 0 <= i < 9; T[i] : 0 <= i < 9 }",
        &["S[i] -> [(i)]; T[i] -> [(i)]"],
        ", permutable: 1, coincident: [1]",
    );
    let band = at(&tree, &[0]);
    let scaled = band.scale(&ints(&[3])).unwrap().into_tree();
    assert_schedule(&scaled, "{ S[i] -> [3i]; T[i] -> [3i] }");
    assert_eq!(flags(&scaled, &[0]), (true, vec![true]));
    assert_schedule(band.scale_down(&ints(&[3])).unwrap().tree(), "{ S[i] -> [floor(i/3)]; T[i] -> [floor(i/3)] }");
    let modulo = band.modulo(&ints(&[3])).unwrap().into_tree();
    assert_schedule(&modulo, "{ S[i] -> [i mod 3]; T[i] -> [i mod 3] }");
    assert_eq!(flags(&modulo, &[0]), (false, vec![true]));
    let shift = |text: &str| {
        let by = MultiUnionPwAff::parse(text, &budget()).unwrap();
        band.shift(&by, &budget()).unwrap().into_tree()
    };
    let same = shift("[{ S[i] -> [(2)]; T[i] -> [(2)] }]");
    assert_eq!(flags(&same, &[0]), (true, vec![true]));
    let other = shift("[{ S[i] -> [(0)]; T[i] -> [(1)] }]");
    assert_schedule(&other, "{ S[i] -> [i]; T[i] -> [i + 1] }");
    assert_eq!(flags(&other, &[0]), (false, vec![false]));
    assert!(band.scale(&ints(&[0])).is_err());
}

#[test]
fn ac_o6a_fuse() {
    let two = tree(TWO);
    assert_schedule(&two, "{ T[i] -> [1, i]; S[i] -> [0, i] }");
    let fused = at(&two, &[0]).fuse(0, 1).unwrap().into_tree();
    assert_schedule(&fused, "{ T[i] -> [i, 1]; S[i] -> [i, 0] }");
    assert_eq!(trace(&fused, &[2]), "S(0) T(0) S(1) T(1)");
    // The way back.
    let back = at(&fused, &[0]).distribute().unwrap().into_tree();
    assert_schedule(&back, "{ T[i] -> [1, i]; S[i] -> [0, i] }");
}

const THREE: &str = r#"
domain: "[n] -> { S[i] : 0 <= i < n; T[i] : 0 <= i < n; U[i] : 0 <= i < n }"
child:
  KIND:
  - filter: "{ S[i] }"
    child: { schedule: "[{ S[i] -> [(i)] }]" }
  - filter: "{ T[i] }"
    child: { schedule: "[{ T[i] -> [(i)] }]" }
  - filter: "{ U[i] }"
    child: { schedule: "[{ U[i] -> [(i)] }]" }
"#;

#[test]
fn ac_o6b_fuse_with_children() {
    let text = r#"
domain: "[n] -> { S[i] : 0 <= i < n; T[i] : 0 <= i < n; U[i] : 0 <= i < n }"
child:
  sequence:
  - filter: "{ S[i] }"
    child: { schedule: "[{ S[i] -> [(i)] }]" }
  - filter: "{ T[i]; U[i] }"
    child:
      schedule: "[{ T[i] -> [(i + 1)]; U[i] -> [(i + 1)] }]"
      child: { sequence: [ { filter: "{ T[i] }" }, { filter: "{ U[i] }" } ] }
"#;
    let fused = at(&tree(text), &[0]).fuse(0, 1).unwrap().into_tree();
    assert_schedule(&fused, "{ T[i] -> [1 + i, 1, 0]; U[i] -> [1 + i, 1, 1]; S[i] -> [i, 0, 0] }");
    assert_eq!(trace(&fused, &[2]), "S(0) S(1) T(0) U(0) T(1) U(1)");
}

#[test]
fn ac_o6c_fuse_rejections() {
    let sequence = tree(&THREE.replace("KIND", "sequence"));
    assert!(matches!(at(&sequence, &[0]).fuse(0, 2), Err(EditError::NotAllowed { .. })));
    let unordered = tree(&THREE.replace("KIND", "set"));
    let fused = at(&unordered, &[0]).fuse(0, 2).unwrap().into_tree();
    assert!(fused.verify(&budget()).unwrap().is_empty());
    assert_eq!(fused.cursor_at(&[0]).unwrap().children().len(), 2);
    let widths = tree(&TWO.replace("[{ T[i] -> [(i)] }]", "[{ T[i] -> [(i)] }, { T[i] -> [(0)] }]"));
    assert!(at(&widths, &[0]).fuse(0, 1).unwrap_err().to_string().contains("equally many"));
    let marked = at(&tree(TWO), &[0, 0, 0]).insert_mark("m").unwrap().into_tree();
    assert!(at(&marked, &[0]).fuse(0, 1).unwrap_err().to_string().contains("mark"));
}

#[test]
fn ac_o6d_fuse_checked() {
    let two = tree(TWO);
    let fuse = |tree: &ScheduleTree, text: &str| at(tree, &[0]).fuse(0, 1).unwrap().checked(&map(text), &budget());
    let legal = fuse(&two, "[n] -> { S[i] -> T[i + 1] : 0 <= i < n - 1 }").unwrap();
    assert_eq!(flags(legal.tree(), &[0]), (true, vec![false]));
    let later = "[n] -> { S[i] -> T[i - 1] : 1 <= i < n }";
    let error = fuse(&two, later).unwrap_err();
    assert!(matches!(&error, EditError::Illegal { path, .. } if path == &[0]), "{error}");
    let shifted = tree(&TWO.replace("T[i] -> [(i)]", "T[i] -> [(i + 1)]"));
    assert!(fuse(&shifted, later).is_ok());
}

#[test]
fn ac_o7_order() {
    let one = nest("[n] -> { S[i] : 0 <= i < n }", &["S[i] -> [(i)]"], "");
    let even = at(&one, &[0]).order_before(&set("{ S[i] : i mod 2 = 0 }"), &budget()).unwrap();
    assert_eq!(trace(even.tree(), &[6]), "S(0) S(2) S(4) S(1) S(3) S(5)");
    assert!(matches!(even.node(), Node::Band(..)));
    let first = at(&one, &[0]).order_before(&set("{ S[i] : i < 10 }"), &budget()).unwrap().into_tree();
    assert_eq!(trace(&first, &[12]), trace(&one, &[12]));
    let after = at(&one, &[0]).order_after(&set("{ S[i] : i < 2 }"), &budget()).unwrap().into_tree();
    assert_eq!(trace(&after, &[4]), "S(2) S(3) S(0) S(1)");
    // Nothing to order.
    let same = at(&one, &[0]).order_before(&set("{ T[i] }"), &budget()).unwrap().into_tree();
    assert_eq!(same, one);
    // Inside a sequence the sequence is used again.
    let again = at(even.tree(), &[0, 0, 0]).order_before(&set("{ S[i] : i mod 4 = 0 }"), &budget()).unwrap();
    assert_eq!(at(again.tree(), &[0]).children().len(), 3);
    assert_eq!(trace(again.tree(), &[8]), "S(0) S(4) S(2) S(6) S(1) S(3) S(5) S(7)");
}

#[test]
fn ac_o7c_order_and_extension() {
    let error = at(&copies(), &[0]).order_before(&set("{ S[i] : i < 10 }"), &budget());
    // All of S[i] with i < 10 is empty here; a filter that splits must be refused.
    assert!(error.is_ok());
    let error = at(&copies(), &[0]).order_before(&set("{ S[i] : i < 60 }"), &budget());
    assert!(matches!(error, Err(EditError::Anchored { .. })), "{error:?}");
}

#[test]
fn ac_o7d_partitions() {
    let one = nest("{ S[i] : 0 <= i < 10 }", &["S[i] -> [(i)]"], "");
    let overlap = [set("{ S[i] : i <= 5 }"), set("{ S[i] : i >= 5 }")];
    let error = at(&one, &[0]).order_by(&overlap, &budget()).unwrap_err().to_string();
    assert!(error.contains("S[5]"), "{error}");
    let gap = [set("{ S[i] : i < 5 }"), set("{ S[i] : i > 5 }")];
    let error = at(&one, &[0]).order_by(&gap, &budget()).unwrap_err().to_string();
    assert!(error.contains("S[5]") && error.contains("no filter"), "{error}");
}

#[test]
fn ac_o8_reorder() {
    let example = tree(EXAMPLE);
    let inner = at(&example, &[0, 1, 0, 0]).reorder(&[1, 0]).unwrap();
    assert_eq!(trace(inner.tree(), &[2]), "T1(0) T1(1) T3(0) T3(1) T2(0,0) T2(1,0) T2(0,1) T2(1,1)");
    let dependence = map("[n] -> { T2[i, j] -> T3[j + 1] : 0 <= i, j < n and j < n - 1 }");
    assert!(example.legality(&dependence, &budget()).unwrap().is_legal());
    assert!(matches!(inner.checked(&dependence, &budget()), Err(EditError::Illegal { .. })));
    assert!(at(&example, &[0]).reorder(&[0, 0]).is_err());
}

#[test]
fn ac_o9_sink() {
    let text = r#"
domain: "{ S[i, j] : 0 <= i, j < 4; T[i, j] : 0 <= i, j < 4 }"
child:
  schedule: "[{ S[i, j] -> [(i)]; T[i, j] -> [(i)] }]"
  permutable: 1
  coincident: [1]
  child:
    sequence:
    - filter: "{ S[i, j] }"
      child: { schedule: "[{ S[i, j] -> [(j)] }]", permutable: 1, coincident: [1] }
    - filter: "{ T[i, j] }"
      child: { schedule: "[{ T[i, j] -> [(j)] }]" }
"#;
    let tree = tree(text);
    assert_schedule(&tree, "{ S[i, j] -> [i, 0, j]; T[i, j] -> [i, 1, j] }");
    let sunk = at(&tree, &[0]).sink().unwrap().into_tree();
    assert_schedule(&sunk, "{ S[i, j] -> [0, j, i]; T[i, j] -> [1, j, i] }");
    assert_eq!(flags(&sunk, &[0, 0, 0]), (false, vec![false]));
    assert_eq!(flags(&sunk, &[0, 0, 0, 0]), (true, vec![true]));
    assert!(sunk.verify(&budget()).unwrap().is_empty());
}

#[test]
fn ac_o11_skewing_across_bands_needs_one_band() {
    let text = "{ domain: \"{ S[t, i] : 0 <= t < 6 and 1 <= i < 9 }\", child: { schedule: \"[{ S[t, i] -> [(t)] }]\", child: { \
                schedule: \"[{ S[t, i] -> [(i)] }]\" } } }";
    let tree = tree(text);
    let skew = function("{ [t, i] -> [t, t + i] }");
    assert!(matches!(at(&tree, &[0]).apply(&skew, &budget()), Err(EditError::BadArgument { .. })));
    let skewed = at(&tree, &[0]).combine().unwrap().apply(&skew, &budget()).unwrap();
    let dependences = map("{ S[t, i] -> S[t + 1, o] : 0 <= t < 5 and 1 <= i, o < 9 and -1 <= o - i <= 1 }");
    let skewed = skewed.checked(&dependences, &budget()).unwrap();
    assert_eq!(flags(skewed.tree(), &[0]), (true, vec![false, false]));
    let tiled = skewed.tile(&ints(&[2, 4]), TileOptions::default()).unwrap();
    assert!(tiled.tree().legality(&dependences, &budget()).unwrap().is_legal());
    assert!(tiled.checked(&dependences, &budget()).is_ok());
    assert!(skewed.split(1).is_ok());
    // AC-V11: the rectangular band is not permutable, whatever it claims.
    let combined = at(&tree, &[0]).combine().unwrap();
    let claimed = combined.update_band(|band, _| band.permutable = true).unwrap().into_tree();
    let defects = claimed.verify_flags(&dependences, &dependences, &budget()).unwrap();
    assert_eq!(defects.iter().map(|d| d.rule).collect::<Vec<_>>(), ["V11"]);
}

#[test]
fn grafts() {
    let base = nest("[n] -> { S[i] : 0 <= i < n }", &["S[i] -> [(i)]"], "");
    let graft =
        tree("{ extension: \"{ [i] -> C[a] : i <= a <= i + 1 }\", child: { schedule: \"[{ C[a] -> [(a)] }]\" } }");
    let before = at(&base, &[0, 0]).graft_before(&graft, &budget()).unwrap();
    assert_eq!(before.path(), [0, 0, 0, 1, 0]);
    assert!(before.tree().verify(&budget()).unwrap().is_empty(), "{}", before.tree());
    // A second graft joins the extension.
    let other = tree("{ extension: \"{ [i] -> D[] }\" }");
    let both = before.parent().unwrap().graft_after(&other, &budget()).unwrap();
    assert!(both.tree().verify(&budget()).unwrap().is_empty(), "{}", both.tree());
    let extensions = both.tree().nodes().iter().filter(|(_, n)| matches!(n, Node::Extension(..))).count();
    assert_eq!(extensions, 1);
    assert_eq!(at(both.tree(), &[0, 0, 0]).children().len(), 3);
    let again = tree("{ extension: \"{ [i] -> S[0] }\" }");
    assert!(at(&base, &[0, 0]).graft_before(&again, &budget()).is_err());
    // At depth zero: runs whatever the domain is.
    let plain = ScheduleTree::from_domain(&set("{ I[] }")).unwrap().to_graft(0, &budget()).unwrap();
    let initial = at(&base, &[0]).graft_before(&plain, &budget()).unwrap();
    assert!(initial.tree().verify(&budget()).unwrap().is_empty());
}

#[test]
fn groups() {
    let text = "{ domain: \"[n] -> { S[i] : 0 <= i < n; T[i] : 0 <= i < n }\", child: { schedule: \"[{ S[i] -> [(i)]; T[i] -> [(i)] }]\", \
                child: { sequence: [ { filter: \"{ S[i] }\" }, { filter: \"{ T[i] }\" } ] } } }";
    let tree = tree(text);
    let grouped = at(&tree, &[0, 0]).group("G", &budget()).unwrap();
    let result = grouped.tree();
    assert!(result.verify(&budget()).unwrap().is_empty(), "{result}");
    let groups = result.domain().unwrap().to_union_set().unwrap();
    assert!(groups.is_equal(&set("[n] -> { G[i] : 0 <= i < n }"), &budget()).unwrap(), "{groups}");
    let (found, expected) = (result.to_map(&budget()).unwrap(), tree.to_map(&budget()).unwrap());
    assert!(found.is_equal(&expected, &budget()).unwrap(), "{found}");
    // The groups can be scheduled like statements.
    let reversed = at(result, &[0]).apply(&function("{ [a] -> [-a] }"), &budget()).unwrap();
    let expected = map("[n] -> { S[i] -> [-i, 0] : 0 <= i < n; T[i] -> [-i, 1] : 0 <= i < n }");
    assert!(reversed.tree().to_map(&budget()).unwrap().is_equal(&expected, &budget()).unwrap());
    let expansion = result.cursor().subtree_expansion(&budget()).unwrap();
    assert!(
        expansion.is_equal(&map("[n] -> { G[i] -> S[i] : 0 <= i < n; G[i] -> T[i] : 0 <= i < n }"), &budget()).unwrap()
    );
    assert_eq!(result.cursor().subtree_contraction(&budget()).unwrap().n_members(), 2);
    // Legality sees through groups.
    let dependences = map("[n] -> { S[i] -> T[i] : 0 <= i < n; T[i] -> S[i + 1] : 0 <= i < n - 1 }");
    assert!(result.legality(&dependences, &budget()).unwrap().is_legal());
    assert!(!reversed.tree().legality(&dependences, &budget()).unwrap().is_legal());
}

#[test]
fn whole_trees() {
    let s = nest("[n] -> { S[i] : 0 <= i < n }", &["S[i] -> [(i)]"], "");
    let t = nest("[n] -> { T[i] : 0 <= i < n }", &["T[i] -> [(i)]"], "");
    let both = s.then(&t, &budget()).unwrap();
    assert_eq!(trace(&both, &[2]), "S(0) S(1) T(0) T(1)");
    assert!(s.beside(&t, &budget()).unwrap().verify(&budget()).unwrap().is_empty());
    assert!(s.then(&s, &budget()).is_err());
    let only = both.intersect_domain(&set("{ T[i] : i < 1 }"), &budget()).unwrap();
    assert_eq!(trace(&only, &[2]), "T(0)");
    assert!(only.verify(&budget()).unwrap().is_empty());
    let pulled = s
        .pullback(
            &tessera_polyhedral::affine::UnionPwMultiAff::parse("{ R[a, b] -> S[a] }", &budget()).unwrap(),
            &budget(),
        )
        .unwrap();
    assert_schedule(&pulled, "{ R[a, b] -> [a] }");
    let gist = s.gist_params(&Set::parse("[n] -> { : n >= 1 }", &budget()).unwrap(), &budget()).unwrap();
    assert!(gist.verify(&budget()).unwrap().is_empty());
    let nested = tree(
        "{ domain: \"{ A[]; B[]; C[] }\", child: { sequence: [ { filter: \"{ A[]; B[] }\", child: { sequence: [ { filter: \"{ A[] \
         }\" }, { filter: \"{ B[] }\" } ] } }, { filter: \"{ C[] }\" } ] } }",
    );
    let spliced = at(&nested, &[0]).splice_child(0, &budget()).unwrap().into_tree();
    assert_eq!(at(&spliced, &[0]).children().len(), 3);
    assert_eq!(trace(&spliced, &[]), trace(&nested, &[]));
    let cut = at(&both, &[0, 0, 0]).cut().unwrap().into_tree();
    assert!(matches!(cut.node(&[0, 0, 0]), Some(Node::Leaf)));
    let deleted = at(&s, &[0]).delete().unwrap().into_tree();
    assert!(matches!(deleted.node(&[0]), Some(Node::Leaf)));
    assert!(s.cursor().delete().is_err() && s.cursor().cut().is_err() && s.cursor().insert_mark("m").is_err());
    assert!(at(&both, &[0, 0]).delete().is_err() && at(&both, &[0, 0]).cut().is_err());
    let gist = at(&both, &[0]).gist(&set("[n] -> { S[i] : 0 <= i < n; T[i] : 0 <= i < n }"), &budget()).unwrap();
    assert_eq!(trace(gist.tree(), &[2]), trace(&both, &[2]));
}

#[test]
fn o12_normalisation() {
    let text = r#"
domain: "[n] -> { S[i] : 0 <= i < n; T[i] : 0 <= i < n; U[] }"
child:
  sequence:
  - filter: "{ S[i]; T[i]; U[] }"
    child:
      schedule: "[]"
      child:
        sequence:
        - filter: "{ S[i]; U[] }"
          child:
            filter: "{ S[i] : i >= 0; U[] }"
            child:
              sequence:
              - filter: "{ S[i] }"
                child: { schedule: "[{ S[i] -> [(i)] }]" }
              - filter: "{ U[] }"
        - filter: "{ T[i] }"
          child: { schedule: "[{ T[i] -> [(i)] }]" }
"#;
    let tree = tree(text);
    let normal = tree.normalized(&budget()).unwrap();
    assert_eq!(normal.nodes().len(), 10, "{normal}");
    assert!(normal.verify(&budget()).unwrap().is_empty());
    assert!(normal.same_order(&tree, &budget()).unwrap());
    assert_eq!(normal.normalized(&budget()).unwrap(), normal);
    let other = at(&normal, &[0]).reorder(&[1, 0, 2]).unwrap();
    assert!(!other.tree().same_order(&tree, &budget()).unwrap());
    // A set leaves open what a sequence decides.
    let two = crate::schedule_support::tree(TWO);
    let unordered = crate::schedule_support::tree(&TWO.replace("sequence", "set"));
    assert!(!two.same_order(&unordered, &budget()).unwrap());
    let expected = "[n] -> { S[i] -> S[k] : 0 <= i < k < n; T[i] -> T[k] : 0 <= i < k < n }";
    assert!(unordered.order_relation(&budget()).unwrap().is_equal(&map(expected), &budget()).unwrap());
}
