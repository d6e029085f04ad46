//! The functions: one table with name, arguments, result and meaning.

use crate::arith::Int;
use crate::budget::Budget;
use crate::count::UnionPwQPolynomial;
use crate::relation::{Map, Set, UnionMap, UnionSet};
use crate::space::DimKind;

use super::codegen::codegen;
use super::counts;
use super::operators::{Failure, Outcome};
use super::value::Value;

/// A function of the calculator.
pub struct Function {
    /// The name; `_` stands for a space too.
    pub name: &'static str,
    /// Arguments and result: `map -> set`.
    pub signature: &'static str,
    /// The meaning in one sentence.
    pub help: &'static str,
    pub(super) run: fn(&Value, &Budget) -> Outcome,
}

/// All operators that are words.
const WORD_OPERATORS: [&str; 2] = ["cross", "before"];

pub(super) fn find_word_operator(name: &str) -> Option<&'static str> {
    WORD_OPERATORS.iter().find(|w| **w == name).copied()
}

/// What iscc has and this calculator has not, and what it takes.
const MISSING: [(&str, &str); 5] = [
    ("schedule", "`polycalc schedule` computes schedules from constraints in YAML"),
    ("vertices", "parametric vertices are not computed; `poly_hull` gives the facets of the hull"),
    ("ub", "bounds of quasi-polynomials are not computed"),
    ("lb", "bounds of quasi-polynomials are not computed"),
    ("write", "files are only read; `print` writes to standard output"),
];

pub(super) fn find_missing(name: &str) -> Option<&'static str> {
    MISSING.iter().find(|m| m.0 == name).map(|m| m.1)
}

/// The name in the table for a name or one of its other spellings.
pub(super) fn find_function(name: &str) -> Option<&'static str> {
    let name = match name {
        "domain" => "dom",
        "range" => "ran",
        "affine_hull" => "aff",
        "polyhedral_hull" => "poly_hull",
        other => other,
    };
    FUNCTIONS.iter().find(|f| f.name == name).map(|f| f.name)
}

/// The functions, in the order of their names.
pub fn functions() -> &'static [Function] {
    FUNCTIONS
}

fn wrong(what: &str, value: &Value) -> Failure {
    Failure::Message(format!("expected {what}, found a {}", value.type_name()))
}

fn set(value: &Value) -> Result<&UnionSet, Failure> {
    match value {
        Value::Set(set) => Ok(set),
        _ => Err(wrong("a set", value)),
    }
}

fn map(value: &Value) -> Result<UnionMap, Failure> {
    match value {
        Value::Map(map) => Ok(map.clone()),
        Value::Set(set) if value.is_nothing() => Ok(UnionMap::empty(set.params_space())),
        _ => Err(wrong("a map", value)),
    }
}

/// Applies one of two functions, for sets and for maps.
fn either(
    value: &Value,
    of_set: impl Fn(&Set) -> crate::error::Result<Set>,
    of_map: impl Fn(&Map) -> crate::error::Result<Map>,
) -> Outcome {
    match value {
        Value::Set(set) => Ok(set.map_members(of_set)?.into()),
        Value::Map(map) => Ok(map.map_members(of_map)?.into()),
        _ => Err(wrong("a set or a map", value)),
    }
}

/// A set with only the point `[params | dims]`.
fn point(set: &Set, values: &[Int]) -> crate::error::Result<Set> {
    let mut result = Set::universe(set.space().clone());
    let n = set.space().dim(DimKind::Param);
    for (k, value) in values.iter().enumerate() {
        let (kind, pos) = if k < n { (DimKind::Param, k) } else { (DimKind::Out, k - n) };
        result = result.fix(kind, pos, value)?;
    }
    Ok(result)
}

fn sample(value: &Value, b: &Budget) -> Outcome {
    let sets = match value {
        Value::Set(set) => set.clone(),
        Value::Map(map) => map.wrap()?,
        _ => return Err(wrong("a set or a map", value)),
    };
    let mut result = UnionSet::empty(sets.params_space());
    for member in sets.members() {
        if let Some(values) = member.sample(b)? {
            result = result.add(&point(member, &values)?)?;
            break;
        }
    }
    Ok(match value {
        Value::Map(_) => result.unwrap()?.into(),
        _ => result.into(),
    })
}

