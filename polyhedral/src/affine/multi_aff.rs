//! [`MultiAff`]: a tuple of quasi-affine expressions over one space: a total function between tuples.

use crate::arith::Int;
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::relation::{self, Map, Set};
use crate::space::{DimKind, Space, Tuple};

use super::{Aff, Expression};

/// A function from one tuple (or from only parameters) to another, one [`Aff`] per dimension of the result.
///
/// Example: `{ S[i, j] -> A[(i + 1), (j)] }`; with only parameters `[n] -> { A[(n)] }`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MultiAff {
    space: Space,
    affs: Vec<Aff>,
}

impl MultiAff {
    /// The function with the given components. The space is a map space, or a set space for a function of only the
    /// parameters; the components live in its domain. Parameters are aligned.
    pub fn new(space: Space, affs: Vec<Aff>) -> Result<MultiAff> {
        if affs.len() != space.dim(DimKind::Out) {
            return Err(Error::OutOfRange {
                operation: "form a function",
                what: format!("{} components for {space}", affs.len()),
            });
        }
        let mut space = space;
        for aff in &affs {
            space = space.align_params(aff.space());
        }
        let domain = MultiAff::argument_space(&space);
        if let Some(aff) = affs.iter().find(|a| !a.space().has_equal_tuples(&domain)) {
            return Err(relation::mismatch("form a function", &space, aff.space()));
        }
        let affs =
            affs.into_iter().map(|a| if a.space().has_equal_params(&space) { a } else { a.align_params(&space) });
        Ok(MultiAff { affs: affs.collect(), space })
    }

    /// The function to zero in every component, for a map space, or a set space (a function of only the parameters).
    pub fn zero(space: Space) -> MultiAff {
        let domain = MultiAff::argument_space(&space);
        let affs = (0..space.dim(DimKind::Out)).map(|_| Aff::zero(domain.clone())).collect();
        MultiAff { space, affs }
    }

    /// The function with constant values. Error: not one value per dimension.
    pub fn constant(space: Space, values: &[Int]) -> Result<MultiAff> {
        let domain = MultiAff::argument_space(&space);
        let affs = values.iter().map(|value| Aff::constant(domain.clone(), value)).collect();
        MultiAff::new(space, affs)
    }

    /// One expression as a function to the unnamed tuple of one dimension.
    pub fn from_aff(aff: Aff) -> MultiAff {
        let arguments = aff.space();
        let range = Tuple::anonymous(1);
        let space = if arguments.is_params() {
            Space::set_of(arguments, range)
        } else {
            Space::map_of(arguments, arguments.range_tuple().clone(), range)
        };
        MultiAff { space, affs: vec![aff] }
    }

    /// The identity function on a set space.
    pub fn identity(space: &Space) -> Result<MultiAff> {
        let n = space.dim(DimKind::Out);
        MultiAff::selection(space, space.range_tuple().clone(), 0, n)
    }

    /// The function from a set space to `n` of its dimensions from `first` on, as the given tuple.
    fn selection(space: &Space, range: Tuple, first: usize, n: usize) -> Result<MultiAff> {
        if !space.is_set() {
            let (operation, expected) = ("form a projection", "a set space");
            return Err(Error::WrongShape { operation, space: space.clone(), expected });
        }
        let affs = (first..first + n).map(|k| Aff::var(space.clone(), k)).collect::<Result<_>>()?;
        MultiAff::new(Space::map_of(space, space.range_tuple().clone(), range), affs)
    }

    /// The function `[A -> B] -> A` for a map space `A -> B`.
    pub fn domain_map(space: &Space) -> Result<MultiAff> {
        MultiAff::factor_map(space, true)
    }

    /// The function `[A -> B] -> B` for a map space `A -> B`.
    pub fn range_map(space: &Space) -> Result<MultiAff> {
        MultiAff::factor_map(space, false)
    }

    fn factor_map(space: &Space, first: bool) -> Result<MultiAff> {
        let Some(domain) = space.domain_tuple() else {
            let (operation, expected) = ("form a projection", "a map space");
            return Err(Error::WrongShape { operation, space: space.clone(), expected });
        };
        let (start, tuple) = if first { (0, domain) } else { (domain.len(), space.range_tuple()) };
        MultiAff::selection(&space.wrap(), tuple.clone(), start, tuple.len())
    }

    /// The function from a set space that leaves out `n` dimensions from `first` on; the result is one unnamed tuple.
    pub fn project_out_map(space: &Space, first: usize, n: usize) -> Result<MultiAff> {
        relation::check_dims("form a projection", space, DimKind::Out, first, n)?;
        MultiAff::identity(space)?.drop_components(first, n)?.with_range_tuple_name("")
    }

    /// The space: a map space, or a set space for a function of only the parameters.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The space of the arguments.
    pub fn domain_space(&self) -> Space {
        MultiAff::argument_space(&self.space)
    }

    /// The components.
    pub fn affs(&self) -> &[Aff] {
        &self.affs
    }

    /// Component number `pos`.
    pub fn get(&self, pos: usize) -> Option<&Aff> {
        self.affs.get(pos)
    }

    /// The function with another component number `pos`.
    pub fn with_component(&self, pos: usize, aff: &Aff) -> Result<MultiAff> {
        relation::check_dims("replace a component", &self.space, DimKind::Out, pos, 1)?;
        let mut affs = self.affs.clone();
        affs[pos] = aff.clone();
        MultiAff::new(self.space.clone(), affs)
    }

