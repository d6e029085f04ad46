//! [`AstOptions`]: the switches of AST generation, with the names and the meanings that isl gives them, and a bound for code size.

/// Which bounds the loop type `separate` cuts along.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SeparationBounds {
    /// Only constraints that are written down for the loop iterator, outer iterators and parameters.
    Explicit,
    /// All bounds of the loop iterator, those included that follow from constraints on inner iterators.
    #[default]
    Implicit,
}

/// Switches of AST generation; [`Default`] gives the values that are named here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AstOptions {
    /// The test of a loop compares the iterator once, with one expression (on). Off: a conjunction of constraints, each taken
    /// directly from a bound and so without division ([`For::test`](super::For::test)).
    pub atomic_upper_bound: bool,
    /// Divisions of dividends that are known not to be negative, and exact divisions, are looked for and marked (on). Off: every
    /// division is a floor, every remainder that of a floor.
    pub prefer_pdiv: bool,
    /// A condition that the bounds of nested loops enforce is not tested outside of them (on).
    pub exploit_nested_bounds: bool,
    /// The former leaves to nested loops only conditions with iterators (off). A condition on parameters alone is tested outside, once, so that
    /// `for (i < n) for (j < m)` does not count to `n` where `m` is zero.
    pub invariant_conditions_outside: bool,
    /// A loop with a stride may count its iterations instead, where no statement needs the iterator itself (on).
    pub scale_strides: bool,
    /// Conditions may have an alternative, `else` (on).
    pub allow_else: bool,
    /// Conditions may be disjunctions (on). Off: the code under a disjunction is written once for each part.
    pub allow_or: bool,
    /// Which bounds the loop type `separate` cuts along (implicit).
    pub separation_bounds: SeparationBounds,
    /// Instances that the schedule takes to the same time stay in one loop (off).
    pub group_coscheduled: bool,
    /// Expressions that are built from piecewise functions become minima and maxima where they are (on; off in isl).
    pub detect_min_max: bool,
    /// The greatest number of statement copies in the code that separation may lead to (nothing: no bound). Loops of the type
    /// `separate` are separated as long as the bound allows, then they are not; loops of the default type are separated too where
    /// that removes conditions on the iterator from their bodies. Unrolling beyond the bound is an error.
    pub max_copies: Option<usize>,
}

impl AstOptions {
    /// For a nest in another order than that of the program: loops do not count where inner ones are empty whatever the iteration, which
    /// might be far more than what the program counts.
    pub fn for_new_order() -> AstOptions {
        AstOptions { invariant_conditions_outside: true, ..AstOptions::default() }
    }
}

impl Default for AstOptions {
    fn default() -> AstOptions {
        AstOptions {
            atomic_upper_bound: true,
            prefer_pdiv: true,
            exploit_nested_bounds: true,
            invariant_conditions_outside: false,
            scale_strides: true,
            allow_else: true,
            allow_or: true,
            separation_bounds: SeparationBounds::Implicit,
            group_coscheduled: false,
            detect_min_max: true,
            max_copies: None,
        }
    }
}
