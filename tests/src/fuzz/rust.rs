//! Cases as safe Rust: slices, checked indices, panics. Numbers wrap around without a check unless the compiler is told to check.

use super::first::{self, Difference, Draws, First};
use super::tree::{
    ARRAYS, Access, Affine, Call, Case, Condition, Element, Fields, Form, Integer, Item, Layout, Leave, Loop, NAMES,
    Target, Value, any,
};
use super::walk;
use std::fmt::Write;

/// What stands around the kernels.
pub(super) const HARNESS: &str = include_str!("harness.rs");

/// The cases as one crate root; `alone` with the harness in it.
pub(super) fn program(cases: &[&Case], alone: bool) -> String {
    let mut text =
        String::from("#![allow(warnings, arithmetic_overflow, overflowing_literals, unconditional_panic)]\n");
    if alone {
        let harness = HARNESS.replace("//! ", "// ");
        let _ = writeln!(text, "mod harness {{\n{harness}}}");
    } else {
        text += "extern crate harness;\n";
    }
    text += "use harness::Call;\n";
    for case in cases {
        Writer { case, element: name(case.element), computed: computed(case.element) }.all(&mut text);
    }
    text += "\nfn main() {\n    harness::begin();\n";
    for Case { seed, .. } in cases {
        let _ = writeln!(text, "    harness::test_case({seed}, call_{seed}, &CALLS_{seed});");
    }
    text + "    harness::end();\n}\n"
}

fn name(element: Element) -> &'static str {
    match element {
        Element::Double => "f64",
        Element::Float => "f32",
        Element::U32 => "u32",
        Element::U8 => "u8",
        Element::I16 => "i16",
        // The others are elements of C only.
        Element::U128 | Element::LongDouble | Element::Bits37 | Element::Bits200 => "u128",
    }
}

/// The type that values of elements have before they are stored.
fn computed(element: Element) -> &'static str {
    match element {
        Element::U8 | Element::I16 => "u32",
        other => name(other),
    }
}

fn integer(integer: Integer) -> &'static str {
    match integer {
        Integer::Int => "i32",
        Integer::Long => "i64",
        Integer::Unsigned => "u32",
        Integer::Size => "usize",
        Integer::Byte => "u8",
        Integer::SignedByte => "i8",
        Integer::Short => "i16",
        Integer::UnsignedShort => "u16",
    }
}

/// How rows are in planes, which have a table each.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Planes {
    One,
    OfOneRow,
}

struct Writer<'c> {
    case: &'c Case,
    element: &'static str,
    computed: &'static str,
}

