//! A random case as a tree. `c` and `rust` turn it into text.

/// Elements on each side of the middle of a pool: every subscript of a C case stays within, those into odd rows almost.
pub(super) const HALF: i64 = 1 << 12;

/// The number of arrays of a kernel.
pub(super) const ARRAYS: usize = 3;

/// The names of the arrays.
pub(super) const NAMES: [&str; ARRAYS] = ["a", "b", "c"];

/// An integer type for parameters and induction variables; the narrow ones are for induction variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Integer {
    Int,
    Long,
    Unsigned,
    Size,
    Byte,
    SignedByte,
    Short,
    UnsignedShort,
}

impl Integer {
    pub(super) fn is_signed(self) -> bool {
        matches!(self, Integer::Int | Integer::Long | Integer::SignedByte | Integer::Short)
    }
}

/// The type of the array elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element {
    Double,
    Float,
    U32,
    U8,
    I16,
    /// C: 80 bits in 16 bytes, of which six hold nothing.
    LongDouble,
    /// C: `_BitInt`s, whose elements have bits that hold nothing.
    Bits37,
    Bits200,
    U128,
}

impl Element {
    pub(super) fn is_float(self) -> bool {
        matches!(self, Element::Double | Element::Float | Element::LongDouble)
    }
}

/// What happens to an affine number before it is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Post {
    Divide(i64),
    /// How many places there are in steps of so many, the first one at 0 and the last one at most there.
    Places(i64),
    Remainder(i64),
    And(i64),
    ShiftRight(i64),
}

impl Post {
    /// The operation in C and in Rust.
    pub(super) fn text(self) -> String {
        match self {
            Post::Divide(by) => format!("/ {by}"),
            Post::Places(by) => format!("/ {by} + 1"),
            Post::Remainder(by) => format!("% {by}"),
            Post::And(mask) => format!("& {mask}"),
            Post::ShiftRight(bits) => format!(">> {bits}"),
        }
    }
}

/// `constant + sum of factor * name`; `widened` when each name is converted to 64 bits with a sign first.
#[derive(Clone, Debug, Default)]
pub(super) struct Affine {
    pub(super) constant: i64,
    pub(super) terms: Vec<(i64, String)>,
    pub(super) widened: bool,
    pub(super) post: Option<Post>,
}

impl Affine {
    pub(super) fn constant(constant: i64, widened: bool) -> Affine {
        Affine { constant, widened, ..Affine::default() }
    }

    pub(super) fn name(name: &str, widened: bool) -> Affine {
        Affine { terms: vec![(1, name.to_string())], widened, ..Affine::default() }
    }

    /// The text, given how names and numbers are written.
    pub(super) fn write(&self, name: impl Fn(&str) -> String, number: impl Fn(i64) -> String) -> String {
        let mut text = String::new();
        for (factor, term) in &self.terms {
            let sign = match (text.is_empty(), *factor < 0) {
                (true, false) => String::new(),
                (true, true) => format!("{} - ", number(0)),
                (false, false) => " + ".to_string(),
                (false, true) => " - ".to_string(),
            };
            let times = if factor.abs() == 1 { String::new() } else { format!("{} * ", number(factor.abs())) };
            text += &format!("{sign}{times}{}", name(term));
        }
        text = match (text.is_empty(), self.constant) {
            (true, constant) => number(constant),
            (false, 0) => text,
            (false, constant) if constant < 0 => format!("{text} - {}", number(-constant)),
            (false, constant) => format!("{text} + {}", number(constant)),
        };
        match self.post {
            None => text,
            Some(post) => format!("(({text}) {})", post.text()),
        }
    }
}

/// How the fields of a cell are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// `a[2 * i + 1]`
    Flat,
    /// `a[i][1]`
    Arrays,
    /// `a[i].v1`
    Structures,
}

/// Arrays of cells: each holds a few elements beside each other, its fields.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields {
    pub(super) count: usize,
    pub(super) layout: Layout,
    /// How many subscripts say which cell: up to three, with the leading dimension between them.
    pub(super) dimensions: usize,
    /// Which arrays have cells.
    pub(super) arrays: [bool; ARRAYS],
}

/// One element of an array.
#[derive(Clone, Debug, Default)]
pub(super) struct Access {
    pub(super) array: usize,
    /// One subscript, or two with the leading dimension; as many as an array of cells has, or an image.
    pub(super) subscripts: Vec<Affine>,
    /// What stands in front of each subscript but the first one is multiplied by its length, or by the leading dimension where there is none.
    pub(super) lengths: Vec<Option<Affine>>,
    /// The field, in an array of cells.
    pub(super) field: usize,
    /// The flat subscript is converted to eight bits, so that it wraps.
    pub(super) wraps: bool,
}

