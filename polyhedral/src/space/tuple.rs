//! [`Tuple`]: a named list of dimensions, possibly the wrapping of a map.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use super::Name;

/// A tuple of integer dimensions, possibly named, possibly the wrapping of a map `[A[..] -> B[..]]`.
///
/// Equality, order and hash look at the name, the arity and the inner structure, not at the names of the dimensions.
///
/// A tuple is a shared immutable value: cloning one copies a pointer.
#[derive(Clone, Debug, Default)]
pub struct Tuple(Arc<TupleParts>);

#[derive(Clone, Debug, Default)]
struct TupleParts {
    name: Option<Name>,
    dims: Vec<Option<Name>>,
    /// Only the structure: the current names of the dimensions are those in `dims`.
    nested: Option<Box<(Tuple, Tuple)>>,
}

/// Turns the empty string into "no name".
fn name_of(text: &str) -> Option<Name> {
    (!text.is_empty()).then(|| Name::from(text))
}

impl Tuple {
    fn make(name: Option<Name>, dims: Vec<Option<Name>>, nested: Option<Box<(Tuple, Tuple)>>) -> Tuple {
        Tuple(Arc::new(TupleParts { name, dims, nested }))
    }

    /// The same tuple with other names of its dimensions.
    fn with_dims(&self, dims: Vec<Option<Name>>) -> Tuple {
        Tuple::make(self.0.name.clone(), dims, self.0.nested.clone())
    }

    /// A flat tuple. An empty string stands for "no name", for the tuple as well as for each dimension.
    pub fn new<S: AsRef<str>>(name: &str, dims: &[S]) -> Tuple {
        Tuple::make(name_of(name), dims.iter().map(|d| name_of(d.as_ref())).collect(), None)
    }

    /// The flat tuple of names that are shared already.
    pub(crate) fn of_names(name: Option<Name>, dims: Vec<Option<Name>>) -> Tuple {
        Tuple::make(name, dims, None)
    }

