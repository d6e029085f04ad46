//! Edits of a band: transformation, splitting, combination, tiling, scaling, shifting, moving down.
//!
//! Flags stay true: a flag that an edit could make wrong is cleared. [`ScheduleTree::with_true_flags`](super::ScheduleTree::with_true_flags)
//! sets all flags that dependences allow.

use std::sync::Arc;

use crate::affine::{Aff, MultiUnionPwAff, PwAff, PwMultiAff};
use crate::arith::Int;
use crate::budget::Budget;
use crate::error::Error;
use crate::space::{DimKind, Name, Space, Tuple};

use super::band::{Band, Member};
use super::cursor::Cursor;
use super::edit::{EditError, Edited};
use super::tree::Node;

/// The form of the two bands that tiling makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileOptions {
    /// Whether tile members are multiples of the size, `size * floor(s / size)`, instead of numbers of tiles.
    pub scale_tiles: bool,
    /// Whether point members start at zero in every tile, `s mod size`, instead of being the old members.
    pub shift_points: bool,
}

impl Default for TileOptions {
    /// Both, as in isl.
    fn default() -> TileOptions {
        TileOptions { scale_tiles: true, shift_points: true }
    }
}

impl Band {
    /// The same band without the claims that it is permutable and its members coincident.
    pub(super) fn without_flags(&self) -> Band {
        let members = self.members().iter().map(|member| member.clone().with_coincident(false)).collect();
        self.with_members(members).with_permutable(false)
    }

    /// The same band for some of its statements.
    pub(super) fn keeping(&self, names: &[Name]) -> Band {
        let members = self.members().iter().map(|member| {
            let exprs = member.exprs().filter(|(name, _)| names.contains(name));
            member.with_exprs(exprs.map(|(name, f)| (name.clone(), f.clone())).collect())
        });
        self.with_members(members.collect())
    }
}

impl Cursor {
    fn band(&self) -> Result<(&Band, &Arc<Node>), EditError> {
        match self.node() {
            Node::Band(band, child) => Ok((band, child)),
            other => Err(EditError::NotABand { path: self.path().to_vec(), found: other.kind() }),
        }
    }

    /// The band, if its members may change: nothing below may refer to them.
    fn changeable(&self, operation: &'static str) -> Result<(&Band, &Arc<Node>), EditError> {
        let (band, child) = self.band()?;
        if child.is_anchored() || band.isolate.is_some() {
            return Err(EditError::Anchored { path: self.path().to_vec(), operation });
        }
        Ok((band, child))
    }

    fn with_band(&self, band: Band) -> Edited {
        let child = self.only_child();
        Ok(self.with_node(Node::Band(band, child)))
    }

    /// Changes properties of the band: permutability, and per member coincidence, loop types and name.
    pub fn update_band(&self, change: impl FnOnce(&mut Band, &mut [Member])) -> Edited {
        let (band, _) = self.band()?;
        let mut members = band.members().to_vec();
        let mut changed = band.clone();
        change(&mut changed, &mut members);
        self.with_band(changed.with_members(members))
    }

    /// Splits the band into two nested bands, the first `at` members and the rest. Both inherit the flags, and members keep theirs
    /// with their options. The cursor is at the outer band.
    pub fn split(&self, at: usize) -> Edited {
        let (band, child) = self.band()?;
        if at > band.len() {
            let what = format!("cannot split a band of {} members after member {at}", band.len());
            return Err(EditError::BadArgument { what });
        }
        if band.isolate.is_some() {
            return Err(EditError::Anchored {
                path: self.path().to_vec(),
                operation: "split a band with isolate above",
            });
        }
        let (outer, inner) = band.members().split_at(at);
        let inner = Node::Band(band.with_members(inner.to_vec()), child.clone());
        Ok(self.with_node(Node::band(band.with_members(outer.to_vec()), inner)))
    }

    /// Joins the band with the band that is its child: the opposite of [`Cursor::split`]. The result is not claimed to be permutable
    /// (that both parts are does not imply it), and the members of the inner band lose their coincidence, which held for fixed
    /// values of the outer band.
    pub fn combine(&self) -> Edited {
        let (outer, child) = self.band()?;
        let Node::Band(inner, below) = &**child else {
            return self.refuse(format!("the child of the band is a {}, not a band", child.kind()));
        };
        if outer.isolate.is_some() || inner.isolate.is_some() {
            return Err(EditError::Anchored {
                path: self.path().to_vec(),
                operation: "combine bands with isolate above",
            });
        }
        let mut members = outer.members().to_vec();
        members.extend(inner.members().iter().map(|member| member.clone().with_coincident(false)));
        let mut band = outer.with_members(members);
        if !outer.is_empty() && !inner.is_empty() {
            band = band.with_permutable(false);
        } else if outer.is_empty() {
            band = inner.clone();
        }
        Ok(self.with_node(Node::Band(band, below.clone())))
    }

