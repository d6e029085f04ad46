//! Making a random case: every expression is drawn together with the interval of its values, and drawn again when the
//! interval does not fit its use.

mod blocked;
mod body;
mod chain;
mod elimination;
mod factorisation;
mod fields;
mod idle;
mod product;
mod reduction;
mod scratch;
mod stencil;
mod sweep;
mod temporary;
mod uneven;
mod value;
mod window;

use super::random::Random;
use super::tree::{ARRAYS, Affine, Call, Case, Element, Fields, Form, HALF, Integer, Item, Loop, Order, Post};
use super::{BackEnd, Kind};

/// Largest value of the sizes `n` and `m`: a little more than the largest tile that is tried.
const SIZE: i64 = 34;

/// So many of 100 cases with products are factorisations instead.
const FACTORISED: u64 = 15;

/// So many of 100 others change all rows of a matrix with one of them, step by step.
const ELIMINATED: u64 = 20;

/// So many of 100 nests of cases with products, other than eliminations, are sums over windows instead.
const WINDOWS: u64 = 20;

/// Largest absolute value of the leading dimension.
const LEADING: i64 = 40;

/// Largest offset of an array from the middle of its pool.
const OFFSET: i64 = 400;

/// Largest bound of a loop.
const BOUND: i64 = 72;

/// Most calls have rows one behind the other.
const ORDERS: [Order; 11] = [
    Order::Rising,
    Order::Rising,
    Order::Rising,
    Order::Rising,
    Order::Swapped,
    Order::Shared,
    Order::Shifted,
    Order::Falling,
    Order::Scattered,
    Order::Shuffled,
    Order::Shuffled,
];

/// Elements of odd widths, which a quarter of the cases has.
const ODD: [Element; 6] =
    [Element::Bits200, Element::LongDouble, Element::Bits200, Element::Bits37, Element::Bits200, Element::U128];

/// The closed interval of the values of an expression.
type Interval = (i64, i64);

