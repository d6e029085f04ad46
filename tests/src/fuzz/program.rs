//! A random case as a tree, and its text as a C program.

use std::fmt::Write;

/// Elements on each side of the middle of a pool: every subscript stays within.
pub(super) const HALF: i64 = 1 << 14;

/// The number of arrays of a kernel.
pub(super) const ARRAYS: usize = 3;

/// The names of the arrays.
const NAMES: [&str; ARRAYS] = ["a", "b", "c"];

/// A C integer type for parameters and induction variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Integer {
    Int,
    Long,
    Unsigned,
    Size,
}

impl Integer {
    pub(super) fn is_signed(self) -> bool {
        matches!(self, Integer::Int | Integer::Long)
    }

    fn name(self) -> &'static str {
        match self {
            Integer::Int => "int",
            Integer::Long => "long",
            Integer::Unsigned => "unsigned",
            Integer::Size => "size_t",
        }
    }
}

/// The C type of the array elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element {
    Double,
    Float,
    U32,
    U8,
}

impl Element {
    fn name(self) -> &'static str {
        match self {
            Element::Double => "double",
            Element::Float => "float",
            Element::U32 => "uint32_t",
            Element::U8 => "uint8_t",
        }
    }

    pub(super) fn is_float(self) -> bool {
        matches!(self, Element::Double | Element::Float)
    }
}

/// `constant + sum of factor * name`; `widened` when each name is converted to `long` first.
#[derive(Clone, Debug, Default)]
pub(super) struct Affine {
    pub(super) constant: i64,
    pub(super) terms: Vec<(i64, String)>,
    pub(super) widened: bool,
}

impl Affine {
    fn text(&self) -> String {
        let cast = if self.widened { "(long)" } else { "" };
        let mut text = String::new();
        for (factor, name) in &self.terms {
            let sign = match (text.is_empty(), *factor < 0) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            };
            let times = if factor.abs() == 1 { String::new() } else { format!("{} * ", factor.abs()) };
            text += &format!("{sign}{times}{cast}{name}");
        }
        match (text.is_empty(), self.constant) {
            (true, constant) => format!("{constant}"),
            (false, 0) => text,
            (false, constant) if constant < 0 => format!("{text} - {}", -constant),
            (false, constant) => format!("{text} + {constant}"),
        }
    }
}

/// One element of an array.
#[derive(Clone, Debug)]
pub(super) struct Access {
    pub(super) array: usize,
    /// One subscript, or two with the leading dimension.
    pub(super) subscripts: Vec<Affine>,
    /// The flat subscript is converted to `uint8_t`, so that it wraps.
    pub(super) wraps: bool,
}

/// What is stored.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Constant(i64),
    Scalar(usize),
    /// The variable of the [`Item::Sum`] with this number.
    Local(usize),
    Number(Affine),
    Load(Access),
    /// `factor * value`, with a small factor that keeps numbers bounded.
    Scaled(i64, Box<Value>),
    Sum(Box<Value>, Box<Value>),
    Difference(Box<Value>, Box<Value>),
    Product(Box<Value>, Box<Value>),
}

/// Where it is stored.
#[derive(Clone, Debug)]
pub(super) enum Target {
    Element(Access),
    Scalar(usize),
    /// The variable of the [`Item::Sum`] with this number.
    Local(usize),
}

/// The condition of an `if`.
#[derive(Clone, Debug)]
pub(super) enum Condition {
    /// `affine < affine` and its relatives, converted to `long`.
    Compare(Affine, &'static str, Affine),
    /// `(affine) % modulus == 0`.
    Remainder(Affine, i64),
    /// A condition on data.
    Positive(Access),
    Both(Box<Condition>, Box<Condition>),
}

/// The direction and the form of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// `v = from; v < to; v += step`
    Less,
    /// `v = from; v <= to - 1; v += step`
    LessEqual,
    /// `v = to - 1; v >= from; v -= step`, signed only
    Down,
    /// `v = to; v-- > from;`
    DownBefore,
}

/// One item of a body.
#[derive(Clone, Debug)]
pub(super) enum Item {
    Loop {
        variable: String,
        integer: Integer,
        form: Form,
        from: Affine,
        to: Affine,
        step: i64,
        body: Vec<Item>,
    },
    If {
        condition: Condition,
        then: Vec<Item>,
        otherwise: Vec<Item>,
    },
    Store {
        target: Target,
        operator: &'static str,
        value: Value,
    },
    /// A variable of its own for the items of `body`: `x = start`, a loop that changes it, stores of what it is then.
    Sum {
        local: usize,
        start: Value,
        body: Vec<Item>,
    },
    Break,
    Continue,
    /// The kernel returns early; with a number it prints that first, as a failed check does.
    Leave(Option<Affine>),
}

