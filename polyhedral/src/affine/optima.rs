//! The public operations of optimisation: lexicographic optima of [`Set`] and [`Map`], extreme values of dimensions and
//! of functions, with and without parameters. The work is done in [`super::lexopt`] and [`super::optimum`].

use crate::arith::Int;
use crate::budget::Budget;
use crate::error::Result;
use crate::lp::{IntOptimum, Optimum};
use crate::relation::{Map, Set, UnionMap, UnionSet, mismatch};
use crate::space::DimKind;

use super::lexopt::{Sense, domain_space};
use super::optimum;
use super::{Aff, MultiAff, PwAff, PwMultiAff};

macro_rules! optimum_methods {
    ($Type:ident) => {
        impl $Type {
            /// The lexicographically least point of the tuple for all parameter values (of a map: the least image of
            /// every point of the domain), as disjoint conjunctions. Exact; parametric integer programming. Error:
            /// there are points but no least one.
            pub fn lexmin(&self, budget: &Budget) -> Result<$Type> {
                Ok($Type(self.0.lexopt(Sense::Min, budget)?))
            }

            /// The lexicographically greatest point; see [`Self::lexmin`].
            pub fn lexmax(&self, budget: &Budget) -> Result<$Type> {
                Ok($Type(self.0.lexopt(Sense::Max, budget)?))
            }

            /// [`Self::lexmin`] as a function of the parameters and, for a map, of the points of the domain. A function
            /// of only the parameters has the space of the set.
            pub fn lexmin_pw_multi_aff(&self, budget: &Budget) -> Result<PwMultiAff> {
                self.lexopt_function(Sense::Min, budget)
            }

            /// [`Self::lexmax`] as a function; see [`Self::lexmin_pw_multi_aff`].
            pub fn lexmax_pw_multi_aff(&self, budget: &Budget) -> Result<PwMultiAff> {
                self.lexopt_function(Sense::Max, budget)
            }

            fn lexopt_function(&self, sense: Sense, budget: &Budget) -> Result<PwMultiAff> {
                let mut result = PwMultiAff::empty(self.space().clone());
                for (domain, affs) in self.0.lexopt_pieces(sense, budget)? {
                    result.push(Set(domain), MultiAff::new(self.space().clone(), affs)?);
                }
                Ok(result)
            }

            /// The least points for the points of `domain` (a set over the domain of the map; of a set: over the
            /// parameters), and the points of `domain` for which there is none. Exact; see [`Self::lexmin`].
            pub fn partial_lexmin(&self, domain: &Set, budget: &Budget) -> Result<($Type, Set)> {
                let (optimum, rest) = self.0.partial_lexopt(&domain.0, Sense::Min, budget)?;
                Ok(($Type(optimum), Set(rest)))
            }

            /// The greatest points for the points of `domain`; see [`Self::partial_lexmin`].
            pub fn partial_lexmax(&self, domain: &Set, budget: &Budget) -> Result<($Type, Set)> {
                let (optimum, rest) = self.0.partial_lexopt(&domain.0, Sense::Max, budget)?;
                Ok(($Type(optimum), Set(rest)))
            }

            /// The least value of dimension `pos` of the tuple (of the range of a map) as a function of the parameters
            /// and, for a map, of the points of the domain. Exact; parametric integer programming. Error: there are
            /// values but no least one.
            pub fn dim_min(&self, pos: usize, budget: &Budget) -> Result<PwAff> {
                self.dim_opt(pos, Sense::Min, budget)
            }

            /// The greatest value of a dimension; see [`Self::dim_min`].
            pub fn dim_max(&self, pos: usize, budget: &Budget) -> Result<PwAff> {
                self.dim_opt(pos, Sense::Max, budget)
            }

            fn dim_opt(&self, pos: usize, sense: Sense, budget: &Budget) -> Result<PwAff> {
                let mut result = PwAff::empty(domain_space(self.space()));
                for (domain, affs) in self.0.dim_opt_pieces(pos, sense, budget)? {
                    for aff in affs {
                        result.push(Set(domain.clone()), aff);
                    }
                }
                Ok(result)
            }
        }
    };
}

optimum_methods!(Set);
optimum_methods!(Map);

macro_rules! optimum_methods_of_unions {
    ($Union:ident) => {
        impl $Union {
            /// The lexicographic minimum of every member by itself. Exact; fails if one has none.
            pub fn lexmin(&self, budget: &Budget) -> Result<$Union> {
                self.map_members(|m| m.lexmin(budget))
            }

            /// The lexicographic maximum of every member by itself. Exact; fails if one has none.
            pub fn lexmax(&self, budget: &Budget) -> Result<$Union> {
                self.map_members(|m| m.lexmax(budget))
            }
        }
    };
}

optimum_methods_of_unions!(UnionSet);
optimum_methods_of_unions!(UnionMap);

impl Set {
    /// The least value of a function on the set, over all parameter values. Exact integer optimum; of a function with
    /// rational values the floor is minimised. Integer programming.
    pub fn min_aff(&self, aff: &Aff, budget: &Budget) -> Result<IntOptimum> {
        optimum::extremum(&self.0, aff, Sense::Min, budget)
    }

