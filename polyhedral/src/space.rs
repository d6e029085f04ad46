//! Spaces: which parameters, and which named tuples, the columns of a set or relation stand for.
//!
//! A [`Space`] is a list of parameter names plus a shape: only parameters, one tuple (a set), or two tuples (a map).
//! A [`Tuple`] has an optional name, dimensions with optional names and an optional inner structure
//! `[A[..] -> B[..]]` (a wrapped map). Two tuples are equal when name, arity and inner structure are equal; the names
//! of the dimensions are only for the reader and never take part in comparison. Parameters are identified by name:
//! operations on two objects first bring both to one list of parameters ([`Space::align_params`]).
//!
//! A space is a shared immutable value: cloning one copies a pointer.
//!
//! Every constraint row over a space has the columns `[constant | params | in | out | locals]`.

mod tuple;

use std::fmt;
use std::sync::Arc;

pub use tuple::Tuple;

/// A shared immutable name.
pub type Name = Arc<str>;

/// The kinds of columns of a constraint row, in the order in which they follow the constant column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DimKind {
    /// A symbolic constant.
    Param,
    /// A dimension of the domain of a map. Sets have none.
    In,
    /// A dimension of a set, or of the range of a map.
    Out,
    /// An integer division or an existentially quantified variable of one conjunction.
    Local,
}

/// What a space has besides parameters: nothing, one tuple or two.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Shape {
    /// Only parameters; the tuple is the empty one.
    Params(Tuple),
    Set(Tuple),
    Map(Tuple, Tuple),
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Inner {
    shape: Shape,
    params: Arc<[Name]>,
}

/// The parameters and tuples of a set, map or function. See the module documentation.
///
/// Equality compares the parameters in order and the tuples, not the names of the dimensions.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Space(Arc<Inner>);

impl Space {
    fn make(params: impl Into<Arc<[Name]>>, shape: Shape) -> Space {
        Space(Arc::new(Inner { shape, params: params.into() }))
    }

    fn with_shape(&self, shape: Shape) -> Space {
        Space::make(self.0.params.clone(), shape)
    }

    /// The space of only parameters. A repeated name is kept once.
    pub fn params<S: AsRef<str>>(names: &[S]) -> Space {
        let mut params: Vec<Name> = Vec::with_capacity(names.len());
        for name in names {
            if !params.iter().any(|p| **p == *name.as_ref()) {
                params.push(Name::from(name.as_ref()));
            }
        }
        Space::make(params, Shape::Params(Tuple::default()))
    }

    /// The set space `name[dims]` with the parameters of `params`. An empty name is no name.
    pub fn set<S: AsRef<str>>(params: &Space, name: &str, dims: &[S]) -> Space {
        Space::set_of(params, Tuple::new(name, dims))
    }

    /// The set space over a given tuple with the parameters of `params`.
    pub fn set_of(params: &Space, tuple: Tuple) -> Space {
        params.with_shape(Shape::Set(tuple))
    }

    /// The map space from the tuple of one set space to that of another; parameters of both, aligned.
    pub fn map(domain: &Space, range: &Space) -> Space {
        let params = domain.align_params(range);
        params.with_shape(Shape::Map(domain.range_tuple().clone(), range.range_tuple().clone()))
    }

    /// The map space between given tuples with the parameters of `params`.
    pub fn map_of(params: &Space, domain: Tuple, range: Tuple) -> Space {
        params.with_shape(Shape::Map(domain, range))
    }

    /// Whether this is a space of only parameters.
    pub fn is_params(&self) -> bool {
        matches!(self.0.shape, Shape::Params(_))
    }

    /// Whether this is the space of a set (one tuple).
    pub fn is_set(&self) -> bool {
        matches!(self.0.shape, Shape::Set(_))
    }

    /// Whether this is the space of a map (two tuples).
    pub fn is_map(&self) -> bool {
        matches!(self.0.shape, Shape::Map(..))
    }

    /// The names of the parameters, in column order.
    pub fn param_names(&self) -> &[Name] {
        &self.0.params
    }

    /// The position of a parameter.
    pub fn param_index(&self, name: &str) -> Option<usize> {
        self.0.params.iter().position(|p| **p == *name)
    }

    /// The tuple of the domain of a map space.
    pub fn domain_tuple(&self) -> Option<&Tuple> {
        match &self.0.shape {
            Shape::Map(domain, _) => Some(domain),
            _ => None,
        }
    }