/// The case of `seed` for a back_end. Cost: nothing to speak of.
pub fn generate(kind: Kind, seed: u64, back_end: BackEnd) -> Case {
    let (for_device, only_products) = (kind == Kind::Device, kind == Kind::Products);
    let mut random = Random::new(seed);
    let parameter = match back_end {
        BackEnd::C => *random.pick(&[Integer::Int, Integer::Long, Integer::Unsigned, Integer::Size]),
        BackEnd::Rust => *random.pick(&[Integer::Size, Integer::Size, Integer::Int, Integer::Long, Integer::Unsigned]),
    };
    // Subscripts in numbers that may wrap around keep most nests in checked code where they are.
    let parameter =
        if for_device && back_end == BackEnd::Rust && random.chance(70) { Integer::Size } else { parameter };
    let mut element =
        *random.pick(&[Element::Double, Element::Double, Element::Double, Element::Float, Element::U32, Element::U8]);
    let odd = seed % 4 == 3 && !for_device;
    let chains = seed % 8 == 5 && !only_products;
    let products = seed % 8 == 4 || only_products;
    let uneven = seed % 16 == 9 && !only_products;
    let sweeps = seed % 16 == 1 && !only_products;
    let stencils = (seed % 16 == 6 || for_device && seed % 16 == 14) && !only_products;
    let reductions = (seed % 32 == 8 || for_device && seed % 8 == 3) && !only_products;
    // Over rows that are longer than a device has parts at once only where the program has nothing else.
    let long = reductions && seed % 16 == 3;
    let parameter = match uneven {
        // Counting to a number of 32 bits does not take long enough to be noticed.
        true if seed % 32 == 9 => Integer::Long,
        true => Integer::Size,
        false => parameter,
    };
    if chains {
        element = if element.is_float() || seed % 16 == 5 { element } else { Element::Double };
    }
    if odd {
        element = match back_end {
            BackEnd::C => ODD[(seed / 4) as usize % ODD.len()],
            BackEnd::Rust => Element::U128,
        };
    }
    if reductions {
        element = *random.pick(&[Element::U32, Element::U32, Element::U32, Element::U8, Element::I16, Element::Double]);
    }
    if for_device && seed % 8 == 7 {
        element = Element::I16;
    }
    let c99 = random.chance(25) && back_end == BackEnd::C;
    let restricted = random.chance(15);
    let based = random.chance(30);
    let scalars = if for_device && random.chance(75) { 0 } else { random.between(0, 2) as usize };
    let negative = parameter.is_signed() && !c99 && random.chance(20) && back_end == BackEnd::C;
    let fields = (seed % 8 == 2 && !only_products).then(|| fields::draw(&mut random, back_end, c99));
    if fields.is_some() {
        element = fields::element(&mut random, back_end);
    }
    let of_records = if only_products { seed % 8 == 2 } else { seed % 32 == 12 };
    let fields = fields.or_else(|| of_records.then(|| fields::of_products(&mut random, back_end, c99)));
    let factorised = products && fields.is_none() && random.chance(if only_products { 40 } else { FACTORISED });
    let eliminated =
        !factorised && products && fields.is_none() && random.chance(if only_products { 40 } else { ELIMINATED });
    if eliminated && random.chance(70) {
        element = *random.pick(&elimination::ELEMENTS);
    }
    let (size, leading) = match fields {
        // The emulator of a device takes its time.
        None if eliminated && !for_device => elimination::ROOM,
        None if eliminated => factorisation::ROOM,
        None if factorised => factorisation::ROOM,
        None if stencils || long => stencil::ROOM,
        fields => fields.map_or((SIZE, LEADING), fields::room),
    };
    let negative = negative && fields.is_none() && !eliminated;
    let mut generator = Generator {
        random,
        parameter,
        element,
        // Types are mixed in a part of the cases; then every term is converted to 64 bits.
        mixed: false,
        for_device,
        tame: false,
        odd,
        exits: false,
        scalars,
        locals: Vec::new(),
        sums: 0,
        chains,
        products,
        factorised,
        eliminated,
        sweeps,
        stencils,
        long,
        carried: None,
        only: None,
        columns: false,
        link: None,
        older: None,
        temporary: None,
        images: false,
        fields,
        loops: 0,
        size,
        leading: if negative { (-leading, leading) } else { (if c99 { 1 } else { 0 }, leading) },
        scope: Vec::new(),
    };
    generator.tame = generator.random.chance(if back_end == BackEnd::C { 65 } else { 75 })
        || odd
        || chains
        || products
        || uneven
        || sweeps
        || stencils
        || reductions
        || fields.is_some()
        || for_device && seed % 16 != 15;
    generator.exits = generator.random.chance(match back_end {
        _ if for_device => 5,
        BackEnd::C => 30,
        BackEnd::Rust => 10,
    }) && !odd
        && fields.is_none();
    generator.mixed = generator.random.chance(if generator.tame { 5 } else { 25 });
    generator.scope = ["n", "m"].map(|name| (name.to_string(), (0, size))).to_vec();
    let depth = *generator.random.pick(if generator.tame { &[2, 2, 2, 3, 3] } else { &[1, 2, 2, 2, 3, 3] });
    let depth = if chains { depth.max(2) } else { depth };
    let depth = if products { 3 } else { depth };
    let depth = if sweeps { depth.max(2) } else { depth };
    let nests = *generator.random.pick(&[1, 1, 1, 2]);
    let body = match uneven {
        true => vec![generator.uneven()],
        false if stencils => vec![generator.stencil()],
        false if eliminated => generator.elimination(),
        false if reductions => (0..nests).map(|_| generator.reduction()).collect(),
        false => (0..nests).map(|_| generator.outermost(depth)).collect(),
    };
    let mut calls: Vec<Call> = (0..10).map(|at| generator.call(at, restricted, back_end)).collect();
    if !generator.mixed {
        calls.extend(idle::call(seed, &body, numbers(parameter), &calls[3]));
    }
    let mut rows = [false; ARRAYS];
    if !c99 && fields.is_none() && !generator.images && !for_device && generator.random.chance(20) {
        rows = rows.map(|_| generator.random.chance(70));
        for call in &mut calls {
            call.order = *generator.random.pick(&ORDERS);
            // In front of the first row there is no room for as many.
            if eliminated && matches!(call.order, Order::Falling | Order::Shuffled) {
                call.order = Order::Rising;
            }
        }
    }
    let sizes = generator.sizes(seed, back_end);
    Case {
        seed,
        for_device,
        parameter,
        sizes,
        element,
        c99,
        restricted,
        based,
        rows,
        fields,
        factorised: factorised || eliminated,
        scalars,
        body,
        calls,
    }
}

/// What kernels may compute with in a parameter's type, and no more than arrays could be indexed with.
fn numbers(parameter: Integer) -> Interval {
    match parameter {
        Integer::Unsigned => (0, i64::from(u32::MAX)),
        Integer::Size => (0, 1 << 40),
        Integer::Long => (-1 << 40, 1 << 40),
        _ => (i64::from(i32::MIN), i64::from(i32::MAX)),
    }
}

