//! Buffers, copies and redirects on small SCoPs: what privatisation and packing make of them, and what the check says
//! to each way of getting them wrong.

use tessera_polyhedral::schedule::Node;
use tessera_polyhedral::scop::Scop;
use tessera_polyhedral::transform::{
    Buffer, BufferKind, CopyStatement, Defect, Draft, Placement, Redirect, Script, TransformError, check, check_claims,
};

use crate::support::budget;

/// `for i: for j: { x = A[i][j]; B[i][j] = x }`, then `C[] = x` if it is used behind.
fn element(storage: &str, used: bool) -> Scop {
    let (statement, filters) = match used {
        false => ("", ""),
        true => (
            "- statement: \"U\"\n  domain: \"{ U[] }\"\n  accesses:\n  - { read: \"{ U[] -> x[] }\" }\n  \
             - { write: \"{ U[] -> C[] }\" }\n",
            "    - filter: \"{ U[] }\"\n",
        ),
    };
    let instances = if used { "; U[]" } else { "" };
    format!(
        r#"scop: "element"
context: "[n] -> {{ : n >= 1 }}"
arrays:
- {{ array: "A", element: f64, storage: memory, sizes: [ "[n] -> {{ n }}" ] }}
- {{ array: "B", element: f64, storage: memory, sizes: [ "[n] -> {{ n }}" ] }}
- {{ array: "C", element: f64, storage: memory }}
- {{ array: "x", element: f64, storage: {storage} }}
statements:
- statement: "S"
  domain: "[n] -> {{ S[i, j] : 0 <= i, j < n }}"
  accesses:
  - {{ read: "{{ S[i, j] -> A[i, j] }}" }}
  - {{ write: "{{ S[i, j] -> x[] }}" }}
- statement: "R"
  domain: "[n] -> {{ R[i, j] : 0 <= i, j < n }}"
  accesses:
  - {{ read: "{{ R[i, j] -> x[] }}" }}
  - {{ write: "{{ R[i, j] -> B[i, j] }}" }}
{statement}schedule:
  domain: "[n] -> {{ S[i, j] : 0 <= i, j < n; R[i, j] : 0 <= i, j < n{instances} }}"
  child:
    sequence:
    - filter: "{{ S[i, j]; R[i, j] }}"
      child:
        schedule: "[{{ S[i, j] -> [(i)]; R[i, j] -> [(i)] }}]"
        child:
          schedule: "[{{ S[i, j] -> [(j)]; R[i, j] -> [(j)] }}]"
          child:
            sequence:
            - filter: "{{ S[i, j] }}"
            - filter: "{{ R[i, j] }}"
{filters}"#
    )
    .parse()
    .unwrap_or_else(|error| panic!("{error:#}"))
}

/// `for i: for j: for k: C[i][j] += A[i][k] * B[k][j]`, whose sums may be reassociated.
const PRODUCT: &str = r#"scop: "product"
context: "[n] -> { : n >= 1 }"
arrays:
- { array: "A", element: f64, storage: memory, sizes: [ "[n] -> { n }" ] }
- { array: "B", element: f64, storage: memory, sizes: [ "[n] -> { n }" ] }
- { array: "C", element: f64, storage: memory, sizes: [ "[n] -> { n }" ] }
statements:
- statement: "S"
  domain: "[n] -> { S[i, j, k] : 0 <= i, j, k < n }"
  accesses:
  - { read: "{ S[i, j, k] -> C[i, j] }" }
  - { read: "{ S[i, j, k] -> A[i, k] }" }
  - { read: "{ S[i, j, k] -> B[k, j] }" }
  - { write: "{ S[i, j, k] -> C[i, j] }" }
  reduction: { kind: "sum f64", read: 0, write: 3 }
schedule:
  domain: "[n] -> { S[i, j, k] : 0 <= i, j, k < n }"
  child:
    schedule: "[{ S[i, j, k] -> [(i)] }, { S[i, j, k] -> [(j)] }, { S[i, j, k] -> [(k)] }]"
"#;

