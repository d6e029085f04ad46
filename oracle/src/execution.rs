//! Executing generated code as text: ours and isl's print the same part of C, and one interpreter counts what both do.
//!
//! The part of C: blocks, `for` loops over a declared iterator, `if` and `else`, declarations of iterators with one
//! value, calls of statements; sums, products, `/`, `%`, comparisons, `&&`, `||`, `?:`, `min`, `max`, `floord`, `mod`.

use std::collections::BTreeMap;

type Result<T> = std::result::Result<T, String>;

/// What an execution did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// The statement instances in the order of their execution.
    pub events: Vec<(String, Vec<i64>)>,
    /// The iterations of all loops together.
    pub iterations: u64,
}

/// A program.
#[derive(Clone, Debug)]
pub struct Code {
    body: Vec<Statement>,
    params: BTreeMap<String, usize>,
    n_slot: usize,
}

#[derive(Clone, Debug)]
enum Statement {
    For { slot: usize, first: Expr, test: Option<Expr>, step: i64, body: Vec<Statement> },
    If { cond: Expr, then: Vec<Statement>, otherwise: Vec<Statement> },
    Declare { slot: usize, value: Expr },
    Call { name: String, args: Vec<Expr> },
}

#[derive(Clone, Debug)]
enum Expr {
    Number(i64),
    Slot(usize),
    Binary(&'static str, Box<(Expr, Expr)>),
    Select(Box<(Expr, Expr, Expr)>),
}

impl Code {
    /// Reads code; `params` are the names that are no iterators.
    pub fn parse(text: &str, params: &[&str]) -> Result<Code> {
        let tokens = tokens(text)?;
        let names = params.iter().enumerate().map(|(slot, name)| ((*name).to_owned(), slot));
        let params: BTreeMap<String, usize> = names.collect();
        let mut parser = Parser { tokens, at: 0, names: params.clone(), n_slot: params.len() };
        let mut body = Vec::new();
        while parser.at < parser.tokens.len() {
            parser.statement(&mut body)?;
        }
        Ok(Code { body, params, n_slot: parser.n_slot })
    }

