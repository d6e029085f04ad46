//! The table of operations: how isl calls each, and how we do.
//!
//! Adding an operation is one entry: its name, its class in the benchmark, the types of its operands, isl's function and
//! ours. isl's side is a function pointer of the loaded library where its signature is common, so that calling it
//! costs no more than in C; other signatures are closures.

use tessera_polyhedral::arith::Int;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::error::Result;
use tessera_polyhedral::space::DimKind;

use crate::isl::{self, Functions, Give1, Give2, Kind, Object, Test1, Test2};
use crate::value::Value;

use Kind::{Map, Set, UnionMap, UnionSet};

/// How isl performs an operation.
#[derive(Clone, Copy)]
pub enum Call {
    /// A function of one object, and the type of the result.
    Give1(fn(&Functions) -> Give1, Kind),
    /// A function of two objects, and the type of the result.
    Give2(fn(&Functions) -> Give2, Kind),
    /// A test of one object.
    Test1(fn(&Functions) -> Test1),
    /// A test of two objects.
    Test2(fn(&Functions) -> Test2),
    /// Anything else.
    Custom(for<'l> fn(&[Object<'l>]) -> isl::Result<Answer<'l>>),
}

/// A result of isl.
pub enum Answer<'l> {
    /// An object.
    Object(Object<'l>),
    /// A truth value.
    Bool(bool),
    /// A text.
    Text(String),
}

/// One operation.
pub struct Operation {
    /// Type and verb: `set.subtract`.
    pub name: &'static str,
    /// The row of the benchmark's table that it belongs to.
    pub class: &'static str,
    /// The types of the operands.
    pub args: &'static [Kind],
    /// How isl does it.
    pub isl: Call,
    /// How we do it.
    pub ours: fn(&[Value], &Budget) -> Result<Value>,
}

impl Operation {
    /// isl's result. The operands are kept.
    pub fn run_isl<'l>(&self, x: &[Object<'l>]) -> isl::Result<Answer<'l>> {
        let isl = x[0].isl();
        let f = isl.functions();
        // SAFETY: the table gives every function the types of operands that isl declares.
        unsafe {
            Ok(match self.isl {
                Call::Give1(g, kind) => Answer::Object(isl.object(kind, g(f)(x[0].take()))?),
                Call::Give2(g, kind) => Answer::Object(isl.object(kind, g(f)(x[0].take(), x[1].take()))?),
                Call::Test1(g) => Answer::Bool(isl.truth(g(f)(x[0].keep()))?),
                Call::Test2(g) => Answer::Bool(isl.truth(g(f)(x[0].keep(), x[1].keep()))?),
                Call::Custom(g) => g(x)?,
            })
        }
    }
}

/// The operation of that name.
pub fn find(name: &str) -> Option<&'static Operation> {
    ALL.iter().find(|o| o.name == name)
}

/// One entry of the table. `isl` is one of `(function) -> Type`, `(function)?` for tests, `[closure]`.
macro_rules! operations {
    ($($name:literal $class:literal ($($arg:ident),+) $shape:ident($($isl:tt)*) |$x:ident, $b:ident| $ours:expr;)+) => {
        /// All operations.
        pub static ALL: &[Operation] = &[$(Operation {
            name: $name,
            class: $class,
            args: &[$($arg),+],
            isl: call!($shape $($isl)*),
            ours: |$x, $b| Ok(Value::from($ours?)),
        }),+];
    };
}

macro_rules! call {
    (give1 $function:ident $kind:ident) => {
        Call::Give1(|f| f.$function, $kind)
    };
    (give2 $function:ident $kind:ident) => {
        Call::Give2(|f| f.$function, $kind)
    };
    (test1 $function:ident) => {
        Call::Test1(|f| f.$function)
    };
    (test2 $function:ident) => {
        Call::Test2(|f| f.$function)
    };
    (custom $function:expr) => {
        Call::Custom($function)
    };
}

fn ok<T>(value: T) -> Result<T> {
    Ok(value)
}

