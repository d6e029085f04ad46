//! [`Band`]: a multi-dimensional partial schedule, the node that becomes a loop nest.

use std::collections::BTreeMap;

use crate::affine::{Aff, MultiUnionPwAff, PwAff};
use crate::error::{Error, Result};
use crate::relation::Map;
use crate::space::{DimKind, Name};

use super::instances::statement_name;

/// How the AST generator treats the loop of one band member.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LoopType {
    /// One loop for everything that overlaps; parts that come strictly one after the other get loops of their own.
    #[default]
    Default,
    /// Exactly one loop: no statement is duplicated, conditions inside decide. Inside of a member that is not atomic,
    /// and may write a statement several times itself, there may be one such loop where a condition on outer iterators
    /// holds and another one where it does not: `if (i == 0) for (j ..) { A; B; } else for (j ..) B;`. Either way one
    /// of them runs.
    Atomic,
    /// Split so that the set of active statements is constant in every loop, at the cost of code size.
    Separate,
    /// No loop: one copy of the body per value. The values must be a fixed number of constants apart.
    Unroll,
}

/// One dimension of a band.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    exprs: BTreeMap<Name, PwAff>,
    /// Whether all dependences that the outer bands do not carry have distance zero here, so that the iterations may
    /// run in parallel for fixed values of the outer *bands* (not of the outer members of the same band).
    pub coincident: bool,
    /// How the loop is generated.
    pub loop_type: LoopType,
    /// How the loop is generated in the part that [`Band::isolate`] singles out.
    pub isolate_loop_type: LoopType,
    /// A name for the loop iterator, taken if it is free.
    pub name: Option<Name>,
}

impl Member {
    /// A member from one expression per statement; the space of an expression is that of the statement. A rational
    /// expression stands for its floor. An error if a statement occurs twice.
    pub fn new(exprs: impl IntoIterator<Item = Aff>) -> Result<Member> {
        Member::piecewise(exprs.into_iter().map(PwAff::from_aff))
    }

    /// A member from one piecewise expression per statement; see [`Member::new`]. It must be defined on all instances
    /// that reach the band ([`ScheduleTree::verify`](super::ScheduleTree::verify) checks that).
    pub fn piecewise(exprs: impl IntoIterator<Item = PwAff>) -> Result<Member> {
        let mut map = BTreeMap::new();
        for function in exprs {
            let name = statement_name(function.space());
            if map.contains_key(&name) {
                let what = format!("two expressions for statement {name}");
                return Err(Error::OutOfRange { operation: "form a band member", what });
            }
            map.insert(name, function.floor());
        }
        Ok(Member {
            exprs: map,
            coincident: false,
            loop_type: LoopType::Default,
            isolate_loop_type: LoopType::Default,
            name: None,
        })
    }

    /// The same member with another coincidence flag.
    pub fn with_coincident(self, coincident: bool) -> Member {
        Member { coincident, ..self }
    }

    /// The same member with another loop type.
    pub fn with_loop_type(self, loop_type: LoopType) -> Member {
        Member { loop_type, ..self }
    }

    /// The same member with a name for its iterator, taken if it is free.
    pub fn with_name(self, name: &str) -> Member {
        Member { name: Some(Name::from(name)), ..self }
    }

    /// The expression of a statement, if it has one and that is not piecewise.
    pub fn get(&self, stmt: &str) -> Option<&Aff> {
        self.exprs.get(stmt).and_then(PwAff::as_total)
    }

    /// The piecewise expression of a statement.
    pub fn function(&self, stmt: &str) -> Option<&PwAff> {
        self.exprs.get(stmt)
    }

    /// The dimension of a statement that the member is, if it is just one: 0 for `S[i, j] -> [i]`, nothing for
    /// `S[i, j] -> [i + 1]` and `S[i, j] -> [-i]`.
    pub fn dimension(&self, stmt: &str) -> Option<usize> {
        self.dimension_either_way(stmt).filter(|(_, is_backwards)| !is_backwards).map(|(dim, _)| dim)
    }

