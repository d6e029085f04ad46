//! The grammar of formulas and expressions.
//!
//! ```text
//! any       = formula | expr [ "?" any ":" any ]                       which of both is known afterwards
//! formula   = disjunction [ "implies" formula ]
//! disjunction = conjunction { "or" conjunction }                       also "||" and "|"
//! conjunction = atom { "and" atom }                                    also "&&" and "&"
//! atom      = "not" atom | "!" atom | "true" | "false" | quantified | comparison
//! quantified = "exists" ( [ variable, ... ] ":" formula | "(" [ variable, ... ] ":" [ formula ] ")" )
//! variable  = name [ "=" expr ]
//! comparison = list { op list }                                        list = expr, ... | "[" expr, ... "]"
//! op        = "<=" | "<" | ">=" | ">" | "=" | "==" | "!=" | "<>" | "<<" | "<<=" | ">>" | ">>="
//! expr      = [ "-" ] term { ("+" | "-") [ "-" ] term }
//! term      = factor { "*" factor | "/" factor | factor }              juxtaposition only after a number
//! factor    = primary { ("mod" | "%" | "^" | "//") primary }
//! primary   = number | name | "-" primary | "(" any ")" | "(" expr ":" formula ";" ... ")" | "[" expr "]"
//!           | ("floor" | "ceil") "(" expr ")" | ("floord" | "ceild") "(" expr "," expr ")" | ("min" | "max") "(" expr, ... ")"
//! ```
//!
//! A parenthesis can enclose a formula or an expression. Both are read by one function whose result says which it was;
//! so nothing is read twice. `[e]` is `floor(e)`. As for isl, `-5 mod 3` is `(-5) mod 3` while `-i mod 3` is
//! `-(i mod 3)`, and `//`, the division that rounds down, binds like `mod`: `2i // 3` is `2 * floor(i/3)`.

use crate::arith::Int;

use super::lexer::Tok;
use super::parser::{Parsed, Parser};
use super::syntax::{At, Expr, Factor, Formula, Op, Variable};

