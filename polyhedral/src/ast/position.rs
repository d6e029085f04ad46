//! [`Position`]: expressions and conditions for a place of the AST, and the callbacks that get one.
//!
//! The same machinery that writes loop bounds and guards is open to users: a piecewise quasi-affine function, a set or an access becomes an
//! expression, a condition or subscripts in terms of parameters and iterators, simplified with what is known at the place.
//! Pieces that cannot occur there are left out, and divisions are specialised. (Section 6 of T. Grosser, S. Verdoolaege, A. Cohen,
//! "Polyhedral AST generation is more than scanning polyhedra", TOPLAS 2015.)

use crate::affine::{MultiPwAff, PwAff};
use crate::arith::Int;
use crate::budget::Budget;
use crate::relation::{Row, Set, add_scaled};
use crate::space::{DimKind, Name, Space};

use super::attach::outside;
use super::cond::Cond;
use super::error::AstError;
use super::expr::Expr;
use super::guard::{refine, solved};
use super::known_at::KnownAt;
use super::node::{Ast, For, MemberId};
use super::options::AstOptions;
use super::piece::Piece;
use super::plan::{Cases, Value};
use super::print::{CStyle, Printer};
use super::scope::{Column, Scope};
use super::sets::Columns;
use super::specialise::may_change;

type Result<T> = std::result::Result<T, AstError>;

/// An access to an array, or a call: a name and the values of the subscripts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// The name of the tuple that the access goes to.
    pub array: Name,
    /// The subscripts, outermost first.
    pub subscripts: Vec<Expr>,
}

/// A place in an AST: what is known there, and what the dimensions of functions and sets stand for.
///
/// A function or set may be over no dimensions; over those of the statement, at the node of a statement instance; or over the values of the
/// members of the outer bands, or the first of them (an unnamed tuple of that length).
#[derive(Clone, Debug)]
pub struct Position {
    params: Vec<Name>,
    scope: Scope,
    options: AstOptions,
    stmt: Option<(Name, Vec<Row>)>,
    member: Option<MemberId>,
}

impl Position {
    /// The place outside of all loops, for parameters with these names in a context (a set over parameters).
    pub fn outside(params: &[&str], context: Option<&Set>, options: AstOptions, budget: &Budget) -> Result<Position> {
        let mut params: Vec<Name> = params.iter().map(|name| Name::from(*name)).collect();
        for name in context.map(|set| set.space().param_names()).into_iter().flatten() {
            if !params.contains(name) {
                params.push(name.clone());
            }
        }
        let mut scope = Scope::new(params.len());
        if let Some(context) = context {
            let parts = Columns::new(params.clone()).disjoint(&context.to_params(budget)?, budget)?;
            scope = outside(params.len(), &parts, budget)?;
        }
        Ok(Position { params, scope, options, stmt: None, member: None })
    }

    pub(super) fn new(
        params: &[Name],
        scope: &Scope,
        options: &AstOptions,
        stmt: Option<(Name, Vec<Row>)>,
        member: Option<MemberId>,
    ) -> Position {
        Position { params: params.to_vec(), scope: scope.clone(), options: options.clone(), stmt, member }
    }

    /// The names of the enclosing iterators, outermost first; of a loop that is about to begin its own is not among them.
    pub fn iterators(&self) -> &[Name] {
        &self.scope.loop_names
    }

    /// The statement, at a statement instance.
    pub fn statement(&self) -> Option<&Name> {
        self.stmt.as_ref().map(|(name, _)| name)
    }

    /// The band member of the loop, at a loop over one.
    pub fn member(&self) -> Option<MemberId> {
        self.member
    }

    /// Whether functions over a space have the same expressions here as at another place: the dimensions stand for the same, of which the same is
    /// known. Copies of a statement side by side are such places, for functions of the bands around them. Cost: that of a comparison.
    pub fn agrees(&self, other: &Position, space: &Space) -> bool {
        let (here, there) = (&self.scope, &other.scope);
        let is_known = here.columns == there.columns
            && here.known == there.known
            && here.alternatives == there.alternatives
            && self.params == other.params;
        is_known && matches!((self.dims(space), other.dims(space)), (Ok(here), Ok(there)) if here == there)
    }