/// The number of points in all spaces, or of images for each space of the domain.
fn card(value: &Value, b: &Budget) -> Outcome {
    Ok(Value::Count(match value {
        Value::Set(set) => UnionPwQPolynomial::empty(set.params_space()).add(&set.card(b)?, b)?,
        Value::Map(map) => map.card(b)?,
        _ => return Err(wrong("a set or a map", value)),
    }))
}

/// The positive powers and whether they are exact.
fn powers(value: &Value, b: &Budget) -> Outcome {
    let (powers, exact) = map(value)?.power(b)?;
    Ok(Value::List(vec![powers.into(), exact.into()]))
}

/// Functions that need files are carried out by the calculator itself.
fn only_with_files(_: &Value, _: &Budget) -> Outcome {
    Err(Failure::Message("files cannot be read here".into()))
}

/// The points one by one, as a union of single points.
fn scan(value: &Value, b: &Budget) -> Outcome {
    let points = |set: &Set| {
        let points = set.points(b)?;
        Set::from_points(set.space(), points.iter().map(Vec::as_slice))
    };
    match value {
        Value::Set(set) => Ok(set.map_members(points)?.into()),
        Value::Map(map) => Ok(map.wrap()?.map_members(points)?.unwrap()?.into()),
        _ => Err(wrong("a set or a map", value)),
    }
}

macro_rules! table {
    ($($name:literal, $signature:literal, $help:literal, $run:expr;)*) => {
        &[$(Function { name: $name, signature: $signature, help: $help, run: $run }),*]
    };
}

