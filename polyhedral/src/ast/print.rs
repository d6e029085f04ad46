//! Printing an AST in the style of C.
//!
//! `floord(x, d)` is the floor of the quotient and `mod(x, d)` the nonnegative remainder; `min` and `max` take two arguments.
//! [`AstUnit::macros`] defines them. `/` and `%` are C's: they stand where the dividend is known not to be negative, where the
//! division leaves no remainder, or where a remainder is compared with zero.

use std::fmt::{self, Write};

use crate::arith::Int;
use crate::space::Name;

use super::cond::Cond;
use super::expr::{Expr, IterId};
use super::node::{Ast, AstUnit};

/// How an AST is written in C.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CStyle {
    /// The type of iterators, a signed integer type.
    pub iterator: String,
    /// The unsigned type of the same width, if divisions and remainders whose dividend is known not to be negative are to be computed
    /// in it: compilers do not know the sign, and unsigned operations by powers of two are single instructions.
    pub unsigned: Option<String>,
    /// What stands in the line before a loop whose member is coincident, for instance a pragma.
    pub coincident: Option<String>,
}

impl Default for CStyle {
    fn default() -> CStyle {
        CStyle { iterator: "int".into(), unsigned: None, coincident: None }
    }
}

impl fmt::Display for AstUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_c(&CStyle::default()))
    }
}

impl AstUnit {
    /// The code in a style.
    pub fn to_c(&self, style: &CStyle) -> String {
        self.to_c_with(style, &call_of)
    }

    /// The code in a style, where a function says what stands for the execution of a statement with some arguments.
    pub fn to_c_with(&self, style: &CStyle, call: &Call<'_>) -> String {
        let iters = vec![None; self.n_iter];
        let mut printer = Printer { params: &self.params, style, iters, call, out: String::new() };
        // Writing to a text does not fail.
        let _ = printer.node(&self.body, 0);
        printer.out
    }

    /// Definitions for the C preprocessor of the functions that the printed code uses: `floord`, `mod`, `min`, `max`.
    pub fn macros(&self) -> String {
        macros_of(&self.to_string())
    }
}

/// The call of a function for a statement.
pub(crate) fn call_of(stmt: &Name, args: &[String]) -> String {
    format!("{stmt}({});", args.join(", "))
}

/// The definitions that a text of code needs.
pub(crate) fn macros_of(text: &str) -> String {
    let mut result = String::new();
    for (name, definition) in [
        ("floord", "floord(n, d) (((n) < 0) ? -((-(n) + (d) - 1) / (d)) : (n) / (d))"),
        ("mod", "mod(n, d) ((((n) % (d)) + (d)) % (d))"),
        ("min", "min(x, y) ((x) < (y) ? (x) : (y))"),
        ("max", "max(x, y) ((x) > (y) ? (x) : (y))"),
    ] {
        let call = format!("{name}(");
        let is_word = |at: usize| !text[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        if text.match_indices(&call).any(|(at, _)| is_word(at)) {
            result += &format!("#define {definition}\n");
        }
    }
    result
}

/// What stands for the execution of a statement with some arguments.
type Call<'c> = dyn Fn(&Name, &[String]) -> String + 'c;

pub(super) struct Printer<'a> {
    params: &'a [Name],
    style: &'a CStyle,
    iters: Vec<Option<Name>>,
    /// What stands for a statement.
    call: &'a Call<'a>,
    out: String,
}

/// How tightly the context of an expression binds.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Binding {
    Sum,
    Term,
    Factor,
}

