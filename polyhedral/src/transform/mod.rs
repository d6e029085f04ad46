//! Transformations of a SCoP as named passes over one value, the draft, with one check behind all of them.
//!
//! A [`Draft`] is a SCoP with a schedule tree that may become its new order. A *pass* edits the tree at a *site* (a band, named by a
//! statement that it schedules: `S@0` is the outermost band above the leaf of `S`) and never asks whether that pays. A [`Script`] is a list of
//! steps in text, one pass each; what a draft went through is its log, and a script, too:
//!
//! ```text
//! combine(S@0)
//! interchange(S@0, order = [1, 0])
//! tile(S@0, sizes = [32, 64])
//! ```
//!
//! [`check`] proves drafts: it knows nothing of the passes, and a draft that fails it is thrown away with an error that names the step. A
//! script is proved as a whole, so that the steps on the way need not be legal alone. Then the flags of all bands are made those that
//! dependences allow.
//!
//! Some passes also give values other places: a draft has a [`Placement`], buffers with the accesses that go there and the copies from and
//! to arrays.
//!
//! What no tree says, how often loops must run for the new order to be better, is in the draft's [needs](Draft::needs).
//!
//! Invariants: a draft that [`Draft::apply`] or [`Draft::run`] returned is well-formed, has the instances of the SCoP and respects its
//! dependences, or hands on all values that they are about; the log of a draft, run again from the SCoP's own schedule, gives the same tree.
//! Nothing is proved about what [`Draft::edit`], [`Draft::with_tree`] and [`Draft::with_placement`] return.

mod check;
mod dependences;
mod kernel_sites;
mod need;
mod pass;
mod passes;
mod placement;
mod script;
mod transfers;

pub use check::{Defect, check, check_claims, check_threads};
pub use need::{Need, Short};
pub use pass::{Argument, Kind, PASSES, Pass};
pub use placement::{Buffer, BufferKind, CopyStatement, Direction, Placement, Redirect};
pub(crate) use script::{Item, Reader};
pub use script::{Script, Site, Step, Value};
pub use transfers::{Extent, Region, Transfers, check_transfers, live_in, rectangle};

use std::fmt;
use std::sync::Arc;

use crate::budget::Budget;
use crate::error::Error;
use crate::schedule::{Cursor, EditError, Node, ScheduleTree};
use crate::scop::{Dependences, Scop};

/// A SCoP with a new order in the making. A value: a step returns another draft.
#[derive(Clone, Debug)]
pub struct Draft<'m> {
    scop: &'m Scop,
    dependences: Arc<Dependences>,
    live_ranges: bool,
    by_values: bool,
    tree: ScheduleTree,
    placement: Placement,
    needs: Vec<Need>,
    /// The flags of the tree are known to be those that dependences allow.
    is_flagged: bool,
    /// Shared, since passes copy drafts.
    log: Arc<Vec<Step>>,
}

/// Why a step was not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransformError {
    /// There is no such pass.
    UnknownPass {
        /// The name that was given.
        name: String,
    },
    /// The arguments are not those of the pass, or the pass is not for this site.
    NotApplicable {
        /// The step.
        step: String,
        /// What is wrong, and what is allowed.
        what: String,
    },
    /// The new draft fails the check.
    Refused {
        /// The step.
        step: String,
        /// What the check found.
        defect: Defect,
    },
    /// An operation on sets failed, or the budget ran out.
    Relation(Error),
}

impl From<Error> for TransformError {
    fn from(error: Error) -> TransformError {
        TransformError::Relation(error)
    }
}