operations! {
    "set.intersect" "intersect" (Set, Set) give2(isl_set_intersect Set) |x, b| x[0].set()?.intersect(x[1].set()?, b);
    "map.intersect" "intersect" (Map, Map) give2(isl_map_intersect Map) |x, b| x[0].map()?.intersect(x[1].map()?, b);
    "umap.intersect" "intersect" (UnionMap, UnionMap) give2(isl_union_map_intersect UnionMap)
        |x, b| x[0].union_map()?.intersect(x[1].union_map()?, b);
    "map.intersect_domain" "intersect domain/range" (Map, Set) give2(isl_map_intersect_domain Map)
        |x, b| x[0].map()?.intersect_domain(x[1].set()?, b);
    "map.intersect_range" "intersect domain/range" (Map, Set) give2(isl_map_intersect_range Map)
        |x, b| x[0].map()?.intersect_range(x[1].set()?, b);
    "umap.intersect_domain" "intersect domain/range" (UnionMap, UnionSet) give2(isl_union_map_intersect_domain UnionMap)
        |x, b| x[0].union_map()?.intersect_domain(x[1].union_set()?, b);
    "umap.intersect_range" "intersect domain/range" (UnionMap, UnionSet) give2(isl_union_map_intersect_range UnionMap)
        |x, b| x[0].union_map()?.intersect_range(x[1].union_set()?, b);
    "set.intersect_params" "intersect params" (Set, Set) give2(isl_set_intersect_params Set)
        |x, b| x[0].set()?.intersect_params(x[1].set()?, b);
    "umap.intersect_params" "intersect params" (UnionMap, Set) give2(isl_union_map_intersect_params UnionMap)
        |x, b| x[0].union_map()?.intersect_params(x[1].set()?, b);
    "set.union" "union" (Set, Set) give2(isl_set_union Set) |x, _b| x[0].set()?.union(x[1].set()?);
    "umap.union" "union" (UnionMap, UnionMap) give2(isl_union_map_union UnionMap)
        |x, _b| x[0].union_map()?.union(x[1].union_map()?);
    "set.subtract" "subtract" (Set, Set) give2(isl_set_subtract Set) |x, b| x[0].set()?.subtract(x[1].set()?, b);
    "map.subtract" "subtract" (Map, Map) give2(isl_map_subtract Map) |x, b| x[0].map()?.subtract(x[1].map()?, b);
    "uset.subtract" "subtract" (UnionSet, UnionSet) give2(isl_union_set_subtract UnionSet)
        |x, b| x[0].union_set()?.subtract(x[1].union_set()?, b);
    "umap.subtract" "subtract" (UnionMap, UnionMap) give2(isl_union_map_subtract UnionMap)
        |x, b| x[0].union_map()?.subtract(x[1].union_map()?, b);
    "set.complement" "subtract" (Set) give1(isl_set_complement Set) |x, b| x[0].set()?.complement(b);
    "map.apply_range" "apply_range" (Map, Map) give2(isl_map_apply_range Map)
        |x, b| x[0].map()?.apply_range(x[1].map()?, b);
    "umap.apply_range" "apply_range" (UnionMap, UnionMap) give2(isl_union_map_apply_range UnionMap)
        |x, b| x[0].union_map()?.apply_range(x[1].union_map()?, b);
    "umap.apply_domain" "apply_range" (UnionMap, UnionMap) give2(isl_union_map_apply_domain UnionMap)
        |x, b| x[0].union_map()?.apply_domain(x[1].union_map()?, b);
    "set.apply" "apply" (Set, Map) give2(isl_set_apply Set) |x, b| x[0].set()?.apply(x[1].map()?, b);
    "uset.apply" "apply" (UnionSet, UnionMap) give2(isl_union_set_apply UnionSet)
        |x, b| x[0].union_set()?.apply(x[1].union_map()?, b);
    "map.domain" "domain/range" (Map) give1(isl_map_domain Set) |x, b| x[0].map()?.domain(b);
    "map.range" "domain/range" (Map) give1(isl_map_range Set) |x, b| x[0].map()?.range(b);
    "umap.domain" "domain/range" (UnionMap) give1(isl_union_map_domain UnionSet) |x, b| x[0].union_map()?.domain(b);
    "umap.range" "domain/range" (UnionMap) give1(isl_union_map_range UnionSet) |x, b| x[0].union_map()?.range(b);
    "map.reverse" "reverse" (Map) give1(isl_map_reverse Map) |x, _b| ok(x[0].map()?.reverse());
    "umap.reverse" "reverse" (UnionMap) give1(isl_union_map_reverse UnionMap) |x, _b| x[0].union_map()?.reverse();
    "set.project_last" "project" (Set)
        custom(|x| project(x, true)) |x, b| project_ours(x[0].set()?, true, b);
    "set.project_first" "project" (Set)
        custom(|x| project(x, false)) |x, b| project_ours(x[0].set()?, false, b);
    "set.params" "project" (Set) give1(isl_set_params Set) |x, b| x[0].set()?.params(b);
    "set.fix_param" "fix" (Set) custom(fix_first) |x, _b| x[0].set()?.fix(DimKind::Param, 0, &Int::from(64));
    "set.is_empty" "is_empty" (Set) test1(isl_set_is_empty) |x, b| x[0].set()?.is_empty(b);
    "map.is_empty" "is_empty" (Map) test1(isl_map_is_empty) |x, b| x[0].map()?.is_empty(b);
    "umap.is_empty" "is_empty" (UnionMap) test1(isl_union_map_is_empty) |x, b| x[0].union_map()?.is_empty(b);
    "set.is_subset" "is_subset" (Set, Set) test2(isl_set_is_subset) |x, b| x[0].set()?.is_subset(x[1].set()?, b);
    "map.is_subset" "is_subset" (Map, Map) test2(isl_map_is_subset) |x, b| x[0].map()?.is_subset(x[1].map()?, b);
    "umap.is_subset" "is_subset" (UnionMap, UnionMap) test2(isl_union_map_is_subset)
        |x, b| x[0].union_map()?.is_subset(x[1].union_map()?, b);
    "set.is_equal" "is_equal" (Set, Set) test2(isl_set_is_equal) |x, b| x[0].set()?.is_equal(x[1].set()?, b);
    "map.is_equal" "is_equal" (Map, Map) test2(isl_map_is_equal) |x, b| x[0].map()?.is_equal(x[1].map()?, b);
    "umap.is_equal" "is_equal" (UnionMap, UnionMap) test2(isl_union_map_is_equal)
        |x, b| x[0].union_map()?.is_equal(x[1].union_map()?, b);
    "set.is_disjoint" "is_disjoint" (Set, Set) test2(isl_set_is_disjoint)
        |x, b| x[0].set()?.is_disjoint(x[1].set()?, b);
    "map.is_single_valued" "is_single_valued" (Map) test1(isl_map_is_single_valued)
        |x, b| x[0].map()?.is_single_valued(b);
    "map.is_injective" "is_single_valued" (Map) test1(isl_map_is_injective) |x, b| x[0].map()?.is_injective(b);
    "set.coalesce" "coalesce" (Set) give1(isl_set_coalesce Set) |x, b| x[0].set()?.coalesce(b);
    "map.coalesce" "coalesce" (Map) give1(isl_map_coalesce Map) |x, b| x[0].map()?.coalesce(b);
    "umap.coalesce" "coalesce" (UnionMap) give1(isl_union_map_coalesce UnionMap) |x, b| x[0].union_map()?.coalesce(b);
    "uset.coalesce" "coalesce" (UnionSet) give1(isl_union_set_coalesce UnionSet) |x, b| x[0].union_set()?.coalesce(b);
    "set.gist" "gist" (Set, Set) give2(isl_set_gist Set) |x, b| x[0].set()?.gist(x[1].set()?, b);
    "map.gist" "gist" (Map, Map) give2(isl_map_gist Map) |x, b| x[0].map()?.gist(x[1].map()?, b);
    "set.gist_params" "gist" (Set, Set) give2(isl_set_gist_params Set) |x, b| x[0].set()?.gist_params(x[1].set()?, b);
    "map.deltas" "deltas" (Map) give1(isl_map_deltas Set) |x, b| x[0].map()?.deltas(b);
    "umap.deltas" "deltas" (UnionMap) give1(isl_union_map_deltas UnionSet) |x, b| x[0].union_map()?.deltas(b);
    "set.remove_redundancies" "remove_redundancies" (Set) give1(isl_set_remove_redundancies Set)
        |x, b| x[0].set()?.remove_redundancies(b);
    "map.remove_redundancies" "remove_redundancies" (Map) give1(isl_map_remove_redundancies Map)
        |x, b| x[0].map()?.remove_redundancies(b);
    "set.compute_divs" "compute_divs" (Set) give1(isl_set_compute_divs Set) |x, b| x[0].set()?.make_divs_explicit(b);
    "map.compute_divs" "compute_divs" (Map) give1(isl_map_compute_divs Map) |x, b| x[0].map()?.make_divs_explicit(b);
    "map.range_product" "product" (Map, Map) give2(isl_map_range_product Map)
        |x, b| x[0].map()?.range_product(x[1].map()?, b);
    "map.product" "product" (Map, Map) give2(isl_map_product Map) |x, b| x[0].map()?.product(x[1].map()?, b);
}

