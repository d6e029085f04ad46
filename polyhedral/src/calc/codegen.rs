//! `codegen`: from a schedule as a map to loops.

use crate::affine::MultiUnionPwAff;
use crate::ast::AstBuild;
use crate::budget::Budget;
use crate::relation::UnionMap;
use crate::schedule::{Band, Instances, Node, ScheduleTree};

use super::operators::{Failure, Outcome};
use super::value::Value;

/// Loops that execute the domain of a schedule in the lexicographic order of the images.
pub(super) fn codegen(schedule: &UnionMap, b: &Budget) -> Outcome {
    let domain = Instances::from_union_set(&schedule.domain(b)?)?;
    let mut root = Node::leaf();
    if !domain.is_empty() {
        let band = Band::from_schedule(&MultiUnionPwAff::from_union_map(schedule, b)?)?;
        if !band.is_empty() {
            root = Node::band(band, root);
        }
    }
    let tree = ScheduleTree::new(domain, root);
    let unit = AstBuild::new().build(&tree, b).map_err(|error| Failure::Message(error.to_string()))?;
    Ok(Value::Code(unit.to_string()))
}