impl fmt::Display for TransformError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TransformError::UnknownPass { name } => {
                let known: Vec<&str> = PASSES.iter().map(|pass| pass.name).collect();
                write!(f, "there is no pass {name}; there are {}", known.join(", "))
            }
            TransformError::NotApplicable { step, what } => write!(f, "{step} does not apply: {what}"),
            TransformError::Refused { step, defect } => write!(f, "{step} is refused: {defect}"),
            TransformError::Relation(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for TransformError {}

impl<'m> Draft<'m> {
    /// The draft that changes nothing: the order of the program, with the flags that dependences allow. Cost: the dependences.
    pub fn new(scop: &'m Scop, budget: &Budget) -> Result<Draft<'m>, Error> {
        Draft::with_dependences(scop, Arc::new(scop.dependences(budget)?)).with_true_flags(budget)
    }

    /// The draft that changes nothing, of a SCoP whose dependences are known. Bands have the flags of the SCoP's own schedule.
    pub fn with_dependences(scop: &'m Scop, dependences: Arc<Dependences>) -> Draft<'m> {
        let (tree, placement) = (scop.schedule.clone(), Placement::default());
        Draft {
            scop,
            dependences,
            live_ranges: true,
            by_values: true,
            tree,
            placement,
            needs: Vec::new(),
            is_flagged: false,
            log: Arc::default(),
        }
    }

    /// The same, where the order of all live ranges of memory has to stay (`false`), or only each of them must stay whole: see
    /// [`LiveRanges`](crate::scop::LiveRanges).
    pub fn with_live_ranges(self, may_be_reordered: bool) -> Draft<'m> {
        Draft { live_ranges: may_be_reordered, is_flagged: false, ..self }
    }

    /// The same, where values are not looked at if the structure proves nothing (`false`): what only values would prove fails the check, and
    /// what is wrong fails it without an analysis of values, which costs a hundred times as much.
    pub fn with_values(self, are_looked_at: bool) -> Draft<'m> {
        Draft { by_values: are_looked_at, ..self }
    }

    /// The SCoP.
    pub fn scop(&self) -> &'m Scop {
        self.scop
    }

    /// The dependences of the SCoP.
    pub fn dependences(&self) -> &Dependences {
        &self.dependences
    }

    /// The new order.
    pub fn tree(&self) -> &ScheduleTree {
        &self.tree
    }

    /// The same with another tree, whatever it is: to be checked before anything is done with it. The log stays.
    pub fn with_tree(&self, tree: ScheduleTree) -> Draft<'m> {
        Draft { tree, is_flagged: false, ..self.clone() }
    }

    /// The same with a tree that has other marks only, so that flags stay what they are.
    fn with_marked(&self, tree: ScheduleTree) -> Draft<'m> {
        Draft { tree, ..self.clone() }
    }

    /// Where values live while the new code runs.
    pub fn placement(&self) -> &Placement {
        &self.placement
    }

    /// The same with other buffers, whatever they are: to be checked before anything is done with it. The log stays.
    pub fn with_placement(&self, placement: Placement) -> Draft<'m> {
        Draft { placement, is_flagged: false, ..self.clone() }
    }

    /// How often loops of the program must run for the new order to be used.
    pub fn needs(&self) -> &[Need] {
        &self.needs
    }

    fn with_need(&self, need: Need) -> Draft<'m> {
        Draft { needs: [self.needs.as_slice(), &[need]].concat(), ..self.clone() }
    }

    /// The steps that led here.
    pub fn log(&self) -> &[Step] {
        &self.log
    }

    /// The same with the flags that dependences allow on all bands. Cost: a few emptiness tests per dependence and member, if it is not known that
    /// the flags are those.
    pub fn with_true_flags(self, budget: &Budget) -> Result<Draft<'m>, Error> {
        if self.is_flagged {
            return Ok(self);
        }
        let tree = self.tree.with_true_flags(&self.order(budget)?, &self.together(budget)?, budget)?;
        Ok(Draft { tree, is_flagged: true, ..self })
    }

    /// Takes a step without proof: the pass, a line in the log.
    pub fn edit(&self, step: &Step, budget: &Budget) -> Result<Draft<'m>, TransformError> {
        let name = &step.pass;
        let pass = PASSES.iter().find(|pass| pass.name == name);
        let pass = pass.ok_or_else(|| TransformError::UnknownPass { name: name.clone() })?;
        let not_applicable = |what: String| TransformError::NotApplicable { step: step.to_string(), what };
        pass.accepts(step).map_err(&not_applicable)?;
        let draft = (pass.apply)(self, step, budget).map_err(|error| match error {
            EditError::Relation(error) => TransformError::Relation(error),
            other => not_applicable(other.to_string()),
        })?;
        let log = self.log.iter().cloned().chain([step.clone()]).collect();
        Ok(Draft { log: Arc::new(log), ..draft })
    }

    /// Takes a step: the pass, a line in the log, the check, true flags.
    pub fn apply(&self, step: &Step, budget: &Budget) -> Result<Draft<'m>, TransformError> {
        let draft = self.edit(step, budget)?;
        if let Some(defect) = check(&draft, budget)? {
            return Err(TransformError::Refused { step: step.to_string(), defect });
        }
        Ok(draft.with_true_flags(budget)?)
    }

    /// Takes all steps of a script, then the check and true flags. If the result fails the check, the error names the first step after
    /// which the draft does.
    pub fn run(&self, script: &Script, budget: &Budget) -> Result<Draft<'m>, TransformError> {
        let edited = script.steps.iter().try_fold(self.clone(), |draft, step| draft.edit(step, budget));
        if let Ok(draft) = edited
            && check(&draft, budget)?.is_none()
        {
            return Ok(draft.with_true_flags(budget)?);
        }
        script.steps.iter().try_fold(self.clone(), |draft, step| draft.apply(step, budget))
    }

    /// All bands that a statement passes on the way to one of its leaves, the outermost first; nothing where there are fewer leaves.
    fn bands_of(&self, statement: &str, copy: usize) -> Option<Vec<Cursor>> {
        let mut left = copy;
        bands_to(self.tree.cursor(), statement, &mut left)
    }

    /// In how many places the tree has instances of a statement.
    pub(crate) fn places_of(&self, statement: &str) -> usize {
        places_below(self.tree.cursor(), statement)
    }

    /// In how many places before a node the tree has instances of a statement.
    fn places_before(&self, statement: &str, cursor: &Cursor) -> usize {
        let branches = cursor.path().iter().enumerate().flat_map(|(depth, position)| {
            let above = self.tree.cursor_at(&cursor.path()[..depth]);
            above.map_or_else(Vec::new, |above| above.children().into_iter().take(*position).collect())
        });
        branches.filter(|branch| has(branch, statement)).map(|branch| places_below(branch, statement)).sum()
    }

    /// How many members each band has that a statement passes on the way to its leaf, the outermost first.
    pub(crate) fn members_of(&self, statement: &str) -> Vec<usize> {
        let members = |cursor: &Cursor| match cursor.node() {
            Node::Band(band, _) => band.members().len(),
            _ => 0,
        };
        self.bands_of(statement, 0).unwrap_or_default().iter().map(members).collect()
    }

    /// The band at a site. An error where there is no such statement, or it passes fewer bands.
    pub fn band_at(&self, site: &Site) -> Result<Cursor, EditError> {
        if self.scop.statement(&site.statement).is_none() {
            return Err(EditError::BadArgument { what: format!("there is no statement {}", site.statement) });
        }
        let Some(mut bands) = self.bands_of(&site.statement, site.copy) else {
            let what = format!(
                "{} is not in so many places of the tree that {} is one, counted from 0",
                site.statement, site.copy
            );
            return Err(EditError::BadArgument { what });
        };
        if site.band < bands.len() {
            return Ok(bands.swap_remove(site.band));
        }
        let what = format!("{} passes {} bands, counted from 0", site.statement, bands.len());
        Err(EditError::BadArgument { what })
    }
}

/// In how many places below a node the tree has instances of a statement.
fn places_below(cursor: Cursor, statement: &str) -> usize {
    let mut left = usize::MAX;
    bands_to(cursor, statement, &mut left);
    usize::MAX - left
}

/// Whether a node lets instances of a statement pass.
fn has(cursor: &Cursor, statement: &str) -> bool {
    match cursor.node() {
        Node::Filter(instances, _) => instances.get(statement).is_some(),
        _ => true,
    }
}

/// The bands from a node on to the leaf of a statement that has so many others, which are counted down, in front of it.
fn bands_to(cursor: Cursor, statement: &str, left: &mut usize) -> Option<Vec<Cursor>> {
    let children = cursor.children();
    let mut below = None;
    if children.is_empty() {
        if *left == 0 {
            below = Some(Vec::new());
        } else {
            *left -= 1;
        }
    }
    for child in children.into_iter().filter(|child| has(child, statement)) {
        below = bands_to(child, statement, left);
        if below.is_some() {
            break;
        }
    }
    let mut bands = below?;
    if matches!(cursor.node(), Node::Band(..)) {
        bands.insert(0, cursor);
    }
    Some(bands)
}