impl Writer<'_> {
    fn all(&self, text: &mut String) {
        let (seed, element, parameter) = (self.case.seed, self.element, integer(self.case.parameter));
        self.structure(text);
        let _ = write!(
            text,
            "\n#[inline(never)]\nfn kernel_{seed}(n: {parameter}, m: {parameter}, ld: {parameter}, base: {parameter}"
        );
        for (array, name) in NAMES.iter().enumerate() {
            let kind = if self.is_written(array) { "&mut " } else { "&" };
            let held = match self.case.fields_of(array).map(|fields| (fields.layout, fields.count)) {
                Some((Layout::Arrays, count)) => format!("[{element}; {count}]"),
                Some((Layout::Structures, _)) => format!("Cell{seed}"),
                _ if self.planes(array).is_some() => format!("Vec<Vec<{element}>>"),
                _ if self.case.rows[array] => format!("Vec<{element}>"),
                _ => element.to_string(),
            };
            let _ = write!(text, ", {name}: {kind}[{held}]");
        }
        let _ = writeln!(text, ") -> {element} {{");
        for scalar in 0..self.case.scalars {
            let _ = writeln!(text, "    let mut s{scalar}: {} = {} as {};", self.computed, scalar + 1, self.computed);
        }
        self.items(text, &self.case.body, 1);
        let _ = writeln!(text, "    {}\n}}", self.result());
        let sizes = [0, 1, 2].map(|at| format!("call.sizes[{at}] as {parameter}")).join(", ");
        let _ = writeln!(
            text,
            "\nfn call_{seed}(call: &Call, a: &mut [{element}], b: &mut [{element}], c: &mut [{element}]) -> {element} {{"
        );
        let mut arguments = Vec::new();
        for (array, name) in NAMES.iter().enumerate() {
            if let Some(planes) = self.planes(array) {
                let are_many = planes == Planes::OfOneRow;
                let arguments_of = format!("{name}, call.sizes[2], call.order, {are_many}");
                let _ = writeln!(text, "    let mut {name} = harness::Planes::new({arguments_of});");
                arguments.push(format!("&mut {name}.planes"));
                continue;
            }
            if self.case.rows[array] {
                let _ = writeln!(text, "    let mut {name} = harness::Rows::new({name}, call.sizes[2], call.order);");
                arguments.push(format!("&mut {name}.rows"));
                continue;
            }
            arguments.push(match self.case.fields_of(array).map(|fields| (fields.layout, fields.count)) {
                Some((Layout::Arrays, count)) => format!("{name}.as_chunks_mut::<{count}>().0"),
                Some((Layout::Structures, _)) => format!("harness::structures::<{element}, Cell{seed}>({name})"),
                _ => name.to_string(),
            });
        }
        let arguments = arguments.join(", ");
        let _ = writeln!(text, "    kernel_{seed}({sizes}, call.base as {parameter}, {arguments})\n}}");
        let _ = writeln!(text, "\nstatic CALLS_{seed}: [Call; {}] = [", self.case.calls.len());
        for Call { n, m, ld, lengths, base, order, .. } in &self.case.calls {
            let order = *order as u8;
            let _ = writeln!(
                text,
                "    Call {{ sizes: [{n}, {m}, {ld}], base: {base}, lengths: {lengths:?}, order: {order} }},"
            );
        }
        text.push_str("];\n");
    }

    /// The type of the cells of arrays of structures.
    fn structure(&self, text: &mut String) {
        if let Some(Fields { count, layout: Layout::Structures, .. }) = self.case.fields {
            let fields: Vec<String> = (0..count).map(|field| format!("v{field}: {}", self.element)).collect();
            let (seed, fields) = (self.case.seed, fields.join(", "));
            let _ = writeln!(text, "\n#[derive(Clone, Copy)]\n#[repr(C)]\nstruct Cell{seed} {{ {fields} }}");
        }
    }

    fn is_written(&self, array: usize) -> bool {
        any(&self.case.body, &|item| match item {
            Item::Store { target: Target::Element(to), .. } => to.array == array,
            Item::Fill { from: to, .. } => to.array == array,
            Item::Move { to, .. } => to.array == array,
            _ => false,
        }) && array < ARRAYS
    }

    /// What the kernel returns.
    fn result(&self) -> String {
        let sum = (0..self.case.scalars).map(|scalar| format!("s{scalar}"));
        let sum = sum.reduce(|left, right| self.binary(&left, "+", &right));
        sum.map_or(format!("0 as {}", self.element), |sum| format!("({sum}) as {}", self.element))
    }

    /// An operation on values.
    fn binary(&self, left: &str, operator: &str, right: &str) -> String {
        let method = match operator {
            _ if self.case.element.is_float() => None,
            "+" => Some("wrapping_add"),
            "-" => Some("wrapping_sub"),
            "*" => Some("wrapping_mul"),
            _ => None,
        };
        match method {
            Some(method) => format!("({left}).{method}({right})"),
            None => format!("({left} {operator} {right})"),
        }
    }

    /// The type in which an affine number is computed.
    fn computed_in(&self, affine: &Affine) -> &'static str {
        if affine.widened { "i64" } else { integer(self.case.parameter) }
    }

    fn affine(&self, affine: &Affine) -> String {
        let kind = self.computed_in(affine);
        affine.write(|name| format!("({name} as {kind})"), |number| format!("{number}{kind}"))
    }

    fn items(&self, text: &mut String, items: &[Item], depth: usize) {
        let indent = "    ".repeat(depth);
        for item in items {
            match item {
                Item::Loop(l) => self.repeat(text, l, depth),
                Item::If { condition, then, otherwise } => {
                    let _ = writeln!(text, "{indent}if {} {{", self.condition(condition));
                    self.items(text, then, depth + 1);
                    if !otherwise.is_empty() {
                        let _ = writeln!(text, "{indent}}} else {{");
                        self.items(text, otherwise, depth + 1);
                    }
                    let _ = writeln!(text, "{indent}}}");
                }
                Item::Store { target, operator, value } => {
                    let (place, old, kind) = match target {
                        Target::Element(access) => (self.access(access), self.load(access), self.element),
                        Target::Scalar(scalar) => (format!("s{scalar}"), format!("s{scalar}"), self.computed),
                        Target::Local(local) => (format!("x{local}"), format!("x{local}"), self.computed),
                    };
                    let value = self.value(value);
                    let value = match operator.strip_suffix('=') {
                        None | Some("") => value,
                        Some(operator) => self.binary(&old, operator, &value),
                    };
                    let _ = writeln!(text, "{indent}{place} = {value} as {kind};");
                }
                Item::Fill { from, count, byte } => {
                    let (start, count) = (self.index(from), self.affine(count));
                    let (array, element) = (self.array(from), self.element);
                    let _ = writeln!(
                        text,
                        "{indent}{{ let p = {start}; {array}[p..p.wrapping_add(({count}) as usize)].fill({byte} as {element}); }}"
                    );
                }
                Item::Move { to, from, count } => {
                    let (start, other, count) = (self.index(to), self.index(from), self.affine(count));
                    let (target, source) = (self.array(to), self.array(from));
                    let range = |p: &str| format!("{p}..{p}.wrapping_add(({count}) as usize)");
                    let moved = if to.array == from.array && self.case.rows[to.array] {
                        format!("for t in 0..({count}) as usize {{ {target}[p + t] = {source}[q + t]; }}")
                    } else if to.array == from.array {
                        format!("{target}.copy_within({}, p)", range("q"))
                    } else {
                        format!("{target}[{}].copy_from_slice(&{source}[{}])", range("p"), range("q"))
                    };
                    let _ = writeln!(text, "{indent}{{ let (p, q) = ({start}, {other}); {moved}; }}");
                }
                Item::Sum { local, start, body } => {
                    let (kind, start) = (self.computed, self.value(start));
                    let _ = writeln!(text, "{indent}{{\n{indent}    let mut x{local}: {kind} = {start};");
                    self.items(text, body, depth + 1);
                    let _ = writeln!(text, "{indent}}}");
                }
                Item::Break => text.push_str(&format!("{indent}break;\n")),
                Item::Continue => text.push_str(&format!("{indent}continue;\n")),
                Item::Leave(Leave::Return) => {
                    let _ = writeln!(text, "{indent}return {};", self.result());
                }
                Item::Leave(Leave::Message(number)) => {
                    let (number, element) = (self.affine(number), self.element);
                    let _ =
                        writeln!(text, "{indent}print!(\" left at {{}}\", {number});\n{indent}return 7 as {element};");
                }
                Item::Leave(Leave::Abort(number)) => {
                    let _ = writeln!(text, "{indent}panic!(\"left at {{}}\", {});", self.affine(number));
                }
            }
        }
    }

    fn repeat(&self, text: &mut String, l: &Loop, depth: usize) {
        let indent = "    ".repeat(depth);
        let (kind, variable, step) = (integer(l.integer), &l.variable, l.step);
        // A bound that may be negative becomes 0 for a counter without sign.
        let bound = |bound: &Affine| {
            let least = if bound.widened && !l.integer.is_signed() { ".max(0)" } else { "" };
            format!("(({}){least} as {kind})", self.affine(bound))
        };
        let (from, to) = (bound(&l.from), bound(&l.to));
        let to = match &l.also {
            None => to,
            Some(also) => format!("{to}.min({})", bound(also)),
        };
        let continues = any(&l.body, &|item| matches!(item, Item::Continue));
        let down = matches!(l.form, Form::Down | Form::DownBefore | Form::DownWrap);
        if l.counted && !continues && (l.form == Form::Less || l.form == Form::DownWrap) {
            let (start, next) = match l.form {
                Form::Less => (from, format!("{variable} += {step}")),
                _ => (format!("{to}.wrapping_sub(1)"), format!("{variable} = {variable}.wrapping_sub(1)")),
            };
            let first = first::of_loop(self.case, l, true);
            self.before(text, l, first, depth);
            let _ = writeln!(text, "{indent}let mut {variable} = {start};\n{indent}while {variable} < {to} {{");
            if let Some(First { difference: Difference::Skip(_), .. }) = first {
                let _ = writeln!(
                    text,
                    "{indent}    if f_{variable} != 0 {{ {variable} += f_{variable} as {kind}; f_{variable} = 0; \
                     if !({variable} < {to}) {{ break; }} }}"
                );
            }
            self.body(text, l, first, depth);
            if let Some(First { difference: Difference::Step(more), .. }) = first {
                let _ = writeln!(text, "{indent}    if g_{variable} != 0 {{ {variable} += {more} as {kind}; }}");
            }
            let _ = writeln!(text, "{indent}    {next};\n{indent}}}");
            self.after(text, l, first, depth);
            return;
        }
        let inclusive = l.form == Form::LessEqual && l.integer.is_signed();
        let range = if inclusive { format!("({from}..={to} - 1)") } else { format!("({from}..{to})") };
        let reversed = if down { ".rev()" } else { "" };
        let strided = if step == 1 { String::new() } else { format!(".step_by({step})") };
        let mut range = format!("{range}{reversed}{strided}");
        if !first::is_plain(self.case, l) {
            range = first::adapted(&mut Draws::of(self.case, l, 0xc2b2_ae35), &range);
        }
        // Walks go along rows, not planes.
        let may_walk =
            |array: &usize| !self.is_written(*array) && !self.has_cells(*array) && self.planes(*array).is_none();
        let readable: Vec<usize> = (0..ARRAYS).filter(may_walk).collect();
        let walk = walk::of_loop(self.case, l, &range, &readable);
        let (pattern, iterator) = walk.as_ref().map_or((variable, &range), |walk| (&walk.pattern, &walk.iterator));
        let first = first::of_loop(self.case, l, false);
        self.before(text, l, first, depth);
        let _ = writeln!(text, "{indent}for {pattern} in {iterator} {{");
        if let Some(element) = walk.as_ref().and_then(|walk| walk.element.as_ref()) {
            let sum = self.binary("s0", "+", &format!("({element} as {})", self.computed));
            let _ = writeln!(text, "{indent}    s0 = {sum};");
        }
        self.body(text, l, first, depth);
        let _ = writeln!(text, "{indent}}}");
        self.after(text, l, first, depth);
    }

    /// The flag of a loop whose first iteration differs.
    fn before(&self, text: &mut String, l: &Loop, first: Option<First>, depth: usize) {
        let start = match first {
            None => return,
            Some(First { difference: Difference::Skip(amount), .. }) => amount,
            Some(_) => "1",
        };
        let (indent, kind) = ("    ".repeat(depth), integer(self.case.parameter));
        let _ = writeln!(text, "{indent}let mut f_{}: {kind} = {start};", l.variable);
    }

    /// The body of a loop, with what its first iteration does differently.
    fn body(&self, text: &mut String, l: &Loop, first: Option<First>, depth: usize) {
        let (indent, variable) = ("    ".repeat(depth + 1), &l.variable);
        if first.is_some() {
            let _ = writeln!(text, "{indent}let g_{variable} = f_{variable};\n{indent}f_{variable} = 0;");
        }
        match first.map(|first| first.difference) {
            Some(Difference::Items) if l.body.len() > 1 => {
                let _ = writeln!(text, "{indent}if g_{variable} != 0 {{");
                self.items(text, &l.body[..1], depth + 2);
                let _ = writeln!(text, "{indent}}} else {{");
                self.items(text, &l.body[1..], depth + 2);
                let _ = writeln!(text, "{indent}}}");
                return;
            }
            Some(Difference::Items) => {
                let _ = writeln!(text, "{indent}if g_{variable} == 0 {{");
                self.items(text, &l.body, depth + 2);
                let _ = writeln!(text, "{indent}}}");
                return;
            }
            Some(Difference::Bound(first, later)) => {
                let bound = format!("if g_{variable} != 0 {{ {first} as i64 }} else {{ {later} as i64 }}");
                let _ = writeln!(text, "{indent}if {variable} as i64 >= ({bound}) {{ break; }}");
            }
            Some(Difference::Skip(_) | Difference::Step(_)) | None => {}
        }
        self.items(text, &l.body, depth + 1);
    }

    /// The use of the flag after the loop.
    fn after(&self, text: &mut String, l: &Loop, first: Option<First>, depth: usize) {
        if first.is_some_and(|first| first.after) {
            let flag = format!("(if f_{} != 0 {{ 3 }} else {{ 2 }} as {})", l.variable, self.computed);
            let _ = writeln!(text, "{}s0 = {};", "    ".repeat(depth), self.binary("s0", "+", &flag));
        }
    }

    /// What holds the element: an array, or a row of it.
    fn array(&self, access: &Access) -> String {
        let name = NAMES[access.array];
        let row = match &access.subscripts[..] {
            _ if !self.case.rows[access.array] => return name.to_string(),
            [row, _] => format!("({}) as usize", self.affine(row)),
            _ => "0".to_string(),
        };
        match self.planes(access.array) {
            None => format!("{name}[{row}]"),
            Some(Planes::OfOneRow) => format!("{name}[{row}][0]"),
            Some(Planes::One) => format!("{name}[0][{row}]"),
        }
    }

    /// Whether the rows of an array are in planes.
    fn planes(&self, array: usize) -> Option<Planes> {
        match self.case.seed % 5 {
            _ if !self.case.rows[array] => None,
            1 => Some(Planes::OfOneRow),
            3 => Some(Planes::One),
            _ => None,
        }
    }

    /// Whether an array holds cells instead of elements.
    fn has_cells(&self, array: usize) -> bool {
        self.case.fields_of(array).is_some_and(|fields| fields.layout != Layout::Flat)
    }

    /// The subscripts as one, with the leading dimension between them, and the type in which it is computed.
    fn flat(&self, access: &Access) -> (&'static str, String) {
        let kind = access.subscripts.first().map_or("usize", |subscript| self.computed_in(subscript));
        let flat = access.flat(|subscript| self.affine(subscript), &format!("(ld as {kind})"));
        let flat = flat.unwrap_or_else(|| format!("0{kind}"));
        (kind, if self.case.based { format!("(base as {kind}) + {flat}") } else { flat })
    }

    /// The number of the cell in an array of cells, or of the element where the array is flat, as `usize`.
    fn cell(&self, access: &Access, fields: Fields) -> String {
        let (kind, flat) = self.flat(access);
        match fields.layout {
            Layout::Flat => format!("(({}{kind} * ({flat}) + {}{kind}) as usize)", fields.count, access.field),
            Layout::Arrays | Layout::Structures => format!("(({flat}) as usize)"),
        }
    }

    /// The number of the element in what holds it, as `usize`.
    fn index(&self, access: &Access) -> String {
        let flat = match (self.case.rows[access.array], access.subscripts.last()) {
            (true, Some(column)) => self.affine(column),
            (true, None) => "0usize".to_string(),
            (false, _) => self.flat(access).1,
        };
        if access.wraps { format!("(({flat}) as u8 as usize)") } else { format!("(({flat}) as usize)") }
    }

    fn access(&self, access: &Access) -> String {
        let Some(fields) = self.case.fields_of(access.array) else {
            return format!("{}[{}]", self.array(access), self.index(access));
        };
        let (cell, field) = (format!("{}[{}]", self.array(access), self.cell(access, fields)), access.field);
        match fields.layout {
            Layout::Flat => cell,
            Layout::Arrays => format!("{cell}[{field}]"),
            Layout::Structures => format!("{cell}.v{field}"),
        }
    }

    fn load(&self, access: &Access) -> String {
        let element = self.access(access);
        if self.computed == self.element { element } else { format!("({element} as {})", self.computed) }
    }

    fn value(&self, value: &Value) -> String {
        let float = self.case.element.is_float();
        let two =
            |left: &Value, operator: &str, right: &Value| self.binary(&self.value(left), operator, &self.value(right));
        let chosen = |left: &Value, operator: &str, right: &Value| {
            let (left, right) = (self.value(left), self.value(right));
            format!("{{ let (x, y) = ({left}, {right}); if x {operator} y {{ x }} else {{ y }} }}")
        };
        let block = |text: String| format!("({text})");
        match value {
            Value::Constant(constant) if float => format!("{:?}{}", *constant as f64 / 8.0 + 0.0625, self.computed),
            Value::Constant(constant) => format!("{}{}", constant.unsigned_abs(), self.computed),
            Value::Scalar(scalar) => format!("s{scalar}"),
            Value::Local(local) => format!("x{local}"),
            Value::Number(number) => format!("(({}) as {})", self.affine(number), self.computed),
            Value::Load(access) => self.load(access),
            Value::Scaled(factor, value) if float => {
                format!("({:?} * {})", *factor as f64 / 16.0, self.value(value))
            }
            Value::Scaled(factor, value) => self.binary(&format!("{factor}{}", self.computed), "*", &self.value(value)),
            Value::Sum(left, right) => two(left, "+", right),
            Value::Difference(left, right) => two(left, "-", right),
            Value::Product(left, right) => two(left, "*", right),
            Value::Quotient(left, right) if float => two(left, "/", right),
            Value::Quotient(left, right) => {
                format!("({} / ({} | 1{}))", self.value(left), self.value(right), self.computed)
            }
            Value::Least(left, right) => block(chosen(left, "<", right)),
            Value::Greatest(left, right) => block(chosen(left, ">", right)),
            Value::Choice(condition, left, right) => {
                let (left, right) = (self.value(left), self.value(right));
                format!("(if {} {{ {left} }} else {{ {right} }})", self.condition(condition))
            }
        }
    }

    fn condition(&self, condition: &Condition) -> String {
        match condition {
            Condition::Compare(left, operator, right) => {
                format!("({}) {operator} ({})", self.affine(left), self.affine(right))
            }
            Condition::Unsigned(left, operator, right, bits) => {
                format!("(({}) as u{bits}) {operator} (({}) as u{bits})", self.affine(left), self.affine(right))
            }
            Condition::Length(left, operator, access, added) => {
                let (left, length) = (self.affine(left), format!("{}.len()", self.array(access)));
                format!("(({left}) as usize) {operator} {length}.wrapping_add({added}isize as usize)")
            }
            Condition::Remainder(number, modulus) => format!("({}) % {modulus} == 0", self.affine(number)),
            Condition::Positive(access) => format!("{} > (0 as {})", self.access(access), self.element),
            Condition::Both(left, right) => format!("{} && {}", self.condition(left), self.condition(right)),
        }
    }
}
