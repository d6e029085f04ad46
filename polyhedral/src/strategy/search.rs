//! The search through the loops of a program, and the steps it takes.

use std::cell::OnceCell;

use crate::budget::Budget;
use crate::scop::{Dependences, LiveRanges, Scop};
use crate::space::DimKind;
use crate::transform::{Draft, Need, Site, Step, TransformError, Value, check};

use super::program::Program;
use super::region::Region;
use super::{Copies, Failure, SearchOptions, Transformation};

/// The search over one program.
#[derive(Clone)]
pub(super) struct Search<'m, 's> {
    pub(super) scop: &'s Scop,
    pub(super) program: &'s Program,
    pub(super) dependences: &'s Dependences,
    pub(super) budget: &'s Budget,
    /// Nests whose scalars have copies.
    pub(super) copies: &'s [Copies],
    /// What the user asked for.
    pub(super) options: &'s SearchOptions,
    /// The part of a nest that is looked at, where it is not all of it.
    pub(super) region: Region,
    /// The order that was found so far.
    pub(super) draft: Draft<'m>,
    /// How many of them have their order.
    pub(super) used: usize,
    /// What was done so far.
    pub(super) applied: Vec<Transformation>,
    /// Whether what might be illegal for itself is checked when it is found.
    pub(super) is_careful: bool,
    /// Whether something was found that might be illegal, and was not checked.
    pub(super) has_guessed: bool,
    /// Whether dependences excluded an order that would have paid.
    pub(super) blocked: bool,
    /// The live ranges, once somebody has asked.
    pub(super) live_ranges: OnceCell<LiveRanges>,
}

impl Search<'_, '_> {
    /// The `band`th band around a statement.
    pub(super) fn site(&self, statement: usize, band: usize) -> Site {
        Site { statement: self.scop.statements[statement].name.clone(), band, copy: self.region.copy_of(statement) }
    }

    /// Any instance of a statement in isl notation, with the counters `i0`, `i1`, ...: `S[i0, i1]`.
    pub(super) fn instance(&self, statement: usize) -> String {
        let statement = &self.scop.statements[statement];
        let n = statement.domain.space().dim(DimKind::Out);
        let dims: Vec<String> = (0..n).map(|dim| format!("i{dim}")).collect();
        format!("{}[{}]", statement.name, dims.join(", "))
    }

