//! Permutable bands of the original order: interchange, tiling and distribution.
//!
//! The search walks the loops of the original program from the outside in. At each loop it looks at the nest below:
//! - a *perfect* nest (loops around statements only) whose loops are all permutable is given to the cost model;
//! - an *imperfect* nest is distributed over the parts of its innermost body where dependences allow it, and the parts
//!   are looked at as nests of their own; distribution is kept only if one of them profits;
//! - otherwise the outer loop stays as it is, and the search goes on below, with its iteration fixed.
//!
//! What becomes of a perfect nest is the subject of [`super::perfect`], what is legal that of [`super::legality`]. The resulting tree
//! is checked once more against all dependences by [`super::plan`].

use crate::detect::reasons::Reason;
use crate::model::data::{counter, written};
use crate::model::scop::{Order, Scop, statements_of};
use crate::model::sets::library_error;
use crate::optimise::Wishes;
use crate::optimise::applied::Applied;
use crate::optimise::cost::{Tiles, decide};
use crate::optimise::expand::Strip;
use crate::optimise::live_ranges::Reordering;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::schedule::{Band, Instances, Member, Node};
use tessera_polyhedral::scop::{Dependences, Scop as Data};

/// The search over one region.
pub struct Search<'s> {
    pub(super) scop: &'s Scop,
    /// The same as data.
    pub(super) data: &'s Data,
    pub(super) dependences: &'s Dependences,
    pub(super) budget: &'s Budget,
    /// Nests whose scalars have copies.
    strips: &'s [Strip],
    /// What the user asked for.
    pub(super) wishes: &'s Wishes,
    /// What was done so far.
    pub applied: Vec<Applied>,
    /// Whether dependences excluded an order that would have paid.
    pub blocked: bool,
    /// Which live ranges may be reordered, once somebody has asked.
    pub(super) reordering: Reordering,
}

pub(super) type Result<T> = std::result::Result<T, Reason>;

impl<'s> Search<'s> {
    /// A search that has done nothing yet.
    pub fn new(
        scop: &'s Scop,
        data: &'s Data,
        dependences: &'s Dependences,
        strips: &'s [Strip],
        wishes: &'s Wishes,
        budget: &'s Budget,
    ) -> Self {
        Self {
            scop,
            data,
            dependences,
            strips,
            budget,
            wishes,
            applied: Vec::new(),
            blocked: false,
            reordering: Reordering::default(),
        }
    }

    /// The schedule tree below `depth` common loops for `nodes` in order.
    pub fn sequence(&mut self, nodes: &[Order], depth: usize) -> Result<Node> {
        let mut children = Vec::new();
        for node in nodes {
            let child = match node {
                Order::Statement(_) => Node::leaf(),
                Order::Loop { .. } => self.nest(node, depth, false)?.0,
            };
            children.push((statements_of(std::slice::from_ref(node)), child));
        }
        self.join(children)
    }

    /// The tree of some nodes in the order of the program, where new code is made of it: with what is known about innermost loops.
    pub(super) fn in_place(&self, nodes: &[Order]) -> Result<Node> {
        let instances = |statements: &[usize]| self.instances(statements);
        written(nodes, &instances, &|index, body| {
            self.loop_band(index, body, self.member(&statements_of(body), index, None)?)
        })
    }

    /// The band of a loop that stays where it is, with what is known about it if it is an innermost one.
    fn loop_band(&self, index: usize, body: &[Order], member: Member) -> Result<Band> {
        let innermost = is_innermost(body);
        let free = innermost && !self.waits(&statements_of(body), index)?;
        Ok(Band::new(vec![member.with_coincident(free)]).with_permutable(true))
    }

    /// The children of nodes, with the statements of each, one after the other.
    pub(super) fn join(&self, mut children: Vec<(Vec<usize>, Node)>) -> Result<Node> {
        if children.len() == 1 {
            return Ok(children.remove(0).1);
        }
        let mut filters = Vec::new();
        for (statements, child) in children {
            filters.push(Node::filter(self.instances(&statements)?, child));
        }
        Ok(Node::sequence(filters))
    }

    /// The instances of some statements, without what the context says.
    pub fn instances(&self, statements: &[usize]) -> Result<Instances> {
        let domains = statements.iter().map(|s| self.data.statements[*s].domain.clone());
        Instances::from_sets(domains).map_err(library_error)
    }