/// What a text between parentheses can be.
pub(super) enum Any<'a> {
    Formula(Formula<'a>),
    Expr(Expr<'a>),
    /// `[a, b]`, only good for lexicographic comparisons.
    List(Vec<Expr<'a>>),
}

/// Where `a, b` may be read as a side of a comparison.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Lists {
    Nowhere,
    /// Behind an operator: what begins as an expression ends at a comma.
    Later,
    Everywhere,
}

impl Lists {
    fn later(self) -> Lists {
        if self == Lists::Nowhere { Lists::Nowhere } else { Lists::Everywhere }
    }
}

impl<'a> Parser<'a> {
    /// A formula.
    pub(super) fn formula(&mut self) -> Parsed<Formula<'a>> {
        let at = self.next;
        let any = self.any(Lists::Everywhere)?;
        self.to_formula(any, at)
    }

    /// An arithmetic expression; a comma ends it.
    pub(super) fn expr(&mut self) -> Parsed<Expr<'a>> {
        let at = self.next;
        let any = self.any(Lists::Nowhere)?;
        self.to_expr(any, at)
    }

    pub(super) fn to_formula(&self, any: Any<'a>, at: At) -> Parsed<Formula<'a>> {
        match any {
            Any::Formula(formula) => Ok(formula),
            // The comparison is missing where the expression ends.
            Any::Expr(_) if self.next > at => self.fail("a comparison"),
            Any::Expr(_) => Err(self.error(at, "a formula")),
            Any::List(_) => self.fail("a comparison"),
        }
    }

    pub(super) fn to_expr(&self, any: Any<'a>, at: At) -> Parsed<Expr<'a>> {
        match any {
            Any::Expr(expr) => Ok(expr),
            Any::Formula(formula) => {
                Ok(Expr::If(Box::new((formula, Expr::Number(Int::one()), Expr::Number(Int::zero())))))
            }
            Any::List(_) => Err(self.error(at, "an expression, not a list")),
        }
    }

    /// A formula or an expression.
    pub(super) fn any(&mut self, lists: Lists) -> Parsed<Any<'a>> {
        self.nested(|p| {
            let at = p.next;
            let mut left = p.disjunction(lists)?;
            if p.accept(Tok::Implies) {
                let left = p.to_formula(left, at)?;
                let right = p.formula()?;
                return Ok(Any::Formula(Formula::Or(vec![Formula::Not(Box::new(left)), right])));
            }
            if p.accept(Tok::Question) {
                let condition = p.to_formula(left, at)?;
                let first = p.expr()?;
                p.expect(Tok::Colon, "`:`")?;
                let second = p.expr()?;
                left = Any::Expr(Expr::If(Box::new((condition, first, second))));
            }
            Ok(left)
        })
    }

    /// `part op part op ...`; a single part stays what it is.
    fn chain(
        &mut self,
        lists: Lists,
        op: Tok,
        part: impl Fn(&mut Parser<'a>, Lists) -> Parsed<Any<'a>>,
        join: impl Fn(Vec<Formula<'a>>) -> Formula<'a>,
    ) -> Parsed<Any<'a>> {
        let at = self.next;
        let first = part(self, lists)?;
        if !self.is(op) {
            return Ok(first);
        }
        let mut parts = vec![self.to_formula(first, at)?];
        while self.accept(op) {
            let at = self.next;
            let next = part(self, lists.later())?;
            parts.push(self.to_formula(next, at)?);
        }
        Ok(Any::Formula(join(parts)))
    }

    fn disjunction(&mut self, lists: Lists) -> Parsed<Any<'a>> {
        self.chain(lists, Tok::Or, Parser::conjunction, Formula::Or)
    }

    fn conjunction(&mut self, lists: Lists) -> Parsed<Any<'a>> {
        self.chain(lists, Tok::And, Parser::atom, Formula::And)
    }

    fn atom(&mut self, lists: Lists) -> Parsed<Any<'a>> {
        let constant = match self.peek() {
            Tok::Not => {
                self.advance();
                return self.nested(|p| {
                    let at = p.next;
                    let part = p.atom(lists.later())?;
                    Ok(Any::Formula(Formula::Not(Box::new(p.to_formula(part, at)?))))
                });
            }
            Tok::Exists => {
                self.advance();
                return self.nested(|p| Ok(Any::Formula(p.exists()?)));
            }
            Tok::True => Formula::True,
            Tok::False => Formula::False,
            _ => return self.comparison(lists),
        };
        self.advance();
        Ok(Any::Formula(constant))
    }

    fn exists(&mut self) -> Parsed<Formula<'a>> {
        let parenthesized = self.accept(Tok::LParen);
        let mut variables = Vec::new();
        // As for isl, there may be none.
        while !self.is(Tok::Colon) {
            let Some(name) = self.name() else { return self.fail("the name of a quantified variable") };
            let value = if self.accept(Tok::Eq) { Some(self.expr()?) } else { None };
            variables.push(Variable { name, value });
            if !self.accept(Tok::Comma) {
                break;
            }
        }
        self.expect(Tok::Colon, "`:`")?;
        let body = if parenthesized && self.is(Tok::RParen) { Formula::True } else { self.formula()? };
        if parenthesized {
            self.expect(Tok::RParen, "`)`")?;
        }
        Ok(Formula::Exists(variables, Box::new(body)))
    }

    fn comparison(&mut self, lists: Lists) -> Parsed<Any<'a>> {
        let at = self.next;
        let first = self.operand(lists)?;
        let Some(op) = self.comparison_operator() else {
            return if matches!(first, Any::List(_)) { self.fail("a comparison") } else { Ok(first) };
        };
        let mut ops = vec![op];
        let mut operands = vec![self.operand_list(first, at, op)?];
        loop {
            let at = self.next;
            let next = self.operand(lists.later())?;
            let last = ops.last().copied().unwrap_or(op);
            operands.push(self.operand_list(next, at, last)?);
            match self.comparison_operator() {
                Some(op) => ops.push(op),
                None => return Ok(Any::Formula(Formula::Compare(operands, ops))),
            }
        }
    }

    /// One side of a comparison: an expression, `a, b, ...`, `[a, b, ...]`, or a formula in parentheses.
    fn operand(&mut self, lists: Lists) -> Parsed<Any<'a>> {
        let at = self.next;
        if self.is(Tok::LBracket)
            && let Some(list) = self.bracket_list()?
        {
            return Ok(Any::List(list));
        }
        let first = self.sum()?;
        if lists != Lists::Everywhere || !self.is(Tok::Comma) || matches!(first, Any::Formula(_)) {
            return Ok(first);
        }
        let mut list = vec![self.to_expr(first, at)?];
        while self.accept(Tok::Comma) {
            let at = self.next;
            let next = self.sum()?;
            list.push(self.to_expr(next, at)?);
        }
        Ok(Any::List(list))
    }

    /// `[a, b, ...]` with none or more than one entry; a single entry is `floor`.
    fn bracket_list(&mut self) -> Parsed<Option<Vec<Expr<'a>>>> {
        let mut depth = 0usize;
        let mut k = 0;
        let is_list = loop {
            match self.peek_at(k) {
                Tok::LBracket | Tok::LParen => depth += 1,
                Tok::RBracket | Tok::RParen => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        break k == 1;
                    }
                }
                Tok::Comma if depth == 1 => break true,
                Tok::LBrace | Tok::RBrace | Tok::End => break false,
                _ => {}
            }
            k += 1;
        };
        if !is_list {
            return Ok(None);
        }
        self.advance();
        let mut list = Vec::new();
        while !self.is(Tok::RBracket) {
            list.push(self.expr()?);
            if !self.accept(Tok::Comma) {
                break;
            }
        }
        self.expect(Tok::RBracket, "`]`")?;
        Ok(Some(list))
    }

    fn operand_list(&self, any: Any<'a>, at: At, op: (Op, At)) -> Parsed<Vec<Expr<'a>>> {
        match any {
            Any::List(list) if list.is_empty() && !op.0.is_lexicographic() => {
                Err(self.error(op.1, "a lexicographic comparison"))
            }
            Any::List(list) => Ok(list),
            other => Ok(vec![self.to_expr(other, at)?]),
        }
    }

    fn operator(&self) -> Option<Op> {
        Some(match self.peek() {
            Tok::Le => Op::Le,
            Tok::Lt => Op::Lt,
            Tok::Ge => Op::Ge,
            Tok::Gt => Op::Gt,
            Tok::Eq => Op::Eq,
            Tok::Ne => Op::Ne,
            Tok::LexLe => Op::LexLe,
            Tok::LexLt => Op::LexLt,
            Tok::LexGe => Op::LexGe,
            Tok::LexGt => Op::LexGt,
            _ => return None,
        })
    }

    fn comparison_operator(&mut self) -> Option<(Op, At)> {
        let op = self.operator()?;
        let at = self.next;
        self.advance();
        Some((op, at))
    }

    fn sum(&mut self) -> Parsed<Any<'a>> {
        let at = self.next;
        let mut negative = self.signs();
        let first = self.term(&mut negative)?;
        if !negative && !matches!(self.peek(), Tok::Plus | Tok::Minus) {
            return Ok(first);
        }
        let mut terms = vec![(negative, self.to_expr(first, at)?)];
        while matches!(self.peek(), Tok::Plus | Tok::Minus) {
            let minus = self.is(Tok::Minus);
            self.advance();
            let mut negative = minus ^ self.signs();
            let at = self.next;
            let term = self.term(&mut negative)?;
            let term = self.to_expr(term, at)?;
            terms.push((negative, term));
        }
        Ok(Any::Expr(Expr::Sum(terms)))
    }

    /// Whether an odd number of minus signs is here; they are skipped.
    fn signs(&mut self) -> bool {
        let mut negative = false;
        while self.accept(Tok::Minus) {
            negative = !negative;
        }
        negative
    }

    /// A product. `negative` says whether a minus sign stands before it; a number takes it over before `mod`.
    fn term(&mut self, negative: &mut bool) -> Parsed<Any<'a>> {
        let at = self.next;
        let first = if *negative
            && self.is(Tok::Number)
            && matches!(self.peek_at(1), Tok::Mod | Tok::Percent | Tok::SlashSlash)
        {
            *negative = false;
            let number = self.number()?;
            Any::Expr(Expr::Number(-number))
        } else {
            self.primary()?
        };
        let mut factors = Vec::new();
        self.remainders(&mut factors)?;
        let mut after_number = factors.is_empty() && matches!(first, Any::Expr(Expr::Number(_)));
        loop {
            let op = match self.peek() {
                Tok::Star => Factor::Times,
                Tok::Slash => Factor::Over,
                _ if after_number && self.starts_implicit_factor() => Factor::Times,
                _ => break,
            };
            let op_at = self.next;
            if matches!(self.peek(), Tok::Star | Tok::Slash) {
                self.advance();
            }
            let at = self.next;
            let negative = self.signs();
            let rhs = self.primary()?;
            let mut rhs = self.to_expr(rhs, at)?;
            after_number = matches!(rhs, Expr::Number(_));
            let mut inner = Vec::new();
            self.remainders(&mut inner)?;
            if !inner.is_empty() {
                after_number = false;
                rhs = Expr::Product(Box::new(rhs), inner);
            }
            if negative {
                rhs = Expr::Sum(vec![(true, rhs)]);
            }
            factors.push((op, rhs, op_at));
        }
        if factors.is_empty() {
            return Ok(first);
        }
        Ok(Any::Expr(Expr::Product(Box::new(self.to_expr(first, at)?), factors)))
    }

    /// `mod m`, `% m`, `// m` and `^ k` after a factor.
    fn remainders(&mut self, factors: &mut Vec<(Factor, Expr<'a>, At)>) -> Parsed<()> {
        loop {
            let op = match self.peek() {
                Tok::Mod | Tok::Percent => Factor::Mod,
                Tok::Power => Factor::Power,
                Tok::SlashSlash => Factor::FloorOver,
                _ => return Ok(()),
            };
            let op_at = self.next;
            self.advance();
            let at = self.next;
            let negative = self.signs();
            let rhs = self.primary()?;
            let mut rhs = self.to_expr(rhs, at)?;
            if negative {
                rhs = Expr::Sum(vec![(true, rhs)]);
            }
            factors.push((op, rhs, op_at));
        }
    }

    /// Whether what follows a number multiplies it, as in `2i` and `2(i + j)`.
    fn starts_implicit_factor(&self) -> bool {
        use Tok::{Ceil, Ceild, Floor, Floord, LBracket, LParen, Max, Min, Word};
        matches!(self.peek(), Word | LParen | LBracket | Floor | Ceil | Floord | Ceild | Min | Max)
    }

    fn primary(&mut self) -> Parsed<Any<'a>> {
        let at = self.next;
        let kind = self.peek();
        Ok(Any::Expr(match kind {
            Tok::Number => Expr::Number(self.number()?),
            Tok::Word => {
                let name = self.word();
                self.advance();
                Expr::Name(name, at)
            }
            Tok::LParen => {
                self.advance();
                return self.parenthesis();
            }
            Tok::LBracket => {
                self.advance();
                let argument = Box::new(self.expr()?);
                self.expect(Tok::RBracket, "`]`")?;
                Expr::Floor(argument)
            }
            Tok::Floor | Tok::Ceil => {
                let argument = Box::new(self.arguments(1)?.swap_remove(0));
                if kind == Tok::Floor { Expr::Floor(argument) } else { Expr::Ceil(argument) }
            }
            Tok::Floord | Tok::Ceild => {
                let mut arguments = self.arguments(2)?;
                let divisor = arguments.swap_remove(1);
                let quotient = Expr::Product(Box::new(arguments.swap_remove(0)), vec![(Factor::Over, divisor, at)]);
                if kind == Tok::Floord { Expr::Floor(Box::new(quotient)) } else { Expr::Ceil(Box::new(quotient)) }
            }
            Tok::Min => Expr::Min(self.arguments(0)?),
            Tok::Max => Expr::Max(self.arguments(0)?),
            Tok::Infinity | Tok::NotANumber => return self.fail("a finite number"),
            _ => return self.fail("an expression"),
        }))
    }

    /// The arguments of a function: exactly `n`, or at least one if `n` is zero.
    fn arguments(&mut self, n: usize) -> Parsed<Vec<Expr<'a>>> {
        self.advance();
        self.expect(Tok::LParen, "`(`")?;
        let mut list = vec![self.expr()?];
        while list.len() != n && self.accept(Tok::Comma) {
            list.push(self.expr()?);
        }
        if list.len() < n {
            return self.fail("`,` and another argument");
        }
        self.expect(Tok::RParen, "`)`")?;
        Ok(list)
    }

    /// What follows an opening parenthesis: a formula, an expression, or expressions with conditions.
    fn parenthesis(&mut self) -> Parsed<Any<'a>> {
        let at = self.next;
        let any = self.any(Lists::Everywhere)?;
        if matches!(any, Any::Expr(_)) && self.accept(Tok::Colon) {
            let value = self.to_expr(any, at)?;
            let condition = self.formula()?;
            let pieces = self.pieces(value, condition)?;
            self.expect(Tok::RParen, "`)`")?;
            return Ok(Any::Expr(Expr::Pieces(pieces)));
        }
        self.expect(Tok::RParen, "`)`")?;
        Ok(any)
    }
}