impl Access {
    /// The subscripts as one, given how a number and the leading dimension are written.
    pub(super) fn flat(&self, affine: impl Fn(&Affine) -> String, leading: &str) -> Option<String> {
        let mut subscripts = self.subscripts.iter().map(&affine);
        let mut flat = subscripts.next()?;
        for (at, column) in subscripts.enumerate() {
            let length = self.lengths.get(at).and_then(Option::as_ref);
            let length = length.map_or(leading.to_string(), |length| format!("({})", affine(length)));
            flat = format!("({flat}) * {length} + {column}");
        }
        Some(flat)
    }
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
    /// Of integers, by the next odd number, which is not zero.
    Quotient(Box<Value>, Box<Value>),
    /// The smaller one.
    Least(Box<Value>, Box<Value>),
    /// The larger one.
    Greatest(Box<Value>, Box<Value>),
    /// A value for where a condition holds, and one for where it does not.
    Choice(Box<Condition>, Box<Value>, Box<Value>),
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
    /// `affine < affine` and its relatives, on 64 bits.
    Compare(Affine, &'static str, Affine),
    /// The same after both were converted to so many bits without sign, 32 or 64: numbers below zero wrap around.
    Unsigned(Affine, &'static str, Affine, u32),
    /// The same with the length of what holds an element, and a constant that is added to it, on the right side; without sign.
    /// A row in C has as many elements as are between rows.
    Length(Affine, &'static str, Access, i64),
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
    /// `v = to - 1; v < to; v--`, unsigned only, and `from` is 0: the counter wraps around at the end.
    DownWrap,
}

/// How a kernel is left early.
#[derive(Clone, Debug)]
pub(super) enum Leave {
    /// A plain return.
    Return,
    /// A message and a return, as after a failed check.
    Message(Affine),
    /// `abort()` in C; a panic with a message in Rust.
    Abort(Affine),
}

/// A loop.
#[derive(Clone, Debug)]
pub(super) struct Loop {
    pub(super) variable: String,
    pub(super) integer: Integer,
    pub(super) form: Form,
    pub(super) from: Affine,
    pub(super) to: Affine,
    /// A second upper bound.
    pub(super) also: Option<Affine>,
    pub(super) step: i64,
    /// Written with `while` in Rust, where that is possible.
    pub(super) counted: bool,
    pub(super) body: Vec<Item>,
}

/// One item of a body.
#[derive(Clone, Debug)]
pub(super) enum Item {
    Loop(Loop),
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
    /// `memset`: so many elements from here on.
    Fill {
        from: Access,
        count: Affine,
        byte: i64,
    },
    /// `memmove`: so many elements.
    Move {
        to: Access,
        from: Access,
        count: Affine,
    },
    /// A variable of its own for the items of `body`: `x = start`, a loop that changes it, stores of what it is then.
    Sum {
        local: usize,
        start: Value,
        body: Vec<Item>,
    },
    Break,
    Continue,
    Leave(Leave),
}

impl Item {
    /// The bodies inside.
    pub(super) fn bodies(&self) -> Vec<&Vec<Item>> {
        match self {
            Item::Loop(Loop { body, .. }) | Item::Sum { body, .. } => vec![body],
            Item::If { then, otherwise, .. } => vec![then, otherwise],
            _ => Vec::new(),
        }
    }

    /// The bodies inside.
    pub(super) fn bodies_mut(&mut self) -> Vec<&mut Vec<Item>> {
        match self {
            Item::Loop(Loop { body, .. }) | Item::Sum { body, .. } => vec![body],
            Item::If { then, otherwise, .. } => vec![then, otherwise],
            _ => Vec::new(),
        }
    }
}

/// Whether some item at any depth is one that `is` means.
pub(super) fn any(items: &[Item], is: &impl Fn(&Item) -> bool) -> bool {
    items.iter().any(|item| is(item) || item.bodies().into_iter().any(|body| any(body, is)))
}

/// Where the rows of an array of rows are. Most are `ld` elements apart, so that those of some calls overlap; in Rust they are as
/// long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// One behind the other.
    Rising,
    /// Every two are swapped.
    Swapped,
    /// Every two are the same. In Rust rows can only be too short: every second is.
    Shared,
    /// One begins an element early. In Rust one is a few elements shorter.
    Shifted,
    /// From the last to the first.
    Falling,
    /// Every eighth is far from the others.
    Scattered,
    /// In no order; in C every eight of them.
    Shuffled,
}

/// One call of the kernel.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) n: i64,
    pub(super) m: i64,
    pub(super) ld: i64,
    /// C: the pool of each array and the offset from its middle.
    pub(super) places: [(usize, i64); ARRAYS],
    /// Rust: the number of elements of each slice.
    pub(super) lengths: [i64; ARRAYS],
    /// Rust: what is added to every subscript of a case that has a base.
    pub(super) base: i64,
    /// Where the rows of arrays of rows are.
    pub(super) order: Order,
}

/// A random kernel with its calls.
#[derive(Clone, Debug)]
pub struct Case {
    pub(super) seed: u64,
    /// It is made for a device: nothing in it keeps nests from running there, or hardly anything.
    pub(super) for_device: bool,
    pub(super) parameter: Integer,
    /// The types of `n`, `m` and `ld`: in C other ones than `parameter` where all terms are converted to 64 bits.
    pub(super) sizes: [Integer; 3],
    pub(super) element: Element,
    /// C: arrays are C99 array parameters with `ld` elements in a row.
    pub(super) c99: bool,
    /// C: the pointers are `restrict`.
    pub(super) restricted: bool,
    /// Rust: a parameter is added to every subscript.
    pub(super) based: bool,
    /// Which arrays are tables of pointers to rows, `Vec<Vec<_>>` in Rust.
    pub(super) rows: [bool; ARRAYS],
    /// Which arrays have cells with fields; none of them is a table.
    pub(super) fields: Option<Fields>,
    /// Its nests are factorisations or eliminations: few of its loops are written in an odd way.
    pub(super) factorised: bool,
    pub(super) scalars: usize,
    pub(super) body: Vec<Item>,
    pub(super) calls: Vec<Call>,
}

impl Case {
    /// The seed that it was made from.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The fields of an array of cells.
    pub(super) fn fields_of(&self, array: usize) -> Option<Fields> {
        self.fields.filter(|fields| fields.arrays[array])
    }
}
