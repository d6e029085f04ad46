//! What random loop nests in Rust need around them: memory, calls, a report of everything that was written.
//!
//! What is the same for all cases with elements of a type is compiled with the harness, once ([`Compiled`]): programs of cases have
//! little more in them than kernels.

use std::cell::{Cell, RefCell};
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Elements of each of the three pools.
pub const POOL: usize = 8192;

/// One call of a kernel.
pub struct Call {
    pub sizes: [i64; 3],
    pub base: i64,
    pub lengths: [usize; 3],
    /// Where rows are, and which of them are shorter than the others.
    pub order: u8,
}

/// Rows with the elements of a slice: when they are dropped, what they hold is written back.
pub struct Rows<'a, E: Compiled> {
    flat: &'a mut [E],
    length: usize,
    pub rows: ManuallyDrop<Vec<Vec<E>>>,
}

impl<'a, E: Compiled> Rows<'a, E> {
    /// Rows of `length` elements each; `order` tells which of them are shorter.
    pub fn new(flat: &'a mut [E], length: i64, order: u8) -> Rows<'a, E> {
        let length = length.clamp(1, 64) as usize;
        let rows = ManuallyDrop::new(E::rows(flat, length, order));
        Rows { flat, length, rows }
    }
}

impl<E: Compiled> Drop for Rows<'_, E> {
    fn drop(&mut self) {
        E::write_back(self.flat, self.length, std::mem::take(&mut *self.rows));
    }
}

/// Rows in planes, each plane behind its own table: when they are dropped, what they hold is written back.
pub struct Planes<'a, E: Compiled> {
    flat: &'a mut [E],
    length: usize,
    pub planes: ManuallyDrop<Vec<Vec<Vec<E>>>>,
}

impl<'a, E: Compiled> Planes<'a, E> {
    /// Rows of `length` elements each, a plane for every one or one for all; `order` tells which of them are shorter.
    pub fn new(flat: &'a mut [E], length: i64, order: u8, are_many: bool) -> Planes<'a, E> {
        let length = length.clamp(1, 64) as usize;
        let planes = ManuallyDrop::new(E::planes(flat, length, order, are_many));
        Planes { flat, length, planes }
    }
}

impl<E: Compiled> Drop for Planes<'_, E> {
    fn drop(&mut self) {
        let rows = std::mem::take(&mut *self.planes).into_iter().flatten().collect();
        E::write_back(self.flat, self.length, rows);
    }
}

fn planes<E: Element>(flat: &[E], length: usize, order: u8, are_many: bool) -> Vec<Vec<Vec<E>>> {
    if !are_many {
        return vec![rows(flat, length, order)];
    }
    // A table, its row, the next table.
    let mut planes: Vec<Vec<Vec<E>>> = Vec::new();
    for row in flat.chunks(length) {
        let mut plane = Vec::with_capacity(1);
        plane.push(row.to_vec());
        planes.push(plane);
    }
    match order {
        1 if planes.len() > 1 => planes.swap(0, 1),
        2 => planes.iter_mut().skip(1).step_by(2).for_each(|plane| plane[0].truncate(length - 1)),
        3 => planes.iter_mut().skip(3).take(1).for_each(Vec::clear),
        4 => planes.reverse(),
        5 => planes.iter_mut().skip(1).step_by(8).for_each(|plane| plane.reserve(400)),
        6 => shuffle(&mut planes),
        _ => {}
    }
    planes
}

fn rows<E: Element>(flat: &[E], length: usize, order: u8) -> Vec<Vec<E>> {
    let mut rows: Vec<Vec<E>> = flat.chunks(length).map(<[E]>::to_vec).collect();
    match order {
        1 if rows.len() > 1 => rows.swap(0, 1),
        2 => rows.iter_mut().skip(1).step_by(2).for_each(|row| row.truncate(row.len() - 1)),
        3 => rows.iter_mut().skip(3).take(1).for_each(|row| row.truncate(row.len() / 2)),
        4 => rows.reverse(),
        5 => rows.iter_mut().skip(1).step_by(8).for_each(|row| row.reserve(4096)),
        6 => shuffle(&mut rows),
        _ => {}
    }
    rows
}