    /// Tiles the band: a band of tiles above a band of points. Both inherit the flags. A band of several members must be permutable; a
    /// single member is only strip-mined, which is always possible. The cursor is at the tile band.
    ///
    /// Example: `[i, j]` with sizes 32 and 8 becomes `[floor(i/32), floor(j/8)]` above `[i, j]`.
    pub fn tile(&self, sizes: &[Int], options: TileOptions) -> Edited {
        let (band, child) = self.changeable("tile a band above")?;
        check_factors(band, sizes, "tile sizes")?;
        if band.len() > 1 && !band.permutable {
            return Err(EditError::NotPermutable { path: self.path().to_vec() });
        }
        let mut tiles = Vec::with_capacity(band.len());
        let mut points = Vec::with_capacity(band.len());
        for (member, size) in band.members().iter().zip(sizes) {
            let mut tile = member.map(|aff| {
                let number = aff.floor_div(size);
                if options.scale_tiles { number.scale(size) } else { number }
            });
            tile.name = member.name.as_ref().map(|name| Name::from(format!("{name}t")));
            tiles.push(tile);
            points.push(if options.shift_points { remainder(member, size)? } else { member.clone() });
        }
        let mut inner = band.with_members(points);
        inner.isolate_full_tiles = false;
        Ok(self.with_node(Node::band(band.with_members(tiles), Node::Band(inner, child.clone()))))
    }

    /// Multiplies the members. Flags stay true.
    pub fn scale(&self, factors: &[Int]) -> Edited {
        let (band, _) = self.changeable("scale a band above")?;
        check_factors(band, factors, "factors")?;
        let members = band.members().iter().zip(factors).map(|(member, factor)| member.map(|aff| aff.scale(factor)));
        self.with_band(band.with_members(members.collect()))
    }

    /// Divides the members, rounding down. Distances that are zero or not negative stay so: flags stay true.
    pub fn scale_down(&self, factors: &[Int]) -> Edited {
        let (band, _) = self.changeable("scale a band above")?;
        check_factors(band, factors, "factors")?;
        let members =
            band.members().iter().zip(factors).map(|(member, factor)| member.map(|aff| aff.floor_div(factor)));
        self.with_band(band.with_members(members.collect()))
    }

    /// Takes the members modulo factors. Zero distances stay zero, but the band is no longer permutable.
    pub fn modulo(&self, factors: &[Int]) -> Edited {
        let (band, child) = self.changeable("reduce a band above")?;
        check_factors(band, factors, "factors")?;
        let members = band.members().iter().zip(factors).map(|(member, factor)| remainder(member, factor));
        let band = band.with_members(members.collect::<Result<_, _>>()?).with_permutable(false);
        // Instances may now be at equal values that were not, and dependences between them come to the bands below.
        Ok(self.with_node(Node::band(band, child.without_flags())))
    }

    /// Adds a function to every member. The flags are cleared, unless all statements are moved by one constant per member.
    pub fn shift(&self, by: &MultiUnionPwAff, budget: &Budget) -> Edited {
        let (band, child) = self.changeable("shift a band above")?;
        if by.components().len() != band.len() {
            let what = format!("{} shifts for a band of {} members", by.components().len(), band.len());
            return Err(EditError::BadArgument { what });
        }
        let mut uniform = true;
        let mut members = Vec::with_capacity(band.len());
        for (member, shift) in band.members().iter().zip(by.components()) {
            let mut exprs = std::collections::BTreeMap::new();
            let mut constants: Vec<Option<Int>> = Vec::new();
            for (name, function) in member.exprs() {
                let Some(add) = shift.members().find(|f| f.space().has_equal_tuples(function.space())) else {
                    return self.refuse(format!("the shift has no function for statement {name}"));
                };
                constants.push(add.as_total().and_then(Aff::constant_value));
                exprs.insert(name.clone(), function.add(add, budget)?.coalesce(budget)?);
            }
            uniform &= constants.iter().all(Option::is_some) && constants.windows(2).all(|pair| pair[0] == pair[1]);
            members.push(member.with_exprs(exprs));
        }
        let band = band.with_members(members);
        if uniform {
            return self.with_band(band);
        }
        Ok(self.with_node(Node::band(band.without_flags(), child.without_flags())))
    }