    /// The tree for one loop and all below, and whether something in it was transformed.
    fn nest(&mut self, node: &Order, depth: usize, distributed: bool) -> Result<(Node, bool)> {
        let (loops, body) = perfect_chain(node);
        let statements = statements_of(body);
        let before = self.applied.len();
        if let Some(strip) = self.strips.iter().find(|strip| strip.chain == loops) {
            return Ok((self.strip(strip, body, depth)?, true));
        }
        if is_innermost(body) {
            if loops.len() >= 2
                && let Some(tree) = self.perfect(&loops, &statements, body, depth, distributed)?
            {
                return Ok((tree, true));
            }
        } else if self.wishes.distribution
            && let Some(tree) = self.distribute(&loops, body, depth)?
        {
            return Ok((tree, true));
        }
        // Leave the outer loop and go on below it.
        let Order::Loop { index, body } = node else { return Ok((Node::leaf(), false)) };
        let statements = statements_of(body);
        let inner = self.sequence(body, depth + 1)?;
        if self.wishes.time_tiling
            && self.applied.len() == before
            && let Some(tree) = self.time_tiled(*index, body, depth)?
        {
            return Ok((tree, true));
        }
        let band = self.loop_band(*index, body, self.member(&statements, *index, None)?)?;
        Ok((Node::band(band, inner), self.applied.len() > before))
    }

    /// An imperfect nest: the loops around each part of the body separately, if that is legal and one part profits.
    fn distribute(&mut self, loops: &[usize], body: &[Order], depth: usize) -> Result<Option<Node>> {
        let parts: Vec<Vec<usize>> = body.iter().map(|node| statements_of(std::slice::from_ref(node))).collect();
        // Parts that a dependence leads back between stay together, with everything in the middle.
        let mut last: Vec<usize> = (0..parts.len()).collect();
        for early in 0..parts.len() {
            for late in early + 1..parts.len() {
                if self.leads_back(&parts[late], &parts[early], depth)? {
                    last[early] = last[early].max(late);
                }
            }
        }
        let mut clusters: Vec<(usize, usize)> = Vec::new();
        for (first, &reach) in last.iter().enumerate() {
            match clusters.last_mut() {
                Some((_, end)) if first <= *end => *end = (*end).max(reach),
                _ => clusters.push((first, reach)),
            }
        }
        // Neighbouring statements without inner loops gain nothing from loops of their own.
        let flat =
            |(first, end): &(usize, usize)| body[*first..=*end].iter().all(|node| matches!(node, Order::Statement(_)));
        clusters.dedup_by(|next, previous| {
            let join = flat(previous) && flat(next);
            if join {
                previous.1 = next.1;
            }
            join
        });
        let kept_together = last.iter().enumerate().filter(|(first, end)| first < *end);
        for (first, end) in kept_together {
            for node in &body[first..=*end] {
                self.blocked = self.blocked || self.would_gain(&wrap(loops, std::slice::from_ref(node)), depth)?;
            }
        }
        if clusters.len() < 2 {
            return Ok(None);
        }
        let before = self.applied.len();
        let mut children = Vec::new();
        for (first, end) in clusters {
            let part = wrap(loops, &body[first..=end]);
            let tree = self.nest(&part, depth, true)?.0;
            children.push((statements_of(std::slice::from_ref(&part)), tree));
        }
        if self.applied.len() == before {
            return Ok(None);
        }
        Ok(Some(self.join(children)?))
    }

    /// Whether a nest, or the loops around some part of it for themselves, would pay if dependences allowed any order.
    fn would_gain(&self, node: &Order, depth: usize) -> Result<bool> {
        let (loops, body) = perfect_chain(node);
        if is_innermost(body) {
            let statements = statements_of(body);
            let carries = self.carries(&self.between(&statements, depth)?, depth, loops.len())?;
            let decision = decide(self.scop, &statements, &loops, &carries, Tiles::Own).within(self.wishes);
            let gains = self.wishes.unprofitable || decision.profitable;
            return Ok(loops.len() >= 2 && gains);
        }
        let parts = body.iter().filter(|inner| matches!(inner, Order::Loop { .. }));
        for part in parts {
            if self.would_gain(&wrap(&loops, std::slice::from_ref(part)), depth)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A band member: the induction variable of a loop, divided by a tile size if given.
    pub(super) fn member(&self, statements: &[usize], index: usize, tile: Option<i64>) -> Result<Member> {
        counter(self.scop, statements, index, tile)
    }
}

/// Whether a body has no loops of its own.
pub(super) fn is_innermost(body: &[Order]) -> bool {
    body.iter().all(|inner| matches!(inner, Order::Statement(_)))
}

/// The loops that have only one loop as their body, and the body of the last of them.
pub(super) fn perfect_chain(node: &Order) -> (Vec<usize>, &[Order]) {
    let mut loops = Vec::new();
    let mut current = node;
    while let Order::Loop { index, body } = current {
        loops.push(*index);
        match body.as_slice() {
            [only @ Order::Loop { .. }] => current = only,
            _ => return (loops, body),
        }
    }
    (loops, &[])
}

fn wrap(loops: &[usize], body: &[Order]) -> Order {
    let mut body = body.to_vec();
    let mut result = None;
    for index in loops.iter().rev() {
        let node = Order::Loop { index: *index, body };
        body = vec![node.clone()];
        result = Some(node);
    }
    result.unwrap_or(Order::Loop { index: 0, body })
}