/// Puts rows into some other order.
fn shuffle<T>(rows: &mut [T]) {
    for at in (1..rows.len()).rev() {
        rows.swap(at, (at * 7 + 3) % (at + 1));
    }
}

fn write_back<E: Element>(flat: &mut [E], length: usize, rows: Vec<Vec<E>>) {
    for (place, row) in flat.chunks_mut(length).zip(&rows) {
        for (place, element) in place.iter_mut().zip(row) {
            *place = *element;
        }
    }
}

/// A slice as one of structures: `S` holds some elements beside each other, and nothing else. What is left at the end is not in it.
pub fn structures<E: Element, S: Copy>(flat: &mut [E]) -> &mut [S] {
    assert!(size_of::<S>() % size_of::<E>() == 0 && align_of::<S>() == align_of::<E>());
    let count = size_of_val(flat) / size_of::<S>();
    // SAFETY: so many structures are within the slice, and any elements make one.
    unsafe { std::slice::from_raw_parts_mut(flat.as_mut_ptr().cast(), count) }
}

/// An element of an array.
pub trait Element: Copy {
    fn make(state: u64) -> Self;
    /// A number that rules of arithmetic have exceptions for, where there are any.
    fn special(_at: usize) -> Option<Self> {
        None
    }
    fn bits(self) -> u64;
}

/// Zeros with signs, numbers too small for all of their digits, infinite ones, and none.
const SPECIAL: [f64; 9] = [-0.0, -0.0, 0.0, 3e-310, -2e-320, 1e-45, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];

/// Not-a-numbers count as equal: their bits are not defined.
impl Element for f64 {
    fn special(at: usize) -> Option<f64> {
        Some(SPECIAL[at % SPECIAL.len()])
    }
    fn make(state: u64) -> f64 {
        f64::from((state >> 33) as i32) / f64::from(1 << 30) - 1.0
    }
    fn bits(self) -> u64 {
        if self.is_nan() { 1 } else { self.to_bits() }
    }
}

impl Element for f32 {
    fn special(at: usize) -> Option<f32> {
        Some(SPECIAL[at % SPECIAL.len()] as f32)
    }
    fn make(state: u64) -> f32 {
        f64::make(state) as f32
    }
    fn bits(self) -> u64 {
        if self.is_nan() { 1 } else { u64::from(self.to_bits()) }
    }
}

impl Element for u32 {
    fn make(state: u64) -> u32 {
        (state >> 40) as u32
    }
    fn bits(self) -> u64 {
        u64::from(self)
    }
}

impl Element for i16 {
    fn make(state: u64) -> i16 {
        (state >> 40) as i16
    }
    fn bits(self) -> u64 {
        self as u64
    }
}

impl Element for u128 {
    fn make(state: u64) -> u128 {
        u128::from(state) << 50 ^ u128::from(state)
    }
    fn bits(self) -> u64 {
        (self >> 64) as u64 ^ self as u64
    }
}

impl Element for u8 {
    fn make(state: u64) -> u8 {
        (state >> 40) as u8
    }
    fn bits(self) -> u64 {
        u64::from(self)
    }
}

fn mix(hash: u64, bits: u64) -> u64 {
    let hash = (hash ^ bits).wrapping_mul(1_099_511_628_211);
    hash ^ (hash >> 29)
}

/// What the slices hold before a call. In every fourth case one number with a fraction in about sixty is a special one.
fn pools<E: Element>(seed: u64) -> [Vec<E>; 3] {
    let mut state = 1u64;
    let mut pools = [0, 1, 2].map(|_| {
        let next = |_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            E::make(state)
        };
        (0..POOL).map(next).collect::<Vec<E>>()
    });
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(seed | 1);
        (state >> 33) as usize
    };
    for pool in pools.iter_mut().filter(|_| seed % 4 == 1) {
        let mut at = next() % 120;
        while let Some(place) = pool.get_mut(at) {
            *place = E::special(next()).unwrap_or(*place);
            at += 1 + next() % 120;
        }
    }
    pools
}