fn run<'m>(scop: &'m Scop, script: &str) -> Result<Draft<'m>, TransformError> {
    let script: Script = script.parse().unwrap();
    let draft = Draft::new(scop, &budget()).unwrap().run(&script, &budget())?;
    assert_eq!(check_claims(&draft, &budget()).unwrap(), None);
    let again = Draft::new(scop, &budget()).unwrap().run(&script, &budget())?;
    assert_eq!((again.tree(), again.placement()), (draft.tree(), draft.placement()));
    Ok(draft)
}

fn refusal(scop: &Scop, script: &str) -> String {
    match run(scop, script) {
        Ok(draft) => panic!("{script} was taken:\n{}{}", draft.tree(), draft.placement()),
        Err(error) => error.to_string(),
    }
}

#[test]
fn scalars_get_a_place_for_each_iteration() {
    let scop = element("scalar", false);
    assert!(refusal(&scop, "distribute(S@1)").contains("is refused"));
    let draft = run(&scop, "privatise(S@1, array = x) distribute(S@1)").unwrap();
    let expected = r#"buffers:
- { buffer: "x_private", array: "x", element: f64, kind: private, places: "[n] -> { x_private[i0] : n >= 1 and 0 <= i0 < n }", layout: [0] }
redirects:
- { access: "S.1", to: "[n] -> { S[i, j] -> x_private[j] : n >= 1 and 0 <= i < n and 0 <= j < n }" }
- { access: "R.0", to: "[n] -> { R[i, j] -> x_private[j] : n >= 1 and 0 <= i < n and 0 <= j < n }" }
"#;
    assert_eq!(draft.placement().to_string(), expected);
    // Iterations that share a place have to keep away from each other.
    assert!(run(&scop, "tile(S@1, sizes = [8]) privatise(S@2, array = x, sizes = [8]) distribute(S@2)").is_ok());
    let found = refusal(&scop, "tile(S@1, sizes = [8]) privatise(S@2, array = x, sizes = [4]) distribute(S@2)");
    assert!(found.contains("access 0 of R would get another value"), "{found}");
    // Places of their own are independent: the scalar was what kept the loops from running in parallel.
    let before = run(&scop, "combine(S@0)").unwrap();
    let after = run(&scop, "combine(S@0) privatise(S@0, array = x)").unwrap();
    assert!(!before.tree().to_string().contains("coincident [1, 1]"), "{}", before.tree());
    assert!(after.tree().to_string().contains("coincident [1, 1]"), "{}", after.tree());
}

#[test]
fn what_is_used_behind_is_written_back() {
    for (storage, used) in [("memory", false), ("scalar", true), ("memory", true)] {
        let scop = element(storage, used);
        let draft = run(&scop, "combine(S@0) privatise(S@0, array = x)").unwrap();
        let text = draft.placement().to_string();
        let copy = "- { copy: \"x_out\", direction: out, element: \"[n] -> { x_out[n - 1, n - 1] -> x[] : n >= 1 }\"";
        assert!(text.contains(copy), "{text}");
        assert!(run(&scop, "combine(S@0) privatise(S@0, array = x) interchange(S@0, order = [1, 0])").is_ok());
        // The last value is no longer that of the last iteration only if another one is copied.
        assert!(run(&scop, "combine(S@0) privatise(S@0, array = x) reverse(S@0, member = 0)").is_ok());
        let found = refusal(&scop, "reverse(S@0, member = 0) privatise(S@0, array = x)");
        assert!(found.contains("R would run before what it depends on in S"), "{found}");
        // Without the copy the old value stays.
        let mut less = draft.placement().clone();
        less.redirects.clear();
        let defect = check(&draft.with_placement(less), &budget()).unwrap();
        assert!(defect.unwrap().to_string().contains("memory after the program, x") != used, "{used}");
    }
}