    /// The dimension of a statement that the member runs along, if it is just one, and whether it does so backwards: 0 for
    /// `S[i, j] -> [i]`, 0 and backwards for `S[i, j] -> [-i]`.
    pub fn dimension_either_way(&self, stmt: &str) -> Option<(usize, bool)> {
        let function = self.get(stmt)?;
        let is_plain = function.divs().is_empty() && function.denominator().is_one();
        let n = function.space().dim(DimKind::Out);
        let terms = function.row().iter().filter(|entry| !entry.is_zero()).count();
        let dim = (0..n).find(|dim| !function.coefficient(DimKind::Out, *dim).is_zero())?;
        let factor = function.coefficient(DimKind::Out, dim);
        let is_forwards = factor.is_one();
        (is_plain && terms == 1 && (is_forwards || (-factor).is_one())).then_some((dim, !is_forwards))
    }

    /// Whether the member runs along several dimensions of a statement at once, as `S[i, j] -> [i + j]` does.
    pub fn is_skewed(&self) -> bool {
        let involved = |function: &Aff| {
            let n = function.space().dim(DimKind::Out);
            (0..n).filter(|dim| function.involves(DimKind::Out, *dim, 1)).count()
        };
        self.exprs.values().flat_map(PwAff::pieces).any(|(_, function)| involved(function) > 1)
    }

    /// The expressions by statement name.
    pub fn exprs(&self) -> impl Iterator<Item = (&Name, &PwAff)> {
        self.exprs.iter()
    }

    /// The same member with every expression transformed, and floors taken.
    pub(super) fn map(&self, f: impl Fn(&Aff) -> Aff) -> Member {
        self.map_functions(|function| Ok(function.map_affs(&f))).unwrap_or_else(|_: Error| self.clone())
    }

    /// The same properties with other functions: every expression transformed, floors taken.
    pub(super) fn map_functions<E>(
        &self,
        f: impl Fn(&PwAff) -> std::result::Result<PwAff, E>,
    ) -> std::result::Result<Member, E> {
        let mut exprs = BTreeMap::new();
        for (name, function) in &self.exprs {
            exprs.insert(name.clone(), f(function)?.floor());
        }
        Ok(Member { exprs, ..self.clone() })
    }

    /// The same properties with the given expressions.
    pub(crate) fn with_exprs(&self, exprs: BTreeMap<Name, PwAff>) -> Member {
        Member { exprs, ..self.clone() }
    }
}

/// A multi-dimensional partial schedule: instances run in the lexicographic order of the members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Band {
    members: Vec<Member>,
    /// Whether every member alone respects all dependences that the outer bands do not carry, so that members may be
    /// interchanged and tiled.
    pub permutable: bool,
    /// Whether the AST generator writes a version with constant trip counts for full tiles below this (tile) band. The
    /// points of a tile are the members of the bands right below.
    pub isolate_full_tiles: bool,
    /// The part of the band for which separate code is generated, with the loop types of
    /// [`Member::isolate_loop_type`]: a relation from the members of all outer bands to those of this band.
    pub isolate: Option<Map>,
}

impl Band {
    /// A band that is not permutable.
    pub fn new(members: Vec<Member>) -> Band {
        Band { members, permutable: false, isolate_full_tiles: false, isolate: None }
    }

    /// A band from a partial schedule, not permutable: one member per component. An error if it has two functions for
    /// one statement name.
    pub fn from_schedule(schedule: &MultiUnionPwAff) -> Result<Band> {
        let members = schedule.components().iter().map(|component| Member::piecewise(component.members().cloned()));
        Ok(Band::new(members.collect::<Result<_>>()?))
    }

    /// The same band with another permutability flag.
    pub fn with_permutable(self, permutable: bool) -> Band {
        Band { permutable, ..self }
    }

    /// The members, outermost first.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// The number of members.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether the band has no members; it then orders nothing.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The same band with other members.
    pub(crate) fn with_members(&self, members: Vec<Member>) -> Band {
        Band { members, ..self.clone() }
    }
}
