//! The table of operations: how isl calls each, how we do, and what counts as agreement.
//!
//! Adding an operation is one entry in one of the tables: its name, its class in the benchmark, its operands, isl's
//! function and ours. isl's side is the name of a function of a common signature, or a closure. [`Operation::bind`]
//! looks the function up once, so that a timed call costs no more than in C.

mod closure;
mod flow;
mod function;
mod hull;
mod map;
mod optimum;
mod set;
mod union;

use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::error::Result;

use crate::isl::{self, Failure, Give1, Give2, Give3, Isl, Kind, Object, Test1, Test2};
use crate::value::Value;

/// The tuples that operands can be over. In one case every letter stands for one tuple.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum T {
    /// No tuple: only parameters.
    P,
    /// The first tuple.
    A,
    /// The second tuple.
    B,
    /// The third tuple.
    C,
    /// `[A -> B]`.
    AB,
    /// `[B -> C]`.
    BC,
    /// `[[A -> B] -> C]`.
    AbC,
    /// `[A -> [B -> C]]`.
    ABc,
    /// `[[A -> B] -> [C -> A]]`: what can be zipped.
    Zip,
}

/// An operand: its type and what it is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arg {
    /// A set over a tuple.
    Set(T),
    /// A map between two tuples.
    Map(T, T),
    /// Sets over some of the tuples A, B and C.
    USet,
    /// Maps between some of the tuples A, B and C.
    UMap,
    /// Sets over pairs of the tuples.
    UWrapped,
    /// Maps from pairs to pairs.
    UNested,
    /// A quasi-affine function on a tuple.
    Aff(T),
    /// A piecewise quasi-affine function on a tuple.
    PwAff(T),
    /// A constant other than zero on a tuple.
    Constant(T),
    /// A total function between tuples.
    MultiAff(T, T),
    /// A piecewise function between tuples.
    PwMultiAff(T, T),
    /// A function between tuples whose components are piecewise.
    MultiPwAff(T, T),
    /// Piecewise functions on some of the tuples.
    UPwAff,
    /// Piecewise functions between some of the tuples.
    UPwMultiAff,
    /// A tuple of union functions.
    MUPwAff,
    /// An integer.
    Val,
    /// A positive integer.
    Positive,
    /// A number that stands for a position.
    Pos,
    /// A bounded set of 4 to 6 dimensions with coefficients of up to 255; see [`crate::wide`].
    Wide,
    /// Two or more conjunctions that coalescing may fit together; see [`crate::coalescing`].
    Pieces,
    /// A small set of one or two dimensions that are combinations of quantified variables: `j = 5e + 3f`.
    Lattice,
}

impl Arg {
    /// The type of the operand.
    pub fn kind(self) -> Kind {
        match self {
            Arg::Set(_) | Arg::Wide | Arg::Pieces | Arg::Lattice => Kind::Set,
            Arg::Map(..) => Kind::Map,
            Arg::USet | Arg::UWrapped => Kind::UnionSet,
            Arg::UMap | Arg::UNested => Kind::UnionMap,
            Arg::Aff(_) => Kind::Aff,
            Arg::PwAff(_) | Arg::Constant(_) => Kind::PwAff,
            Arg::MultiAff(..) => Kind::MultiAff,
            Arg::PwMultiAff(..) => Kind::PwMultiAff,
            Arg::MultiPwAff(..) => Kind::MultiPwAff,
            Arg::UPwAff => Kind::UnionPwAff,
            Arg::UPwMultiAff => Kind::UnionPwMultiAff,
            Arg::MUPwAff => Kind::MultiUnionPwAff,
            Arg::Val | Arg::Positive | Arg::Pos => Kind::Val,
        }
    }
}

