//! The syntax tree of isl's notation. What names mean is decided in [`super::lower`].

use crate::arith::Int;

/// A position in the text: the index of a token.
pub(super) type At = usize;

/// An arithmetic expression.
#[derive(Clone, Debug)]
pub(super) enum Expr<'a> {
    Number(Int),
    Name(&'a str, At),
    /// Terms, each with whether it is subtracted.
    Sum(Vec<(bool, Expr<'a>)>),
    /// A first factor and what is applied to it, from left to right.
    Product(Box<Expr<'a>>, Vec<(Factor, Expr<'a>, At)>),
    Floor(Box<Expr<'a>>),
    Ceil(Box<Expr<'a>>),
    Min(Vec<Expr<'a>>),
    Max(Vec<Expr<'a>>),
    /// `condition ? first : second`; a condition used as a number is `condition ? 1 : 0`.
    If(Box<(Formula<'a>, Expr<'a>, Expr<'a>)>),
    /// Values with the conditions under which they hold: added where several do, undefined where none does. None of the
    /// values is of this kind itself.
    Pieces(Vec<(Expr<'a>, Formula<'a>)>),
}

/// An operation of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Factor {
    /// One of both factors must be constant.
    Times,
    /// Rational division by a constant.
    Over,
    /// The remainder modulo a positive constant.
    Mod,
    /// Division by a constant, rounded down.
    FloorOver,
    /// A power with constant base and exponent.
    Power,
}

/// A comparison operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    Le,
    Lt,
    Ge,
    Gt,
    Eq,
    Ne,
    LexLe,
    LexLt,
    LexGe,
    LexGt,
}

impl Op {
    /// The operator that holds exactly where this one does not.
    pub(super) fn negated(self) -> Op {
        match self {
            Op::Le => Op::Gt,
            Op::Lt => Op::Ge,
            Op::Ge => Op::Lt,
            Op::Gt => Op::Le,
            Op::Eq => Op::Ne,
            Op::Ne => Op::Eq,
            Op::LexLe => Op::LexGt,
            Op::LexLt => Op::LexGe,
            Op::LexGe => Op::LexLt,
            Op::LexGt => Op::LexLe,
        }
    }

    /// Whether the operator compares whole lists lexicographically.
    pub(super) fn is_lexicographic(self) -> bool {
        matches!(self, Op::LexLe | Op::LexLt | Op::LexGe | Op::LexGt)
    }
}

/// A Presburger formula.
#[derive(Clone, Debug)]
pub(super) enum Formula<'a> {
    True,
    False,
    And(Vec<Formula<'a>>),
    Or(Vec<Formula<'a>>),
    Not(Box<Formula<'a>>),
    Exists(Vec<Variable<'a>>, Box<Formula<'a>>),
    /// `lists[0] ops[0] lists[1] ops[1] ...`: each comparison between all pairs, a lexicographic one between the lists.
    Compare(Vec<Vec<Expr<'a>>>, Vec<(Op, At)>),
}

/// A quantified variable, possibly with its value.
#[derive(Clone, Debug)]
pub(super) struct Variable<'a> {
    pub(super) name: &'a str,
    pub(super) value: Option<Expr<'a>>,
}

/// What an entry of a tuple or a parameter is said to be.
#[derive(Clone, Debug)]
pub(super) enum Values<'a> {
    /// `e`, or `e : condition; f : condition`.
    One(Expr<'a>),
    /// All values from `e` on, `e :`, or to a last one, `e : f`.
    From(Expr<'a>, Option<Expr<'a>>),
}

/// One entry of a tuple.
#[derive(Clone, Debug)]
pub(super) enum Entry<'a> {
    /// `*`
    Any,
    /// `i`, or `i =` and values.
    Named(&'a str, At, Option<Values<'a>>),
    /// Values without a name.
    Values(Values<'a>),
}

/// A tuple as written.
#[derive(Clone, Debug)]
pub(super) struct TupleText<'a> {
    pub(super) name: &'a str,
    pub(super) body: TupleBody<'a>,
}

/// What is between the brackets of a tuple.
#[derive(Clone, Debug)]
pub(super) enum TupleBody<'a> {
    Flat(Vec<Entry<'a>>),
    Nested(Box<(TupleText<'a>, TupleText<'a>)>),
}

/// One disjunct of an object.
#[derive(Clone, Debug)]
pub(super) struct Disjunct<'a> {
    pub(super) at: At,
    /// No tuple: only parameters; one: a set; two: a map.
    pub(super) tuples: Vec<TupleText<'a>>,
    pub(super) formula: Formula<'a>,
}

/// A parameter, possibly with its values.
#[derive(Clone, Debug)]
pub(super) struct Param<'a> {
    pub(super) name: &'a str,
    pub(super) values: Option<Values<'a>>,
}

/// A whole text.
#[derive(Clone, Debug)]
pub(super) struct Object<'a> {
    pub(super) params: Vec<Param<'a>>,
    pub(super) disjuncts: Vec<Disjunct<'a>>,
}