#[test]
fn sums_in_a_buffer_may_be_reassociated() {
    let scop: Scop = PRODUCT.parse().unwrap();
    let packed = run(
        &scop,
        "tile(S@0, sizes = [4, 4, 4]) split(S@0, at = 2) pack(S@0, array = C) pack(S@1, array = B) reverse(S@1, member = 0)",
    );
    assert!(packed.unwrap_err().to_string().contains("does not apply"), "what is anchored stays");
    let script = "tile(S@0, sizes = [4, 4, 4]) split(S@0, at = 2) reverse(S@1, member = 0) pack(S@0, array = C) \
                  pack(S@1, array = B) reverse(S@2, member = 2) interchange(S@2, order = [2, 0, 1])";
    let draft = run(&scop, script).unwrap();
    let text = draft.placement().to_string();
    for part in ["copy: \"C_in\"", "copy: \"C_out\"", "copy: \"B_in\"", "access: \"S.0\"", "access: \"S.3\""] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(!text.contains("B_out"), "{text}");
    // Without the promise the order of a sum is part of its value.
    let strict: Scop = PRODUCT.replace("  reduction: { kind: \"sum f64\", read: 0, write: 3 }\n", "").parse().unwrap();
    let kept = "tile(S@0, sizes = [4, 4, 4]) split(S@0, at = 2) pack(S@0, array = C) pack(S@1, array = B)";
    assert!(run(&strict, kept).is_ok());
    let found = refusal(&strict, &format!("{kept} reverse(S@2, member = 2)"));
    assert!(found.contains("access 0 of S would get another value"), "{found}");
}

/// `x = C; for i: { if (..) x = A[i]; B[i] = x }`: what is copied in and out again passes through all iterations.
const SOMETIMES: &str = r#"scop: "sometimes"
context: "[n] -> { : n >= 1 }"
arrays:
- { array: "A", element: f64, storage: memory }
- { array: "B", element: f64, storage: memory }
- { array: "C", element: f64, storage: memory }
- { array: "x", element: f64, storage: memory }
statements:
- statement: "I"
  domain: "{ I[] }"
  accesses:
  - { read: "{ I[] -> C[] }" }
  - { write: "{ I[] -> x[] }" }
- statement: "S"
  domain: "[n] -> { S[i] : 0 <= i < n }"
  accesses:
  - { read: "{ S[i] -> A[i] }" }
  - { may-write: "{ S[i] -> x[] }" }
- statement: "R"
  domain: "[n] -> { R[i] : 0 <= i < n }"
  accesses:
  - { read: "{ R[i] -> x[] }" }
  - { write: "{ R[i] -> B[i] }" }
schedule:
  domain: "[n] -> { I[]; S[i] : 0 <= i < n; R[i] : 0 <= i < n }"
  child:
    sequence:
    - filter: "{ I[] }"
    - filter: "{ S[i]; R[i] }"
      child:
        schedule: "[{ S[i] -> [(i)]; R[i] -> [(i)] }]"
        child:
          sequence:
          - filter: "{ S[i] }"
          - filter: "{ R[i] }"
"#;

#[test]
fn values_pass_through_any_number_of_copies() {
    let scop: Scop = SOMETIMES.parse().unwrap();
    let draft = run(&scop, "pack(S@0, array = x)").unwrap();
    let text = draft.placement().to_string();
    assert!(text.contains("x_in") && text.contains("x_out"), "{text}");
    let found = refusal(&scop, "reverse(S@0, member = 0) pack(S@0, array = x)");
    assert!(found.contains("R would run before what it depends on in S"), "{found}");
    // A store that the program might not do is none that it may do.
    let instead = SOMETIMES.replace("  - { write: \"{ I[] -> x[] }\" }", "  - { may-write: \"{ I[] -> x[] }\" }");
    let found = refusal(&instead.parse().unwrap(), "pack(S@0, array = x)");
    assert!(found.contains("x_out touches elements that the program may not touch"), "{found}");
    // Without what was there before, what is not written is not known.
    let found = refusal(&scop, "privatise(S@0, array = x)");
    assert!(found.contains("may not be written"), "{found}");
    let mut wrong = draft.placement().clone();
    wrong.copies.retain(|copy| copy.statement != "x_in");
    let defect = check(&draft.with_placement(wrong), &budget()).unwrap();
    assert!(matches!(&defect, Some(Defect::Copies { what }) if what.contains("x_in, which is no copy")), "{defect:?}");
}

fn named(copy: &CopyStatement, name: &str) -> CopyStatement {
    CopyStatement { statement: name.to_owned(), ..copy.clone() }
}

