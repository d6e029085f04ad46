//! Cases as C: each is a kernel, a function that calls it, a table of calls, and a copy of the kernel that says which bytes it touches.

use super::first::{self, Difference, First};
use super::options::{Machine, machine};
use super::pragmas;
use super::tree::{
    Access, Affine, Call, Case, Condition, Element, Fields, Form, Integer, Item, Layout, Leave, Loop, NAMES, Order,
    Target, Value, any,
};
use std::fmt::Write;

/// What stands around the kernels.
pub(super) const HARNESS: &str = include_str!("harness.c");

/// What a file with kernels begins with when the harness is an object file of its own.
const DECLARATIONS: &str = "#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum element { DOUBLE, FLOAT, U32, U8, I16, LONG_DOUBLE, BITS37, BITS200, U128 };
typedef long double longdouble;
typedef unsigned _BitInt(37) bits37;
typedef unsigned _BitInt(200) bits200;
#ifdef __SIZEOF_INT128__
typedef unsigned __int128 u128;
#else
typedef unsigned _BitInt(128) u128;
#endif
enum order { RISING, SWAPPED, SHARED, SHIFTED, FALLING, SCATTERED, SHUFFLED };
struct call { int64_t n, m, ld; int pool[3]; int64_t offset[3]; enum order order; };
typedef void kernel_type(const struct call *call, void *const *arrays, void *result);
void test_case(unsigned long seed, enum element element, int aborts, int rows, kernel_type *kernel, kernel_type *telling,
               const struct call *calls, int count);
void *touch(const void *at, size_t bytes, int how);
char *space_base(void);
extern int one_way;
";

const ELEMENTS: [Element; 9] = [
    Element::Double,
    Element::Float,
    Element::U32,
    Element::U8,
    Element::I16,
    Element::LongDouble,
    Element::Bits37,
    Element::Bits200,
    Element::U128,
];

/// How long the rows of arrays are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RowLength {
    /// As an argument says.
    Argument,
    /// A product of two arguments.
    Product,
    /// So much more than an argument.
    Sum(u64),
}

/// The arguments of a kernel, as they may be found in memory instead.
const MEMBERS: [&str; 6] = ["n", "m", "ld", NAMES[0], NAMES[1], NAMES[2]];

/// Functions that values use.
const FUNCTIONS: [(&str, &str); 2] = [("least", "<"), ("greatest", ">")];

/// The cases as one file; `alone` with the harness in it.
pub(super) fn program(cases: &[&Case], alone: bool) -> String {
    let mut text = if alone { HARNESS.to_string() } else { DECLARATIONS.to_string() };
    for element in ELEMENTS {
        for (function, operator) in FUNCTIONS {
            let (kind, suffix) = (computed(element), name(element));
            let _ = write!(
                text,
                "\nstatic inline {kind} {function}_{suffix}({kind} x, {kind} y) {{ return x {operator} y ? x : y; }}"
            );
        }
    }
    text += "\n";
    for case in cases {
        let writer = |telling| Writer { case, element: name(case.element), telling };
        writer(false).all(&mut text);
    }
    text += "\n__attribute__((optnone, noinline)) int main(void) {\n";
    for Case { seed, for_device, .. } in cases {
        if *for_device {
            text += "    one_way = 1;\n";
        }
        let _ = writeln!(text, "    test_{seed}();");
    }
    text + "    return 0;\n}\n"
}

/// The type of an element.
fn name(element: Element) -> &'static str {
    match element {
        Element::Double => "double",
        Element::Float => "float",
        Element::U32 => "uint32_t",
        Element::U8 => "uint8_t",
        Element::I16 => "int16_t",
        Element::LongDouble => "longdouble",
        Element::Bits37 => "bits37",
        Element::Bits200 => "bits200",
        Element::U128 => "u128",
    }
}

/// The type that values of elements have before they are stored.
fn computed(element: Element) -> &'static str {
    match element {
        Element::U8 | Element::I16 => "uint32_t",
        other => name(other),
    }
}

