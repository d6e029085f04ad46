//! How operands are drawn: small boxes, parametric bounds, strides, nested divisions, quantified variables, several
//! disjuncts, now and then coefficients far beyond 64 bits.

use super::operand::{Operand, Part};
use super::random::Random;
use crate::coalescing;
use crate::operation::{Arg, T};
use crate::wide::Wide;

/// The tuples and parameters of one case.
pub struct Drawer<'r> {
    random: &'r mut Random,
    params: Vec<String>,
    /// A, B and C.
    tuples: [Tuple; 3],
    /// Coefficients of this case are huge.
    huge: bool,
    /// Not every operand of this case has all parameters in the same order.
    mixed: bool,
}

/// A tuple whose dimensions get names when it is printed.
#[derive(Clone, Debug)]
enum Tuple {
    /// Name and number of dimensions.
    Flat(String, usize),
    /// Name, and two tuples inside.
    Pair(String, Box<Tuple>, Box<Tuple>),
}

impl Tuple {
    fn pair(first: Tuple, second: Tuple) -> Tuple {
        Tuple::Pair(String::new(), Box::new(first), Box::new(second))
    }

    /// The text, with fresh names for the dimensions.
    fn print(&self, names: &mut Vec<String>) -> String {
        match self {
            Tuple::Flat(name, n) => {
                let first = names.len();
                names.extend((0..*n).map(|k| format!("i{}", first + k)));
                format!("{name}[{}]", names[first..].join(", "))
            }
            Tuple::Pair(name, a, b) => {
                let a = a.print(names);
                format!("{name}[{a} -> {}]", b.print(names))
            }
        }
    }
}