    /// The value of a function here. Where the function is not defined the expression may have any value. An error if the function
    /// has dimensions that mean nothing here, or is defined nowhere here. Cheapest for functions that are defined everywhere.
    ///
    /// Several pieces become selections, or a minimum or maximum if they are one and
    /// [`AstOptions::detect_min_max`](super::AstOptions::detect_min_max) is on.
    pub fn expr(&self, function: &PwAff, budget: &Budget) -> Result<Expr> {
        let columns = self.columns(function.space());
        let cases = columns.cases(function, budget)?;
        if let [(None, value)] = &cases[..]
            && let Some(expr) = self.only(value, function.space(), &columns, budget)?
        {
            return Ok(expr);
        }
        let (scope, pieces) = self.pieces(&cases, function.space(), &columns, budget)?;
        let mut values: Vec<(Piece, Row)> = Vec::with_capacity(pieces.len());
        for mut piece in pieces {
            let Some(value) = piece.target.take() else { continue };
            if piece.n_unknown > 0 {
                return Err(self.undetermined(&function.to_string()));
            }
            values.push((piece, value));
        }
        let Some(((_, last_value), rest)) = values.split_last() else {
            let what = format!("the function {function} is not defined here");
            return Err(AstError::Malformed { what });
        };
        let expr = match self.extremum(&scope, &values, budget)? {
            Some(expr) => expr,
            None => {
                let mut expr = scope.expr(last_value);
                for (piece, value) in rest.iter().rev() {
                    expr = Expr::select(cond(&scope, piece), scope.expr(value), expr);
                }
                expr
            }
        };
        self.specialised(&scope, expr, budget)
    }

    /// An expression with what is known here.
    fn specialised(&self, scope: &Scope, expr: Expr, budget: &Budget) -> Result<Expr> {
        if !may_change(&expr) {
            return Ok(expr);
        }
        Ok(KnownAt::at(scope, self.params.len(), &self.options, budget)?.expr(&expr)?)
    }

    /// Whether the point is in a set, as a condition here.
    pub fn condition(&self, set: &Set, budget: &Budget) -> Result<Cond> {
        let columns = self.columns(set.space());
        let zero = PwAff::constant_on(set, &crate::arith::Rational::from(Int::zero()));
        let cases = columns.cases(&zero, budget)?;
        let (scope, mut pieces) = self.pieces(&cases, set.space(), &columns, budget)?;
        if pieces.iter().any(|piece| piece.n_unknown > 0) {
            return Err(self.undetermined(&set.to_string()));
        }
        // What follows for integers only is left: with `8 t <= i <= 8 t + 7` that `i / 8` is `t`.
        for piece in &mut pieces {
            let mut open = Vec::new();
            for row in std::mem::take(&mut piece.system.ineqs) {
                if !scope.known.implies(&row, budget)? {
                    open.push(row);
                }
            }
            piece.system.ineqs = open;
        }
        let result = Cond::or(pieces.iter().map(|piece| cond(&scope, piece)).collect());
        if matches!(result, Cond::True | Cond::False) {
            return Ok(result);
        }
        Ok(KnownAt::at(&scope, self.params.len(), &self.options, budget)?.cond(&result)?)
    }

    /// The subscripts of an access here: one expression for each component of the function.
    pub fn access(&self, function: &MultiPwAff, budget: &Budget) -> Result<Access> {
        let array = function.space().range_tuple().name().cloned().unwrap_or_else(|| Name::from(""));
        let subscripts = function.components().iter().map(|component| self.expr(component, budget));
        Ok(Access { array, subscripts: subscripts.collect::<Result<_>>()? })
    }

    /// An expression as C.
    pub fn expr_text(&self, expr: &Expr) -> String {
        self.printer(&CStyle::default(), |printer| printer.sum(expr))
    }

    /// A condition as C.
    pub fn condition_text(&self, cond: &Cond) -> String {
        self.printer(&CStyle::default(), |printer| printer.condition(cond))
    }

    /// An access as C: `A[i][j]`.
    pub fn access_text(&self, access: &Access) -> String {
        let subscripts: String = access.subscripts.iter().map(|expr| format!("[{}]", self.expr_text(expr))).collect();
        format!("{}{subscripts}", access.array)
    }

