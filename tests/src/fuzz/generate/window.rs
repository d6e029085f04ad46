//! Sums over windows that move over an image, as in convolutions, correlations and poolings:
//!
//! ```c
//! for (int p = 0; p < n / 2; p++)
//!     for (int k = 0; k < 16; k++) {
//!         double x = c[k];
//!         for (int r = 0; r < 3; r++)
//!             for (int q = 0; q < m; q++)
//!                 if (p + r >= 1 && p + r - 1 < n / 2)
//!                     x += b[(p + r - 1) * m + q] * c[(r * m + q) * 16 + k];
//!         a[p * 16 + k] = x;
//!     }
//! ```
//!
//! Elements of the result move with the free loops: over one to three dimensions of the image, over its channels and over images. The others sum up, in
//! any order: over the offsets in a window, and over channels. Dimensions of the arrays come in any order, too, and what an array has along one is a
//! number, a size, what the loops need, or too little, so that elements meet. Windows move by more than one element, have gaps, or lie the other way
//! round; a border around the image is part of it, or is left out by conditions or by the bounds of loops.

use super::super::tree::{Access, Affine, Condition, Form, HALF, Item, Loop, Post, Target, Value};
use super::{Generator, Interval, OFFSET, SIZE};

/// The most iterations of a nest; the emulator of a device takes its time.
const WORK: i64 = 1 << 18;
const WORK_ON_DEVICE: i64 = 1 << 15;

/// What most nests have at least, in the largest call.
const LEAST_WORK: i64 = 3000;

/// So often a nest is drawn until its elements have room.
const TRIES: usize = 300;

/// Numbers of channels that are no sizes: around those that vectors hold.
const CHANNELS: [i64; 17] = [1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 16, 17, 31, 32, 33, 40];

/// What a loop goes along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Along {
    /// A dimension of the image and of the result.
    Space(usize),
    /// Offsets in a window, in such a dimension.
    Window(usize),
    /// Images.
    Batch,
    /// Channels of the result, each of them computed from all of the image.
    Filter,
    /// Channels of the result, each of them computed from the same one of the image.
    Depth,
    /// Channels of the image, which are summed up.
    Channel,
}

/// How many there are of something, with the least and the largest number.
#[derive(Clone, Debug)]
struct Extent {
    count: Affine,
    values: Interval,
}

#[derive(Clone, Debug)]
struct Way {
    along: Along,
    name: String,
    extent: Extent,
}

/// How windows move in one dimension.
#[derive(Clone, Copy, Debug)]
struct Motion {
    stride: i64,
    gap: i64,
    is_reversed: bool,
    edge: Edge,
}

/// What is done about a border around the image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Edge {
    /// It is part of the image.
    Inside,
    /// So many elements in front, and whatever is behind, are left out by a condition.
    Tested(i64),
    /// Windows end where the image does.
    Cut,
}

/// How a condition leaves out a border.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Test {
    Around,
    Continue,
    /// Without signs, as numbers in front of the first one are large then.
    Wrapped(u32),
    /// There is nothing to add outside.
    Choice,
}

/// One dimension of an array: a subscript and its values, and how many elements there are if a simple number tells.
#[derive(Clone, Debug)]
struct Dimension {
    subscript: Affine,
    values: Interval,
    length: Option<Extent>,
}

/// What is done with the elements of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Summand {
    Product,
    Element,
    Greatest,
    Least,
    Square,
}

/// A nest before it is written.
struct Nest {
    /// From the outermost loop on; so many are free, and the others sum up, unless they are mixed.
    ways: Vec<Way>,
    free: usize,
    are_mixed: bool,
    motions: Vec<Motion>,
    result: Access,
    image: Access,
    weights: Access,
    summand: Summand,
    factor: Option<i64>,
    operator: &'static str,
    test: Test,
    test_is_innermost: bool,
    backwards: u64,
}

impl Generator {
    /// A nest, where arrays have plain elements and room for it.
    pub(super) fn window(&mut self) -> Option<Item> {
        if self.fields.is_some() {
            return None;
        }
        let first = self.loops;
        let nest = (0..TRIES).find_map(|_| {
            self.loops = first;
            self.drawn_window()
        })?;
        // Tables of pointers have rows, and no other dimensions.
        let is_image = |access: &Access| access.subscripts.len() > 2 || !access.lengths.is_empty();
        self.images |= [&nest.result, &nest.image, &nest.weights].into_iter().any(is_image);
        self.window_at(&nest, 0).pop()
    }

