//! Making a failing case small.

use super::tree::{Case, Item, Value};

/// Removes calls, items and parts of values from a case as long as `fails` holds for what is left. Greedy: each removal is tried
/// once per round, until a round removes nothing.
pub fn reduce(mut case: Case, fails: impl Fn(&Case) -> bool) -> Case {
    loop {
        let mut smaller = false;
        for at in (0..case.calls.len()).rev() {
            let mut candidate = case.clone();
            candidate.calls.remove(at);
            if !candidate.calls.is_empty() && fails(&candidate) {
                (case, smaller) = (candidate, true);
            }
        }
        for change in [remove, unwrap, simplify] {
            let mut at = 0;
            loop {
                let (mut candidate, mut left) = (case.clone(), at);
                if !change(&mut candidate.body, &mut left) {
                    break;
                }
                if fails(&candidate) {
                    (case, smaller) = (candidate, true);
                } else {
                    at += 1;
                }
            }
        }
        if !smaller {
            return case;
        }
    }
}

/// Removes the item number `left` in the order of the text; false when there are not so many.
fn remove(items: &mut Vec<Item>, left: &mut usize) -> bool {
    for at in 0..items.len() {
        if *left == 0 {
            items.remove(at);
            return true;
        }
        *left -= 1;
        if items[at].bodies_mut().into_iter().any(|body| remove(body, left)) {
            return true;
        }
    }
    false
}

/// Puts the `then` of the condition number `left` in its place.
fn unwrap(items: &mut Vec<Item>, left: &mut usize) -> bool {
    for at in 0..items.len() {
        if let Item::If { then, .. } = &mut items[at]
            && !then.is_empty()
        {
            if *left == 0 {
                let then = std::mem::take(then);
                items.splice(at..=at, then);
                return true;
            }
            *left -= 1;
        }
        if items[at].bodies_mut().into_iter().any(|body| unwrap(body, left)) {
            return true;
        }
    }
    false
}

/// Puts an operand in the place of the operation number `left`.
fn simplify(items: &mut Vec<Item>, left: &mut usize) -> bool {
    for item in items {
        if let Item::Store { value, .. } | Item::Sum { start: value, .. } = item
            && simplify_value(value, left)
        {
            return true;
        }
        if item.bodies_mut().into_iter().any(|body| simplify(body, left)) {
            return true;
        }
    }
    false
}

fn simplify_value(value: &mut Value, left: &mut usize) -> bool {
    let operands: Vec<&mut Value> = match value {
        Value::Scaled(_, inner) => vec![inner],
        Value::Sum(a, b)
        | Value::Difference(a, b)
        | Value::Product(a, b)
        | Value::Quotient(a, b)
        | Value::Least(a, b)
        | Value::Greatest(a, b)
        | Value::Choice(_, a, b) => vec![a, b],
        Value::Constant(_) | Value::Scalar(_) | Value::Local(_) | Value::Number(_) | Value::Load(_) => return false,
    };
    for operand in operands {
        if *left == 0 {
            *value = operand.clone();
            return true;
        }
        *left -= 1;
        if simplify_value(operand, left) {
            return true;
        }
    }
    false
}