    /// Executes the code for values of the parameters; nothing if that takes more than `limit` iterations and
    /// instances.
    pub fn run(&self, values: &[(&str, i64)], limit: u64) -> Result<Option<Trace>> {
        let mut slots = vec![0; self.n_slot];
        for (name, value) in values {
            if let Some(&slot) = self.params.get(*name) {
                slots[slot] = *value;
            }
        }
        let mut run = Run { slots, trace: Trace::default(), limit };
        Ok(run.block(&self.body)?.then_some(run.trace))
    }
}

struct Run {
    slots: Vec<i64>,
    trace: Trace,
    limit: u64,
}

impl Run {
    /// False if the limit is reached.
    fn block(&mut self, body: &[Statement]) -> Result<bool> {
        for statement in body {
            let more = match statement {
                Statement::Declare { slot, value } => {
                    self.slots[*slot] = self.value(value)?;
                    true
                }
                Statement::If { cond, then, otherwise } => {
                    let chosen = if self.value(cond)? != 0 { then } else { otherwise };
                    self.block(chosen)?
                }
                Statement::Call { name, args } => {
                    let args = args.iter().map(|arg| self.value(arg)).collect::<Result<_>>()?;
                    self.trace.events.push((name.clone(), args));
                    self.trace.events.len() as u64 <= self.limit
                }
                Statement::For { slot, first, test, step, body } => {
                    self.slots[*slot] = self.value(first)?;
                    loop {
                        if let Some(test) = test
                            && self.value(test)? == 0
                        {
                            break;
                        }
                        self.trace.iterations += 1;
                        if self.trace.iterations > self.limit || !self.block(body)? {
                            return Ok(false);
                        }
                        self.slots[*slot] += step;
                    }
                    true
                }
            };
            if !more {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn value(&self, expr: &Expr) -> Result<i64> {
        Ok(match expr {
            Expr::Number(value) => *value,
            Expr::Slot(slot) => self.slots[*slot],
            Expr::Select(parts) => {
                let (cond, a, b) = &**parts;
                self.value(if self.value(cond)? != 0 { a } else { b })?
            }
            Expr::Binary(operator, operands) => {
                let (a, b) = &**operands;
                let a = self.value(a)?;
                match (*operator, a) {
                    ("&&", 0) => return Ok(0),
                    ("||", a) if a != 0 => return Ok(1),
                    _ => {}
                }
                let b = self.value(b)?;
                let divides = matches!(*operator, "/" | "%" | "floord" | "mod");
                if divides && b == 0 {
                    return Err("a division by zero".into());
                }
                match *operator {
                    "+" => a.checked_add(b).ok_or("an overflow")?,
                    "-" => a.checked_sub(b).ok_or("an overflow")?,
                    "*" => a.checked_mul(b).ok_or("an overflow")?,
                    "/" => a / b,
                    "%" => a % b,
                    "floord" => a.div_euclid(b),
                    "mod" => a.rem_euclid(b),
                    "min" => a.min(b),
                    "max" => a.max(b),
                    "&&" | "||" => i64::from(b != 0),
                    "<=" => i64::from(a <= b),
                    ">=" => i64::from(a >= b),
                    "==" => i64::from(a == b),
                    "!=" => i64::from(a != b),
                    "<" => i64::from(a < b),
                    ">" => i64::from(a > b),
                    other => return Err(format!("an operator {other}")),
                }
            }
        })
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Number(i64),
    Word(String),
    Sign(&'static str),
}

/// Longer signs first.
const SIGNS: [&str; 22] = [
    "<=", ">=", "==", "!=", "&&", "||", "+=", "(", ")", "{", "}", ";", ",", "+", "-", "*", "/", "%", "<", ">", "?", ":",
];

fn tokens(text: &str) -> Result<Vec<Token>> {
    let mut result = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.split_once('\n').map_or("", |(_, rest)| rest);
        } else if first.is_ascii_digit() {
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            result.push(Token::Number(rest[..end].parse().map_err(|_| format!("the number {}", &rest[..end]))?));
            rest = rest[end..].trim_start_matches(['l', 'L']);
        } else if word(first) {
            let end = rest.find(|c: char| !word(c)).unwrap_or(rest.len());
            result.push(Token::Word(rest[..end].to_owned()));
            rest = &rest[end..];
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            result.push(Token::Sign(sign));
            rest = &rest[sign.len()..];
        } else if rest.starts_with('=') {
            result.push(Token::Sign("="));
            rest = &rest[1..];
        } else {
            return Err(format!("unknown text at {:?}", rest.chars().take(20).collect::<String>()));
        }
        rest = rest.trim_start();
    }
    Ok(result)
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    names: BTreeMap<String, usize>,
    n_slot: usize,
}

impl Parser {
    fn is(&self, sign: &str) -> bool {
        matches!(self.tokens.get(self.at), Some(Token::Sign(found)) if *found == sign)
    }

    fn take(&mut self, sign: &str) -> bool {
        let found = self.is(sign);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, sign: &str) -> Result<()> {
        if self.take(sign) { Ok(()) } else { Err(format!("{:?} instead of {sign}", self.tokens.get(self.at))) }
    }

    fn word(&mut self) -> Result<String> {
        match self.tokens.get(self.at) {
            Some(Token::Word(word)) => {
                self.at += 1;
                Ok(word.clone())
            }
            other => Err(format!("{other:?} instead of a name")),
        }
    }

    fn slot(&mut self, name: &str) -> usize {
        let n = self.n_slot;
        let slot = *self.names.entry(name.to_owned()).or_insert(n);
        self.n_slot = n.max(slot + 1);
        slot
    }

    fn body(&mut self) -> Result<Vec<Statement>> {
        let mut body = Vec::new();
        self.statement(&mut body)?;
        Ok(body)
    }

    fn statement(&mut self, result: &mut Vec<Statement>) -> Result<()> {
        if self.take("{") {
            while !self.take("}") {
                self.statement(result)?;
            }
            return Ok(());
        }
        let word = self.word()?;
        match word.as_str() {
            "for" => {
                self.expect("(")?;
                self.word()?;
                let name = self.word()?;
                let slot = self.slot(&name);
                self.expect("=")?;
                let first = self.expr()?;
                self.expect(";")?;
                let test = if self.is(";") { None } else { Some(self.expr()?) };
                self.expect(";")?;
                self.word()?;
                self.expect("+=")?;
                let Some(Token::Number(step)) = self.tokens.get(self.at).cloned() else {
                    return Err("a step that is no number".into());
                };
                self.at += 1;
                self.expect(")")?;
                let body = self.body()?;
                result.push(Statement::For { slot, first, test, step, body });
            }
            "if" => {
                self.expect("(")?;
                let cond = self.expr()?;
                self.expect(")")?;
                let then = self.body()?;
                let mut otherwise = Vec::new();
                if self.tokens.get(self.at) == Some(&Token::Word("else".into())) {
                    self.at += 1;
                    otherwise = self.body()?;
                }
                result.push(Statement::If { cond, then, otherwise });
            }
            "int" => {
                let name = self.word()?;
                let slot = self.slot(&name);
                self.expect("=")?;
                let value = self.expr()?;
                self.expect(";")?;
                result.push(Statement::Declare { slot, value });
            }
            _ => {
                self.expect("(")?;
                let args = self.args()?;
                self.expect(";")?;
                result.push(Statement::Call { name: word, args });
            }
        }
        Ok(())
    }

    /// Arguments up to the closing parenthesis.
    fn args(&mut self) -> Result<Vec<Expr>> {
        let mut args = Vec::new();
        while !self.take(")") {
            args.push(self.expr()?);
            if !self.is(")") {
                self.expect(",")?;
            }
        }
        Ok(args)
    }

    fn expr(&mut self) -> Result<Expr> {
        let cond = self.binary(0)?;
        if !self.take("?") {
            return Ok(cond);
        }
        let a = self.expr()?;
        self.expect(":")?;
        let b = self.expr()?;
        Ok(Expr::Select(Box::new((cond, a, b))))
    }

    fn binary(&mut self, level: usize) -> Result<Expr> {
        const LEVELS: [&[&str]; 6] =
            [&["||"], &["&&"], &["==", "!="], &["<=", ">=", "<", ">"], &["+", "-"], &["*", "/", "%"]];
        let Some(operators) = LEVELS.get(level) else { return self.primary() };
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = operators.iter().find(|operator| self.is(operator)) {
            self.at += 1;
            let right = self.binary(level + 1)?;
            left = Expr::Binary(operator, Box::new((left, right)));
        }
        Ok(left)
    }

    fn primary(&mut self) -> Result<Expr> {
        if self.take("-") {
            let operand = self.primary()?;
            return Ok(Expr::Binary("-", Box::new((Expr::Number(0), operand))));
        }
        if self.take("(") {
            let inner = self.expr()?;
            self.expect(")")?;
            return Ok(inner);
        }
        if let Some(Token::Number(value)) = self.tokens.get(self.at) {
            self.at += 1;
            return Ok(Expr::Number(*value));
        }
        let name = self.word()?;
        if self.take("(") {
            let function = ["min", "max", "floord", "mod"].into_iter().find(|known| *known == name);
            let function = function.ok_or_else(|| format!("a function {name}"))?;
            let mut args = self.args()?.into_iter();
            let first = args.next().ok_or("no argument")?;
            return Ok(args.fold(first, |a, b| Expr::Binary(function, Box::new((a, b)))));
        }
        let slot = self.names.get(&name).copied();
        slot.map(Expr::Slot).ok_or_else(|| format!("the name {name} is not declared"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_conditions_and_divisions() {
        let text = "for (int c0 = max(0, n); c0 < 7; c0 += 2) {\n  if (c0 % 4 == 0)\n    S(c0, floord(-c0, 3));\n  else\n    T();\n}";
        let code = Code::parse(text, &["n"]).unwrap();
        let trace = code.run(&[("n", 2)], 100).unwrap().unwrap();
        let event = |name: &str, args: &[i64]| (name.to_owned(), args.to_vec());
        assert_eq!(trace.events, [event("T", &[]), event("S", &[4, -2]), event("T", &[])]);
        assert_eq!(trace.iterations, 3);
        assert_eq!(code.run(&[("n", 0)], 2).unwrap(), None);
    }
}