type Kernel<E> = fn(&Call, &mut [E], &mut [E], &mut [E]) -> E;

thread_local! {
    /// A call that has panicked: the last one is made once more at the end, and not caught.
    static AGAIN: RefCell<Option<Box<dyn FnOnce()>>> = const { RefCell::new(None) };
    static CATCHING: Cell<bool> = const { Cell::new(true) };
}

/// Prints messages of panics on standard output, in the order of everything else.
pub fn begin() {
    std::panic::set_hook(Box::new(|info| {
        let message = info.payload_as_str().unwrap_or("?");
        let place = info.location().map(|place| place.to_string()).unwrap_or_default();
        if CATCHING.get() {
            print!(" panicked at {place}: {message}");
        } else {
            println!("uncaught: {place}: {message}");
        }
    }));
}

fn one<E: Element>(kernel: Kernel<E>, call: &Call, pools: &mut [Vec<E>; 3]) -> E {
    let [a, b, c] = pools;
    let [x, y, z] = call.lengths;
    kernel(call, &mut a[..x], &mut b[..y], &mut c[..z])
}

fn calls_of<E: Element + 'static>(seed: u64, kernel: Kernel<E>, calls: &'static [Call]) {
    let initial = pools::<E>(seed);
    let mut pools = initial.clone();
    for (at, call) in calls.iter().enumerate() {
        for (pool, start) in pools.iter_mut().zip(&initial) {
            pool.copy_from_slice(start);
        }
        print!("case {seed} call {at}:");
        let result = catch_unwind(AssertUnwindSafe(|| one(kernel, call, &mut pools)));
        if result.is_err() {
            let mut pools = initial.clone();
            AGAIN.set(Some(Box::new(move || {
                one(kernel, call, &mut pools);
            })));
        }
        let hash = pools.iter().flatten().fold(14_695_981_039_346_656_037, |hash, element| mix(hash, element.bits()));
        println!(" {:016x} {hash:016x}", result.map_or(0, Element::bits));
    }
}

/// An element whose functions are compiled with the harness.
pub trait Compiled: Element {
    fn rows(flat: &[Self], length: usize, order: u8) -> Vec<Vec<Self>>;
    fn planes(flat: &[Self], length: usize, order: u8, are_many: bool) -> Vec<Vec<Vec<Self>>>;
    fn write_back(flat: &mut [Self], length: usize, rows: Vec<Vec<Self>>);
    fn calls_of(seed: u64, kernel: Kernel<Self>, calls: &'static [Call]);
}

macro_rules! compiled {
    ($($element:ty)*) => {$(
        impl Compiled for $element {
            #[inline(never)]
            fn rows(flat: &[Self], length: usize, order: u8) -> Vec<Vec<Self>> {
                rows(flat, length, order)
            }
            #[inline(never)]
            fn planes(flat: &[Self], length: usize, order: u8, are_many: bool) -> Vec<Vec<Vec<Self>>> {
                planes(flat, length, order, are_many)
            }
            #[inline(never)]
            fn write_back(flat: &mut [Self], length: usize, rows: Vec<Vec<Self>>) {
                write_back(flat, length, rows);
            }
            #[inline(never)]
            fn calls_of(seed: u64, kernel: Kernel<Self>, calls: &'static [Call]) {
                calls_of(seed, kernel, calls);
            }
        }
    )*};
}

compiled! { f64 f32 u32 u8 i16 u128 }

/// Calls the kernel of the case `seed` in turn and prints for each call a hash of the result and of all memory.
pub fn test_case<E: Compiled>(seed: u64, kernel: Kernel<E>, calls: &'static [Call]) {
    E::calls_of(seed, kernel, calls);
}

/// The last call that has panicked panics once more, so that the exit status of the program tells.
pub fn end() {
    CATCHING.set(false);
    if let Some(again) = AGAIN.take() {
        again();
    }
}
