//! Executing statements.

use crate::budget::Budget;
use crate::count::UnionPwQPolynomial;
use crate::text::{Object, looks_like_polynomial};

use super::dependences::dependences;
use super::error::CalcError;
use super::functions::{find_function, functions};
use super::operators::{self, Failure, Outcome};
use super::parser::{Node, Postfix, Span, Statement};
use super::value::Value;
use super::{Calculator, MAX_SOURCES};

type Evaluated<T> = Result<T, Box<CalcError>>;

/// The characters of a file name or number shown between quotes.
fn unquoted(text: &str, span: Span) -> &str {
    text.get(span.0 + 1..span.1.saturating_sub(1)).unwrap_or("")
}

fn at<T>(text: &str, span: Span, result: Result<T, Failure>) -> Evaluated<T> {
    result.map_err(|failure| match failure {
        Failure::Library(error) => CalcError::of(text, span.0, span.1, &error),
        Failure::Message(message) => CalcError::at(text, span.0, span.1, message),
    })
}

impl Calculator {
    pub(super) fn execute(
        &mut self,
        text: &str,
        statement: &Statement,
        budget: &Budget,
        print: &mut dyn FnMut(String),
    ) -> Result<(), CalcError> {
        self.step(text, statement, budget, print).map_err(|error| *error)
    }

    fn step(
        &mut self,
        text: &str,
        statement: &Statement,
        budget: &Budget,
        print: &mut dyn FnMut(String),
    ) -> Evaluated<()> {
        match statement {
            Statement::Assign(name, node) => {
                let value = self.value(text, node, budget)?;
                self.variables.insert(name.clone(), value);
            }
            Statement::Print(node) => {
                let value = self.value(text, node, budget)?;
                print(value.to_string());
            }
            Statement::Source(span) => {
                let name = unquoted(text, *span).to_owned();
                if self.sources >= MAX_SOURCES {
                    return Err(CalcError::at(text, span.0, span.1, "files that read files, more than 16 deep"));
                }
                let content = self.file(text, *span)?;
                self.sources += 1;
                let result = self.run(&content, print);
                self.sources -= 1;
                result.map_err(|e| Box::new(CalcError { file: e.file.clone().or(Some(name)), ..e }))?;
            }
            Statement::Help(topic) => {
                let topic = topic.and_then(|span| text.get(span.0..span.1));
                print(help(topic).map_err(|message| {
                    let (start, end) = statement_span(statement);
                    CalcError::at(text, start, end, message)
                })?);
            }
        }
        Ok(())
    }

    fn file(&mut self, text: &str, span: Span) -> Evaluated<String> {
        let name = unquoted(text, span);
        self.files.read(name).map_err(|why| CalcError::at(text, span.0, span.1, format!("cannot read {name}: {why}")))
    }

