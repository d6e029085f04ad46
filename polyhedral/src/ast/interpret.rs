//! The meaning of an AST: an interpreter that lists the executed instances.

use std::fmt;

use crate::arith::Int;
use crate::budget::{Budget, Exhausted};
use crate::space::Name;

use super::expr::Values;
use super::node::{Ast, AstUnit};

/// The execution of one statement instance.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Event {
    /// The statement.
    pub stmt: Name,
    /// The values of its dimensions.
    pub point: Vec<Int>,
}

/// Why an AST could not be executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InterpretError {
    /// An expression uses a parameter without value, or an iterator outside its loop.
    UndefinedValue,
    /// The budget ran out (one unit per node visited).
    Exhausted(Exhausted),
}

impl fmt::Display for InterpretError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InterpretError::UndefinedValue => write!(f, "an expression uses a value that is not defined there"),
            InterpretError::Exhausted(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for InterpretError {}

impl From<Exhausted> for InterpretError {
    fn from(error: Exhausted) -> InterpretError {
        InterpretError::Exhausted(error)
    }
}

/// Executes an AST for given parameter values (in the order of [`AstUnit::params`]) and returns the instances in execution
/// order. The budget bounds the number of visited nodes.
pub fn interpret(unit: &AstUnit, params: &[Int], budget: &Budget) -> Result<Vec<Event>, InterpretError> {
    let mut values = Values { params: params.to_vec(), iters: vec![None; unit.n_iter] };
    let mut events = Vec::new();
    run(&unit.body, &mut values, &mut events, budget)?;
    Ok(events)
}

fn run(ast: &Ast, values: &mut Values, events: &mut Vec<Event>, budget: &Budget) -> Result<(), InterpretError> {
    budget.spend(1)?;
    let undefined = InterpretError::UndefinedValue;
    match ast {
        Ast::For(node) => {
            let mut value = node.lower.eval(values).ok_or(undefined.clone())?;
            let upper = node.upper.as_ref().map(|upper| upper.eval(values).ok_or(undefined.clone())).transpose()?;
            let slot = node.iter.0;
            loop {
                *values.iters.get_mut(slot).ok_or(undefined.clone())? = Some(value.clone());
                let goes_on = match &node.test {
                    Some(test) => test.eval(values).ok_or(undefined.clone())?,
                    None => upper.as_ref().is_none_or(|upper| value <= *upper),
                };
                if !goes_on {
                    break;
                }
                run(&node.body, values, events, budget)?;
                value += &node.step;
            }
            *values.iters.get_mut(slot).ok_or(undefined)? = None;
        }
        Ast::If { cond, then, otherwise } => {
            if cond.eval(values).ok_or(undefined)? {
                run(then, values, events, budget)?;
            } else if let Some(otherwise) = otherwise {
                run(otherwise, values, events, budget)?;
            }
        }
        Ast::Block(parts) => {
            for part in parts {
                run(part, values, events, budget)?;
            }
        }
        Ast::Mark(_, body) => run(body, values, events, budget)?,
        Ast::User { stmt, args } => {
            let point = args.iter().map(|arg| arg.eval(values)).collect::<Option<Vec<_>>>().ok_or(undefined)?;
            events.push(Event { stmt: stmt.clone(), point });
        }
    }
    Ok(())
}
