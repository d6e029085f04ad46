//! Random schedule relations: unions, piecewise, with existentials and strides, many instances at one time and one
//! instance at many times, under random options and contexts. The interpreter runs the AST; what it executes is
//! compared, in order, with the pairs of instance and time that the definition of the relation gives for every point of
//! a box.

use crate::random_relations::{Case, case, expected};
use tessera_polyhedral::arith::Int;
use tessera_polyhedral::ast::{AstBuild, AstError, InterpretError, interpret};
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::relation::{Set, UnionMap};
use tessera_polyhedral::space::Name;

/// False if the budget of the generator or the interpreter ran out.
fn check(seed: u64) -> bool {
    let Case { n_time, stmts, text, options: options_text, context, switches } = case(seed);
    let (text, context_text) = (context.rename(&text), context.text());
    let fail = |what: String| -> ! {
        panic!("seed {seed}: {what}\n{text}\noptions {options_text:?}, context {context_text}, {switches:?}");
    };
    let budget = Budget::new(400_000_000);
    let parse = |text: &str| UnionMap::parse(text, &budget).unwrap_or_else(|e| fail(format!("{e:#}")));
    let schedule = parse(&text);
    let options = options_text.as_deref().map(parse);
    let assumed = Set::parse(&context_text, &budget).unwrap_or_else(|e| fail(format!("{e:#}")));
    let build = AstBuild::new().with_options(switches.clone()).with_context(assumed);
    let unit = match build.build_relation(&schedule, options.as_ref(), &budget) {
        Ok(unit) => unit,
        Err(AstError::Relation(tessera_polyhedral::Error::Exhausted(_))) => return false,
        // The bound on copies may be too small for what is to be unrolled.
        Err(AstError::TooManyCopies { .. }) => return true,
        Err(error) => fail(error.to_string()),
    };
    for values in context.values(4) {
        let n = context.n(values);
        let of_param = |name: &Name| Int::from(values[usize::from(**name == *context.names()[1])]);
        let params: Vec<Int> = unit.params.iter().map(of_param).collect();
        let events = match interpret(&unit, &params, &Budget::new(3_000_000)) {
            Ok(events) => events,
            Err(InterpretError::Exhausted(_)) => return false,
            Err(error) => fail(format!("{error}\n{unit}")),
        };
        let mut events = events.iter();
        for (position, mut group) in expected(&stmts, n_time, n).into_iter().enumerate() {
            for _ in 0..group.values().sum::<usize>() {
                let Some(event) = events.next() else {
                    fail(format!("{values:?}: nothing is executed for {group:?}\n{unit}"));
                };
                let point: Vec<i64> = event.point.iter().map(|x| x.to_i64().unwrap()).collect();
                match group.get_mut(&(event.stmt.to_string(), point)) {
                    Some(count) if *count > 0 => *count -= 1,
                    _ => fail(format!(
                        "{values:?}: {} {:?} is executed at time number {position}, which has {group:?}\n{unit}",
                        event.stmt, event.point
                    )),
                }
            }
        }
        if let Some(event) = events.next() {
            fail(format!("{values:?}: {} {:?} is executed in the end\n{unit}", event.stmt, event.point));
        }
    }
    true
}

#[test]
fn random_relations_are_executed_exactly() {
    let number = |name: &str, default: u64| std::env::var(name).ok().and_then(|x| x.parse().ok()).unwrap_or(default);
    let (first, count) = (number("FIRST", 0), number("COUNT", 600));
    let done = (first..first + count).filter(|&seed| check(seed)).count() as u64;
    println!("{done} of {count} cases were executed to the end");
    assert!(100 * done >= 98 * count, "only {done} of {count} cases were executed to the end");
}