/// One call of the kernel.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) n: i64,
    pub(super) m: i64,
    pub(super) ld: i64,
    /// The pool of each array and the offset from its middle.
    pub(super) places: [(usize, i64); ARRAYS],
}

/// A random kernel with its calls.
#[derive(Clone, Debug)]
pub struct Case {
    pub(super) seed: u64,
    pub(super) parameter: Integer,
    pub(super) element: Element,
    /// Arrays are C99 array parameters with `ld` elements in a row.
    pub(super) c99: bool,
    pub(super) restricted: bool,
    pub(super) scalars: usize,
    pub(super) body: Vec<Item>,
    pub(super) calls: Vec<Call>,
}

impl Case {
    /// The case as one C file.
    pub fn program(&self) -> String {
        let element = self.element.name();
        let mut text = format!("/* Random loop nest {}. */\n", self.seed);
        text += "#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <string.h>\n\n";
        let _ = write!(text, "enum {{ HALF = {HALF} }};\nstatic {element} pools[{ARRAYS}][2 * HALF];\n\n");
        self.kernel(&mut text);
        self.frame(&mut text);
        text += "__attribute__((noinline, optnone)) int main(void) {\n";
        for call in &self.calls {
            let place = |(pool, offset)| format!("(void *)(pools[{pool}] + HALF + {offset})");
            let [a, b, c] = call.places.map(place);
            let _ = writeln!(text, "    reset();");
            let _ = writeln!(text, "    report(kernel({}, {}, {}, {a}, {b}, {c}));", call.n, call.m, call.ld);
        }
        text += "    return 0;\n}\n";
        text
    }

    fn kernel(&self, text: &mut String) {
        let (element, integer) = (self.element.name(), self.parameter.name());
        let _ = write!(text, "__attribute__((noinline)) {element} kernel({integer} n, {integer} m, {integer} ld");
        let restrict = if self.restricted { "restrict " } else { "" };
        for name in NAMES {
            let _ = if self.c99 {
                write!(text, ", {element} (*{restrict}{name})[ld]")
            } else {
                write!(text, ", {element} *{restrict}{name}")
            };
        }
        text.push_str(") {\n");
        for scalar in 0..self.scalars {
            let _ = writeln!(text, "    {element} s{scalar} = {};", scalar + 1);
        }
        self.items(text, &self.body, 1);
        let _ = write!(text, "    return {};\n}}\n\n", self.result());
    }

    /// What the kernel returns.
    fn result(&self) -> String {
        let sum: Vec<String> = (0..self.scalars).map(|scalar| format!("s{scalar}")).collect();
        if sum.is_empty() { "0".to_string() } else { sum.join(" + ") }
    }