    /// Edits the draft at the `band`th band around a statement. Nothing is proved; the whole draft is, in the end.
    pub(super) fn step(
        &mut self,
        pass: &str,
        (statement, band): (usize, usize),
        arguments: impl IntoIterator<Item = (&'static str, Value)>,
    ) -> Result<(), Failure> {
        self.step_at(pass, self.site(statement, band), arguments)
    }

    /// Edits the draft at a site.
    pub(super) fn step_at(
        &mut self,
        pass: &str,
        site: Site,
        arguments: impl IntoIterator<Item = (&'static str, Value)>,
    ) -> Result<(), Failure> {
        let step = Step::new(pass, site, arguments);
        self.draft = self.draft.edit(&step, self.budget)?;
        Ok(())
    }

    /// Takes a step at the `band`th band around a statement. False, and no change, where it does not apply.
    pub(super) fn takes(
        &mut self,
        pass: &str,
        (statement, band): (usize, usize),
        arguments: impl IntoIterator<Item = (&'static str, Value)>,
    ) -> Result<bool, Failure> {
        self.takes_at(pass, self.site(statement, band), arguments)
    }

    /// Takes a step at a site. False, and no change, where it does not apply.
    fn takes_at(
        &mut self,
        pass: &str,
        site: Site,
        arguments: impl IntoIterator<Item = (&'static str, Value)>,
    ) -> Result<bool, Failure> {
        match self.step_at(pass, site, arguments) {
            Err(Failure::Step(TransformError::NotApplicable { .. })) => Ok(false),
            other => other.map(|()| true),
        }
    }

    /// Takes note of what was done to a nest, and how often loops must run for it.
    pub(super) fn done(&mut self, nest: Transformation, need: Option<Need>) -> Result<(), Failure> {
        need.map_or(Ok(()), |need| self.needs(need))?;
        self.applied.push(nest);
        Ok(())
    }

    /// Whether something that was done behind the first `known` nests has a register tile.
    pub(super) fn has_register_tile(&self, known: usize) -> bool {
        self.applied[known..].iter().any(|nest| !nest.register_tile.is_empty())
    }

    /// Takes note of how often a loop must run, unless the user wants also what does not pay.
    pub(super) fn needs(&mut self, need: Need) -> Result<(), Failure> {
        if !self.options.unprofitable {
            self.draft = self.draft.edit(&need.step(), self.budget)?;
        }
        Ok(())
    }

    /// Runs whole blocks of so many iterations of a loop first, and takes the step that makes a band of blocks above it. False, and no
    /// change, where there is no block.
    pub(super) fn blocks(
        &mut self,
        at: (usize, usize),
        factor: i64,
        (pass, arguments): (&str, [(&'static str, Value); 1]),
    ) -> Result<bool, Failure> {
        if !self.peeled(self.site(at.0, at.1), factor, None)? {
            return Ok(false);
        }
        self.step(pass, at, arguments)?;
        Ok(true)
    }

    /// Takes what is left over of whole blocks of so many iterations out of a loop (see the pass `peel`). False, and no change, where there is no
    /// block.
    pub(super) fn peeled(&mut self, site: Site, factor: i64, front: Option<&str>) -> Result<bool, Failure> {
        let front = front.map(|what| ("front", Value::Name(what.to_owned())));
        self.takes_at("peel", site, std::iter::once(("multiple", Value::Integer(factor))).chain(front))
    }

    /// Counts the iterations of a loop from zero, where that is possible.
    pub(super) fn normalised(&mut self, site: Site) -> Result<bool, Failure> {
        self.takes_at("normalise", site, [])
    }

    /// Whether what was found may stay although it might be illegal for itself: a careful search checks it, any other takes note that it
    /// has guessed.
    pub(super) fn may_stay(&mut self) -> Result<bool, Failure> {
        if self.is_careful {
            return Ok(check(&self.draft, self.budget)?.is_none());
        }
        self.has_guessed = true;
        Ok(true)
    }

    /// Whether the draft as it is respects all dependences, without a look at live ranges that may be reordered.
    pub(super) fn is_in_order(&self) -> Result<bool, Failure> {
        Ok(check(&self.draft.clone().with_live_ranges(false), self.budget)?.is_none())
    }

    /// Makes one band of the `n` bands around a statement from `band` on, and puts its members into another order.
    pub(super) fn permute(&mut self, statement: usize, band: usize, n: usize, order: &[usize]) -> Result<(), Failure> {
        for _ in 1..n {
            self.step("combine", (statement, band), [])?;
        }
        self.interchange(statement, band, order)
    }

    /// Puts the members of a band into another order.
    pub(super) fn interchange(&mut self, statement: usize, band: usize, order: &[usize]) -> Result<(), Failure> {
        if order.is_sorted() {
            return Ok(());
        }
        let order = order.iter().map(|position| i64::try_from(*position).unwrap_or(i64::MAX));
        self.step("interchange", (statement, band), [("order", Value::list(order))])
    }

    /// Makes `n` bands of one of `n` members.
    pub(super) fn split(&mut self, statement: usize, band: usize, n: usize) -> Result<(), Failure> {
        (1..n).try_for_each(|k| self.step("split", (statement, band + k - 1), [("at", Value::Integer(1))]))
    }

    /// Gives parts of the body of the `n` loops around a statement, from `band` on, loops of their own.
    pub(super) fn separate(&mut self, statement: usize, band: usize, n: usize, sizes: &[usize]) -> Result<(), Failure> {
        let sizes = sizes.iter().map(|size| i64::try_from(*size).unwrap_or(i64::MAX));
        let mut arguments = vec![("parts", Value::list(sizes))];
        for k in (0..n).rev() {
            self.step("distribute", (statement, band + k), arguments.drain(..))?;
        }
        Ok(())
    }
}