static FUNCTIONS: &[Function] = table! {
    "aff", "set -> set, map -> map", "The integer affine hull: the equalities that hold everywhere.",
        |x, b| either(x, |s| s.affine_hull(b), |m| m.affine_hull(b));
    "card", "set -> piecewise quasi-polynomial, map -> piecewise quasi-polynomial",
        "The number of points of a set, or of images of each point of the domain.", card;
    "coalesce", "set -> set, map -> map", "The same points as fewer conjunctions.",
        |x, b| either(x, |s| s.coalesce(b), |m| m.coalesce(b));
    "codegen", "map -> program", "Loops that execute the domain in the order of the images, a schedule.",
        |x, b| codegen(&map(x)?, b);
    "complement", "set -> set, map -> map", "The points of the same spaces that are not there.",
        |x, b| either(x, |s| s.complement(b), |m| m.complement(b));
    "convex_hull", "set -> set, map -> map", "The closed rational convex hull, with the common divisions as further coordinates.",
        |x, b| either(x, |s| s.convex_hull(b), |m| m.convex_hull(b));
    "curry", "map -> map", "`A -> [B -> C]` of `[A -> B] -> C`.", |x, _| Ok(map(x)?.curry()?.into());
    "deltas", "map -> set", "The differences between images and arguments.", |x, b| Ok(map(x)?.deltas(b)?.into());
    "deltas_map", "map -> map", "The map from every wrapped pair to its difference.",
        |x, _| Ok(map(x)?.deltas_map()?.into());
    "detect_equalities", "set -> set, map -> map", "The same points with their implicit equalities explicit.",
        |x, b| either(x, |s| s.detect_equalities(b), |m| m.detect_equalities(b));
    "dom", "map -> set, piecewise quasi-polynomial -> set", "The domain; where the pieces of a function are given.",
        |x, b| match x {
        Value::Count(count) => Ok(count.domain()?.into()),
        _ => Ok(map(x)?.domain(b)?.into()),
    };
    "domain_map", "map -> map", "The map from every wrapped pair to its first point.",
        |x, _| Ok(map(x)?.domain_map()?.into());
    "identity", "set -> map", "The identity on a set.", |x, _| Ok(set(x)?.identity()?.into());
    "is_bijective", "map -> bool", "Whether the map is single-valued and injective.",
        |x, b| Ok((map(x)?.is_single_valued(b)? && map(x)?.is_injective(b)?).into());
    "is_bounded", "set -> bool, map -> bool", "Whether there are finitely many points for each value of the parameters.",
        |x, b| match x {
        Value::Set(set) => Ok(set.is_bounded(b)?.into()),
        Value::Map(map) => Ok(map.is_bounded(b)?.into()),
        _ => Err(wrong("a set or a map", x)),
    };
    "is_empty", "set -> bool, map -> bool", "Whether there is no point.", |x, b| match x {
        Value::Set(set) => Ok(set.is_empty(b)?.into()),
        Value::Map(map) => Ok(map.is_empty(b)?.into()),
        _ => Err(wrong("a set or a map", x)),
    };
    "is_injective", "map -> bool", "Whether no two points share an image.", |x, b| Ok(map(x)?.is_injective(b)?.into());
    "is_single_valued", "map -> bool", "Whether no point has two images.",
        |x, b| Ok(map(x)?.is_single_valued(b)?.into());
    "lexmax", "set -> set, map -> map", "The lexicographically greatest point of each space; for a map, the greatest image of each point.",
        |x, b| either(x, |s| s.lexmax(b), |m| m.lexmax(b));
    "lexmin", "set -> set, map -> map", "The lexicographically least point of each space; for a map, the least image of each point.",
        |x, b| either(x, |s| s.lexmin(b), |m| m.lexmin(b));
    "params", "set -> set, map -> set", "The parameter values for which there is a point.", |x, b| match x {
        Value::Set(set) => Ok(set.params(b)?.into()),
        Value::Map(map) => Ok(map.params(b)?.into()),
        _ => Err(wrong("a set or a map", x)),
    };
    "parse_file", "string -> list", "The objects in a file.", only_with_files;
    "poly_hull", "set -> set, map -> map", "The closed rational convex hull, without divisions; of a set with divisions or quantified variables tighter where that is cheap.",
        |x, b| either(x, |s| s.polyhedral_hull(b), |m| m.polyhedral_hull(b));
    "pow", "map -> (map, bool)", "The positive powers `{ [k] -> [x -> y] }` and whether they are exact.", powers;
    "ran", "map -> set", "The range.", |x, b| Ok(map(x)?.range(b)?.into());
    "range_map", "map -> map", "The map from every wrapped pair to its second point.",
        |x, _| Ok(map(x)?.range_map()?.into());
    "read", "string -> any", "The only object in a file.", only_with_files;
    "sample", "set -> set, map -> map", "One point, or nothing.", sample;
    "scan", "set -> set, map -> map", "All points one by one, for a bounded set.", scan;
    "simple_hull", "set -> set, map -> map", "One conjunction around each space: the constraints of all conjunctions that hold everywhere.",
        |x, b| either(x, |s| s.simple_hull(b), |m| m.simple_hull(b));
    "sum", "piecewise quasi-polynomial -> piecewise quasi-polynomial", "The sum of the values at all points.", |x, b| match x {
        Value::Count(count) => counts::sum(count, b),
        _ => Err(wrong("a piecewise quasi-polynomial", x)),
    };
    "typeof", "any -> string", "The type of a value.", |x, _| Ok(Value::Text(x.type_name().into()));
    "uncurry", "map -> map", "`[A -> B] -> C` of `A -> [B -> C]`.", |x, _| Ok(map(x)?.uncurry()?.into());
    "universe", "set -> set, map -> map", "All points of the spaces that occur.",
        |x, _| either(x, |s| Ok(Set::universe(s.space().clone())), |m| Ok(Map::universe(m.space().clone())));
    "unshifted_simple_hull", "set -> set, map -> map", "One conjunction around each space, from constraints that occur, as they occur.",
        |x, b| either(x, |s| s.unshifted_simple_hull(b), |m| m.unshifted_simple_hull(b));
    "unwrap", "set -> map", "The relation of a set of wrapped pairs.", |x, _| Ok(set(x)?.unwrap()?.into());
    "wrap", "map -> set", "The set of the wrapped pairs.", |x, _| Ok(map(x)?.wrap()?.into());
    "zip", "map -> map", "`[A -> C] -> [B -> D]` of `[A -> B] -> [C -> D]`.", |x, _| Ok(map(x)?.zip()?.into());
};