    fn printer(&self, style: &CStyle, print: impl FnOnce(&Printer<'_>) -> String) -> String {
        let iters = self.scope.columns.iter().filter_map(|column| match column {
            Column::Iter(iter) => Some(*iter),
            _ => None,
        });
        let named: Vec<_> = iters.zip(self.scope.loop_names.iter().cloned()).collect();
        print(&Printer::new(&self.params, style, &named))
    }

    fn undetermined(&self, what: &str) -> AstError {
        AstError::Malformed { what: format!("{what} depends on integers that are not determined here") }
    }

    /// Columns for the parameters here.
    fn columns(&self, space: &Space) -> Columns {
        let mut params = self.params.clone();
        // Parameters that are not known here get columns too; what then still depends on them is refused.
        params.extend(space.param_names().iter().filter(|name| !self.params.contains(name)).cloned());
        Columns::new(params)
    }

    /// What the dimensions of a space stand for.
    fn dims(&self, space: &Space) -> Result<Vec<Row>> {
        let n = space.dim(DimKind::Out);
        let name = space.tuple(DimKind::Out).and_then(|tuple| tuple.name());
        match &self.stmt {
            _ if n == 0 => Ok(Vec::new()),
            Some((stmt, point)) if name == Some(stmt) && point.len() == n => Ok(point.clone()),
            _ if name.is_none() && n <= self.scope.outer.len() => Ok(self.scope.outer[..n].to_vec()),
            _ => {
                let what = format!("the dimensions of {space} mean nothing here");
                Err(AstError::Malformed { what })
            }
        }
    }

    /// The value of a function that is defined everywhere; nothing if integers in it are not determined here.
    fn only(&self, value: &Value, space: &Space, columns: &Columns, budget: &Budget) -> Result<Option<Expr>> {
        let n_param = self.params.len();
        if columns.params.len() > n_param {
            return Ok(None);
        }
        let mut scope = self.scope.clone();
        let mut piece = self.blank(&scope, space)?;
        piece.target = Some(piece.evaluate(value, n_param));
        let mut pieces = solved(&mut scope, vec![piece], budget)?;
        let found = pieces.pop().filter(|piece| piece.n_unknown == 0).and_then(|piece| piece.target);
        let Some(value) = found else { return Ok(None) };
        Ok(Some(self.specialised(&scope, scope.expr(&value), budget)?))
    }

    /// A piece without constraints for the dimensions of a space.
    fn blank(&self, scope: &Scope, space: &Space) -> Result<Piece> {
        let mut blank = Piece::blank(0, scope.n());
        blank.point = self.dims(space)?;
        blank.point.iter_mut().for_each(|row| row.resize(blank.system.n + 1, Int::zero()));
        Ok(blank)
    }

    /// One piece per case that can occur here, with the value as its target, over a scope with the divisions that they need.
    fn pieces(&self, cases: &Cases, space: &Space, columns: &Columns, budget: &Budget) -> Result<(Scope, Vec<Piece>)> {
        if let Some(name) = columns.params.get(self.params.len()) {
            let what = format!("the parameter {name} is not known here");
            return Err(AstError::Malformed { what });
        }
        let n_param = self.params.len();
        let mut scope = self.scope.clone();
        let blank = self.blank(&scope, space)?;
        let mut pieces = Vec::new();
        for (parts, value) in cases {
            let cut = match parts {
                None => vec![blank.clone()],
                Some(parts) => parts.iter().map(|part| blank.intersect(part, n_param)).collect(),
            };
            for mut piece in cut {
                piece.target = Some(piece.evaluate(value, n_param));
                pieces.push(piece);
            }
        }
        let pieces = refine(&mut scope, pieces, budget)?;
        Ok((scope, pieces))
    }

    /// The minimum or maximum of all values, if every value is the least or the greatest where it is taken.
    fn extremum(&self, scope: &Scope, values: &[(Piece, Row)], budget: &Budget) -> Result<Option<Expr>> {
        if !self.options.detect_min_max || values.len() < 2 {
            return Ok(None);
        }
        for sign in [1, -1] {
            let mut all = true;
            for (piece, own) in values {
                let system = piece.system.and(&scope.known);
                for (_, other) in values {
                    let mut row = own.clone();
                    add_scaled(&mut row, &Int::from(-1), other);
                    crate::relation::scale(&mut row, &Int::from(sign));
                    all = all && system.implies(&row, budget)?;
                }
            }
            if all {
                let values = values.iter().map(|(_, value)| scope.expr(value)).collect();
                return Ok(Some(if sign > 0 { Expr::max(values) } else { Expr::min(values) }));
            }
        }
        Ok(None)
    }
}

/// The constraints of a piece as a condition.
fn cond(scope: &Scope, piece: &Piece) -> Cond {
    let eqs = piece.system.eqs.iter().map(|row| scope.zero(row));
    Cond::and(eqs.chain(piece.system.ineqs.iter().map(|row| scope.at_least_zero(row))).collect())
}

/// Callbacks of AST generation. Loops that turn out to be empty are dropped after their callbacks have run.
pub trait AstHooks {
    /// Before the body of a loop is generated: the position is that of the loop, outside of it.
    fn before_for(&mut self, position: &Position) -> Result<()> {
        let _ = position;
        Ok(())
    }

    /// After a loop has been generated: what stands in its place, for instance the loop under a [`Ast::Mark`] that annotates it.
    fn after_for(&mut self, position: &Position, node: For) -> Result<Ast> {
        let _ = position;
        Ok(Ast::For(node))
    }

    /// At a statement instance: what stands in its place.
    fn at_domain(&mut self, position: &Position, node: Ast) -> Result<Ast> {
        let _ = position;
        Ok(node)
    }
}