    /// The tuple of a set space, or of the range of a map space; the empty unnamed tuple for only parameters.
    pub fn range_tuple(&self) -> &Tuple {
        match &self.0.shape {
            Shape::Params(tuple) | Shape::Set(tuple) | Shape::Map(_, tuple) => tuple,
        }
    }

    /// The tuple of kind `In` or `Out`.
    pub fn tuple(&self, kind: DimKind) -> Option<&Tuple> {
        match kind {
            DimKind::In => self.domain_tuple(),
            DimKind::Out if !self.is_params() => Some(self.range_tuple()),
            _ => None,
        }
    }

    /// The number of dimensions of a kind; a space has no locals.
    pub fn dim(&self, kind: DimKind) -> usize {
        match kind {
            DimKind::Param => self.0.params.len(),
            DimKind::In => self.domain_tuple().map_or(0, Tuple::len),
            DimKind::Out => self.range_tuple().len(),
            DimKind::Local => 0,
        }
    }

    /// The column of the first dimension of a kind (for `Local`: the number of columns of the space).
    pub fn offset(&self, kind: DimKind) -> usize {
        let (p, i, o) = (self.dim(DimKind::Param), self.dim(DimKind::In), self.dim(DimKind::Out));
        match kind {
            DimKind::Param => 1,
            DimKind::In => 1 + p,
            DimKind::Out => 1 + p + i,
            DimKind::Local => 1 + p + i + o,
        }
    }

    /// The number of columns without locals, the constant included.
    pub fn n_col(&self) -> usize {
        self.offset(DimKind::Local)
    }

    /// The name of a dimension, if it exists and has one.
    pub fn dim_name(&self, kind: DimKind, pos: usize) -> Option<&Name> {
        match kind {
            DimKind::Param => self.0.params.get(pos),
            _ => self.tuple(kind)?.dim_name(pos),
        }
    }

    /// The space of only the parameters.
    pub fn params_space(&self) -> Space {
        if self.is_params() { self.clone() } else { self.with_shape(Shape::Params(Tuple::default())) }
    }

    /// The set space of the domain of a map space; the space itself otherwise.
    pub fn domain(&self) -> Space {
        match &self.0.shape {
            Shape::Map(domain, _) => self.with_shape(Shape::Set(domain.clone())),
            _ => self.clone(),
        }
    }

    /// The set space of the range of a map space; the space itself otherwise.
    pub fn range(&self) -> Space {
        match &self.0.shape {
            Shape::Map(_, range) => self.with_shape(Shape::Set(range.clone())),
            _ => self.clone(),
        }
    }

    /// The map space with domain and range exchanged; the space itself if it is no map space.
    pub fn reverse(&self) -> Space {
        match &self.0.shape {
            Shape::Map(domain, range) => self.with_shape(Shape::Map(range.clone(), domain.clone())),
            _ => self.clone(),
        }
    }

    /// The set space of the wrapped map `[A -> B]`; the space itself if it is no map space.
    pub fn wrap(&self) -> Space {
        match &self.0.shape {
            Shape::Map(domain, range) => self.with_shape(Shape::Set(Tuple::nest(domain, range))),
            _ => self.clone(),
        }
    }

    /// The map space `A -> B` of a set space `[A -> B]`.
    pub fn unwrap(&self) -> Option<Space> {
        match &self.0.shape {
            Shape::Set(tuple) => {
                let (domain, range) = tuple.factors()?;
                Some(self.with_shape(Shape::Map(domain, range)))
            }
            _ => None,
        }
    }

    /// The same space with another tuple of a kind (unchanged where the space has no such tuple).
    pub fn with_tuple(&self, kind: DimKind, tuple: Tuple) -> Space {
        match (&self.0.shape, kind) {
            (Shape::Set(_), DimKind::Out) => self.with_shape(Shape::Set(tuple)),
            (Shape::Map(domain, _), DimKind::Out) => self.with_shape(Shape::Map(domain.clone(), tuple)),
            (Shape::Map(_, range), DimKind::In) => self.with_shape(Shape::Map(tuple, range.clone())),
            _ => self.clone(),
        }
    }

    /// The same space with another tuple name of a kind; an empty string removes the name.
    pub fn with_tuple_name(&self, kind: DimKind, name: &str) -> Space {
        match self.tuple(kind) {
            Some(tuple) => self.with_tuple(kind, tuple.with_name(name)),
            None => self.clone(),
        }
    }