    /// Permutes the members: new member `k` is old member `order[k]`. The band must be permutable; flags move with the members.
    pub fn permute(&self, order: &[usize]) -> Edited {
        let (band, _) = self.changeable("permute a band above")?;
        let mut sorted = order.to_vec();
        sorted.sort_unstable();
        if !sorted.iter().copied().eq(0..band.len()) {
            let what = format!("{order:?} is not a permutation of the {} members of the band", band.len());
            return Err(EditError::BadArgument { what });
        }
        if !band.permutable && !order.iter().copied().eq(0..band.len()) {
            return Err(EditError::NotPermutable { path: self.path().to_vec() });
        }
        let members = order.iter().map(|&k| band.members()[k].clone()).collect();
        self.with_band(band.with_members(members))
    }

    /// Transforms the partial schedule: new members are functions of the old ones, in any number. `function` must be defined for all
    /// values that occur. Flags are cleared, also below if instances could become equal; options start anew. For
    /// permutations, scaling and shifts by constants use the edits of that name, which keep what they can.
    pub fn apply(&self, function: &PwMultiAff, budget: &Budget) -> Edited {
        let (band, child) = self.changeable("transform a band above")?;
        let n = function.space().dim(DimKind::In);
        if n != band.len() {
            let what = format!("a function of {n} values for a band of {} members", band.len());
            return Err(EditError::BadArgument { what });
        }
        let names: Vec<Name> =
            band.members().first().map_or(Vec::new(), |m| m.exprs().map(|(name, _)| name.clone()).collect());
        let mut members: Vec<Vec<PwAff>> = vec![Vec::new(); function.n_components()];
        for name in &names {
            let functions: Option<Vec<&PwAff>> = band.members().iter().map(|m| m.function(name)).collect();
            let Some(functions) = functions else {
                return self.refuse(format!("a member of the band has no expression for statement {name}"));
            };
            let old = product(&functions, function.space(), budget)?;
            let new = function.pullback_pw(&old, budget)?;
            for (k, list) in members.iter_mut().enumerate() {
                list.push(new.component(k)?.coalesce(budget)?);
            }
        }
        let members = members.into_iter().map(Member::piecewise).collect::<Result<_, Error>>()?;
        let edited = self.with_node(Node::band(Band::new(members), child.without_flags()));
        edited.check_total(budget)?;
        Ok(edited)
    }

    /// Whether every member of the band here is defined for what reaches it.
    fn check_total(&self, budget: &Budget) -> Result<(), EditError> {
        let (band, _) = self.band()?;
        for set in self.domain(budget)?.members() {
            let name = super::instances::statement_name(set.space());
            for member in band.members() {
                let missing = match member.function(&name) {
                    Some(function) => set.subtract(&function.domain()?, budget)?,
                    None => set.clone(),
                };
                if let Some(witness) =
                    super::insert::instance(&crate::relation::UnionSet::from_members([missing])?, budget)?
                {
                    return self.refuse(format!("the new partial schedule is not defined for {witness}"));
                }
            }
        }
        Ok(())
    }

    /// Moves the band down to all leaves of its subtree. The cursor is where the band was. Its flags stay true, those of the bands
    /// it passes are cleared.
    pub fn sink(&self) -> Edited {
        let (band, child) = self.changeable("sink a band above")?;
        if matches!(**child, Node::Leaf) {
            return Ok(self.clone());
        }
        Ok(self.with_node(sunk(&child.without_flags(), band, &|node| matches!(node, Node::Leaf))))
    }

    /// Moves the band down below all other bands of its subtree, but not below sequences that have none: statements that are together in
    /// an innermost loop stay so. The cursor is where the band was. Flags as for [`Cursor::sink`].
    pub fn sink_below_bands(&self) -> Edited {
        let (band, child) = self.changeable("sink a band above")?;
        if !has_bands(child) {
            return Ok(self.clone());
        }
        Ok(self.with_node(sunk(&child.without_flags(), band, &|node| !has_bands(node))))
    }