    fn frame(&self, text: &mut String) {
        let element = self.element.name();
        let number = if self.element.is_float() {
            format!("({element})(int32_t)(state >> 33) / ({element})(1 << 30) - 1")
        } else {
            format!("({element})(state >> 40)")
        };
        // Not-a-numbers count as equal: their bits are not defined.
        let [is_number, number_or_one] =
            if self.element.is_float() { ["x == x", "value == value ? value : 1"] } else { ["1", "value"] };
        let _ = write!(
            text,
            "__attribute__((noinline, optnone)) static void reset(void) {{
    uint64_t state = 1;
    {element} *x = pools[0];
    for (int i = 0; i < {ARRAYS} * 2 * HALF; i++) {{
        state = state * 6364136223846793005u + 1442695040888963407u;
        x[i] = {number};
    }}
}}

__attribute__((noinline, optnone)) static uint64_t mix(uint64_t hash, {element} x) {{
    uint64_t word = 1;
    if ({is_number})
        memcpy(&word, &x, sizeof x);
    hash = (hash ^ word) * 1099511628211u;
    return hash ^ hash >> 29;
}}

__attribute__((noinline, optnone)) static void report({element} value) {{
    uint64_t hash = mix(14695981039346656037u, value);
    {element} *x = pools[0];
    for (int i = 0; i < {ARRAYS} * 2 * HALF; i++)
        hash = mix(hash, x[i]);
    printf(\"%016llx %a\\n\", (unsigned long long)hash, (double)({number_or_one}));
}}

"
        );
    }

    fn items(&self, text: &mut String, items: &[Item], depth: usize) {
        let indent = "    ".repeat(depth);
        for item in items {
            match item {
                Item::Loop { variable, integer, form, from, to, step, body } => {
                    let _ = writeln!(text, "{indent}{} {{", header(variable, *integer, *form, from, to, *step));
                    self.items(text, body, depth + 1);
                    let _ = writeln!(text, "{indent}}}");
                }
                Item::If { condition, then, otherwise } => {
                    let _ = writeln!(text, "{indent}if ({}) {{", self.condition(condition));
                    self.items(text, then, depth + 1);
                    if !otherwise.is_empty() {
                        let _ = writeln!(text, "{indent}}} else {{");
                        self.items(text, otherwise, depth + 1);
                    }
                    let _ = writeln!(text, "{indent}}}");
                }
                Item::Store { target, operator, value } => {
                    let target = match target {
                        Target::Element(access) => self.access(access),
                        Target::Scalar(scalar) => format!("s{scalar}"),
                        Target::Local(local) => format!("x{local}"),
                    };
                    let _ = writeln!(text, "{indent}{target} {operator} {};", self.value(value));
                }
                Item::Sum { local, start, body } => {
                    let (element, start) = (self.element.name(), self.value(start));
                    let _ = writeln!(text, "{indent}{{\n{indent}    {element} x{local} = {start};");
                    self.items(text, body, depth + 1);
                    let _ = writeln!(text, "{indent}}}");
                }
                Item::Break => text.push_str(&format!("{indent}break;\n")),
                Item::Continue => text.push_str(&format!("{indent}continue;\n")),
                Item::Leave(None) => text.push_str(&format!("{indent}return {};\n", self.result())),
                Item::Leave(Some(number)) => {
                    let _ = writeln!(text, "{indent}printf(\"left at %ld\\n\", (long)({}));", number.text());
                    text.push_str(&format!("{indent}return 7;\n"));
                }
            }
        }
    }

    fn access(&self, access: &Access) -> String {
        let name = NAMES[access.array];
        let flat = match &access.subscripts[..] {
            [row, column] if self.c99 => return format!("{name}[{}][{}]", row.text(), column.text()),
            [row, column] => {
                let cast = if row.widened || column.widened { "(long)" } else { "" };
                format!("({}) * {cast}ld + {}", row.text(), column.text())
            }
            [only, ..] => only.text(),
            [] => "0".to_string(),
        };
        let subscript = if access.wraps { format!("(uint8_t)({flat})") } else { flat };
        if self.c99 {
            format!("((({} *){name})[{subscript}])", self.element.name())
        } else {
            format!("{name}[{subscript}]")
        }
    }

    fn value(&self, value: &Value) -> String {
        let float = self.element.is_float();
        match value {
            Value::Constant(constant) if float => format!("{}", *constant as f64 / 8.0 + 0.0625),
            Value::Constant(constant) => format!("{}u", constant.unsigned_abs()),
            Value::Scalar(scalar) => format!("s{scalar}"),
            Value::Local(local) => format!("x{local}"),
            Value::Number(affine) => format!("({})({})", self.element.name(), affine.text()),
            Value::Load(access) => self.access(access),
            Value::Scaled(factor, value) if float => {
                format!("{} * {}", *factor as f64 / 16.0, self.value(value))
            }
            Value::Scaled(factor, value) => format!("{}u * {}", factor.unsigned_abs(), self.value(value)),
            Value::Sum(left, right) => format!("({} + {})", self.value(left), self.value(right)),
            Value::Difference(left, right) => format!("({} - {})", self.value(left), self.value(right)),
            Value::Product(left, right) => format!("{} * {}", self.value(left), self.value(right)),
        }
    }

    fn condition(&self, condition: &Condition) -> String {
        match condition {
            Condition::Compare(left, operator, right) => format!("{} {operator} {}", left.text(), right.text()),
            Condition::Remainder(affine, modulus) => format!("({}) % {modulus} == 0", affine.text()),
            Condition::Positive(access) => format!("{} > 0", self.access(access)),
            Condition::Both(left, right) => format!("{} && {}", self.condition(left), self.condition(right)),
        }
    }
}

fn header(variable: &str, integer: Integer, form: Form, from: &Affine, to: &Affine, step: i64) -> String {
    let kind = integer.name();
    // A comparison of an unsigned variable with a bound that may be negative is made in `long`.
    let compared = |bound: &Affine| {
        if bound.widened { format!("(long){variable}") } else { variable.to_string() }
    };
    let (from_text, to_text) = (from.text(), to.text());
    match form {
        Form::Less => {
            format!("for ({kind} {variable} = {from_text}; {} < {to_text}; {variable} += {step})", compared(to))
        }
        Form::LessEqual => {
            format!("for ({kind} {variable} = {from_text}; {} <= {to_text} - 1; {variable} += {step})", compared(to))
        }
        Form::Down => {
            format!("for ({kind} {variable} = {to_text} - 1; {} >= {from_text}; {variable} -= {step})", compared(from))
        }
        Form::DownBefore => format!("for ({kind} {variable} = {to_text}; {variable}-- > {from_text};)"),
    }
}