struct Generator {
    random: Random,
    parameter: Integer,
    element: Element,
    mixed: bool,
    /// Most calls are such that guards hold.
    for_device: bool,
    /// Simple bounds and subscripts, and one array that is written: most such nests can be transformed.
    tame: bool,
    /// The elements have an odd width: most nests have scalars of that type.
    odd: bool,
    /// Many statements are early exits.
    exits: bool,
    scalars: usize,
    /// The numbers of the sums around.
    locals: Vec<usize>,
    sums: usize,
    /// Many nests are loops whose iterations wait for those before, inside loops whose iterations do not.
    chains: bool,
    /// Nests are deep enough for products of matrices, and most of them are some.
    products: bool,
    /// Most nests are factorisations.
    factorised: bool,
    /// Nests change all rows of a matrix with one of them, step by step.
    eliminated: bool,
    /// Nests are sweeps in place.
    sweeps: bool,
    /// Nests are sweeps over many rows in a loop over time.
    stencils: bool,
    /// Nests reduce over many rows, in one loop each.
    long: bool,
    /// What the iterations of the innermost loop of a sweep hand on.
    carried: Option<sweep::Carried>,
    /// The size that ends all loops for the time being, which begin with zero.
    only: Option<&'static str>,
    /// Innermost bodies work down the columns.
    columns: bool,
    /// What the body of the next innermost loop hands on.
    link: Option<chain::Link>,
    /// The variable for the result of the iteration before the last, where that is handed on, too.
    older: Option<usize>,
    /// The array in which a value is kept for a moment, and which other values seldom come from.
    temporary: Option<usize>,
    /// Some nest has arrays with dimensions of its own, which cannot be tables of pointers to rows.
    images: bool,
    /// Arrays of cells, most of which are read and written in innermost bodies.
    fields: Option<Fields>,
    loops: usize,
    /// The largest value of `n` and `m`.
    size: i64,
    leading: Interval,
    /// Parameters, then the variables of the surrounding loops.
    scope: Vec<(String, Interval)>,
}

impl Generator {
    fn variable_type(&mut self) -> Integer {
        use Integer::{Byte, Int, Long, Short, SignedByte, Size, Unsigned, UnsignedShort};
        if self.mixed {
            *self.random.pick(&[Int, Long, Unsigned, Size, Byte, SignedByte, Short, UnsignedShort])
        } else if self.parameter.is_signed() && self.random.chance(if self.tame { 2 } else { 7 }) {
            // C and Rust compute in the wider type.
            *self.random.pick(&[Byte, SignedByte, Short, UnsignedShort])
        } else {
            self.parameter
        }
    }

    /// The types of the sizes: any that hold them, where every term is converted to 64 bits.
    fn sizes(&self, seed: u64, back_end: BackEnd) -> [Integer; 3] {
        use Integer::{Byte, Int, Long, Short, SignedByte, Size, Unsigned, UnsignedShort};
        if !self.mixed || back_end == BackEnd::Rust {
            return [self.parameter; 3];
        }
        let seed = seed as usize;
        let any = [Int, Byte, Long, SignedByte, Unsigned, Short, Size, UnsignedShort];
        let signed = [Int, Long, SignedByte, Short];
        let leading = if self.leading.0 < 0 { signed[seed % 4] } else { any[seed / 64 % 8] };
        [any[seed % 8], any[seed / 8 % 8], leading]
    }

    /// An affine expression over the scope. Where it may be negative, or types are mixed, it is computed with 64 bits and a
    /// sign.
    fn affine(&mut self, terms: i64, parameters: bool) -> (Affine, Interval) {
        let first = if parameters { 0 } else { 2 };
        let mut affine = Affine::default();
        let mut interval = (0, 0);
        if first < self.scope.len() {
            for _ in 0..terms {
                // Inner variables are the more interesting ones.
                let low = if self.random.chance(60) { first.max(self.scope.len() - 1) } else { first };
                let at = self.random.between(low as i64, self.scope.len() as i64 - 1) as usize;
                let (name, (min, max)) = self.scope[at].clone();
                if affine.terms.iter().any(|(_, other)| *other == name) {
                    continue;
                }
                let factor = if self.tame { 1 } else { *self.random.pick(&[1, 1, 1, 1, 1, -1, -1, 2]) };
                interval.0 += if factor > 0 { factor * min } else { factor * max };
                interval.1 += if factor > 0 { factor * max } else { factor * min };
                affine.terms.push((factor, name));
            }
        }
        if self.random.chance(50) {
            affine.constant = self.random.between(-2, 3);
        }
        interval = (interval.0 + affine.constant, interval.1 + affine.constant);
        affine.widened = self.widened(interval);
        (affine, interval)
    }

