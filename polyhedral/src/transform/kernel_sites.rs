//! Which bands could become kernels: the outermost ones with members that can run in parallel.
//!
//! ```text
//! band S, T -> [t]                     not this one: iterations wait for each other
//!   sequence
//!     filter S
//!       band S -> [i], coincident      S@1
//!     filter T
//!       band T -> [i], coincident      T@1
//! ```
//!
//! PPCG's kernels are these bands, too. Whether a kernel pays is not asked here.

use crate::budget::Budget;
use crate::error::Result;
use crate::schedule::{Cursor, Node};

use super::{Draft, Site};

impl Draft<'_> {
    /// The outermost bands with a coincident member, in the order of the tree. The flags are those that dependences allow, whatever
    /// the tree says. Cost: that of [`Draft::with_true_flags`].
    pub fn kernel_sites(&self, budget: &Budget) -> Result<Vec<Site>> {
        let flagged = self.clone().with_true_flags(budget)?;
        let mut found = Vec::new();
        visit(&flagged, &flagged.tree.cursor(), 0, &mut found, budget)?;
        Ok(found)
    }
}

fn visit(draft: &Draft<'_>, cursor: &Cursor, bands: usize, found: &mut Vec<Site>, budget: &Budget) -> Result<()> {
    let mut below = bands;
    if let Node::Band(band, _) = cursor.node() {
        if band.members().iter().any(|member| member.coincident) {
            let reaching = cursor.universe_domain(budget)?;
            let mut names = reaching.members().filter_map(|set| set.space().range_tuple().name().cloned());
            // Not a copy: sites are named by statements of the program.
            let statement = names.find(|name| draft.scop.statement(name).is_some());
            found.extend(statement.map(|statement| {
                let copy = draft.places_before(&statement, cursor);
                Site { statement: statement.to_string(), band: bands, copy }
            }));
            return Ok(());
        }
        below += 1;
    }
    cursor.children().iter().try_for_each(|child| visit(draft, child, below, found, budget))
}
