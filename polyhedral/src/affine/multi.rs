//! [`MultiAff`]: a tuple of quasi-affine expressions over one space: a total function between tuples.

use crate::error::{Error, Result};
use crate::relation::{self, Map};
use crate::space::{DimKind, Space};

use super::Aff;

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
        let domain = domain_of(&space);
        if let Some(aff) = affs.iter().find(|a| !a.space().has_equal_tuples(&domain)) {
            return Err(relation::mismatch("form a function", &space, aff.space()));
        }
        let affs = affs.iter().map(|a| a.align_params(&space)).collect();
        Ok(MultiAff { space, affs })
    }

    /// The identity function on a set space.
    pub fn identity(space: &Space) -> Result<MultiAff> {
        let n = space.dim(DimKind::Out);
        let affs = (0..n).map(|k| Aff::var(space.range(), k)).collect::<Result<_>>()?;
        MultiAff::new(Space::map(space, space), affs)
    }

    /// The space: a map space, or a set space for a function of only the parameters.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The space of the arguments.
    pub fn domain_space(&self) -> Space {
        domain_of(&self.space)
    }

    /// The components.
    pub fn affs(&self) -> &[Aff] {
        &self.affs
    }

    /// Component number `pos`.
    pub fn get(&self, pos: usize) -> Option<&Aff> {
        self.affs.get(pos)
    }

    /// The composition `x -> self(function(x))`.
    pub fn pullback(&self, function: &MultiAff) -> Result<MultiAff> {
        let affs = self.affs.iter().map(|a| a.pullback(function)).collect::<Result<Vec<_>>>()?;
        let range = self.space.range().align_params(&function.space);
        let space = if function.space.is_map() { Space::map(&function.space.domain(), &range) } else { range };
        MultiAff::new(space, affs)
    }

    /// The graph as a relation; see [`Map::from_multi_aff`].
    pub fn to_map(&self) -> Result<Map> {
        Map::from_multi_aff(self)
    }
}

fn domain_of(space: &Space) -> Space {
    if space.is_map() { space.domain() } else { space.params_space() }
}