fn integer(integer: Integer) -> &'static str {
    match integer {
        Integer::Int => "int",
        Integer::Long => "int64_t",
        Integer::Unsigned => "unsigned",
        Integer::Size => "uint64_t",
        Integer::Byte => "uint8_t",
        Integer::SignedByte => "int8_t",
        Integer::Short => "int16_t",
        Integer::UnsignedShort => "uint16_t",
    }
}

fn affine(affine: &Affine) -> String {
    let cast = if affine.widened { "(int64_t)" } else { "" };
    affine.write(|name| format!("{cast}{name}"), |number| number.to_string())
}

struct Writer<'c> {
    case: &'c Case,
    element: &'static str,
    /// The copy of the kernel that is never optimised and tells what it touches.
    telling: bool,
}

/// What happens to bytes, as the harness calls it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    Read = 1,
    Write = 2,
}

impl Writer<'_> {
    fn all(&self, text: &mut String) {
        let (case, element) = (self.case, self.element);
        let seed = case.seed;
        self.structure(text);
        self.kernel(text);
        let telling = Writer { telling: true, ..*self };
        telling.kernel(text);
        let pointer = |array: usize| match (case.c99 || case.fields_of(array).is_some(), case.rows[array]) {
            (true, _) => "void".to_string(),
            (false, true) => format!("{element} *"),
            (false, false) => element.to_string(),
        };
        let types = case.sizes.map(integer);
        for (call, kernel, writer) in [("call", "kernel", self), ("tell", "telling", &telling)] {
            let arrays = [0, 1, 2].map(|array| match writer.space(array) {
                "" => format!("({} *)arrays[{array}]", pointer(array)),
                space => format!("({} {space}*)((char *)arrays[{array}] - (size_t)space_base())", pointer(array)),
            });
            let calls = match writer.machine() {
                // First with nothing to do, on arrays and sizes that nobody has set.
                Machine::Undefined => format!(
                    "    struct call nothing;\n    void *nowhere[3];\n    *({element} *)result = {kernel}_{seed}(1, 0, &nothing, nowhere);\n    \
                     *({element} *)result = {kernel}_{seed}(1, 1, call, arrays);\n"
                ),
                _ => {
                    let ([n, m, ld], arrays) = (types, arrays.join(", "));
                    let (across, row) = match writer.row_length() {
                        RowLength::Product => (
                            "    int64_t across = call->ld % 3 ? call->ld % 2 ? 1 : 2 : 3;\n",
                            format!("({ld})(call->ld / across), ({ld})across"),
                        ),
                        RowLength::Sum(border) => ("", format!("({ld})(call->ld - {border})")),
                        RowLength::Argument => ("", format!("({ld})call->ld")),
                    };
                    let sizes = format!("({n})call->n, ({m})call->m, {row}");
                    format!("{across}    *({element} *)result = {kernel}_{seed}({sizes}, {arrays});\n")
                }
            };
            let _ = write!(
                text,
                "\n__attribute__((optnone, noinline)) static void {call}_{seed}(const struct call *call, void *const *arrays, \
                 void *result) {{\n{calls}}}\n"
            );
        }
        let _ = writeln!(text, "\n__attribute__((optnone, noinline)) static void test_{seed}(void) {{");
        text.push_str("    static const struct call calls[] = {\n");
        for Call { n, m, ld, places: [a, b, c], order, .. } in &case.calls {
            let (pools, offsets) = ([a.0, b.0, c.0], [a.1, b.1, c.1]);
            let list = |numbers: &[String]| numbers.join(", ");
            let (pools, offsets) = (list(&pools.map(|x| x.to_string())), list(&offsets.map(|x| x.to_string())));
            let order = match order {
                Order::Rising => "RISING",
                Order::Swapped => "SWAPPED",
                Order::Shared => "SHARED",
                Order::Shifted => "SHIFTED",
                Order::Falling => "FALLING",
                Order::Scattered => "SCATTERED",
                Order::Shuffled => "SHUFFLED",
            };
            let _ = writeln!(text, "        {{{n}, {m}, {ld}, {{{pools}}}, {{{offsets}}}, {order}}},");
        }
        let kind = match case.element {
            Element::Double => "DOUBLE",
            Element::Float => "FLOAT",
            Element::U32 => "U32",
            Element::U8 => "U8",
            Element::I16 => "I16",
            Element::LongDouble => "LONG_DOUBLE",
            Element::Bits37 => "BITS37",
            Element::Bits200 => "BITS200",
            Element::U128 => "U128",
        };
        let aborts = u8::from(any(&case.body, &|item| matches!(item, Item::Leave(Leave::Abort(_)))));
        let count = case.calls.len();
        let rows = case.rows.iter().rev().fold(0, |bits, is_rows| bits * 2 + u8::from(*is_rows));
        let _ = writeln!(
            text,
            "    }};\n    test_case({seed}, {kind}, {aborts}, {rows}, call_{seed}, tell_{seed}, calls, {count});\n}}"
        );
    }

    /// The type of the cells of arrays of structures.
    fn structure(&self, text: &mut String) {
        if let Some(Fields { count, layout: Layout::Structures, .. }) = self.case.fields {
            let members: Vec<String> = (0..count).map(|field| format!("v{field}")).collect();
            let _ = writeln!(text, "\nstruct cell_{} {{ {} {}; }};", self.case.seed, self.element, members.join(", "));
        }
    }

    /// The declaration of an array of cells.
    fn cells(&self, array: usize, space: &str, restrict: &str) -> String {
        let (Case { c99, seed, .. }, element, name) = (self.case, self.element, NAMES[array]);
        let Some(Fields { count, layout, dimensions, .. }) = self.case.fields else { return String::new() };
        let rows = if *c99 { "[ld]".repeat(dimensions - 1) } else { String::new() };
        match layout {
            Layout::Flat => format!("{element} {space}*{restrict}{name}"),
            Layout::Arrays => format!("{element} {space}(*{restrict}{name}){rows}[{count}]"),
            Layout::Structures if rows.is_empty() => format!("struct cell_{seed} {space}*{restrict}{name}"),
            Layout::Structures => format!("struct cell_{seed} {space}(*{restrict}{name}){rows}"),
        }
    }

    fn kernel(&self, text: &mut String) {
        let (case, element) = (self.case, self.element);
        let [n, m, ld] = case.sizes.map(integer);
        let seed = case.seed;
        let (attributes, name) = match self.telling {
            false => ("noinline", "kernel"),
            true => ("optnone, noinline", "telling"),
        };
        let restrict = if case.restricted { "restrict " } else { "" };
        let arrays: Vec<String> = NAMES
            .iter()
            .enumerate()
            .map(|(array, name)| match (case.c99, case.rows[array], self.space(array)) {
                (_, _, space) if case.fields_of(array).is_some() => self.cells(array, space, restrict),
                (true, _, _) => format!("{element} (*{restrict}{name})[ld]"),
                (false, true, _) => format!("{element} **{restrict}{name}"),
                (false, false, space) => format!("{element} {space}*{restrict}{name}"),
            })
            .collect();
        let repeated = self.machine() == Machine::Undefined;
        let members = self.has_members();
        if members {
            // All that the kernel works with is in memory that its own stores might change.
            let _ = writeln!(text, "\nstruct members_{seed} {{ {n} n; {m} m; {ld} ld; {}; }};", arrays.join("; "));
            for word in MEMBERS {
                let _ = writeln!(text, "#define {word} (self->{word})");
            }
            let _ = writeln!(text, "__attribute__((noinline)) {element} inner_{seed}(struct members_{seed} *self) {{");
        } else if repeated {
            let _ = writeln!(
                text,
                "\n__attribute__(({attributes})) {element} {name}_{seed}(int rounds, int times, const struct call *call, void *const *arrays) {{"
            );
            for (size, integer) in [("n", n), ("m", m), ("ld", ld)] {
                let _ = writeln!(text, "    {integer} {size} = ({integer})call->{size};");
            }
            for (array, declaration) in arrays.iter().enumerate() {
                let _ = writeln!(text, "    {declaration} = arrays[{array}];");
            }
        } else {
            let arrays = arrays.join(", ");
            let is_product = self.row_length() == RowLength::Product;
            let across = if is_product { format!("{ld} across, ") } else { String::new() };
            let _ = writeln!(
                text,
                "\n__attribute__(({attributes})) {element} {name}_{seed}({n} n, {m} m, {ld} ld, {across}{arrays}) {{"
            );
        }
        for scalar in 0..case.scalars {
            let _ = writeln!(text, "    {element} s{scalar} = {};", scalar + 1);
        }
        if repeated {
            text.push_str("    for (int round = 0; round < rounds; round++)\n");
            text.push_str("    for (int time = 0; time < times; time++) {\n");
        }
        self.items(text, &case.body, 1 + usize::from(repeated));
        if repeated {
            text.push_str("    }\n");
        }
        let _ = writeln!(text, "    return {};\n}}", self.result());
        if members {
            for word in MEMBERS {
                let _ = writeln!(text, "#undef {word}");
            }
            let (arrays, given) = (arrays.join(", "), MEMBERS.join(", "));
            let _ = writeln!(
                text,
                "\n__attribute__(({attributes})) {element} {name}_{seed}({n} n, {m} m, {ld} ld, {arrays}) {{\n    \
                 struct members_{seed} self = {{{given}}};\n    return inner_{seed}(&self);\n}}"
            );
        }
    }

    /// Whether the kernel finds sizes and arrays in memory.
    fn has_members(&self) -> bool {
        let plain = !self.telling && !self.case.c99 && self.machine() == Machine::Here;
        plain && (self.case.seed / 7).is_multiple_of(4)
    }

    /// How long rows are. (The copy that tells gets that as one argument.)
    fn row_length(&self) -> RowLength {
        let Case { seed, c99, fields, ref calls, .. } = *self.case;
        let plain = !self.telling && !c99 && fields.is_none() && !self.has_members();
        let lengths_are_small = calls.iter().all(|call| (0..1 << 20).contains(&call.ld));
        match (seed / 5) % 6 {
            _ if !plain || self.machine() == Machine::Undefined => RowLength::Argument,
            0 => RowLength::Product,
            // A sum does not leave the type of the argument.
            2 | 4 if lengths_are_small => RowLength::Sum(1 + (seed / 30) % 3),
            _ => RowLength::Argument,
        }
    }

    /// How long a row is, as the kernel is told; the argument in another type first, if there is a `cast`.
    fn leading(&self, cast: &str) -> String {
        match self.row_length() {
            RowLength::Argument => format!("{cast}ld"),
            RowLength::Product => format!("{cast}ld * across"),
            RowLength::Sum(border) => format!("({cast}ld + {border})"),
        }
    }

    /// The subscripts of an access as one, with the leading dimension between them.
    fn flat(&self, access: &Access) -> String {
        let cast = if access.subscripts.iter().any(|subscript| subscript.widened) { "(int64_t)" } else { "" };
        access.flat(affine, &self.leading(cast)).unwrap_or_else(|| "0".to_string())
    }

    /// What the kernel is for; the copy that tells what it touches is plain code.
    fn machine(&self) -> Machine {
        if self.telling { Machine::Here } else { machine(self.case) }
    }

    /// The address space of an array, as a qualifier. What fills memory, and tables, know only the usual one.
    fn space(&self, array: usize) -> &'static str {
        let Case { seed, c99, rows, body, .. } = self.case;
        let is_plain =
            !c99 && !rows.contains(&true) && !any(body, &|i| matches!(i, Item::Fill { .. } | Item::Move { .. }));
        let is_other = ((seed / 3) >> array) & 1 == 1 || seed % 3 == 2;
        if self.machine() == Machine::Spaces && is_plain && is_other { "__seg_gs " } else { "" }
    }

    /// What the kernel returns.
    fn result(&self) -> String {
        let sum: Vec<String> = (0..self.case.scalars).map(|scalar| format!("s{scalar}")).collect();
        if sum.is_empty() { "0".to_string() } else { sum.join(" + ") }
    }

    fn items(&self, text: &mut String, items: &[Item], depth: usize) {
        let indent = "    ".repeat(depth);
        for item in items {
            match item {
                Item::Loop(l) => {
                    let first = first::of_loop(self.case, l, true);
                    if let Some(first) = &first {
                        let _ = writeln!(text, "{indent}{}", self.flag(l, first));
                    }
                    if let Some(pragma) = pragmas::of_loop(self.case, l) {
                        let _ = writeln!(text, "{indent}_Pragma(\"{pragma}\")");
                    }
                    let _ = writeln!(text, "{indent}{} {{", header(l));
                    self.body(text, l, first, depth + 1);
                    let _ = writeln!(text, "{indent}}}");
                    if first.is_some_and(|first| first.after) {
                        let _ = writeln!(text, "{indent}s0 += f_{} ? 3 : 2;", l.variable);
                    }
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
                        Target::Element(access) => self.access(access, How::Write),
                        Target::Scalar(scalar) => format!("s{scalar}"),
                        Target::Local(local) => format!("x{local}"),
                    };
                    let _ = writeln!(text, "{indent}{target} {operator} {};", self.value(value));
                }
                Item::Fill { from, count, byte } => {
                    let (from, bytes) = self.range(from, count, How::Write);
                    let _ = writeln!(text, "{indent}memset({from}, {byte}, {bytes});");
                }
                Item::Move { to, from, count } => {
                    let ((to, bytes), (from, _)) =
                        (self.range(to, count, How::Write), self.range(from, count, How::Read));
                    let _ = writeln!(text, "{indent}memmove({to}, {from}, {bytes});");
                }
                Item::Sum { local, start, body } => {
                    let (element, start) = (self.element, self.value(start));
                    let _ = writeln!(text, "{indent}{{\n{indent}    {element} x{local} = {start};");
                    self.items(text, body, depth + 1);
                    let _ = writeln!(text, "{indent}}}");
                }
                Item::Break => text.push_str(&format!("{indent}break;\n")),
                Item::Continue => text.push_str(&format!("{indent}continue;\n")),
                Item::Leave(leave) => {
                    if let Leave::Message(number) | Leave::Abort(number) = leave
                        && !self.telling
                    {
                        let _ = writeln!(text, "{indent}printf(\" left at %ld\", (long)({}));", affine(number));
                    }
                    let how = match leave {
                        Leave::Return => format!("return {}", self.result()),
                        Leave::Message(_) => "return 7".to_string(),
                        Leave::Abort(_) => "abort()".to_string(),
                    };
                    let _ = writeln!(text, "{indent}{how};");
                }
            }
        }
    }

    /// The flag of a loop whose first iteration differs.
    fn flag(&self, l: &Loop, first: &First) -> String {
        let start = match first.difference {
            Difference::Skip(amount) => amount,
            _ => "1",
        };
        format!("{} f_{} = {start};", integer(self.case.parameter), l.variable)
    }

    /// The body of a loop, with what its first iteration does differently.
    fn body(&self, text: &mut String, l: &Loop, first: Option<First>, depth: usize) {
        let (indent, variable) = ("    ".repeat(depth), &l.variable);
        let Some(First { difference, .. }) = first else { return self.items(text, &l.body, depth) };
        if let Difference::Skip(_) = difference {
            let _ = writeln!(
                text,
                "{indent}if (f_{variable}) {{ {variable} += f_{variable}; f_{variable} = 0; if (!({})) break; }}",
                stays(l)
            );
        }
        let _ = writeln!(text, "{indent}int g_{variable} = f_{variable} != 0;\n{indent}f_{variable} = 0;");
        match difference {
            Difference::Items => {
                let (one, others) = l.body.split_at(usize::from(l.body.len() > 1));
                let _ = writeln!(text, "{indent}if (g_{variable}) {{");
                self.items(text, one, depth + 1);
                let _ = writeln!(text, "{indent}}} else {{");
                self.items(text, others, depth + 1);
                let _ = writeln!(text, "{indent}}}");
                return;
            }
            Difference::Bound(first, later) => {
                let bound = format!("(g_{variable} ? (int64_t){first} : (int64_t){later})");
                let _ = writeln!(text, "{indent}if ((int64_t){variable} >= {bound}) break;");
            }
            Difference::Skip(_) | Difference::Step(_) => {}
        }
        self.items(text, &l.body, depth);
        if let Difference::Step(more) = difference {
            let _ = writeln!(text, "{indent}if (g_{variable}) {variable} += {more};");
        }
    }

    /// An element as what is read or written.
    fn access(&self, access: &Access, how: How) -> String {
        let place = self.place(access);
        match self.telling {
            false => place,
            true => format!("(*({0} *)touch(&{place}, sizeof({0}), {1}))", self.element, how as u8),
        }
    }

    /// The start of a range of elements, and its bytes.
    fn range(&self, from: &Access, count: &Affine, how: How) -> (String, String) {
        let (place, bytes) = (self.place(from), format!("(size_t)({}) * sizeof({})", affine(count), self.element));
        match self.telling {
            false => (format!("&{place}"), bytes),
            true => (format!("touch(&{place}, {bytes}, {})", how as u8), bytes),
        }
    }

    fn place(&self, access: &Access) -> String {
        let name = NAMES[access.array];
        if let Some(fields) = self.case.fields_of(access.array) {
            return self.field(access, fields);
        }
        if self.case.rows[access.array] {
            let (row, column) = match &access.subscripts[..] {
                [row, column] => (affine(row), affine(column)),
                [only, ..] => ("0".to_string(), affine(only)),
                [] => ("0".to_string(), "0".to_string()),
            };
            let column = if access.wraps { format!("(uint8_t)({column})") } else { column };
            if self.telling {
                let read = How::Read as u8;
                return format!("(*({} **)touch(&{name}[{row}], sizeof(void *), {read}))[{column}]", self.element);
            }
            return format!("{name}[{row}][{column}]");
        }
        if let [row, column] = &access.subscripts[..]
            && self.case.c99
            && access.lengths.is_empty()
        {
            return format!("{name}[{}][{}]", affine(row), affine(column));
        }
        let flat = self.flat(access);
        let subscript = if access.wraps { format!("(uint8_t)({flat})") } else { flat };
        if self.case.c99 {
            format!("((({} *){name})[{subscript}])", self.element)
        } else {
            format!("{name}[{subscript}]")
        }
    }

    /// A field of a cell.
    fn field(&self, access: &Access, fields: Fields) -> String {
        let (name, field) = (NAMES[access.array], access.field);
        let flat = self.flat(access);
        let cell = match self.case.c99 {
            true => access.subscripts.iter().map(affine).collect::<Vec<_>>().join("]["),
            false => flat.clone(),
        };
        match fields.layout {
            Layout::Flat if field == 0 => format!("{name}[{} * ({flat})]", fields.count),
            Layout::Flat => format!("{name}[{} * ({flat}) + {field}]", fields.count),
            Layout::Arrays => format!("{name}[{cell}][{field}]"),
            Layout::Structures => format!("{name}[{cell}].v{field}"),
        }
    }

    fn value(&self, value: &Value) -> String {
        let float = self.case.element.is_float();
        // What has a sign is computed without one.
        let wider = if self.case.element == Element::I16 { "(uint32_t)" } else { "" };
        let call = |function: usize, left: &Value, right: &Value| {
            format!("{}_{}({}, {})", FUNCTIONS[function].0, self.element, self.value(left), self.value(right))
        };
        match value {
            Value::Constant(constant) if float => format!("{}", *constant as f64 / 8.0 + 0.0625),
            Value::Constant(constant) => format!("{}u", constant.unsigned_abs()),
            Value::Scalar(scalar) => format!("{wider}s{scalar}"),
            Value::Local(local) => format!("{wider}x{local}"),
            Value::Number(number) => format!("{wider}({})({})", self.element, affine(number)),
            Value::Load(access) => format!("{wider}{}", self.access(access, How::Read)),
            Value::Scaled(factor, value) if float => {
                format!("{} * {}", *factor as f64 / 16.0, self.value(value))
            }
            Value::Scaled(factor, value) => format!("{}u * {}", factor.unsigned_abs(), self.value(value)),
            Value::Sum(left, right) => format!("({} + {})", self.value(left), self.value(right)),
            Value::Difference(left, right) => format!("({} - {})", self.value(left), self.value(right)),
            Value::Product(left, right) => format!("{} * {}", self.value(left), self.value(right)),
            Value::Quotient(left, right) => {
                let odd = if float { "" } else { " | 1u" };
                format!("({} / ({}{odd}))", self.value(left), self.value(right))
            }
            Value::Least(left, right) => call(0, left, right),
            Value::Greatest(left, right) => call(1, left, right),
            Value::Choice(condition, left, right) => {
                format!("({} ? {} : {})", self.condition(condition), self.value(left), self.value(right))
            }
        }
    }

    fn condition(&self, condition: &Condition) -> String {
        match condition {
            Condition::Compare(left, operator, right) => format!("{} {operator} {}", affine(left), affine(right)),
            Condition::Unsigned(left, operator, right, bits) => {
                format!("(uint{bits}_t)({}) {operator} (uint{bits}_t)({})", affine(left), affine(right))
            }
            Condition::Length(left, operator, _, added) => {
                format!("(size_t)({}) {operator} (size_t)({}) + (size_t){added}", affine(left), self.leading(""))
            }
            Condition::Remainder(number, modulus) => format!("({}) % {modulus} == 0", affine(number)),
            Condition::Positive(access) => format!("{} > 0", self.access(access, How::Read)),
            Condition::Both(left, right) => format!("{} && {}", self.condition(left), self.condition(right)),
        }
    }
}