    /// Divides, masks or shifts a number that is not negative.
    fn post(&mut self, affine: &mut Affine, interval: &mut Interval) {
        if interval.0 < 0 {
            return;
        }
        let (post, high) = match self.random.between(0, 3) {
            0 => (Post::Divide(self.random.between(2, 4)), interval.1),
            1 => (Post::Remainder(self.random.between(2, 9)), 8),
            2 => (Post::And(*self.random.pick(&[1, 3, 7, 15, 6])), 15),
            _ => (Post::ShiftRight(self.random.between(1, 3)), interval.1),
        };
        affine.post = Some(post);
        *interval = (0, high);
    }

    fn widened(&self, interval: Interval) -> bool {
        self.mixed || (interval.0 < 0 && !self.parameter.is_signed())
    }

    /// The bound of a loop: a simple expression most of the time.
    fn bound(&mut self, upper: bool) -> (Affine, Interval) {
        match self.only {
            Some(name) if upper => return (Affine::name(name, self.mixed), (0, self.size)),
            Some(_) => return (Affine::constant(0, self.mixed), (0, 0)),
            None => {}
        }
        if self.products && self.scope.len() > 2 && self.random.chance(25) {
            return self.triangular();
        }
        if self.random.chance(if self.tame { 85 } else { 65 }) {
            if upper {
                let name = *self.random.pick(&["n", "m"]);
                return (Affine::name(name, self.mixed), (0, self.size));
            }
            let constant = self.random.between(0, 2);
            return (Affine::constant(constant, self.mixed), (constant, constant));
        }
        let terms = if self.tame { 1 } else { self.random.between(1, 2) };
        let (mut affine, mut interval) = self.affine(terms, true);
        if self.random.chance(5) {
            self.post(&mut affine, &mut interval);
        }
        (affine, interval)
    }

    fn outermost(&mut self, depth: usize) -> Item {
        let windows = self.random.chance(if self.products { WINDOWS } else { 4 });
        let window = if windows { self.window() } else { None };
        if self.factorised && window.is_none() && self.random.chance(85) {
            return self.factorisation();
        }
        let nest = window.unwrap_or_else(|| self.nest(depth));
        if self.random.chance(if self.products { 15 } else { 4 }) { self.blocked(nest) } else { nest }
    }

    fn nest(&mut self, depth: usize) -> Item {
        let integer = self.variable_type();
        let (mut from, mut lowest) = self.bound(false);
        let (mut to, mut highest) = self.bound(true);
        let mut form =
            *self.random.pick(&[Form::Less, Form::Less, Form::Less, Form::LessEqual, Form::Down, Form::DownBefore]);
        if lowest.1.max(highest.1) > BOUND || lowest.0.min(highest.0) < -BOUND {
            (from, lowest) = (Affine::constant(0, self.mixed), (0, 0));
            (to, highest) = (Affine::name("n", self.mixed), (0, self.size));
        }
        if !integer.is_signed() {
            // Start values of unsigned loops must not be negative.
            if lowest.0 < 0 {
                (from, lowest) = (Affine::constant(0, self.mixed), (0, 0));
            }
            if form == Form::Down || (form == Form::DownBefore && highest.0 < 0) {
                form = Form::Less;
            }
            // `to - 1` is computed in an unsigned type unless it is widened.
            if form == Form::LessEqual && highest.0 < 1 {
                to.widened = true;
            }
        }
        if form == Form::DownBefore && (self.mixed || lowest.0 < 0 || highest.0 < 0) {
            form = Form::Less;
        }
        let wide = matches!(integer, Integer::Unsigned | Integer::Size);
        if wide && !self.mixed && highest.0 >= 0 && !to.widened && self.random.chance(if self.tame { 1 } else { 4 }) {
            (from, lowest, form) = (Affine::constant(0, false), (0, 0), Form::DownWrap);
        }
        let one_by_one = matches!(form, Form::DownBefore | Form::DownWrap);
        let always_one = one_by_one || (self.tame && self.random.chance(80));
        let step = if always_one { 1 } else { *self.random.pick(&[1, 1, 1, 1, 1, 1, 1, 2, 3, 5]) };
        let also = (form == Form::Less && self.random.chance(if self.tame { 2 } else { 8 })).then(|| {
            let name = *self.random.pick(&["n", "m"]);
            Affine { constant: self.random.between(0, 2), ..Affine::name(name, self.mixed || to.widened) }
        });
        let variable = format!("i{}", self.loops);
        self.loops += 1;
        self.scope.push((variable.clone(), (lowest.0, (highest.1 - 1).max(lowest.0))));
        let body = self.body(depth);
        self.scope.pop();
        let counted = self.random.chance(25);
        Item::Loop(Loop { variable, integer, form, from, to, also, step, counted, body })
    }