fn project<'l>(x: &[Object<'l>], last: bool) -> isl::Result<Answer<'l>> {
    let f = x[0].isl().functions();
    // SAFETY: the operand is a set; the dimension exists.
    unsafe {
        let n = (f.isl_set_dim)(x[0].keep(), isl::OUT);
        let first = if last { n - 1 } else { 0 };
        let n = u32::from(n > 0);
        let ptr = (f.isl_set_project_out)(x[0].take(), isl::OUT, first.max(0).unsigned_abs(), n);
        Ok(Answer::Object(x[0].isl().object(Set, ptr)?))
    }
}

fn project_ours(
    set: &tessera_polyhedral::relation::Set,
    last: bool,
    budget: &Budget,
) -> Result<tessera_polyhedral::relation::Set> {
    let n = set.space().dim(DimKind::Out);
    set.project_out(DimKind::Out, if last { n.saturating_sub(1) } else { 0 }, n.min(1), budget)
}

fn fix_first<'l>(x: &[Object<'l>]) -> isl::Result<Answer<'l>> {
    let f = x[0].isl().functions();
    // SAFETY: the operand is a set.
    let ptr = unsafe { (f.isl_set_fix_si)(x[0].take(), isl::PARAM, 0, 64) };
    Ok(Answer::Object(x[0].isl().object(Set, ptr)?))
}