    fn value(&mut self, text: &str, node: &Node, b: &Budget) -> Evaluated<Value> {
        let source = |span: Span| text.get(span.0..span.1).unwrap_or("");
        match node {
            Node::Object(span) => {
                if looks_like_polynomial(source(*span)) {
                    let count = UnionPwQPolynomial::parse(source(*span), b);
                    return at(text, *span, count.map(Value::Count).map_err(Failure::from));
                }
                let object = Object::parse(source(*span), b);
                Ok(match at(text, *span, object.map_err(Failure::from))? {
                    Object::Set(set) => Value::Set(set),
                    Object::Map(map) => Value::Map(map),
                })
            }
            Node::Name(span) => match self.variables.get(source(*span)) {
                Some(value) => Ok(value.clone()),
                None => {
                    let name = source(*span);
                    let near = self.nearest(name).map_or(String::new(), |near| format!("; did you mean `{near}`?"));
                    Err(CalcError::at(text, span.0, span.1, format!("`{name}` has no value{near}")))
                }
            },
            Node::Number(span) => match source(*span).parse() {
                Ok(number) if span.1 - span.0 <= 10_000 => Ok(Value::Number(number)),
                _ => Err(CalcError::at(text, span.0, span.1, "a number of more than 10000 digits")),
            },
            Node::Text(span) => Ok(Value::Text(unquoted(text, *span).to_owned())),
            Node::List(nodes) => {
                let list = nodes.iter().map(|node| self.value(text, node, b)).collect::<Evaluated<_>>()?;
                Ok(Value::List(list))
            }
            Node::Chain(first, rest) => {
                let mut value = self.value(text, first, b)?;
                for (op, span, right) in rest {
                    let right = self.value(text, right, b)?;
                    value = at(text, *span, operators::binary(op, &value, &right, b))?;
                }
                Ok(value)
            }
            Node::Negative(span, node) => {
                let value = self.value(text, node, b)?;
                at(text, *span, operators::negative(value))
            }
            Node::Dependences { last, span, operands } => {
                let [source, sink, schedule] = &**operands;
                let values = [self.value(text, source, b)?, self.value(text, sink, b)?, self.value(text, schedule, b)?];
                at(text, *span, dependences(*last, values.each_ref(), b))
            }
            Node::Function(name, span, argument) => {
                let argument = self.value(text, argument, b)?;
                match *name {
                    "read" | "parse_file" => self.read(text, *span, name, &argument, b),
                    _ => match functions().iter().find(|f| f.name == *name) {
                        Some(function) => at(text, *span, (function.run)(&argument, b)),
                        None => Err(CalcError::at(text, span.0, span.1, format!("unknown function `{name}`"))),
                    },
                }
            }
            Node::Postfix(first, rest) => {
                let mut value = self.value(text, first, b)?;
                for (span, postfix) in rest {
                    value = self.postfix(text, *span, value, postfix, b)?;
                }
                Ok(value)
            }
        }
    }

    fn postfix(&mut self, text: &str, span: Span, value: Value, postfix: &Postfix, b: &Budget) -> Evaluated<Value> {
        let number = |span: Span| text.get(span.0..span.1).unwrap_or("").parse::<crate::arith::Int>();
        let result: Outcome = match postfix {
            Postfix::Closure => operators::closure(&value, b),
            Postfix::Power { of_inverse, exponent } => match number(*exponent) {
                Ok(exponent) if *of_inverse => {
                    operators::inverse(&value).and_then(|inverse| operators::power(&inverse, &exponent, b))
                }
                Ok(exponent) => operators::power(&value, &exponent, b),
                Err(_) => Err(Failure::Message("expected an exponent".into())),
            },
            Postfix::Index(index) => {
                let position = number(*index).ok().and_then(|n| n.to_i64()).and_then(|n| usize::try_from(n).ok());
                match (&value, position) {
                    (Value::List(list), Some(k)) => match list.get(k) {
                        Some(value) => Ok(value.clone()),
                        None => Err(Failure::Message(format!("the list has {} entries, counted from 0", list.len()))),
                    },
                    (Value::List(_), None) => Err(Failure::Message("expected a smaller index".into())),
                    _ => Err(Failure::Message(format!("a {} has no entries", value.type_name()))),
                }
            }
            Postfix::Apply(arguments) => {
                let mut result = value;
                if arguments.is_empty() {
                    return Err(CalcError::at(text, span.0, span.1, "expected an argument"));
                }
                for argument in arguments {
                    let argument = self.value(text, argument, b)?;
                    result = at(text, span, operators::apply(&result, &argument, b))?;
                }
                Ok(result)
            }
        };
        at(text, span, result)
    }