/// The variable of a loop as it is compared with a bound: one that may be negative is compared in `long`.
fn compared(l: &Loop, bound: &Affine) -> String {
    if bound.widened { format!("(int64_t){}", l.variable) } else { l.variable.clone() }
}

/// The condition of a loop that counts up to a bound.
fn stays(l: &Loop) -> String {
    let also = l.also.as_ref().map(|also| format!(" && {} < {}", compared(l, also), affine(also)));
    format!("{} < {}{}", compared(l, &l.to), affine(&l.to), also.unwrap_or_default())
}

fn header(l: &Loop) -> String {
    let (kind, variable, step) = (integer(l.integer), &l.variable, l.step);
    let compared = |bound: &Affine| compared(l, bound);
    let (from, to) = (affine(&l.from), affine(&l.to));
    match l.form {
        Form::Less => format!("for ({kind} {variable} = {from}; {}; {variable} += {step})", stays(l)),
        Form::LessEqual => {
            format!("for ({kind} {variable} = {from}; {} <= {to} - 1; {variable} += {step})", compared(&l.to))
        }
        Form::Down => {
            format!("for ({kind} {variable} = {to} - 1; {} >= {from}; {variable} -= {step})", compared(&l.from))
        }
        Form::DownBefore => format!("for ({kind} {variable} = {to}; {variable}-- > {from};)"),
        Form::DownWrap => format!("for ({kind} {variable} = {to} - 1; {variable} < {to}; {variable}--)"),
    }
}
