//! [`Options`]: what the scheduler may and should do. Names and defaults are those of isl.

/// How one dimension of a schedule is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Algorithm {
    /// Bands of permutable members by the method of Pluto, with Feautrier's method where it finds none.
    #[default]
    Isl,
    /// Feautrier's method as long as there is a validity constraint left, then Pluto's.
    Feautrier,
}

/// How much is fused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fusion {
    /// Statements are scheduled apart wherever the constraints allow an order of components.
    None,
    /// Components are fused one after the other where nothing of value is lost.
    #[default]
    Smart,
    /// All statements that are connected are scheduled together.
    Max,
}

/// The options of [`schedule`](super::schedule).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The greatest absolute value of the coefficients of variables and parameters in the rows of permutable bands; no
    /// limit if nothing.
    pub max_coefficient: Option<u32>,
    /// The greatest constant term in the rows of permutable bands; no limit if nothing. A small value keeps statements
    /// apart that could only be fused by a large shift.
    pub max_constant_term: Option<u32>,
    /// Rather split a component than accept a band with fewer members than possible; fuse only where no band gets
    /// shorter.
    pub maximize_band_depth: bool,
    /// Fuse only where no component loses a coincident member.
    pub maximize_coincidence: bool,
    /// The first member of a band must be coincident; where it cannot be, a dimension outside carries what prevents it.
    pub outer_coincidence: bool,
    /// Divide a row that carries constraints by the common factor of its coefficients.
    pub split_scaled: bool,
    /// Avoid rows that traverse several dimensions at once, as `64 i + j` for `0 <= j < 64`.
    pub treat_coalescing: bool,
    /// Order strongly connected components one after the other: no fusion at all between them.
    pub serialize_sccs: bool,
    /// Schedule a connected component as a whole instead of fusing step by step.
    pub whole_component: bool,
    /// Where a row must carry constraints, try first to carry only those of statements on themselves.
    pub carry_self_first: bool,
    /// The coefficients of parameters may be different from zero.
    pub parametric: bool,
    /// Where the schedule is written as points in time ([`schedule_map`](super::schedule_map)), components that are not
    /// ordered come one after the other; otherwise they share the components of time. The tree is the same.
    pub separate_components: bool,
    /// How a dimension is found.
    pub algorithm: Algorithm,
    /// Whether the finished schedule is checked against the validity constraints by the independent legality test.
    pub verify: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            max_coefficient: None,
            max_constant_term: None,
            maximize_band_depth: false,
            maximize_coincidence: false,
            outer_coincidence: false,
            split_scaled: true,
            treat_coalescing: true,
            serialize_sccs: false,
            whole_component: false,
            carry_self_first: true,
            parametric: true,
            separate_components: true,
            algorithm: Algorithm::Isl,
            verify: true,
        }
    }
}

impl Options {
    /// The options that suit a target with two levels of parallelism, as PPCG sets them for GPUs: outer coincidence is
    /// forced, and fusion gives up neither depth nor coincidence.
    pub fn parallel() -> Options {
        Options { maximize_band_depth: true, maximize_coincidence: true, outer_coincidence: true, ..Options::default() }
    }

    /// The same options with another fusion strategy.
    pub fn with_fusion(self, fusion: Fusion) -> Options {
        Options { serialize_sccs: fusion == Fusion::None, whole_component: fusion == Fusion::Max, ..self }
    }
}