/// How isl performs an operation. The common signatures are given by name.
#[derive(Clone, Copy)]
pub enum Call {
    /// A function of one object, and the type of the result.
    Give1(&'static str, Kind),
    /// A function of two objects, and the type of the result.
    Give2(&'static str, Kind),
    /// A function of three objects, and the type of the result.
    Give3(&'static str, Kind),
    /// A function that keeps two objects and gives another.
    Keep2(&'static str, Kind),
    /// A function of one object that gives a basic set or map, as the set or map it is.
    Basic(&'static str, Kind),
    /// A test of one object.
    Test1(&'static str),
    /// A test of two objects.
    Test2(&'static str),
    /// Anything else.
    Custom(Custom),
}

/// A closure over isl objects.
pub type Custom = for<'l> fn(&[Object<'l>]) -> isl::Result<Answer<'l>>;

/// A result of isl.
pub enum Answer<'l> {
    /// An object.
    Object(Object<'l>),
    /// An object, and whether it is exact.
    Flagged(Object<'l>, bool),
    /// A truth value.
    Bool(bool),
    /// A text.
    Text(String),
}

/// What counts as agreement between isl's answer and ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judge {
    /// The same object, truth value or number.
    Equal,
    /// The same object, or both empty: where isl gives an empty result another space.
    EqualOrEmpty,
    /// The same points as the operand, in no more disjuncts than it has.
    Coalesce,
    /// The same points as the operand after both are intersected, by the function of that name, with the second
    /// operand.
    Gist(&'static str),
    /// Contains isl's answer.
    Contains,
    /// A single conjunction per space that contains the operand.
    Hull,
    /// A single conjunction per space between the operand and isl's answer.
    TightHull,
    /// A single conjunction that contains the operand; where that has local variables, every facet contains a point.
    Facets,
    /// A point of the operand; nothing only if the operand is empty.
    Sample,
    /// Equal if both are exact; otherwise contains isl's answer if that one is exact.
    Closure,
    /// The same points as the operand, in disjoint disjuncts.
    Disjoint,
}

/// One operation.
pub struct Operation {
    /// Type and verb: `set.subtract`.
    pub name: &'static str,
    /// The row of the benchmark's table that it belongs to.
    pub class: &'static str,
    /// The operands.
    pub args: &'static [Arg],
    /// How isl does it.
    pub isl: Call,
    /// How we do it.
    pub ours: fn(&[Value], &Budget) -> Result<Value>,
    /// What counts as agreement.
    pub judge: Judge,
}

/// An operation with its function in one build of isl.
#[derive(Clone, Copy)]
pub struct Bound<'l> {
    isl: &'l Isl,
    function: Function,
}

#[derive(Clone, Copy)]
enum Function {
    Give1(Give1, Kind),
    Give2(Give2, Kind),
    Give3(Give3, Kind),
    Keep2(Give2, Kind),
    Basic(Give1, Give1, Kind),
    Test1(Test1),
    Test2(Test2),
    Custom(Custom),
}

impl Operation {
    /// The types of the operands.
    pub fn kinds(&self) -> Vec<Kind> {
        self.args.iter().map(|a| a.kind()).collect()
    }

    /// Looks isl's function up.
    pub fn bind<'l>(&self, isl: &'l Isl) -> isl::Result<Bound<'l>> {
        // SAFETY: the table gives every function the signature that isl declares.
        let function = unsafe {
            match self.isl {
                Call::Give1(name, kind) => Function::Give1(isl.function(name)?, kind),
                Call::Give2(name, kind) => Function::Give2(isl.function(name)?, kind),
                Call::Give3(name, kind) => Function::Give3(isl.function(name)?, kind),
                Call::Keep2(name, kind) => Function::Keep2(isl.function(name)?, kind),
                Call::Basic(name, kind) => {
                    let convert = if kind == Kind::Set { "isl_set_from_basic_set" } else { "isl_map_from_basic_map" };
                    Function::Basic(isl.function(name)?, isl.function(convert)?, kind)
                }
                Call::Test1(name) => Function::Test1(isl.function(name)?),
                Call::Test2(name) => Function::Test2(isl.function(name)?),
                Call::Custom(custom) => Function::Custom(custom),
            }
        };
        Ok(Bound { isl, function })
    }

    /// isl's result. The operands are kept.
    pub fn run_isl<'l>(&self, x: &[Object<'l>]) -> isl::Result<Answer<'l>> {
        let first = x.first().ok_or(Failure::Error("no operand".into()))?;
        self.bind(first.isl())?.run(x)
    }
}