    /// The greatest value of a function on the set (of the floor of a rational one). Exact; see [`Set::min_aff`].
    pub fn max_aff(&self, aff: &Aff, budget: &Budget) -> Result<IntOptimum> {
        optimum::extremum(&self.0, aff, Sense::Max, budget)
    }

    /// The least value of a function on the points of the set where it is defined, over all parameter values. Exact;
    /// see [`Set::min_aff`].
    pub fn min_pw_aff(&self, function: &PwAff, budget: &Budget) -> Result<IntOptimum> {
        self.extremum(function, Sense::Min, budget)
    }

    /// The greatest value of a function on the points of the set where it is defined; see [`Set::min_pw_aff`].
    pub fn max_pw_aff(&self, function: &PwAff, budget: &Budget) -> Result<IntOptimum> {
        self.extremum(function, Sense::Max, budget)
    }

    fn extremum(&self, function: &PwAff, sense: Sense, budget: &Budget) -> Result<IntOptimum> {
        if !self.space().has_equal_tuples(&function.domain_space()) {
            return Err(mismatch("optimise", self.space(), function.space()));
        }
        let mut best = IntOptimum::Empty;
        for (domain, aff) in function.pieces() {
            let value = optimum::extremum(&self.intersect(domain, budget)?.0, aff, sense, budget)?;
            best = optimum::better(best, value, sense);
        }
        Ok(best)
    }

    /// The least values of the components of a function on the set, each by itself; nothing for a component without
    /// one. Nothing at all if the set is empty. Exact; see [`Set::min_aff`].
    pub fn min_multi_aff(&self, function: &MultiAff, budget: &Budget) -> Result<Option<Vec<Option<Int>>>> {
        self.extrema(function, Sense::Min, budget)
    }

    /// The greatest values of the components of a function on the set; see [`Set::min_multi_aff`].
    pub fn max_multi_aff(&self, function: &MultiAff, budget: &Budget) -> Result<Option<Vec<Option<Int>>>> {
        self.extrema(function, Sense::Max, budget)
    }

    fn extrema(&self, function: &MultiAff, sense: Sense, budget: &Budget) -> Result<Option<Vec<Option<Int>>>> {
        if self.is_empty(budget)? {
            return Ok(None);
        }
        let value = |aff: &Aff| {
            Ok(match optimum::extremum(&self.0, aff, sense, budget)? {
                IntOptimum::Bounded(value) => Some(value),
                IntOptimum::Empty | IntOptimum::Unbounded => None,
            })
        };
        function.affs().iter().map(value).collect::<Result<_>>().map(Some)
    }

    /// The least value of a function over the rational points of the set, where integer divisions and existentials are
    /// rational variables within their bounds: a lower bound of [`Set::min_aff`]. Linear programming.
    pub fn rational_min_aff(&self, aff: &Aff, budget: &Budget) -> Result<Optimum> {
        optimum::rational_extremum(&self.0, aff, Sense::Min, budget)
    }

    /// The greatest value of a function over the rational points of the set; see [`Set::rational_min_aff`].
    pub fn rational_max_aff(&self, aff: &Aff, budget: &Budget) -> Result<Optimum> {
        optimum::rational_extremum(&self.0, aff, Sense::Max, budget)
    }

    /// The least value of (the floor of) a function on the points of the set, as a function of the parameters. Exact;
    /// parametric integer programming. Error: there are values but no least one.
    pub fn parametric_min(&self, function: &PwAff, budget: &Budget) -> Result<PwAff> {
        self.parametric_opt(function, Sense::Min, budget)
    }

    /// The greatest value of (the floor of) a function on the points of the set, as a function of the parameters; see
    /// [`Set::parametric_min`].
    pub fn parametric_max(&self, function: &PwAff, budget: &Budget) -> Result<PwAff> {
        self.parametric_opt(function, Sense::Max, budget)
    }

    fn parametric_opt(&self, function: &PwAff, sense: Sense, budget: &Budget) -> Result<PwAff> {
        if !self.space().has_equal_tuples(&function.domain_space()) {
            return Err(mismatch("optimise", self.space(), function.space()));
        }
        let graph = function.floor().to_map(budget)?;
        let wrapped = graph.intersect_domain(self, budget)?;
        // The arguments become dimensions that only have to exist.
        let pairs = wrapped.0.with_space(wrapped.space().wrap());
        Set(pairs).dim_opt(self.space().dim(DimKind::Out), sense, budget)
    }
}

macro_rules! order_methods {
    ($($name:ident, $order:ident, $text:literal;)*) => {
        impl Map {$(
            #[doc = concat!("The pairs `(x, y)` of a relation on one tuple with `f(x) ", $text, " f(y)` lexicographically, where the function is")]
            /// defined at both. Exact.
            pub fn $name(&self, function: &PwMultiAff, budget: &Budget) -> Result<Map> {
                self.intersect(&function.$order(function, budget)?, budget)
            }
        )*}
    };
}

order_methods! {
    lex_lt_at, lex_lt_map, "<";
    lex_le_at, lex_le_map, "<=";
    lex_gt_at, lex_gt_map, ">";
    lex_ge_at, lex_ge_map, ">=";
}