    fn drawn_window(&mut self) -> Option<Nest> {
        let space = *self.random.pick(&[1, 1, 1, 2, 2, 2, 2, 2, 3]);
        let sums = *self.random.pick(&[2, 2, 3, 3]);
        let windows = if space > 1 { self.random.between(1, space.min(sums)).max(sums - 1).min(space) } else { 1 };
        let mut free: Vec<Along> = (0..space as usize).map(Along::Space).collect();
        for _ in 0..*self.random.pick(&[0, 1, 1, 1, 2]) {
            free.push(*self.random.pick(&[Along::Filter, Along::Filter, Along::Filter, Along::Depth, Along::Batch]));
        }
        let mut summed: Vec<Along> = (0..windows as usize).map(Along::Window).collect();
        summed.resize(sums as usize, Along::Channel);
        self.shuffle(&mut free);
        self.shuffle(&mut summed);
        let count = free.len();
        let numbers = *self.random.pick(&[0, 35, 60, 100]);
        let most = if self.for_device { WORK_ON_DEVICE } else { WORK };
        let mut work = 1;
        let mut ways = Vec::new();
        for along in free.into_iter().chain(summed) {
            let extent = self.extent(along, numbers);
            work *= extent.values.1.max(1);
            ways.push(Way { along, name: self.new_counter(), extent });
        }
        if work > most || work < LEAST_WORK && !self.random.chance(10) {
            return None;
        }
        let motions: Vec<Motion> = (0..space as usize).map(|at| self.motion(&ways, at)).collect();
        let summand = *self.random.pick(&[
            Summand::Product,
            Summand::Product,
            Summand::Product,
            Summand::Product,
            Summand::Product,
            Summand::Product,
            Summand::Element,
            Summand::Greatest,
            Summand::Least,
            Summand::Square,
        ]);
        let image = if self.random.chance(6) { 0 } else { 1 };
        let weights = if self.random.chance(8) { 1 } else { 2 };
        let result = self.image(0, &ways, &motions, |along| !matches!(along, Along::Window(_) | Along::Channel))?;
        let image = self.image(image, &ways, &motions, |along| !matches!(along, Along::Window(_) | Along::Filter))?;
        let weights = self.image(weights, &ways, &motions, |along| !matches!(along, Along::Space(_) | Along::Batch))?;
        let are_mixed = self.random.chance(15);
        if are_mixed {
            self.shuffle(&mut ways);
        }
        let may_go_back = self.random.chance(20);
        Some(Nest {
            ways,
            free: count,
            are_mixed,
            motions,
            result,
            image,
            weights,
            summand,
            factor: self.random.chance(25).then(|| self.random.between(1, 9)),
            operator: self.random.pick::<&str>(&["+=", "+=", "+=", "+=", "+=", "-="]),
            test: *self.random.pick(&[
                Test::Around,
                Test::Around,
                Test::Around,
                Test::Continue,
                Test::Wrapped(32),
                Test::Wrapped(64),
                Test::Choice,
            ]),
            test_is_innermost: self.random.chance(60),
            backwards: if may_go_back { 30 } else { 0 },
        })
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.random.between(0, at as i64) as usize);
        }
    }

    /// How often a loop runs: a number in so many of 100 draws, or a part of a size.
    fn extent(&mut self, along: Along, numbers: u64) -> Extent {
        let is_number = self.random.chance(numbers);
        let number = |extent: i64| (extent, None);
        let (number, post) = match along {
            Along::Window(_) if is_number => number(*self.random.pick(&[1, 2, 2, 3, 3, 3, 3, 4, 5])),
            Along::Space(_) if is_number => number(*self.random.pick(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17])),
            Along::Batch if is_number => number(self.random.between(1, 3)),
            _ if is_number => number(*self.random.pick(&CHANNELS)),
            Along::Window(_) => {
                (0, *self.random.pick(&[Some(Post::Divide(8)), Some(Post::Remainder(5)), Some(Post::And(3))]))
            }
            Along::Batch => (0, Some(Post::Divide(8))),
            Along::Space(_) => {
                let places = Some(Post::Places(self.random.between(2, 4)));
                (0, *self.random.pick(&[None, None, Some(Post::Divide(2)), places, places, Some(Post::And(7))]))
            }
            _ => (0, *self.random.pick(&[None, None, None, Some(Post::Divide(2)), Some(Post::ShiftRight(2))])),
        };
        if number > 0 {
            return Extent { count: Affine::constant(number, self.mixed), values: (number, number) };
        }
        let most = match post {
            None => self.size,
            Some(Post::Divide(by)) => self.size / by,
            Some(Post::Places(by)) => self.size / by + 1,
            Some(Post::ShiftRight(bits)) => self.size >> bits,
            Some(Post::Remainder(by)) => by - 1,
            Some(Post::And(mask)) => mask,
        };
        let name = *self.random.pick(&["n", "m"]);
        Extent { count: Affine { post, ..Affine::name(name, self.mixed) }, values: (0, most) }
    }

    fn motion(&mut self, ways: &[Way], space: usize) -> Motion {
        let stride = *self.random.pick(&[1, 1, 1, 1, 1, 2, 2, 3]);
        let gap = *self.random.pick(&[1, 1, 1, 1, 1, 1, 1, 2]);
        let plain = |along| ways.iter().any(|way| way.along == along && way.extent.count.post.is_none());
        let is_reversed = plain(Along::Window(space)) && self.random.chance(15);
        let edge = match self.random.between(0, 9) {
            0..=2 if stride == 1 || plain(Along::Space(space)) => Edge::Tested(self.random.between(0, 2)),
            3 if plain(Along::Space(space)) && plain(Along::Window(space)) && gap == 1 && !is_reversed => Edge::Cut,
            _ => Edge::Inside,
        };
        Motion { stride, gap, is_reversed, edge }
    }

    /// The element of an array that has the dimensions of some loops; nothing if there is no room for all of them.
    fn image(&mut self, array: usize, ways: &[Way], motions: &[Motion], has: impl Fn(Along) -> bool) -> Option<Access> {
        let has_windows = has(Along::Window(0));
        let is_moved = !has_windows && has(Along::Channel);
        let mut along: Vec<Along> = ways.iter().map(|way| way.along).filter(|along| has(*along)).collect();
        self.shuffle(&mut along);
        // Most images have rows in rows of their own, and channels in front of all of them or in each of their points.
        if !self.random.chance(25) {
            let channels_are_first = self.random.chance(35);
            along.sort_by_key(|along| match along {
                Along::Space(at) | Along::Window(at) => 10 + *at,
                Along::Batch => 0,
                _ if channels_are_first => 1,
                _ => 20,
            });
        }
        let mut taken = Vec::new();
        let dimensions: Vec<Dimension> = along
            .iter()
            .filter_map(|along| {
                // Two loops may go along channels.
                let at = (0..ways.len()).find(|at| ways[*at].along == *along && !taken.contains(at))?;
                taken.push(at);
                match along {
                    Along::Space(space) if is_moved => {
                        let offset = ways.iter().find(|way| way.along == Along::Window(*space));
                        Some(self.moved(&ways[at], offset, motions[*space]))
                    }
                    _ => Some(self.dimension(&ways[at])),
                }
            })
            .collect();
        self.with_dimensions(array, dimensions)
    }

    /// What a counter says.
    fn dimension(&self, way: &Way) -> Dimension {
        let subscript = Affine::name(&way.name, self.mixed);
        Dimension { subscript, values: (0, (way.extent.values.1 - 1).max(0)), length: Some(way.extent.clone()) }
    }

    /// A dimension of the image: where a window is and an offset in it tell.
    fn moved(&self, way: &Way, offset: Option<&Way>, motion: Motion) -> Dimension {
        let own = &way.extent;
        let plain = |extent: &Extent| extent.count.post.is_none();
        let scaled = |by: i64| Extent {
            count: Affine {
                constant: own.count.constant * by,
                terms: own.count.terms.iter().map(|(factor, name)| (factor * by, name.clone())).collect(),
                ..own.count.clone()
            },
            values: (own.values.0 * by, own.values.1 * by),
        };
        let (subscript, values) = self.position(way, offset, motion);
        if let Edge::Tested(_) | Edge::Cut = motion.edge {
            let length = if motion.stride == 1 { own.clone() } else { scaled(motion.stride) };
            let last = (length.values.1 - 1).max(0);
            let values = if offset.is_some() { (0, last) } else { (0, last.max(values.1)) };
            return Dimension { subscript, values, length: Some(length) };
        }
        let length = match offset {
            None if plain(own) || motion.stride == 1 => {
                Some(if motion.stride == 1 { own.clone() } else { scaled(motion.stride) })
            }
            Some(Way { extent: other, .. }) if plain(own) && plain(other) => {
                let Extent { mut count, mut values } = scaled(motion.stride);
                count.terms.extend(other.count.terms.iter().map(|(factor, name)| (factor * motion.gap, name.clone())));
                let less = motion.stride + motion.gap - 1;
                count.constant += other.count.constant * motion.gap - less;
                values.0 += other.values.0 * motion.gap - less;
                values.1 += other.values.1 * motion.gap - less;
                Some(Extent { count, values })
            }
            _ => None,
        };
        Dimension { subscript, values, length }
    }

    /// The subscript of an element of a window, and its values were all offsets allowed.
    fn position(&self, way: &Way, offset: Option<&Way>, motion: Motion) -> (Affine, Interval) {
        let Motion { stride, gap, is_reversed, edge } = motion;
        let mut subscript = Affine { terms: vec![(stride, way.name.clone())], ..Affine::constant(0, self.mixed) };
        let mut last = (way.extent.values.1 - 1).max(0) * stride;
        if let Some(Way { name, extent, .. }) = offset {
            subscript.terms.push((if is_reversed { -gap } else { gap }, name.clone()));
            if is_reversed {
                let behind = extent.count.terms.iter().map(|(factor, name)| (factor * gap, name.clone()));
                subscript.terms.extend(behind);
                subscript.constant = (extent.count.constant - 1) * gap;
            }
            last += (extent.values.1 - 1).max(0) * gap;
            if let Edge::Tested(before) = edge {
                subscript.constant -= before;
            }
        }
        (subscript, (0, last))
    }

    /// The element with some subscripts: nothing if it may be too far out.
    fn with_dimensions(&mut self, array: usize, dimensions: Vec<Dimension>) -> Option<Access> {
        let mut flat = (0, 0);
        let (mut subscripts, mut lengths) = (Vec::new(), Vec::new());
        for (at, Dimension { subscript, values, length }) in dimensions.into_iter().enumerate() {
            if at > 0 {
                let (text, (least, most)) = self.length(length, values);
                let corners = [flat.0 * least, flat.0 * most, flat.1 * least, flat.1 * most];
                flat = (corners.into_iter().min().unwrap_or(0), corners.into_iter().max().unwrap_or(0));
                lengths.push(text);
            }
            flat = (flat.0 + values.0, flat.1 + values.1);
            subscripts.push(subscript);
        }
        if flat.0 <= OFFSET - HALF || flat.1 >= HALF - OFFSET - SIZE {
            return None;
        }
        let widened = self.widened(flat) || self.random.chance(4);
        subscripts.iter_mut().chain(lengths.iter_mut().flatten()).for_each(|affine| affine.widened = widened);
        if lengths.iter().all(Option::is_none) {
            lengths.clear();
        }
        Some(Access { array, subscripts, lengths, ..Access::default() })
    }

    /// What rows of a dimension are said to have, and its values: as many elements as are needed, most often.
    fn length(&mut self, length: Option<Extent>, values: Interval) -> (Option<Affine>, Interval) {
        match (self.random.between(0, 19), length) {
            (0 | 1, _) => (None, self.leading),
            (2, _) => (Some(Affine::name(self.random.pick::<&str>(&["n", "m"]), self.mixed)), (0, self.size)),
            (3..=17, Some(Extent { count, values })) => (Some(count), (values.0.max(0), values.1)),
            _ => {
                let length = values.1 + self.random.between(0, 3);
                (Some(Affine::constant(length, self.mixed)), (length, length))
            }
        }
    }

    /// The loops of a nest from this one on, or what is in all of them.
    fn window_at(&mut self, nest: &Nest, at: usize) -> Vec<Item> {
        if at == nest.free && !nest.are_mixed && self.locals.is_empty() {
            match self.random.between(0, 9) {
                0..=5 => return vec![self.window_in_variable(nest)],
                6 | 7 => {
                    let value = self.start_of_window(nest);
                    let store = Item::Store { target: Target::Element(nest.result.clone()), operator: "=", value };
                    return [vec![store], self.window_loop(nest, at)].concat();
                }
                _ => {}
            }
        }
        match at < nest.ways.len() {
            true => self.window_loop(nest, at),
            false => self.summed(nest),
        }
    }

    fn window_loop(&mut self, nest: &Nest, at: usize) -> Vec<Item> {
        let Way { along, name, extent } = &nest.ways[at];
        let (integer, from, to) = (self.variable_type(), Affine::constant(0, self.mixed), extent.count.clone());
        let known = |along: Along| nest.ways[..at].iter().find(|way| way.along == along);
        let also = match *along {
            Along::Window(space) if nest.motions[space].edge == Edge::Cut => known(Along::Space(space)),
            _ => None,
        };
        let also = also.map(|way| self.behind_window(way, nest, *along));
        let form = match also {
            None if self.random.chance(nest.backwards) => match integer.is_signed() && self.parameter.is_signed() {
                true => *self.random.pick(&[Form::Down, Form::Down, Form::LessEqual, Form::DownBefore]),
                false => Form::DownBefore,
            },
            _ => Form::Less,
        };
        let form = if form == Form::DownBefore && self.mixed { Form::Less } else { form };
        self.scope.push((name.clone(), (0, (extent.values.1 - 1).max(0))));
        let mut body = self.window_at(nest, at + 1);
        self.scope.pop();
        if !nest.test_is_innermost && nest.test != Test::Choice {
            let space = match *along {
                Along::Space(space) | Along::Window(space) => Some(space),
                _ => None,
            };
            // A condition stands in the first loop in which both counters are known.
            let is_known = |space: &usize| {
                let own = [Along::Space(*space), Along::Window(*space)];
                own.iter().all(|other| other == along || known(*other).is_some())
            };
            if let Some(space) = space.filter(is_known) {
                body = self.tested(nest, &[space], body);
            }
        }
        let counted = self.random.chance(25);
        vec![Item::Loop(Loop { variable: name.clone(), integer, form, from, to, also, step: 1, counted, body })]
    }

    /// The offset at which a window leaves the image.
    fn behind_window(&self, way: &Way, nest: &Nest, along: Along) -> Affine {
        let space = if let Along::Window(space) = along { space } else { 0 };
        let (stride, Extent { count, values }) = (nest.motions[space].stride, &way.extent);
        let mut terms: Vec<(i64, String)> =
            count.terms.iter().map(|(factor, name)| (factor * stride, name.clone())).collect();
        terms.push((-stride, way.name.clone()));
        let widened = self.widened((values.0 - values.1, 0));
        Affine { constant: count.constant * stride, terms, widened, post: None }
    }

    /// `x = 0; for ...: x += ...; a[...] = x`
    fn window_in_variable(&mut self, nest: &Nest) -> Item {
        let (local, start) = (self.sums, self.start_of_window(nest));
        self.sums += 1;
        self.locals.push(local);
        let mut body = self.window_loop(nest, nest.free);
        self.locals.pop();
        let own = || Box::new(Value::Local(local));
        let old = || Box::new(Value::Load(nest.result.clone()));
        let (operator, value) = match self.random.between(0, 11) {
            0 => ("+=", *own()),
            1 => ("=", Value::Sum(old(), own())),
            2 => ("=", Value::Scaled(self.random.between(2, 5), own())),
            // No negative numbers.
            3 | 4 => ("=", Value::Greatest(own(), Box::new(Value::Scaled(0, Box::new(Value::Constant(0)))))),
            5 => ("=", Value::Sum(own(), Box::new(self.value(0)))),
            _ => ("=", *own()),
        };
        body.push(Item::Store { target: Target::Element(nest.result.clone()), operator, value });
        Item::Sum { local, start, body }
    }

    /// What a sum begins with: a number, the old element, one for each channel, anything.
    fn start_of_window(&mut self, nest: &Nest) -> Value {
        let channel = nest.ways.iter().find(|way| matches!(way.along, Along::Filter | Along::Depth));
        match (self.random.between(0, 9), channel) {
            (0 | 1, _) => Value::Load(nest.result.clone()),
            (2 | 3, Some(channel)) => {
                let subscripts = vec![Affine::name(&channel.name, self.mixed)];
                Value::Load(Access { array: self.random.between(1, 2) as usize, subscripts, ..Access::default() })
            }
            (4, _) => self.value(0),
            _ => Value::Scaled(self.random.between(0, 3), Box::new(Value::Constant(0))),
        }
    }

    /// The statement in all loops, with conditions on all dimensions unless these stand further out.
    fn summed(&mut self, nest: &Nest) -> Vec<Item> {
        let target = match self.locals.last() {
            Some(local) => Target::Local(*local),
            None => Target::Element(nest.result.clone()),
        };
        let spaces: Vec<usize> = (0..nest.motions.len()).collect();
        let load = Value::Load(nest.image.clone());
        let image = match nest.test {
            Test::Choice => match self.conditions(nest, &spaces) {
                Some(condition) => {
                    let nothing = Value::Scaled(0, Box::new(Value::Constant(0)));
                    Value::Choice(Box::new(condition), Box::new(load), Box::new(nothing))
                }
                None => load,
            },
            _ => load,
        };
        let scaled = |value: Value| match nest.factor {
            Some(factor) => Value::Scaled(factor, Box::new(value)),
            None => value,
        };
        let old = match &target {
            Target::Local(local) => Value::Local(*local),
            _ => Value::Load(nest.result.clone()),
        };
        let weight = Value::Load(nest.weights.clone());
        let (operator, value) = match nest.summand {
            Summand::Product => (nest.operator, Value::Product(Box::new(image), Box::new(scaled(weight)))),
            Summand::Element => (nest.operator, scaled(image)),
            Summand::Greatest => ("=", Value::Greatest(Box::new(old), Box::new(scaled(image)))),
            Summand::Least => ("=", Value::Least(Box::new(old), Box::new(scaled(image)))),
            Summand::Square => {
                let difference = Value::Difference(Box::new(image), Box::new(weight));
                (nest.operator, scaled(Value::Product(Box::new(difference.clone()), Box::new(difference))))
            }
        };
        let body = vec![Item::Store { target, operator, value }];
        match nest.test {
            Test::Choice => body,
            _ if nest.test_is_innermost => self.tested(nest, &spaces, body),
            _ => body,
        }
    }

    /// Items for elements within the image in some dimensions.
    fn tested(&mut self, nest: &Nest, spaces: &[usize], items: Vec<Item>) -> Vec<Item> {
        if nest.test != Test::Continue {
            return match self.conditions(nest, spaces) {
                Some(condition) => vec![Item::If { condition, then: items, otherwise: Vec::new() }],
                None => items,
            };
        }
        let borders = spaces.iter().flat_map(|space| self.borders(nest, *space)).flatten();
        let exits = borders.map(|border| {
            let condition = match border {
                Condition::Compare(left, ">=", right) => Condition::Compare(left, "<", right),
                Condition::Compare(left, _, right) => Condition::Compare(left, ">=", right),
                other => other,
            };
            Item::If { condition, then: vec![Item::Continue], otherwise: Vec::new() }
        });
        exits.chain(items).collect()
    }

    /// That an element is within the image in some dimensions, where that is to be asked.
    fn conditions(&self, nest: &Nest, spaces: &[usize]) -> Option<Condition> {
        let borders = spaces.iter().flat_map(|space| self.borders(nest, *space)).flatten();
        borders.reduce(|all, one| Condition::Both(Box::new(all), Box::new(one)))
    }

    fn borders(&self, nest: &Nest, space: usize) -> [Option<Condition>; 2] {
        let motion = nest.motions[space];
        let way = |along: Along| nest.ways.iter().find(|way| way.along == along);
        let (Some(own), Some(offset)) = (way(Along::Space(space)), way(Along::Window(space))) else {
            return [None, None];
        };
        let (subscript, _) = self.position(own, Some(offset), motion);
        let Some(length) = self.moved(own, Some(offset), motion).length else { return [None, None] };
        let wide = |affine: Affine| Affine { widened: self.mixed || !self.parameter.is_signed(), ..affine };
        match motion.edge {
            Edge::Inside => [None, None],
            // It is asked for by the bounds of loops, if the window has a loop inside.
            Edge::Cut => {
                let at = |along: Along| nest.ways.iter().position(|way| way.along == along);
                let is_cut = at(Along::Space(space)) < at(Along::Window(space));
                [None, (!is_cut).then(|| Condition::Compare(wide(subscript), "<", wide(length.count)))]
            }
            Edge::Tested(_) => match nest.test {
                Test::Wrapped(bits) => [Some(Condition::Unsigned(subscript, "<", length.count, bits)), None],
                _ => {
                    // `p + r >= 1`, not `p + r - 1 >= 0`.
                    let before = Affine::constant(-subscript.constant, self.mixed);
                    let sum = Affine { constant: 0, ..subscript.clone() };
                    [
                        Some(Condition::Compare(wide(sum), ">=", wide(before))),
                        Some(Condition::Compare(wide(subscript), "<", wide(length.count))),
                    ]
                }
            },
        }
    }
}