    /// The same below a sequence, for all of its children but some, given by their positions: there the band is at the top. Flags as for
    /// [`Cursor::sink`].
    pub fn sink_below_bands_except(&self, whole: &[usize]) -> Edited {
        let (band, child) = self.changeable("sink a band above")?;
        let Node::Sequence(children) = &**child else {
            return self.refuse(format!("the child of the band is a {}, not a sequence", child.kind()));
        };
        if let Some(position) = whole.iter().find(|position| **position >= children.len()) {
            return self.refuse(format!("the sequence has no child {position}: it has {}", children.len()));
        }
        let sunk = |(position, part): (usize, &Arc<Node>)| {
            let is_end = |node: &Node| whole.contains(&position) || !has_bands(node);
            Arc::new(sunk(&part.without_flags(), band, &is_end))
        };
        let parts = children.iter().enumerate().map(sunk).collect();
        Ok(self.with_node(child.with_children(parts)))
    }

    /// Distributes the band over the children of the sequence or set below it: every child gets a copy of the band, for its
    /// statements, and runs completely before the next. The cursor is at the sequence. Flags stay true.
    pub fn distribute(&self) -> Edited {
        let (band, child) = self.changeable("distribute a band above")?;
        if self.is_branch() {
            return Err(EditError::AboveFilter { path: self.path().to_vec() });
        }
        let (Node::Sequence(children) | Node::Set(children)) = &**child else {
            return self.refuse(format!("the child of the band is a {}, not a sequence or set", child.kind()));
        };
        let mut parts = Vec::with_capacity(children.len());
        for part in children {
            let Node::Filter(instances, below) = &**part else {
                return self.refuse(format!("a child of the {} is a {}, not a filter", child.kind(), part.kind()));
            };
            let names: Vec<Name> = instances.iter().map(|(name, _)| name.clone()).collect();
            parts.push(Arc::new(Node::Filter(
                instances.clone(),
                Arc::new(Node::Band(band.keeping(&names), below.clone())),
            )));
        }
        Ok(self.with_node(child.with_children(parts)))
    }
}

/// The subtree with a band above every outermost node that is an end; filters are none.
fn sunk(node: &Node, band: &Band, is_end: &dyn Fn(&Node) -> bool) -> Node {
    match node {
        Node::Filter(instances, child) => {
            let names: Vec<Name> = instances.iter().map(|(name, _)| name.clone()).collect();
            Node::filter(instances.clone(), sunk(child, &band.keeping(&names), is_end))
        }
        _ if is_end(node) => Node::band(band.clone(), node.clone()),
        other => {
            other.with_children(other.children().iter().map(|child| Arc::new(sunk(child, band, is_end))).collect())
        }
    }
}

/// Whether there is a band in a subtree.
fn has_bands(node: &Node) -> bool {
    matches!(node, Node::Band(..)) || node.children().iter().any(|child| has_bands(child))
}

/// The members as one function of the statement, into the argument space of `function`.
fn product(functions: &[&PwAff], function: &Space, budget: &Budget) -> Result<PwMultiAff, EditError> {
    let arguments = function.domain_tuple().cloned().unwrap_or_else(|| Tuple::anonymous(functions.len()));
    let space = |params: &Space, domain: &Tuple| Space::map_of(params, domain.clone(), arguments.clone());
    let Some((first, rest)) = functions.split_first() else {
        return Err(EditError::BadArgument { what: "a band without members cannot be transformed".into() });
    };
    let mut result = first.to_pw_multi_aff()?;
    for next in rest {
        result = result.flat_range_product(&next.to_pw_multi_aff()?, budget)?;
    }
    let params = result.space().params_space();
    let domain = result.domain_space().range_tuple().clone();
    Ok(result.with_space(&space(&params, &domain))?)
}

fn remainder(member: &Member, size: &Int) -> Result<Member, Error> {
    member.map_functions(|function| function.rem(size))
}

fn check_factors(band: &Band, factors: &[Int], what: &str) -> Result<(), EditError> {
    if factors.len() != band.len() {
        let what = format!("{} {what} for a band of {} members", factors.len(), band.len());
        return Err(EditError::BadArgument { what });
    }
    match factors.iter().find(|factor| !factor.is_positive()) {
        Some(factor) => Err(EditError::BadArgument { what: format!("{what} must be at least 1, not {factor}") }),
        None => Ok(()),
    }
}