    /// `read "file"` and `parse_file "file"`: the object, or the list of objects, in a file.
    fn read(&mut self, text: &str, span: Span, name: &str, argument: &Value, b: &Budget) -> Evaluated<Value> {
        let Value::Text(file) = argument else {
            return Err(CalcError::at(text, span.0, span.1, "expected the name of a file in quotes"));
        };
        let content = self.files.read(file);
        let content =
            content.map_err(|why| CalcError::at(text, span.0, span.1, format!("cannot read {file}: {why}")))?;
        let inside = |e: CalcError| Box::new(CalcError { file: Some(file.clone()), ..e });
        let statements = super::parser::parse(&content).map_err(inside)?;
        let mut values = Vec::new();
        for statement in &statements {
            let (Statement::Print(node) | Statement::Assign(_, node)) = statement else {
                return Err(CalcError::at(text, span.0, span.1, format!("{file} has statements, not only objects")));
            };
            values.push(self.value(&content, node, b).map_err(|e| inside(*e))?);
        }
        match (name, values.len()) {
            ("read", 1) => Ok(values.swap_remove(0)),
            ("read", n) => Err(CalcError::at(text, span.0, span.1, format!("{file} has {n} objects, not one"))),
            _ => Ok(Value::List(values)),
        }
    }

    /// A variable or function whose name is close to a name that is not known.
    fn nearest(&self, name: &str) -> Option<String> {
        let candidates = self.variables.keys().map(String::as_str).chain(functions().iter().map(|f| f.name));
        let (distance, best) =
            candidates.map(|candidate| (distance(name, candidate), candidate)).min_by_key(|(d, _)| *d)?;
        (distance <= 1 + name.len() / 4).then(|| best.to_owned())
    }
}

fn statement_span(statement: &Statement) -> Span {
    match statement {
        Statement::Help(Some(span)) | Statement::Source(span) => *span,
        _ => (0, 0),
    }
}

/// The edit distance of two names; long names are cut.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().take(40).collect();
    let b: Vec<char> = b.chars().take(40).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (j, y) in b.iter().enumerate() {
            let up = row.get(j + 1).copied().unwrap_or(usize::MAX - 1);
            let best = (diagonal + usize::from(x != y)).min(left + 1).min(up + 1);
            diagonal = up;
            left = best;
            if let Some(cell) = row.get_mut(j + 1) {
                *cell = best;
            }
        }
    }
    row.last().copied().unwrap_or(0).max(usize::from(a.is_empty()) * b.len())
}

const OPERATORS: &str = "\
A + B       union; sum of integers; strings and lists joined
A - B       difference
A * B       intersection; a map times a set: pairs whose first point is in the set
A % B       A simplified under the assumption B (gist)
A . B       first A, then B (also: A before B)
A cross B   all pairs, in spaces [A -> B]
any A before B under S   dependences: accesses of A before those of B to the same element, in the order of the schedule S
last A before B under S  only the last one before each, and the accesses of B without any: ({ ... }, { ... })
A -> B      all pairs of a point of A and a point of B, as a map
M(S)        the image of S; M(N): first N, then M
Q(S)        the sum of a quasi-polynomial over S (also Q @ S); M . Q, M(Q): sums over the images under M
M^-1        the inverse
M^k         the composition of k copies
M^+         the transitive closure and whether it is exact: ({ ... }, True)
A << B      pairs that compare lexicographically (also <<=, >>, >>=); for maps, pairs whose images do
A = B       equality, also !=; A <= B, A < B, A >= B, A > B: subset tests
L[0]        an entry of a list";

/// The text of `help`.
fn help(topic: Option<&str>) -> Result<String, String> {
    match topic {
        None => {
            let names: Vec<&str> = functions().iter().map(|f| f.name).collect();
            Ok(format!(
                "NAME := EXPRESSION;   assigns\nEXPRESSION;           prints\nsource \"FILE\";        executes a file\n\
                 help NAME;            explains a function\n\nOperators, from left to right, comparisons last:\n{OPERATORS}\n\n\
                 Functions: {}",
                names.join(", ")
            ))
        }
        Some(topic) => {
            if let Some(f) = find_function(topic).and_then(|name| functions().iter().find(|f| f.name == name)) {
                return Ok(format!("{}: {}\n{}", f.name, f.signature, f.help));
            }
            match OPERATORS.lines().find(|line| line.split("  ").next().is_some_and(|head| head.contains(topic))) {
                Some(line) => Ok(line.to_owned()),
                None => Err(format!("there is no function or operator `{topic}`")),
            }
        }
    }
}