type Change = dyn Fn(&mut Placement);

/// What the check says about a draft whose buffers were changed.
fn changed(draft: &Draft<'_>, change: impl FnOnce(&mut Placement)) -> String {
    let mut placement = draft.placement().clone();
    change(&mut placement);
    let defect = check(&draft.with_placement(placement), &budget()).unwrap();
    defect.map_or_else(|| "nothing".to_owned(), |defect| defect.to_string())
}

#[test]
fn buffers_that_make_no_sense_are_refused() {
    let scop = element("memory", false);
    let draft = run(&scop, "combine(S@0) privatise(S@0, array = x)").unwrap();
    assert_eq!(changed(&draft, |_| {}), "nothing");
    let cases: [(&Change, &str); 16] = [
        (&|p| p.buffers[0].name = "A".into(), "two arrays or buffers are called A"),
        (&|p| p.buffers[0].array = "Q".into(), "x_private is for Q, which is no array"),
        (&|p| p.buffers[0].element.bits = 32, "x_private has other elements than x"),
        (&|p| p.buffers[0].layout = vec![0, 0], "the layout of x_private is no order of its dimensions"),
        (&|p| p.buffers[0].panel = Some(0), "x_private has panels without places"),
        (&|p| p.buffers[0].places = "{ y[i, j] }".parse().unwrap(), "are those of another buffer"),
        (&|p| p.buffers[0].places = "{ x_private[i, j] }".parse().unwrap(), "x_private has no bounds"),
        (
            &|p| p.buffers[0].places = "[n] -> { x_private[i, j] : 0 <= i, j < n - 1 }".parse().unwrap(),
            "S.1 touches places outside of x_private",
        ),
        (&|p| p.copies.push(named(&p.copies[0], "S")), "two statements, copies or arrays are called S"),
        (
            &|p| p.copies[0].element = "[n] -> { x_out[i, j] -> C[] }".parse().unwrap(),
            "x_out copies between C and x_private",
        ),
        (&|p| p.redirects[0].access = 7, "S.7 is no access"),
        (&|p| p.redirects[0].access = 0, "S.0 goes to x_private, which is for x"),
        (&|p| p.redirects[0].statement = "Q".into(), "Q is no statement"),
        (&|p| p.redirects[1] = p.redirects[0].clone(), "S.1 is redirected twice"),
        (
            &|p| p.redirects[0].to = "[n] -> { S[i, j] -> x_private[i, k] : 0 <= i, j, k < n }".parse().unwrap(),
            "several elements or places",
        ),
        (
            &|p| {
                p.redirects[0].to = "[n] -> { S[i, j] -> x_private[i, j] : 0 <= i < n and 0 < j < n }".parse().unwrap()
            },
            "access 0 of R would get another value",
        ),
    ];
    for (change, expected) in cases {
        let found = changed(&draft, change);
        assert!(found.contains(expected), "{expected}: {found}");
    }
    assert!(refusal(&scop, "privatise(S@0, array = Q)").contains("there is no array Q"));
    assert!(refusal(&scop, "privatise(S@0, array = C)").contains("no statement there touches C"));
    assert!(refusal(&scop, "privatise(S@0, array = x, sizes = [-1])").contains("sizes are 1 numbers, one per member"));
    assert!(refusal(&scop, "pack(S@0, array = x) privatise(S@1, array = x)").contains("x has a buffer already"));
    assert!(refusal(&scop, "pack(S@0, array = A) reschedule()").contains("leave out the copies"));
}

/// `for i: B[i] = A[i]`, then `for i: A[i] = C[i]`.
const OVERWRITTEN: &str = r#"scop: "overwritten"
context: "[n] -> { : n >= 1 }"
arrays:
- { array: "A", element: f64, storage: memory }
- { array: "B", element: f64, storage: memory }
- { array: "C", element: f64, storage: memory }
statements:
- statement: "R"
  domain: "[n] -> { R[i] : 0 <= i < n }"
  accesses:
  - { read: "{ R[i] -> A[i] }" }
  - { write: "{ R[i] -> B[i] }" }