impl<'a> Printer<'a> {
    /// A printer of expressions with some iterators.
    pub(super) fn new(params: &'a [Name], style: &'a CStyle, named: &[(IterId, Name)]) -> Printer<'a> {
        let n_iter = named.iter().map(|(iter, _)| iter.0 + 1).max().unwrap_or(0);
        let mut iters = vec![None; n_iter];
        for (iter, name) in named {
            iters[iter.0] = Some(name.clone());
        }
        Printer { params, style, iters, call: &call_of, out: String::new() }
    }

    /// An expression that stands alone.
    pub(super) fn sum(&self, expr: &Expr) -> String {
        self.expr(expr, Binding::Sum)
    }

    /// A condition that stands alone.
    pub(super) fn condition(&self, cond: &Cond) -> String {
        self.cond(cond, false)
    }

    fn line(&mut self, depth: usize, text: &str) -> fmt::Result {
        writeln!(self.out, "{:1$}{text}", "", 2 * depth)
    }

    fn node(&mut self, ast: &Ast, depth: usize) -> fmt::Result {
        match ast {
            Ast::For(node) => {
                let (name, step) = (&node.name, &node.step);
                let lower = self.expr(&node.lower, Binding::Sum);
                let IterId(slot) = node.iter;
                if let Some(slot) = self.iters.get_mut(slot) {
                    *slot = Some(node.name.clone());
                }
                let test = match (&node.test, &node.upper) {
                    (Some(test), _) => self.cond(test, false),
                    (None, Some(upper)) => format!("{name} <= {}", self.expr(upper, Binding::Sum)),
                    (None, None) => "1".to_owned(),
                };
                if let Some(line) = self.style.coincident.as_deref().filter(|_| node.coincident) {
                    self.line(depth, line)?;
                }
                let kind = &self.style.iterator;
                let header = format!("for ({kind} {name} = {lower}; {test}; {name} += {step})");
                self.controlled(&header, &node.body, depth)
            }
            Ast::If { cond, then, otherwise } => {
                let header = format!("if ({})", self.cond(cond, false));
                self.branch(&header, then, otherwise.as_deref(), depth)
            }
            Ast::Block(parts) => parts.iter().try_for_each(|part| self.node(part, depth)),
            Ast::Mark(name, body) => {
                self.line(depth, &format!("// {name}"))?;
                self.node(body, depth)
            }
            Ast::User { stmt, args } => {
                let args: Vec<String> = args.iter().map(|arg| self.expr(arg, Binding::Sum)).collect();
                let text = (self.call)(stmt, &args);
                self.line(depth, &text)
            }
        }
    }

    /// A condition with its alternative; one that is a condition itself continues the chain, `else if`.
    fn branch(&mut self, header: &str, then: &Ast, otherwise: Option<&Ast>, depth: usize) -> fmt::Result {
        let Some(otherwise) = otherwise else { return self.controlled(header, then, depth) };
        self.line(depth, &format!("{header} {{"))?;
        self.node(then, depth + 1)?;
        if let Ast::If { cond, then, otherwise } = otherwise {
            let header = format!("}} else if ({})", self.cond(cond, false));
            if otherwise.is_some() {
                return self.branch(&header, then, otherwise.as_deref(), depth);
            }
            self.line(depth, &format!("{header} {{"))?;
            self.node(then, depth + 1)?;
        } else {
            self.line(depth, "} else {")?;
            self.node(otherwise, depth + 1)?;
        }
        self.line(depth, "}")
    }

    /// A statement under a header: with braces unless it is a single loop, condition without alternative or call.
    fn controlled(&mut self, header: &str, body: &Ast, depth: usize) -> fmt::Result {
        // A pragma would stand between a loop and its body.
        let is_single = !matches!(body, Ast::For(_)) || self.style.coincident.is_none();
        if is_single && matches!(body, Ast::For(_) | Ast::User { .. } | Ast::If { otherwise: None, .. }) {
            self.line(depth, header)?;
            return self.node(body, depth + 1);
        }
        self.line(depth, &format!("{header} {{"))?;
        self.node(body, depth + 1)?;
        self.line(depth, "}")
    }

    fn iter_name(&self, iter: IterId) -> String {
        match self.iters.get(iter.0) {
            Some(Some(name)) => name.to_string(),
            _ => format!("iter{}", iter.0),
        }
    }

    fn expr(&self, expr: &Expr, context: Binding) -> String {
        let parenthesize = |text: String, own: Binding| if context > own { format!("({text})") } else { text };
        match expr {
            Expr::Const(value) if value.is_negative() => parenthesize(value.to_string(), Binding::Sum),
            Expr::Const(value) => value.to_string(),
            Expr::Param(pos) => self.params.get(*pos).map_or_else(|| format!("param{pos}"), Name::to_string),
            Expr::Iter(iter) => self.iter_name(*iter),
            Expr::Add(a, b) => {
                let text = format!("{} + {}", self.expr(a, Binding::Sum), self.expr(b, Binding::Term));
                parenthesize(text, Binding::Sum)
            }
            Expr::Sub(a, b) => {
                let text = format!("{} - {}", self.expr(a, Binding::Sum), self.expr(b, Binding::Term));
                parenthesize(text, Binding::Sum)
            }
            Expr::Neg(a) => parenthesize(format!("-{}", self.expr(a, Binding::Factor)), Binding::Sum),
            Expr::Mul(factor, a) => {
                let own = if factor.is_negative() { Binding::Sum } else { Binding::Term };
                parenthesize(format!("{factor} * {}", self.expr(a, Binding::Factor)), own)
            }
            Expr::FloorDiv(a, d) => format!("floord({}, {d})", self.expr(a, Binding::Sum)),
            Expr::Mod(a, d) => format!("mod({}, {d})", self.expr(a, Binding::Sum)),
            Expr::Exact(a, d) => parenthesize(format!("{} / {d}", self.expr(a, Binding::Factor)), Binding::Term),
            Expr::Div(a, d) => parenthesize(self.unsigned(a, '/', d), Binding::Term),
            Expr::Rem(a, d) => parenthesize(self.unsigned(a, '%', d), Binding::Term),
            Expr::Select(cond, a, b) => {
                let (a, b) = (self.expr(a, Binding::Sum), self.expr(b, Binding::Sum));
                format!("({} ? {a} : {b})", self.cond(cond, false))
            }
            Expr::Min(args) => self.nested("min", args),
            Expr::Max(args) => self.nested("max", args),
        }
    }

    /// A division or remainder whose dividend is not negative.
    fn unsigned(&self, a: &Expr, operator: char, divisor: &Int) -> String {
        let dividend = self.expr(a, Binding::Factor);
        match &self.style.unsigned {
            None => format!("{dividend} {operator} {divisor}"),
            Some(unsigned) => format!("({})(({unsigned}){dividend} {operator} {divisor})", self.style.iterator),
        }
    }

    fn nested(&self, name: &str, args: &[Expr]) -> String {
        match args {
            [] => format!("{name}()"),
            [only] => self.expr(only, Binding::Sum),
            [first, rest @ ..] => format!("{name}({}, {})", self.expr(first, Binding::Sum), self.nested(name, rest)),
        }
    }

    fn cond(&self, cond: &Cond, inside: bool) -> String {
        let (text, compound) = match cond {
            Cond::True => ("1".to_owned(), false),
            Cond::False => ("0".to_owned(), false),
            Cond::Ge(expr) => (self.comparison(expr, ">=", "<="), false),
            Cond::Eq(expr) => (self.comparison(expr, "==", "=="), false),
            Cond::Divides(divisor, expr) => (format!("{} % {divisor} == 0", self.expr(expr, Binding::Factor)), false),
            Cond::And(parts) => (parts.iter().map(|part| self.cond(part, true)).collect::<Vec<_>>().join(" && "), true),
            Cond::Or(parts) => (parts.iter().map(|part| self.cond(part, true)).collect::<Vec<_>>().join(" || "), true),
        };
        if inside && compound { format!("({text})") } else { text }
    }

    /// `expr` compared with zero, negative terms moved to the other side, iterators on the left where possible.
    fn comparison(&self, expr: &Expr, relation: &str, mirrored: &str) -> String {
        let mut terms = Vec::new();
        let constant = expr.linear_terms(&Int::one(), &mut terms);
        let (positive, negative): (Vec<_>, Vec<_>) = terms.into_iter().partition(|(factor, _)| factor.is_positive());
        let negative: Vec<(Int, Expr)> = negative.into_iter().map(|(factor, expr)| (-factor, expr)).collect();
        let has_iter = |terms: &[(Int, Expr)]| terms.iter().any(|(_, expr)| expr.contains_iter());
        let mirror = positive.is_empty() || (!has_iter(&positive) && has_iter(&negative));
        let (left, right, relation) = if mirror {
            (Expr::sum(negative, Int::zero()), Expr::sum(positive, constant), mirrored)
        } else {
            (Expr::sum(positive, Int::zero()), Expr::sum(negative, -constant), relation)
        };
        format!("{} {relation} {}", self.expr(&left, Binding::Sum), self.expr(&right, Binding::Sum))
    }
}