    fn call(&mut self, at: usize, restricted: bool, back_end: BackEnd) -> Call {
        let sizes: &[i64] = match self.factorised {
            true => &factorisation::SIZES,
            false if self.eliminated => &elimination::SIZES,
            false => &[0, 1, 2, 3, 6, 7, 8, 9, 14, 15, 16, 17, 18, 31, 32, 33, 34],
        };
        // Rows of the largest size fit.
        let leading = self.leading.1.max(LEADING);
        let (n, m) = match at {
            0 => (0, 7),
            1 => (7, 0),
            2 => (1, 1),
            _ if self.stencils || self.long => (*self.random.pick(&stencil::ROWS), *self.random.pick(&stencil::TIMES)),
            _ => (*self.random.pick(sizes), *self.random.pick(sizes)),
        };
        let (n, m) = (n.min(self.size), m.min(self.size));
        let leads = [n, m, n.max(m), n + 3, m + 1, m - 1, 0, 1, leading, leading - 1, -n, -1, -leading];
        // Where rows are long and arrays lie apart most guards hold.
        let is_roomy = at.is_multiple_of(3) || (self.for_device || self.factorised || self.eliminated) && at % 3 == 1;
        let mut ld = if is_roomy { leading } else { *self.random.pick(&leads) }.clamp(self.leading.0, self.leading.1);
        let mut places = [0, 1, 2].map(|array| (array, 0));
        if self.random.chance(40) && !restricted && !is_roomy {
            let offsets =
                [0, 0, 1, -1, n, -n, ld, n * m, n * m - 1, n * ld, n * ld - 1, n * ld + 1, -m * ld, OFFSET, -OFFSET];
            for place in &mut places {
                place.0 = self.random.between(0, 1) as usize;
                place.1 = (*self.random.pick(&offsets)).clamp(-OFFSET, OFFSET);
            }
        }
        // Blocks of one matrix: side by side in its rows, or nearly so.
        if self.random.chance(20) && !restricted && back_end == BackEnd::C {
            ld = leading.clamp(self.leading.0, self.leading.1);
            let (row, high) = (ld.min(OFFSET), n.max(m));
            let columns = [0, n, -n, m, high, high + 3, -high - 3, high - 1, row / 2, -row / 2, row - high, row - 1];
            for place in &mut places {
                place.0 = 0;
                place.1 = *self.random.pick(&columns) + self.random.between(-2, 2) * row;
                place.1 = place.1.clamp(-OFFSET, OFFSET);
            }
        }
        self.place_cells(&mut places);
        self.place_matrices(&mut places);
        // Checked code may be called with anything: rows that end outside, products that wrap around.
        if back_end == BackEnd::Rust && self.random.chance(6) {
            ld = *self.random.pick(&[i64::from(i32::MAX), i64::from(u32::MAX), 1 << 31, -1, 1 << 62, i64::MAX]);
        }
        let base = if back_end == BackEnd::Rust { self.random.between(0, 2) * leading + 1 } else { 0 };
        let row = ld.clamp(0, leading);
        let edges = [n * row, n * row - 1, n * m, (n - 1) * row + m, n.max(m) * row + n.max(m), base + n * row + m];
        let lengths = [0, 1, 2].map(|array| {
            let edge = if self.random.chance(if self.for_device { 93 } else { 65 }) {
                2 * HALF
            } else {
                *self.random.pick(&edges)
            };
            let edge = self.elements(array, edge, row);
            edge.clamp(0, 2 * HALF)
        });
        debug_assert!(places.iter().all(|(pool, _)| *pool < ARRAYS));
        Call { n, m, ld, places, lengths, base, order: Order::Rising }
    }
}
