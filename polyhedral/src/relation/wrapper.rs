//! The methods that [`super::Set`] and [`super::Map`] have in common, written once as a macro over the wrapped
//! relation.

macro_rules! common_methods {
    ($Type:ident) => {
        impl $Type {
            pub(crate) fn relation(&self) -> &Relation {
                &self.0
            }

            /// All points of the space.
            pub fn universe(space: Space) -> $Type {
                $Type(Relation::universe(space))
            }

            /// No point.
            pub fn empty(space: Space) -> $Type {
                $Type(Relation::empty(space))
            }

            /// The points of one conjunction. The conjunction is simplified.
            pub fn from_conjunction(conjunction: Conjunction) -> $Type {
                $Type(Relation::from_parts(conjunction.space().clone(), [conjunction]))
            }

            /// The points of any of some conjunctions, which must all be in the given space (parameters included).
            pub fn from_conjunctions(space: Space, conjunctions: Vec<Conjunction>) -> Result<$Type> {
                if let Some(c) = conjunctions.iter().find(|c| *c.space() != space) {
                    return Err(mismatch("form a union", &space, c.space()));
                }
                Ok($Type(Relation::from_parts(space, conjunctions)))
            }

            /// The conjunctions whose union this is: simplified, possibly overlapping.
            pub fn conjunctions(&self) -> &[Conjunction] {
                self.0.parts()
            }

            /// The space.
            pub fn space(&self) -> &Space {
                self.0.space()
            }

            /// Whether there is no conjunction left. Sound, not complete; costs nothing.
            pub fn is_plainly_empty(&self) -> bool {
                self.0.is_plainly_empty()
            }

            /// Whether one conjunction has no constraints. Sound, not complete; costs nothing.
            pub fn is_plainly_universe(&self) -> bool {
                self.0.is_plainly_universe()
            }

            /// Whether both consist of the same simplified conjunctions. Sound, not complete; linear.
            pub fn is_plainly_equal(&self, other: &$Type) -> bool {
                self.0 == other.0
            }

            /// Whether there is no integer point for any value of the parameters. Exact; integer programming.
            pub fn is_empty(&self, budget: &Budget) -> Result<bool> {
                self.0.is_empty(budget)
            }

            pub(crate) fn without_redundancies_of_parts(&self, budget: &Budget) -> Result<$Type> {
                Ok($Type(self.0.without_redundancies_of_parts(budget)?))
            }

            /// The points of either. Linear.
            pub fn union(&self, other: &$Type) -> Result<$Type> {
                Ok($Type(self.0.union(&other.0)?))
            }

            /// The points of both. Exact; one conjunction per pair of conjunctions.
            pub fn intersect(&self, other: &$Type, budget: &Budget) -> Result<$Type> {
                Ok($Type(self.0.intersect(&other.0, budget)?))
            }

            /// The points of `self` that are not in `other`. Exact; the resulting conjunctions are disjoint where those
            /// of `self` are. Cost: for each conjunction of `other`, up to one new conjunction per constraint.
            pub fn subtract(&self, other: &$Type, budget: &Budget) -> Result<$Type> {
                Ok($Type(self.0.subtract(&other.0, budget)?))
            }

            /// The points of the space that are not here. Exact; see [`Self::subtract`].
            pub fn complement(&self, budget: &Budget) -> Result<$Type> {
                Ok($Type(Relation::universe(self.0.space().clone()).subtract(&self.0, budget)?))
            }

            /// Whether every point is in `other` too, for every value of the parameters. Exact.
            pub fn is_subset(&self, other: &$Type, budget: &Budget) -> Result<bool> {
                self.0.is_subset(&other.0, budget)
            }

            /// Whether both have the same points. Exact. False for different tuples.
            pub fn is_equal(&self, other: &$Type, budget: &Budget) -> Result<bool> {
                self.0.is_equal(&other.0, budget)
            }

            /// Whether both have no point in common. Exact. True for different tuples.
            pub fn is_disjoint(&self, other: &$Type, budget: &Budget) -> Result<bool> {
                self.0.is_disjoint(&other.0, budget)
            }

            /// Existentially quantifies `n` dimensions of a kind and removes them from the space. Exact.
            /// Variables that no exact elimination removes stay behind as existentials.
            pub fn project_out(&self, kind: DimKind, first: usize, n: usize, budget: &Budget) -> Result<$Type> {
                Ok($Type(self.0.project_out(kind, first, n, budget)?))
            }

            /// Existentially quantifies some dimensions but keeps them, unconstrained, in the space. Exact.
            pub fn forget_dims(&self, kind: DimKind, first: usize, n: usize, budget: &Budget) -> Result<$Type> {
                Ok($Type(self.0.forget_dims(kind, first, n, budget)?))
            }

            /// The parameter values for which there is a point: everything else projected out. Exact.
            pub fn params(&self, budget: &Budget) -> Result<Set> {
                Ok(Set(self.0.params(budget)?))
            }

            /// The points whose parameters lie in `params` (a set over only parameters, or over an empty tuple).
            pub fn intersect_params(&self, params: &Set, budget: &Budget) -> Result<$Type> {
                Ok($Type(self.0.intersect_params(params.relation(), budget)?))
            }

            /// The points where a dimension or parameter has a given value.
            pub fn fix(&self, kind: DimKind, pos: usize, value: &Int) -> Result<$Type> {
                Ok($Type(self.0.bounded(kind, pos, value, Bound::Equal)?))
            }

            /// The points where a dimension or parameter is at least `value`.
            pub fn lower_bound(&self, kind: DimKind, pos: usize, value: &Int) -> Result<$Type> {
                Ok($Type(self.0.bounded(kind, pos, value, Bound::Lower)?))
            }

            /// The points where a dimension or parameter is at most `value`.
            pub fn upper_bound(&self, kind: DimKind, pos: usize, value: &Int) -> Result<$Type> {
                Ok($Type(self.0.bounded(kind, pos, value, Bound::Upper)?))
            }

            /// The points where `row`, over the columns of the space, is zero. Panics if the row is longer.
            pub fn add_eq(&self, row: &[Int]) -> $Type {
                $Type(self.0.constrained(row, true))
            }

            /// The points where `row`, over the columns of the space, is not negative. Panics if the row is longer.
            pub fn add_ineq(&self, row: &[Int]) -> $Type {
                $Type(self.0.constrained(row, false))
            }

            /// Inserts `n` unconstrained dimensions before `pos` of a tuple.
            pub fn insert_dims(&self, kind: DimKind, pos: usize, n: usize) -> Result<$Type> {
                Ok($Type(self.0.insert_dims(kind, pos, n)?))
            }

            /// Whether the point `[params | in | out]` belongs to it. Exact. False for a point of another length.
            pub fn contains(&self, point: &[Int], budget: &Budget) -> Result<bool> {
                self.0.contains(point, budget)
            }

            /// Some point `[params | in | out]`, or nothing if there is none. Exact, deterministic.
            pub fn sample(&self, budget: &Budget) -> Result<Option<Vec<Int>>> {
                self.0.sample(budget)
            }

            /// The same points as fewer conjunctions where cheap tests find them: empty and contained ones are dropped,
            /// pairs whose common hull adds no point are merged. Exact.
            pub fn coalesce(&self, budget: &Budget) -> Result<$Type> {
                Ok($Type(self.0.coalesce(budget)?))
            }

            /// A simpler object with the same points inside `context`: constraints that the context implies are
            /// dropped.
            pub fn gist(&self, context: &$Type, budget: &Budget) -> Result<$Type> {
                Ok($Type(self.0.gist(&context.0, budget)?))
            }

            /// Like [`Self::gist`] with a context that only constrains the parameters.
            pub fn gist_params(&self, context: &Set, budget: &Budget) -> Result<$Type> {
                Ok($Type(self.0.gist_params(context.relation(), budget)?))
            }

            /// The same points without the constraints that the others imply, and without empty conjunctions. Exact.
            pub fn remove_redundancies(&self, budget: &Budget) -> Result<$Type> {
                Ok($Type(self.0.remove_redundancies(budget)?))
            }

            /// The same points, every local variable a division with known definition (quantifier elimination). Exact;
            /// can split conjunctions.
            pub fn make_divs_explicit(&self, budget: &Budget) -> Result<$Type> {
                Ok($Type(self.0.make_divs_explicit(budget)?))
            }

            /// A superset without existentials: they are projected out over the rationals. Known divisions stay.
            pub fn overapproximate_existentials(&self, budget: &Budget) -> Result<$Type> {
                Ok($Type(self.0.overapproximate_existentials(budget)?))
            }

            /// A superset without integer divisions and existentials: each conjunction projected over the rationals,
            /// with combined constraints rounded to integers. Fourier-Motzkin elimination.
            pub fn overapproximate_divs(&self, budget: &Budget) -> Result<$Type> {
                Ok($Type(self.0.overapproximate_divs(budget)?))
            }

            /// A subset without integer divisions and existentials: in every inequality a division is replaced by the
            /// end of its rational interval that makes the inequality stronger. Conjunctions with an equality that
            /// contains a division are left out. Existentials are made explicit first.
            pub fn underapproximate_divs(&self, budget: &Budget) -> Result<$Type> {
                Ok($Type(self.0.underapproximate_divs(budget)?))
            }

            /// A single conjunction that contains all points: [`Self::unshifted_simple_hull`].
            pub fn overapproximate_hull(&self, budget: &Budget) -> Result<$Type> {
                self.unshifted_simple_hull(budget)
            }

            /// A single conjunction that contains all points: the constraints of every conjunction, each moved out
            /// until it holds for all, and the equalities of the affine hull. An approximation from above; of one
            /// conjunction, the conjunction itself. Cost: one linear program per constraint and conjunction.
            pub fn simple_hull(&self, budget: &Budget) -> Result<$Type> {
                Ok($Type(self.0.simple_hull(budget)?))
            }

            /// A single conjunction that contains all points: the constraints of every conjunction that hold for all as
            /// they are, and the equalities of the affine hull. An approximation from above that contains
            /// [`Self::simple_hull`]; it can be unbounded in directions where no constraint holds for all.
            pub fn unshifted_simple_hull(&self, budget: &Budget) -> Result<$Type> {
                Ok($Type(self.0.unshifted_simple_hull(budget)?))
            }

            /// The constraints of the members of `list`, which must have the space of `self`, that hold for all points
            /// of `self`. An approximation from above; empty if `self` is empty.
            pub fn unshifted_simple_hull_from(&self, list: &[$Type], budget: &Budget) -> Result<$Type> {
                let list: Vec<&Relation> = list.iter().map(|x| &x.0).collect();
                Ok($Type(self.0.unshifted_simple_hull_from(&list, budget)?))
            }

            /// The constraints that literally occur in every conjunction. An approximation from above that solves
            /// nothing.
            pub fn plain_unshifted_simple_hull(&self, budget: &Budget) -> Result<$Type> {
                Ok($Type(self.0.plain_unshifted_simple_hull(budget)?))
            }

            /// The smallest set of points that affine equalities and congruences describe and that contains all points:
            /// the intersection of all `f = 0` and all `exists e : f = d e` that hold for all points. Exact; depends
            /// only on the points. Integer programming, a few problems per dimension and conjunction.
            pub fn affine_hull(&self, budget: &Budget) -> Result<$Type> {
                Ok($Type(self.0.affine_hull(budget)?))
            }

            /// The same points, with the affine equalities and congruences that hold for all integer points of a
            /// conjunction written down in it. Exact. Cost as [`Self::affine_hull`].
            pub fn detect_equalities(&self, budget: &Budget) -> Result<$Type> {
                Ok($Type(self.0.detect_equalities(budget)?))
            }

            /// The closed convex hull, over the rationals, of the projections of the conjunctions onto parameters and
            /// dimensions: an approximation from above without divisions. Exponential in the dimension at worst. Where
            /// there are divisions or existentials it is made tighter with a bounded effort: a set of few points
            /// without parameters gets the hull of its points, another one inequalities that each hold with equality at
            /// some point.
            pub fn polyhedral_hull(&self, budget: &Budget) -> Result<$Type> {
                Ok($Type(self.0.polyhedral_hull(budget)?))
            }

            /// The closed convex hull, over the rationals, of the conjunctions with their common divisions as further
            /// coordinates: an approximation from above that is contained in the hull of the projections. Exponential
            /// in the dimension at worst.
            pub fn convex_hull(&self, budget: &Budget) -> Result<$Type> {
                Ok($Type(self.0.convex_hull(budget)?))
            }

            /// The smallest box with constant sides, the same for all parameter values, that contains all points. Sides
            /// without bound are left out. Exact bounds; integer programming.
            pub fn box_hull(&self, budget: &Budget) -> Result<$Type> {
                Ok($Type(self.0.box_hull(budget)?))
            }

            /// Whether there are only finitely many points for every value of the parameters. Exact.
            pub fn is_bounded(&self, budget: &Budget) -> Result<bool> {
                self.0.is_bounded(budget)
            }

            /// Whether a dimension has a lower bound for every value of the parameters (a parameter: a lower bound at
            /// all). Exact.
            pub fn has_lower_bound(&self, kind: DimKind, pos: usize, budget: &Budget) -> Result<bool> {
                self.0.is_dim_bounded(kind, pos, true, budget)
            }

            /// Whether a dimension has an upper bound for every value of the parameters (a parameter: an upper bound at
            /// all). Exact.
            pub fn has_upper_bound(&self, kind: DimKind, pos: usize, budget: &Budget) -> Result<bool> {
                self.0.is_dim_bounded(kind, pos, false, budget)
            }

            /// Whether it is written as one product of bounded intervals with constant ends. Sound, not complete.
            pub fn is_plainly_box(&self) -> bool {
                self.0.is_plainly_box()
            }

            /// Whether opposite constraints show that there is no common point. Sound, not complete; solves nothing.
            pub fn is_plainly_disjoint(&self, other: &$Type) -> bool {
                self.0.is_plainly_disjoint(&other.0)
            }

            /// The same points with another tuple name; an empty string removes the name.
            pub fn with_tuple_name(&self, kind: DimKind, name: &str) -> $Type {
                $Type(self.0.with_space(self.0.space().with_tuple_name(kind, name)))
            }

            /// The same points with another name for a dimension or parameter.
            pub fn with_dim_name(&self, kind: DimKind, pos: usize, name: &str) -> $Type {
                $Type(self.0.with_space(self.0.space().with_dim_name(kind, pos, name)))
            }

            /// The same points in a space with the same number of columns of each kind, for instance other names.
            pub fn with_space(&self, space: &Space) -> Result<$Type> {
                let kinds = [DimKind::Param, DimKind::In, DimKind::Out];
                if kinds.iter().any(|&k| space.dim(k) != self.0.space().dim(k)) {
                    return Err(mismatch("rename", self.0.space(), space));
                }
                Ok($Type(self.0.with_space(space.clone())))
            }

            /// The same points with the parameters of `params` first, then its own others.
            pub fn align_params(&self, params: &Space) -> $Type {
                $Type(self.0.align_params(params))
            }

            /// The same points without the parameters that no constraint uses.
            pub fn drop_unused_params(&self) -> $Type {
                $Type(self.0.drop_unused_params())
            }
        }
    };
}

pub(super) use common_methods;