- statement: "W"
  domain: "[n] -> { W[i] : 0 <= i < n }"
  accesses:
  - { read: "{ W[i] -> C[i] }" }
  - { write: "{ W[i] -> A[i] }" }
schedule:
  domain: "[n] -> { R[i] : 0 <= i < n; W[i] : 0 <= i < n }"
  child:
    sequence:
    - filter: "{ R[i] }"
      child:
        schedule: "[{ R[i] -> [(i)] }]"
    - filter: "{ W[i] }"
      child:
        schedule: "[{ W[i] -> [(i)] }]"
"#;

/// A value that is read before it is overwritten, by instances that nothing orders: all flow of values is as it was.
#[test]
fn instances_that_touch_one_place_are_ordered() {
    let scop: Scop = OVERWRITTEN.parse().unwrap();
    let draft = run(&scop, "tile(R@0, sizes = [4]) pack(R@0, array = A)").unwrap();
    let cursors = draft.tree().cursors();
    let sequence = cursors.iter().find(|cursor| matches!(cursor.node(), Node::Sequence(_))).unwrap();
    let parts = sequence.node().children().iter().map(|child| (**child).clone()).collect();
    let free = draft.with_tree(draft.tree().replace(sequence.path(), Node::set(parts)).unwrap());
    let defect = check(&free, &budget()).unwrap();
    assert!(matches!(&defect, Some(Defect::Race { what }) if what.contains("A_in")), "{defect:?}");
}

/// A copy at a point of the outer loop that no instance comes to has no code.
#[test]
fn copies_run_where_some_instance_comes_by() {
    let scop = element("memory", false);
    let draft = run(&scop, "privatise(S@1, array = x)").unwrap();
    let cursors = draft.tree().cursors();
    let cursor = cursors.iter().find(|cursor| matches!(cursor.node(), Node::Extension(..))).unwrap();
    let Node::Extension(extension, child) = cursor.node() else { unreachable!() };
    let later = extension.map_members(|map| map.apply_domain(&"{ [i] -> [i + 1] }".parse()?, &budget())).unwrap();
    let moved = Node::extension(later, (**child).clone());
    let defect = check(&draft.with_tree(draft.tree().replace(cursor.path(), moved).unwrap()), &budget()).unwrap();
    assert!(
        matches!(&defect, Some(Defect::Copies { what }) if what.contains("where no instance comes by")),
        "{defect:?}"
    );
}

/// `{ x = A; B = x }` in one statement: what it writes and reads itself.
#[test]
fn what_an_instance_hands_on_to_itself_stays() {
    let text = r#"scop: "itself"
arrays:
- { array: "A", element: f64, storage: memory }
- { array: "B", element: f64, storage: memory }
- { array: "x", element: f64, storage: scalar }
statements:
- statement: "S"
  domain: "{ S[] }"
  accesses:
  - { read: "{ S[] -> A[] }" }
  - { write: "{ S[] -> x[] }" }
  - { read: "{ S[] -> x[] }" }
  - { write: "{ S[] -> B[] }" }
schedule:
  domain: "{ S[] }"
"#;
    let scop: Scop = text.parse().unwrap_or_else(|error| panic!("{error:#}"));
    let draft = Draft::new(&scop, &budget()).unwrap();
    let redirect = |access| Redirect { statement: "S".into(), access, to: "{ S[] -> x_private[] }".parse().unwrap() };
    let buffer = Buffer {
        name: "x_private".into(),
        array: "x".into(),
        element: scop.arrays[2].element,
        kind: BufferKind::Private,
        places: "{ x_private[] }".parse().unwrap(),
        layout: Vec::new(),
        panel: None,
        copied_if: Vec::new(),
    };
    let both = Placement { buffers: vec![buffer], copies: Vec::new(), redirects: vec![redirect(1), redirect(2)] };
    let one = Placement { redirects: vec![redirect(1)], ..both.clone() };
    assert_eq!(
        check(&draft.with_placement(one), &budget()).unwrap().map(|d| d.to_string()).as_deref(),
        Some("access 2 of S would get another value: it meets access 1 of its instance at other places")
    );
    assert_eq!(check(&draft.with_placement(both), &budget()).unwrap(), None);
}