    /// The same space with another name for one dimension. A parameter keeps its name if the new one is empty or taken.
    pub fn with_dim_name(&self, kind: DimKind, pos: usize, name: &str) -> Space {
        if kind == DimKind::Param {
            let mut params = self.0.params.to_vec();
            if pos < params.len() && !name.is_empty() && self.param_index(name).is_none() {
                params[pos] = Name::from(name);
            }
            return Space::make(params, self.0.shape.clone());
        }
        match self.tuple(kind) {
            Some(tuple) => self.with_tuple(kind, tuple.with_dim_name(pos, name)),
            None => self.clone(),
        }
    }

    /// The same space with the parameters of `params`, in that order.
    pub fn with_params_of(&self, params: &Space) -> Space {
        if self.has_equal_params(params) {
            return self.clone();
        }
        Space::make(params.0.params.clone(), self.0.shape.clone())
    }

    /// The same tuples with the parameters of both spaces: those of `self` first, in order, then the new ones.
    pub fn align_params(&self, other: &Space) -> Space {
        if self.has_equal_params(other) || other.0.params.iter().all(|p| self.0.params.contains(p)) {
            return self.clone();
        }
        let mut params = self.0.params.to_vec();
        params.extend(other.0.params.iter().filter(|p| !self.0.params.contains(p)).cloned());
        Space::make(params, self.0.shape.clone())
    }

    /// Whether both have the same parameters in the same order.
    pub fn has_equal_params(&self, other: &Space) -> bool {
        Arc::ptr_eq(&self.0.params, &other.0.params) || self.0.params == other.0.params
    }

    /// Whether both are one object, names of dimensions included. Sound, not complete; costs nothing.
    pub(crate) fn is_same(&self, other: &Space) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Whether both have the same tuples, whatever the parameters.
    pub fn has_equal_tuples(&self, other: &Space) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.shape == other.0.shape
    }

    /// The space with `n` unnamed dimensions inserted before `pos` of a tuple.
    pub fn insert_dims(&self, kind: DimKind, pos: usize, n: usize) -> Space {
        match self.tuple(kind) {
            Some(tuple) => self.with_tuple(kind, tuple.insert_dims(pos, n)),
            None => self.clone(),
        }
    }

    /// The space without `n` dimensions from `first` on.
    pub fn drop_dims(&self, kind: DimKind, first: usize, n: usize) -> Space {
        if kind == DimKind::Param {
            let mut params = self.0.params.to_vec();
            let end = (first + n).min(params.len());
            params.drain(first.min(end)..end);
            return Space::make(params, self.0.shape.clone());
        }
        match self.tuple(kind) {
            Some(tuple) if n > 0 => self.with_tuple(kind, tuple.drop_dims(first, n)),
            _ => self.clone(),
        }
    }
}

impl fmt::Debug for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Space({self})")
    }
}

/// Prints the parameters and tuples, for instance `[n] -> { S[i, j] -> A[_] }`.
impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.0.params.is_empty() {
            write!(f, "[{}] -> ", self.0.params.join(", "))?;
        }
        match &self.0.shape {
            Shape::Params(_) => write!(f, "{{ : }}"),
            Shape::Set(tuple) => write!(f, "{{ {tuple} }}"),
            Shape::Map(domain, range) => write!(f, "{{ {domain} -> {range} }}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equality_ignores_dimension_names() {
        let p = Space::params(&["n"]);
        assert_eq!(Space::set(&p, "S", &["i", "j"]), Space::set(&p, "S", &["", "k"]));
        assert_ne!(Space::set(&p, "S", &["i"]), Space::set(&p, "T", &["i"]));
        assert_ne!(Space::set(&p, "", &[] as &[&str]), p);
    }

    #[test]
    fn parameters_align_by_name() {
        let a = Space::set(&Space::params(&["n", "m"]), "S", &["i"]);
        let b = Space::set(&Space::params(&["k", "n"]), "T", &["j"]);
        let map = Space::map(&a, &b);
        assert_eq!(map.to_string(), "[n, m, k] -> { S[i] -> T[j] }");
        assert_eq!(map.reverse().range(), a.align_params(&b));
        assert_eq!(map.offset(DimKind::Out), 5);
    }

    #[test]
    fn wrapping_round_trips() {
        let p = Space::params::<&str>(&[]);
        let map = Space::map(&Space::set(&p, "S", &["i"]), &Space::set(&p, "R", &[] as &[&str]));
        let set = map.wrap();
        assert_eq!(set.to_string(), "{ [S[i] -> R[]] }");
        assert_eq!(set.unwrap(), Some(map));
    }
}
