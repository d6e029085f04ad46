//! What statements compute, by kind and element: as much as an estimate of time needs.
//!
//! Texts: an element is `i32`, `f64`, `bf16`, `ptr64`, `bytes24` (anything else, by size), with lanes `f32x4`; an
//! operation is a kind and an element (`add f64`), a conversion also says where from (`convert f64 from i32`), a call
//! what is called (`call sin f64`), and several of the same `add f64 times 3`.

use std::fmt;

/// The type of a value or of an element of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Element {
    /// What it is.
    pub kind: ElementKind,
    /// The width of one lane in bits.
    pub bits: u32,
    /// How many values side by side; 1 for a scalar.
    pub lanes: u32,
}

/// What the bits of an element mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ElementKind {
    /// An integer.
    Integer,
    /// A binary floating-point number of IEEE 754, or of a wider format of the machine.
    Float,
    /// A `bfloat`: the upper half of a 32-bit floating-point number.
    BFloat,
    /// An address.
    Pointer,
    /// Anything else.
    Bytes,
}

impl Element {
    /// A scalar.
    pub fn scalar(kind: ElementKind, bits: u32) -> Element {
        Element { kind, bits, lanes: 1 }
    }

    /// Reads the text of an element. Floating-point numbers have the widths that machines have: 16, 32, 64, 80 or 128 bits.
    pub fn parse(text: &str) -> Option<Element> {
        let (kind, rest) = [
            ("bytes", ElementKind::Bytes),
            ("bf", ElementKind::BFloat),
            ("ptr", ElementKind::Pointer),
            ("i", ElementKind::Integer),
            ("f", ElementKind::Float),
        ]
        .into_iter()
        .find_map(|(prefix, kind)| text.strip_prefix(prefix).map(|rest| (kind, rest)))?;
        let (width, lanes) = rest.split_once('x').unwrap_or((rest, "1"));
        let unit = if kind == ElementKind::Bytes { 8 } else { 1 };
        let bits = number(width)?.checked_mul(unit)?;
        let exists = match kind {
            ElementKind::Float => matches!(bits, 16 | 32 | 64 | 80 | 128),
            ElementKind::BFloat => bits == 16,
            _ => true,
        };
        exists.then_some(Element { kind, bits, lanes: number(lanes)? })
    }
}

/// A positive decimal number without signs and leading zeros.
fn number(text: &str) -> Option<u32> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
    text.parse().ok().filter(|_| plain)
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            ElementKind::Integer => write!(f, "i{}", self.bits)?,
            ElementKind::Float => write!(f, "f{}", self.bits)?,
            ElementKind::BFloat => write!(f, "bf{}", self.bits)?,
            ElementKind::Pointer => write!(f, "ptr{}", self.bits)?,
            ElementKind::Bytes => write!(f, "bytes{}", self.bits / 8)?,
        }
        if self.lanes == 1 { Ok(()) } else { write!(f, "x{}", self.lanes) }
    }
}

/// A kind of operation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OperationKind {
    /// Addition, subtraction, negation.
    Add,
    /// Multiplication.
    Multiply,
    /// Multiplication and addition in one.
    MultiplyAdd,
    /// Division.
    Divide,
    /// Remainder.
    Remainder,
    /// Square root.
    SquareRoot,
    /// The smaller or the larger of two.
    MinMax,
    /// Bitwise operations; also signs of floating-point numbers.
    Logic,
    /// Shifts.
    Shift,
    /// Comparison.
    Compare,
    /// The choice of one of two values.
    Select,
    /// A change of the element.
    Convert(Element),
    /// Arithmetic of addresses.
    Address,
    /// A call of a function without side effects.
    Call(String),
    /// Anything else, by the name that the compiler has for it.
    Other(String),
}

const PLAIN: [(&str, OperationKind); 12] = [
    ("add", OperationKind::Add),
    ("mul", OperationKind::Multiply),
    ("fma", OperationKind::MultiplyAdd),
    ("div", OperationKind::Divide),
    ("rem", OperationKind::Remainder),
    ("sqrt", OperationKind::SquareRoot),
    ("minmax", OperationKind::MinMax),
    ("logic", OperationKind::Logic),
    ("shift", OperationKind::Shift),
    ("compare", OperationKind::Compare),
    ("select", OperationKind::Select),
    ("address", OperationKind::Address),
];

impl OperationKind {
    /// The name of the kind in texts, without what a conversion or a call says more: `add`, `convert`, `call`.
    pub fn name(&self) -> &'static str {
        match self {
            OperationKind::Call(_) => "call",
            OperationKind::Other(_) => "other",
            OperationKind::Convert(_) => "convert",
            plain => PLAIN.iter().find(|(_, kind)| kind == plain).map_or("", |(name, _)| name),
        }
    }
}

/// Some operations of one kind on elements of one type.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Operation {
    /// What is done.
    pub kind: OperationKind,
    /// The element of the result; of a comparison that of its operands.
    pub element: Element,
    /// How many of them.
    pub times: u32,
}

impl Operation {
    /// Reads the text of an operation.
    pub fn parse(text: &str) -> Option<Operation> {
        let mut words = text.split(' ');
        let kind = words.next()?;
        let mut kind = match kind {
            "call" => OperationKind::Call(words.next().filter(|name| !name.is_empty())?.to_owned()),
            "other" => OperationKind::Other(words.next().filter(|name| !name.is_empty())?.to_owned()),
            "convert" => OperationKind::Convert(Element::scalar(ElementKind::Integer, 1)),
            _ => PLAIN.iter().find(|(name, _)| *name == kind)?.1.clone(),
        };
        let element = Element::parse(words.next()?)?;
        if let OperationKind::Convert(from) = &mut kind {
            words.next().filter(|word| *word == "from")?;
            *from = Element::parse(words.next()?)?;
        }
        let times = match words.next() {
            Some("times") => number(words.next()?)?,
            Some(_) => return None,
            None => 1,
        };
        words.next().is_none().then_some(Operation { kind, element, times })
    }

    /// Adds an operation to a list in which every kind occurs once.
    pub fn count(list: &mut Vec<Operation>, kind: OperationKind, element: Element) {
        match list.iter_mut().find(|known| known.kind == kind && known.element == element) {
            Some(known) => known.times += 1,
            None => list.push(Operation { kind, element, times: 1 }),
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            OperationKind::Call(name) => write!(f, "call {name} {}", self.element)?,
            OperationKind::Other(name) => write!(f, "other {name} {}", self.element)?,
            OperationKind::Convert(from) => write!(f, "convert {} from {from}", self.element)?,
            plain => write!(f, "{} {}", plain.name(), self.element)?,
        }
        if self.times == 1 { Ok(()) } else { write!(f, " times {}", self.times) }
    }
}