impl<'r> Drawer<'r> {
    /// Draws the tuples and parameters of a case.
    pub fn new(random: &'r mut Random) -> Drawer<'r> {
        let n_params = *random.pick(&[0, 0, 1, 1, 1, 2, 2, 3]);
        let params = ["n", "m", "p"][..n_params].iter().map(|s| s.to_string()).collect();
        let tuples = [tuple(random, &["", "S", "A"]), tuple(random, &["", "T", "B"]), tuple(random, &["", "U", "C"])];
        let (huge, mixed) = (random.chance(3), random.chance(40));
        Drawer { random, params, tuples, huge, mixed }
    }

    /// Draws an operand.
    pub fn operand(&mut self, arg: Arg) -> Operand {
        match arg {
            Arg::Val => Operand::Number(self.number().to_string()),
            Arg::Positive => Operand::Number(self.random.range(1, 9).to_string()),
            Arg::Pos => Operand::Number(self.random.range(0, 5).to_string()),
            Arg::Set(T::P) => self.parts(|_| Vec::new(), 1),
            Arg::Set(t) => self.parts(|d| vec![d.tuple(t)], 3),
            Arg::Map(a, b) => self.parts(|d| vec![d.tuple(a), d.tuple(b)], 3),
            Arg::USet => self.parts(|d| vec![d.any()], 4),
            Arg::UMap => self.parts(|d| vec![d.any(), d.any()], 4),
            Arg::UWrapped => self.parts(|d| vec![Some(d.nested())], 3),
            Arg::UNested => self.parts(|d| vec![d.any_or_nested(), d.any_or_nested()], 3),
            Arg::Aff(t) => self.function(t, None, false),
            Arg::Constant(t) => {
                let mut names = Vec::new();
                let tuple = self.tuple(t).map(|t| t.print(&mut names) + " -> ").unwrap_or_default();
                let head = format!("{tuple}[({})]", self.number());
                let part = Part { head, exists: Vec::new(), constraints: Vec::new(), fixed: Vec::new() };
                Operand::Parts { params: Vec::new(), prefix: String::new(), parts: vec![part] }
            }
            Arg::PwAff(t) => self.function(t, None, true),
            Arg::MultiAff(a, b) => self.function(a, Some(b), false),
            Arg::PwMultiAff(a, b) => self.function(a, Some(b), true),
            Arg::MultiPwAff(a, b) => self.tuple_of_piecewise(a, b),
            Arg::UPwAff => self.union_function(false),
            Arg::UPwMultiAff => self.union_function(true),
            Arg::MUPwAff => self.tuple_of_unions(),
            Arg::Wide => Wide::draw(self.random, 4, 6).operand,
            Arg::Pieces => {
                let rule = *self.random.pick(coalescing::RULES);
                coalescing::draw(rule, self.random)
            }
            Arg::Lattice => lattice(self.random),
        }
    }

    fn tuple(&mut self, t: T) -> Option<Tuple> {
        let [a, b, c] = self.tuples.clone();
        Some(match t {
            T::P => return None,
            T::A => a,
            T::B => b,
            T::C => c,
            T::AB => Tuple::pair(a, b),
            T::BC => Tuple::pair(b, c),
            T::AbC => Tuple::pair(Tuple::pair(a, b), c),
            T::ABc => Tuple::pair(a, Tuple::pair(b, c)),
            T::Zip => Tuple::pair(Tuple::pair(a.clone(), b), Tuple::pair(c, a)),
        })
    }

    fn any(&mut self) -> Option<Tuple> {
        let k = self.random.below(3);
        Some(self.tuples[k].clone())
    }

    fn nested(&mut self) -> Tuple {
        let (a, b) = (self.random.below(3), self.random.below(3));
        Tuple::pair(self.tuples[a].clone(), self.tuples[b].clone())
    }

    fn any_or_nested(&mut self) -> Option<Tuple> {
        if self.random.chance(70) { Some(self.nested()) } else { self.any() }
    }

    /// Some of the parameters, in some order.
    fn some_params(&mut self) -> Vec<String> {
        let mut params = self.params.clone();
        if !self.mixed {
            return params;
        }
        params.retain(|_| self.random.chance(70));
        if params.len() > 1 && self.random.chance(30) {
            params.reverse();
        }
        params
    }

    /// Between one and `most` disjuncts, rarely none.
    fn parts(&mut self, mut tuples: impl FnMut(&mut Self) -> Vec<Option<Tuple>>, most: usize) -> Operand {
        let params = self.some_params();
        let n = if self.random.chance(2) { 0 } else { [1, 1, 1, 2, 2, 3, 4][self.random.below(7)].min(most) };
        let mut parts = Vec::new();
        for _ in 0..n {
            let mut names = Vec::new();
            let tuples = tuples(self);
            let head: Vec<String> = tuples.iter().flatten().map(|t| t.print(&mut names)).collect();
            let head = self.with_values(head.join(" -> "), &params, &names);
            parts.push(self.part(head, &params, &names));
        }
        if parts.is_empty() {
            let tuples = tuples(self);
            let head: Vec<String> = tuples.iter().flatten().map(|t| t.print(&mut Vec::new())).collect();
            parts.push(Part {
                head: head.join(" -> "),
                exists: Vec::new(),
                constraints: vec!["false".into()],
                fixed: Vec::new(),
            });
        }
        let params = params.into_iter().map(|name| self.param(name)).collect();
        Operand::Parts { params, prefix: String::new(), parts }
    }

    /// A parameter, rarely with its values.
    fn param(&mut self, name: String) -> String {
        let low = self.random.range(-4, 4);
        match self.random.below(60) {
            0 => format!("{name} = {low}"),
            1 => format!("{name} = {low}:{}", low + self.random.range(0, 9)),
            2 => format!("{name} = {low}:"),
            _ => name,
        }
    }

    /// A tuple some of whose entries say their values: an expression, a range, values with conditions.
    fn with_values(&mut self, mut head: String, params: &[String], names: &[String]) -> String {
        for (k, name) in names.iter().enumerate() {
            if !self.random.chance(8) {
                continue;
            }
            let mut known = names[..k].to_vec();
            known.extend(params.iter().cloned());
            let low = self.random.range(-5, 5);
            let affine = |d: &mut Self| d.affine(&known, 2);
            let values = match self.random.below(9) {
                0 | 1 => format!("{low}:{}", low + self.random.range(0, 7)),
                2 => format!("{low}:"),
                3 => format!("{}:{}", affine(self), affine(self)),
                4 => format!("({}:{})", affine(self), affine(self)),
                5 => affine(self),
                6 if !known.is_empty() => self.expression(&known, 2),
                7 if !known.is_empty() => format!("({} : {})", affine(self), self.simple(&known)),
                8 if !known.is_empty() => {
                    // The conditions may overlap: the values are added.
                    let (first, second) = (self.simple(&known), self.simple(&known));
                    let (a, b) = (self.affine(&known, 2), self.affine(&known, 2));
                    format!("({a} : {first}; {b} : {second})")
                }
                _ => continue,
            };
            // The names are i0, i1, ...; each stands once in the tuple.
            let place = head
                .match_indices(name.as_str())
                .find(|(at, _)| !head[at + name.len()..].starts_with(|c: char| c.is_ascii_digit()));
            if let Some((at, _)) = place {
                head.insert_str(at + name.len(), &format!(" = {values}"));
            }
        }
        head
    }

    /// A disjunct with bounds on most dimensions and some other constraints.
    fn part(&mut self, head: String, params: &[String], names: &[String]) -> Part {
        let mut constraints = Vec::new();
        let bounded = self.random.chance(85);
        for (k, name) in names.iter().enumerate() {
            if bounded && self.random.chance(92) {
                constraints.push(self.bound(name, &names[..k], params));
            }
        }
        for param in params {
            if self.random.chance(25) {
                let op = *self.random.pick(&[">=", "<=", ">", "<"]);
                constraints.push(format!("{param} {op} {}", self.random.range(-3, 12)));
            }
        }
        let mut variables: Vec<String> = names.to_vec();
        variables.extend(params.iter().cloned());
        let n_exists = *self.random.pick(&[0, 0, 0, 0, 0, 0, 1, 1, 2]);
        let exists: Vec<String> = (0..n_exists).map(|k| format!("e{k}")).collect();
        for name in &exists {
            variables.push(name.clone());
            if self.random.chance(40) {
                constraints.push(self.bound(name, names, params));
            }
            // Otherwise the variable would often do nothing.
            let term = self.affine(&variables[..variables.len() - 1], 2);
            let (op, factor) = (*self.random.pick(&["=", "=", "<=", ">="]), self.random.range(2, 5));
            constraints.push(format!("{term} {op} {factor}*{name}"));
        }
        if !variables.is_empty() {
            for _ in 0..*self.random.pick(&[0, 1, 1, 1, 2, 2, 3]) {
                let c = self.constraint(&variables);
                constraints.push(c);
            }
        }
        Part { head, exists, constraints, fixed: Vec::new() }
    }

    /// Bounds of one variable.
    fn bound(&mut self, name: &str, earlier: &[String], params: &[String]) -> String {
        let low = self.random.range(-5, 3);
        let high = low + self.random.range(-1, 8);
        match self.random.below(10) {
            0 | 1 if !params.is_empty() => format!("0 <= {name} < {}", self.random.pick(params)),
            2 if !params.is_empty() => format!("{low} <= {name} <= {}", self.random.pick(params)),
            3 if !earlier.is_empty() => format!("{} <= {name} <= {high}", self.random.pick(earlier)),
            4 if !earlier.is_empty() => format!("{low} <= {name} <= {}", self.random.pick(earlier)),
            5 => format!("{name} = {low}"),
            6 => format!("{name} >= {low}"),
            _ => format!("{low} <= {name} <= {high}"),
        }
    }

    /// A coefficient.
    fn number(&mut self) -> i128 {
        if self.huge && self.random.chance(50) {
            let bits = [20, 31, 33, 40, 62, 64, 70][self.random.below(7)];
            let value = (1i128 << bits) + i128::from(self.random.range(-3, 3));
            return if self.random.chance(50) { value } else { -value };
        }
        i128::from(*self.random.pick(&[-3, -2, -1, -1, -1, 1, 1, 1, 1, 2, 2, 3, 4, 5, 7]))
    }

    /// An affine expression of at most so many variables, and a constant.
    fn affine(&mut self, variables: &[String], most: usize) -> String {
        let mut text = String::new();
        let n = if variables.is_empty() { 0 } else { 1 + self.random.below(most) };
        for _ in 0..n {
            let (c, v) = (self.number(), self.random.pick(variables).clone());
            let sign = if c < 0 { " - " } else { " + " };
            let sign = if text.is_empty() { sign.trim_matches(|c| c == ' ' || c == '+') } else { sign };
            match c.abs() {
                1 => text += &format!("{sign}{v}"),
                size => text += &format!("{sign}{size}{}{v}", ["*", ""][self.random.below(2)]),
            }
        }
        let constant =
            if self.huge && self.random.chance(30) { self.number() } else { i128::from(self.random.range(-6, 9)) };
        match text.is_empty() {
            true => constant.to_string(),
            false if constant == 0 => text,
            false if constant < 0 => format!("{text} - {}", -constant),
            false => format!("{text} + {constant}"),
        }
    }

    /// An expression, perhaps with divisions.
    fn expression(&mut self, variables: &[String], depth: usize) -> String {
        let divisor = self.random.range(2, 6);
        match self.random.below(if depth == 0 { 4 } else { 13 }) {
            12 => format!("({}) // {divisor}", self.expression(variables, depth - 1)),
            4 => format!("floor(({})/{divisor})", self.expression(variables, depth - 1)),
            5 => format!("ceil(({})/{divisor})", self.expression(variables, depth - 1)),
            6 => format!("({}) mod {divisor}", self.expression(variables, depth - 1)),
            7 => format!(
                "{}*floor(({})/{divisor}) + {}",
                self.random.range(2, 3),
                self.affine(variables, 2),
                self.affine(variables, 1)
            ),
            8 => format!("max({}, {})", self.expression(variables, 0), self.affine(variables, 2)),
            9 => format!("min({}, {})", self.affine(variables, 2), self.affine(variables, 1)),
            _ => self.affine(variables, 3),
        }
    }

    /// A constraint.
    fn constraint(&mut self, variables: &[String]) -> String {
        let op = *self.random.pick(&["<=", ">=", "<", ">", "=", "<=", ">="]);
        match self.random.below(24) {
            0..=11 => format!("{} {op} {}", self.affine(variables, 3), self.affine(variables, 1)),
            12..=14 => {
                let divisor = self.random.range(2, 6);
                let remainder = self.random.range(0, divisor - 1);
                let modulo = *self.random.pick(&["mod", "mod", "%"]);
                format!("({}) {modulo} {divisor} = {remainder}", self.affine(variables, 2))
            }
            15..=17 => format!("{} {op} {}", self.expression(variables, 2), self.affine(variables, 2)),
            18 => format!("{} != {}", self.affine(variables, 2), self.random.range(-3, 5)),
            19 => format!("({} or {})", self.simple(variables), self.simple(variables)),
            20 => format!("not ({})", self.simple(variables)),
            21 => format!("({} implies {})", self.simple(variables), self.simple(variables)),
            22 => {
                let (a, b) = (self.random.pick(variables).clone(), self.random.pick(variables).clone());
                format!("{} <= {a}, {b} < {}", self.random.range(-4, 1), self.affine(variables, 1))
            }
            _ => format!(
                "{} <= {} <= {}",
                self.affine(variables, 1),
                self.affine(variables, 2),
                self.affine(variables, 1)
            ),
        }
    }

    /// A constraint without disjunction.
    fn simple(&mut self, variables: &[String]) -> String {
        let op = *self.random.pick(&["<=", ">=", "<", ">", "="]);
        match self.random.below(4) {
            0 => format!("({}) mod {} {op} 1", self.affine(variables, 2), self.random.range(2, 4)),
            _ => format!("{} {op} {}", self.affine(variables, 2), self.affine(variables, 1)),
        }
    }

    /// Function text: expressions in the last tuple. Pieces are made disjoint by one dimension or parameter.
    fn function(&mut self, domain: T, range: Option<T>, piecewise: bool) -> Operand {
        let params = self.some_params();
        let n = if piecewise { self.random.range(1, 3) } else { 1 };
        let domain = self.tuple(domain);
        let range = range.and_then(|t| self.tuple(t));
        let parts = self.pieces(domain.as_ref(), range.as_ref(), &params, n, piecewise);
        Operand::Parts { params, prefix: String::new(), parts }
    }

    fn pieces(
        &mut self,
        domain: Option<&Tuple>,
        range: Option<&Tuple>,
        params: &[String],
        n: i64,
        piecewise: bool,
    ) -> Vec<Part> {
        let mut parts = Vec::new();
        let cut = self.random.range(-2, 3);
        for k in 0..n {
            let mut names = Vec::new();
            let mut head = domain.map(|t| t.print(&mut names) + " -> ").unwrap_or_default();
            let mut variables = names.clone();
            variables.extend(params.iter().cloned());
            head += &match range {
                None => format!("[({})]", self.function_expression(&variables)),
                Some(range) => self.function_tuple(range, &variables),
            };
            let mut part = if piecewise && self.random.chance(80) {
                self.part(head, params, &names)
            } else {
                Part { head, exists: Vec::new(), constraints: Vec::new(), fixed: Vec::new() }
            };
            // The pieces differ in the first variable.
            match variables.first() {
                Some(v) if n > 1 => {
                    let low = if k > 0 { format!("{} < {v}", cut + 3 * (k - 1)) } else { String::new() };
                    let high = if k + 1 < n { format!("{v} <= {}", cut + 3 * k) } else { String::new() };
                    part.fixed.extend([low, high].into_iter().filter(|c| !c.is_empty()));
                }
                None if k > 0 => break,
                _ => {}
            }
            parts.push(part);
        }
        parts
    }

    fn function_expression(&mut self, variables: &[String]) -> String {
        let divisor = self.random.range(2, 5);
        match self.random.below(8) {
            0 => format!("floor(({})/{divisor})", self.affine(variables, 2)),
            1 => format!("({}) mod {divisor}", self.affine(variables, 2)),
            2 => format!(
                "{} + floor((floor(({})/{divisor}) + {})/2)",
                self.affine(variables, 1),
                self.affine(variables, 2),
                self.affine(variables, 1)
            ),
            _ => self.affine(variables, 3),
        }
    }

    fn function_tuple(&mut self, tuple: &Tuple, variables: &[String]) -> String {
        match tuple {
            Tuple::Flat(name, n) => {
                let entries: Vec<String> =
                    (0..*n).map(|_| format!("({})", self.function_expression(variables))).collect();
                format!("{name}[{}]", entries.join(", "))
            }
            Tuple::Pair(name, a, b) => {
                let a = self.function_tuple(a, variables);
                format!("{name}[{a} -> {}]", self.function_tuple(b, variables))
            }
        }
    }

    /// `{ A[i] -> B[(e : c; f : d), (g)] }`.
    fn tuple_of_piecewise(&mut self, domain: T, range: T) -> Operand {
        let params = self.some_params();
        let mut names = Vec::new();
        let domain = self.tuple(domain).map(|t| t.print(&mut names)).unwrap_or_default();
        let mut variables = names;
        variables.extend(params.iter().cloned());
        let range = self.tuple(range);
        let head = match range {
            Some(Tuple::Flat(name, n)) => {
                let entries: Vec<String> = (0..n).map(|_| self.piecewise_entry(&variables)).collect();
                format!("{domain} -> {name}[{}]", entries.join(", "))
            }
            Some(pair) => format!("{domain} -> {}", self.function_tuple(&pair, &variables)),
            None => domain,
        };
        let part = Part { head, exists: Vec::new(), constraints: Vec::new(), fixed: Vec::new() };
        Operand::Parts { params, prefix: String::new(), parts: vec![part] }
    }

    fn piecewise_entry(&mut self, variables: &[String]) -> String {
        let value = self.function_expression(variables);
        let Some(first) = variables.first().filter(|_| self.random.chance(40)) else { return format!("({value})") };
        let (cut, first) = (self.random.range(-2, 4), first.clone());
        match self.random.below(6) {
            0..=2 => format!("({value} : {first} <= {cut}; {} : {first} > {cut})", self.function_expression(variables)),
            // Where both conditions hold the values are added.
            3 => {
                format!("({value} : {first} <= {cut}; {} : {first} > {})", self.function_expression(variables), cut - 3)
            }
            _ => format!("({value} : {first} <= {cut})"),
        }
    }

    /// `B[{ A[i] -> [(e)]; C[j] -> [(f)] }, { ... }]`.
    fn tuple_of_unions(&mut self) -> Operand {
        let params = self.some_params();
        let (name, n) = match &self.tuples[1] {
            Tuple::Flat(name, n) => (name.clone(), (*n).max(1)),
            Tuple::Pair(name, ..) => (name.clone(), 2),
        };
        let mut components = Vec::new();
        for _ in 0..n {
            let mut pieces: Vec<String> = Vec::new();
            for k in [0, 2] {
                if pieces.is_empty() || self.random.chance(70) {
                    let domain = self.tuples[k].clone();
                    pieces.extend(self.pieces(Some(&domain), None, &params, 1, true).iter().map(Part::to_string));
                }
            }
            components.push(format!("{{ {} }}", pieces.join("; ")));
        }
        let params = if params.is_empty() { String::new() } else { format!("[{}] -> ", params.join(", ")) };
        Operand::Number(format!("{params}{name}[{}]", components.join(", ")))
    }

    /// Pieces on different tuples.
    fn union_function(&mut self, multi: bool) -> Operand {
        let params = self.some_params();
        let mut parts = Vec::new();
        for k in 0..3 {
            if self.random.chance(60) || (k == 2 && parts.is_empty()) {
                let domain = self.tuples[k].clone();
                let range = if multi { self.any() } else { None };
                let n = self.random.range(1, 2);
                parts.extend(self.pieces(Some(&domain), range.as_ref(), &params, n, true));
            }
        }
        Operand::Parts { params, prefix: String::new(), parts }
    }
}

/// One or two dimensions that are combinations of two or three bounded quantified variables, and perhaps further
/// bounds.
fn lattice(random: &mut Random) -> Operand {
    let n = 1 + random.below(2);
    let dims = &["i", "j"][..n];
    let exists = &["e", "f", "g"][..random.range(n as i64, 3) as usize];
    let mut constraints = Vec::new();
    for x in dims {
        let terms: Vec<String> = exists.iter().map(|e| format!("{}{e}", random.range(-6, 6))).collect();
        constraints.push(format!("{x} = {} + {}", terms.join(" + ").replace("+ -", "- "), random.range(0, 4)));
    }
    for e in exists {
        let low = random.range(-3, 3);
        constraints.push(format!("{low} <= {e} <= {}", low + random.range(0, 5)));
    }
    for _ in 0..random.below(3) {
        let (x, y) = (*random.pick(dims), *random.pick(dims));
        let (a, b) = (random.range(-3, 3), random.range(1, 3));
        constraints.push(format!("{a}{x} + {b}{y} {} {}", random.pick(&["<=", ">=", "<"]), random.range(-8, 20)));
    }
    let exists = exists.iter().map(ToString::to_string).collect();
    let part = Part { head: format!("[{}]", dims.join(", ")), exists, constraints, fixed: Vec::new() };
    Operand::Parts { params: Vec::new(), prefix: String::new(), parts: vec![part] }
}

/// A tuple of 1 to 4 dimensions, mostly small, now and then nested or empty.
fn tuple(random: &mut Random, names: &[&str; 3]) -> Tuple {
    let name = random.pick(names).to_string();
    if random.chance(8) {
        let (a, b) = (random.below(3), random.below(3));
        let pair = Tuple::pair(Tuple::Flat("X".into(), a), Tuple::Flat(String::new(), b));
        return match pair {
            Tuple::Pair(_, a, b) => Tuple::Pair(name, a, b),
            flat => flat,
        };
    }
    let n = *random.pick(&[1, 1, 1, 2, 2, 2, 2, 3, 3, 4, 0]);
    // Different tuples must differ by name or length for unions to make sense: nothing depends on it.
    Tuple::Flat(name, n)
}