impl<'l> Bound<'l> {
    /// isl's result. The operands are kept.
    pub fn run(&self, x: &[Object<'l>]) -> isl::Result<Answer<'l>> {
        let isl = self.isl;
        // SAFETY: the table gives every function operands of the types that isl declares.
        unsafe {
            Ok(match self.function {
                Function::Give1(f, kind) => Answer::Object(isl.object(kind, f(x[0].take()))?),
                Function::Give2(f, kind) => Answer::Object(isl.object(kind, f(x[0].take(), x[1].take()))?),
                Function::Give3(f, kind) => Answer::Object(isl.object(kind, f(x[0].take(), x[1].take(), x[2].take()))?),
                Function::Keep2(f, kind) => Answer::Object(isl.object(kind, f(x[0].keep(), x[1].keep()))?),
                Function::Basic(f, convert, kind) => Answer::Object(isl.object(kind, convert(f(x[0].take())))?),
                Function::Test1(f) => Answer::Bool(isl.truth(f(x[0].keep()))?),
                Function::Test2(f) => Answer::Bool(isl.truth(f(x[0].keep(), x[1].keep()))?),
                Function::Custom(f) => f(x)?,
            })
        }
    }
}

/// All operations that random operands can be made for.
pub fn all() -> impl Iterator<Item = &'static Operation> {
    [
        set::OPERATIONS,
        map::OPERATIONS,
        union::OPERATIONS,
        function::OPERATIONS,
        optimum::OPERATIONS,
        hull::OPERATIONS,
        closure::OPERATIONS,
    ]
    .into_iter()
    .flatten()
}

/// The operation of that name.
pub fn find(name: &str) -> Option<&'static Operation> {
    all().chain(flow::OPERATIONS).find(|o| o.name == name)
}

/// A table of operations. An entry is
/// `name class (operands) how(isl's function, type of the result) |operands, budget| ours, judge;`
/// where `how` is `give1`, `give2`, `give3`, `keep2`, `basic`, `test1`, `test2` or `custom(closure)`, and the judge is
/// optional.
macro_rules! operations {
    ($($name:literal $class:literal ($($arg:expr),+) $how:ident($($isl:tt)*) |$x:ident, $b:ident| $ours:expr
        $(, $judge:expr)?;)+) => {
        pub(super) static OPERATIONS: &[Operation] = &[$(Operation {
            name: $name,
            class: $class,
            args: &[$($arg),+],
            isl: operations!(@call $how $($isl)*),
            ours: |$x, $b| { let _ = $b; Ok(Value::from($ours?)) },
            judge: operations!(@judge $($judge)?),
        }),+];
    };
    (@call give1 $function:ident $kind:ident) => { Call::Give1(stringify!($function), Kind::$kind) };
    (@call give2 $function:ident $kind:ident) => { Call::Give2(stringify!($function), Kind::$kind) };
    (@call give3 $function:ident $kind:ident) => { Call::Give3(stringify!($function), Kind::$kind) };
    (@call keep2 $function:ident $kind:ident) => { Call::Keep2(stringify!($function), Kind::$kind) };
    (@call basic $function:ident $kind:ident) => { Call::Basic(stringify!($function), Kind::$kind) };
    (@call test1 $function:ident) => { Call::Test1(stringify!($function)) };
    (@call test2 $function:ident) => { Call::Test2(stringify!($function)) };
    (@call custom $function:expr) => { Call::Custom($function) };
    (@judge) => { Judge::Equal };
    (@judge $judge:expr) => { $judge };
}

use operations;

/// For operations of ours that cannot fail.
fn ok<T>(value: T) -> Result<T> {
    Ok(value)
}

/// Some dimension, chosen by a number that can be anything; nothing if there is none.
fn pick(number: i64, n: usize) -> Option<usize> {
    let n = i64::try_from(n).ok().filter(|n| *n > 0)?;
    usize::try_from(number.rem_euclid(n)).ok()
}