    /// Whether this is the flat tuple of just these shared names.
    pub(crate) fn is_of_names(&self, name: Option<&Name>, dims: &[Option<Name>]) -> bool {
        let same = |a: Option<&Name>, b: Option<&Name>| match (a, b) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (a, b) => a.is_none() && b.is_none(),
        };
        self.0.nested.is_none()
            && self.0.dims.len() == dims.len()
            && same(self.0.name.as_ref(), name)
            && self.0.dims.iter().zip(dims).all(|(a, b)| same(a.as_ref(), b.as_ref()))
    }

    /// A flat tuple without name, with `n` dimensions without names.
    pub fn anonymous(n: usize) -> Tuple {
        Tuple::make(None, vec![None; n], None)
    }

    /// The tuple `[first -> second]`.
    pub fn nest(first: &Tuple, second: &Tuple) -> Tuple {
        let dims = first.0.dims.iter().chain(&second.0.dims).cloned().collect();
        Tuple::make(None, dims, Some(Box::new((first.clone(), second.clone()))))
    }

    /// The name of the tuple.
    pub fn name(&self) -> Option<&Name> {
        self.0.name.as_ref()
    }

    /// The number of dimensions.
    pub fn len(&self) -> usize {
        self.0.dims.len()
    }

    /// Whether the tuple has no dimensions.
    pub fn is_empty(&self) -> bool {
        self.0.dims.is_empty()
    }

    /// The name of dimension `pos`, if there is such a dimension and it has a name.
    pub fn dim_name(&self, pos: usize) -> Option<&Name> {
        self.0.dims.get(pos)?.as_ref()
    }

    /// Whether the tuple wraps a map.
    pub fn is_nested(&self) -> bool {
        self.0.nested.is_some()
    }

    /// The two inner tuples of `[A[..] -> B[..]]`, or nothing for a flat tuple.
    pub fn factors(&self) -> Option<(Tuple, Tuple)> {
        let (first, second) = &**self.0.nested.as_ref()?;
        let (a, b) = self.0.dims.split_at(first.len().min(self.len()));
        let renamed = |tuple: &Tuple, dims: &[Option<Name>]| {
            if tuple.0.dims == dims { tuple.clone() } else { tuple.with_dims(dims.to_vec()) }
        };
        Some((renamed(first, a), renamed(second, b)))
    }

    /// `[A -> [B -> C]]` of `[[A -> B] -> C]`; nothing for a tuple of another form.
    pub fn curried(&self) -> Option<Tuple> {
        let (first, c) = self.factors()?;
        let (a, b) = first.factors()?;
        Some(Tuple::nest(&a, &Tuple::nest(&b, &c)))
    }

    /// `[[A -> B] -> C]` of `[A -> [B -> C]]`; nothing for a tuple of another form.
    pub fn uncurried(&self) -> Option<Tuple> {
        let (a, second) = self.factors()?;
        let (b, c) = second.factors()?;
        Some(Tuple::nest(&Tuple::nest(&a, &b), &c))
    }

    /// A nested tuple without its own name; nothing for a flat one.
    pub fn nest_of(tuple: &Tuple) -> Option<Tuple> {
        tuple.factors().map(|(first, second)| Tuple::nest(&first, &second))
    }

    /// The same tuple with another name; an empty string removes the name.
    pub fn with_name(&self, name: &str) -> Tuple {
        Tuple::make(name_of(name), self.0.dims.clone(), self.0.nested.clone())
    }

    /// The same tuple with another name for dimension `pos` (unchanged where there is no such dimension).
    pub fn with_dim_name(&self, pos: usize, name: &str) -> Tuple {
        let mut dims = self.0.dims.clone();
        let Some(dim) = dims.get_mut(pos) else { return self.clone() };
        *dim = name_of(name);
        self.with_dims(dims)
    }

    /// The flat tuple of the same dimensions, without name and structure.
    pub fn flattened(&self) -> Tuple {
        Tuple::make(None, self.0.dims.clone(), None)
    }

    /// The flat, unnamed tuple of the dimensions of both.
    pub fn concat(&self, other: &Tuple) -> Tuple {
        Tuple::make(None, self.0.dims.iter().chain(&other.0.dims).cloned().collect(), None)
    }

    /// The tuple after `n` unnamed dimensions are inserted before `pos`; name kept, inner structure dropped.
    pub fn insert_dims(&self, pos: usize, n: usize) -> Tuple {
        let pos = pos.min(self.0.dims.len());
        let mut dims = self.0.dims.clone();
        dims.splice(pos..pos, std::iter::repeat_n(None, n));
        Tuple::make(self.0.name.clone(), dims, None)
    }

    /// The tuple without the `n` dimensions from `first` on; name kept, inner structure dropped.
    pub fn drop_dims(&self, first: usize, n: usize) -> Tuple {
        let end = (first + n).min(self.0.dims.len());
        let first = first.min(end);
        let mut dims = self.0.dims.clone();
        dims.drain(first..end);
        Tuple::make(self.0.name.clone(), dims, None)
    }

    fn key(&self) -> (&Option<Name>, usize, Option<&(Tuple, Tuple)>) {
        (&self.0.name, self.0.dims.len(), self.0.nested.as_deref())
    }
}

impl PartialEq for Tuple {
    fn eq(&self, other: &Tuple) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.key() == other.key()
    }
}

impl Eq for Tuple {}

impl PartialOrd for Tuple {
    fn partial_cmp(&self, other: &Tuple) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Tuple {
    fn cmp(&self, other: &Tuple) -> Ordering {
        if Arc::ptr_eq(&self.0, &other.0) { Ordering::Equal } else { self.key().cmp(&other.key()) }
    }
}

impl std::hash::Hash for Tuple {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl fmt::Display for Tuple {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(name) = &self.0.name {
            write!(f, "{name}")?;
        }
        if let Some((first, second)) = self.factors() {
            return write!(f, "[{first} -> {second}]");
        }
        write!(f, "[")?;
        for (pos, dim) in self.0.dims.iter().enumerate() {
            let comma = if pos == 0 { "" } else { ", " };
            write!(f, "{comma}{}", dim.as_deref().unwrap_or("_"))?;
        }
        write!(f, "]")
    }
}