    /// The same function with at least the parameters of `params`, those of `params` first.
    pub fn align_params(&self, params: &Space) -> MultiAff {
        let space = self.space.with_params_of(&params.params_space().align_params(&self.space));
        if space.has_equal_params(&self.space) {
            return self.clone();
        }
        MultiAff { affs: self.affs.iter().map(|aff| aff.align_params(&space)).collect(), space }
    }

    /// The same function in a space with the same number of parameters and dimensions, for instance other names.
    pub fn with_space(&self, space: &Space) -> Result<MultiAff> {
        let domain = MultiAff::argument_space(space);
        let same = self.space.is_map() == space.is_map()
            && [DimKind::Param, DimKind::In, DimKind::Out].iter().all(|&k| space.dim(k) == self.space.dim(k));
        if !same || space.is_params() {
            return Err(relation::mismatch("rename", &self.space, space));
        }
        let affs = self.affs.iter().map(|aff| aff.with_space(&domain)).collect::<Result<_>>()?;
        Ok(MultiAff { space: space.clone(), affs })
    }

    /// The same function with another name of the tuple of the result; an empty string removes the name.
    pub fn with_range_tuple_name(&self, name: &str) -> Result<MultiAff> {
        self.with_space(&self.space.with_tuple_name(DimKind::Out, name))
    }

    /// Applies a function, which must keep the space, to every component.
    pub fn map_affs(&self, f: impl Fn(&Aff) -> Aff) -> MultiAff {
        MultiAff { space: self.space.clone(), affs: self.affs.iter().map(f).collect() }
    }

    pub(super) fn remap_columns(&self, arguments: &Space, map: &[Option<usize>]) -> MultiAff {
        let affs = self.affs.iter().map(|aff| aff.remap_columns(arguments.clone(), map)).collect();
        MultiAff { space: MultiAff::with_argument_space(&self.space, arguments), affs }
    }

    fn pairwise(
        &self,
        operation: &'static str,
        other: &MultiAff,
        f: impl Fn(&Aff, &Aff) -> Result<Aff>,
    ) -> Result<MultiAff> {
        if !self.space.has_equal_tuples(&other.space) {
            return Err(relation::mismatch(operation, &self.space, &other.space));
        }
        let space = self.space.align_params(&other.space);
        let affs = self.affs.iter().zip(&other.affs).map(|(a, b)| f(a, b)).collect::<Result<_>>()?;
        MultiAff::new(space, affs)
    }

    /// The sum, component by component. Error: different tuples.
    pub fn add(&self, other: &MultiAff) -> Result<MultiAff> {
        self.pairwise("add", other, Aff::add)
    }

    /// The difference, component by component. Error: different tuples.
    pub fn sub(&self, other: &MultiAff) -> Result<MultiAff> {
        self.pairwise("subtract", other, Aff::sub)
    }

    /// The negation.
    pub fn neg(&self) -> MultiAff {
        self.map_affs(Aff::neg)
    }

    /// The product with an integer.
    pub fn scale(&self, factor: &Int) -> MultiAff {
        self.map_affs(|aff| aff.scale(factor))
    }

    /// The product of every component with an integer of its own. Error: not one factor per component.
    pub fn scale_components(&self, factors: &[Int]) -> Result<MultiAff> {
        if factors.len() != self.affs.len() {
            let what = format!("{} factors for {}", factors.len(), self.space);
            return Err(Error::OutOfRange { operation: "scale a function", what });
        }
        let affs = self.affs.iter().zip(factors).map(|(aff, f)| aff.scale(f)).collect();
        Ok(MultiAff { space: self.space.clone(), affs })
    }

    /// Whether no component depends on anything.
    pub fn is_constant(&self) -> bool {
        self.affs.iter().all(Aff::is_constant)
    }

    /// The composition `x -> self(function(x))`. Fractions are put in as they are.
    pub fn pullback(&self, function: &MultiAff) -> Result<MultiAff> {
        if !self.space.is_map() || self.space.domain_tuple() != Some(function.space.range_tuple()) {
            return Err(relation::mismatch("substitute", &self.space, &function.space));
        }
        let affs = self.affs.iter().map(|a| a.pullback(function)).collect::<Result<Vec<_>>>()?;
        let arguments = function.domain_space().align_params(&self.space);
        MultiAff::new(MultiAff::with_argument_space(&self.space, &arguments), affs)
    }

    /// A simpler function with the same values on `context`; see [`Aff::gist`].
    pub fn gist(&self, context: &Set, budget: &Budget) -> Result<MultiAff> {
        let affs = self.affs.iter().map(|aff| aff.gist(context, budget)).collect::<Result<_>>()?;
        MultiAff::new(self.space.align_params(context.space()), affs)
    }

    /// The values at the point `[params | dims]`; nothing if one is not an integer or the point has another length.
    pub fn eval(&self, point: &[Int]) -> Option<Vec<Int>> {
        self.affs.iter().map(|aff| aff.eval(point)).collect()
    }

    /// The graph as a relation; see [`Map::from_multi_aff`].
    pub fn to_map(&self) -> Result<Map> {
        Map::from_multi_aff(self)
    }

    /// Keeps some components: those before `first` and from `first + n` on. The tuple keeps its name.
    pub fn drop_components(&self, first: usize, n: usize) -> Result<MultiAff> {
        relation::check_dims("drop components", &self.space, DimKind::Out, first, n)?;
        let mut affs = self.affs.clone();
        affs.drain(first..first + n);
        Ok(MultiAff { space: self.space.drop_dims(DimKind::Out, first, n), affs })
    }
}
