//! From a schedule relation to a [`Plan`].
//!
//! Every instance carries its time vector; the members of one band are the components of that vector. The relation may be
//! piecewise, have existentials, take several instances to one time and one instance to several times.

use crate::budget::Budget;
use crate::relation::{Set, UnionMap};
use crate::schedule::{LoopType, is_separation_class};
use crate::space::{DimKind, Name, Space, Tuple};

use super::error::AstError;
use super::node::MemberId;
use super::piece::Piece;
use super::plan::{Input, Part, Plan, PlanMember, Regions, Stmt, Values};
use super::sets::Columns;
use super::system::System;

type Result<T> = std::result::Result<T, AstError>;

/// Translates a schedule relation. Time vectors of different spaces are not ordered; their code comes one after the other.
/// `options` goes from time vectors to `atomic[x]`, `separate[x]` and `unroll[x]`, where `x` is the component; `separation_class` is
/// ignored.
pub(super) fn translate(
    schedule: &UnionMap,
    context: Option<&Set>,
    options: Option<&UnionMap>,
    budget: &Budget,
) -> Result<Input> {
    let mut params: Vec<Name> = schedule.params_space().param_names().to_vec();
    let more = context.map(|set| set.space().param_names()).into_iter().flatten();
    let more = more.chain(options.map(|map| map.params_space().param_names()).into_iter().flatten());
    for name in more {
        if !params.contains(name) {
            params.push(name.clone());
        }
    }
    let columns = Columns::new(params);
    let n_param = columns.params.len();
    let context = context.map(|set| set.to_params(budget)).transpose()?;
    let assumed = match &context {
        Some(set) => columns.disjoint(set, budget)?,
        None => vec![Part::universe(n_param)],
    };
    let mut spaces: Vec<Tuple> = Vec::new();
    for map in schedule.members() {
        let tuple = map.space().range_tuple();
        if !spaces.iter().any(|known| same(known, tuple)) {
            spaces.push(tuple.clone());
        }
    }
    let (mut stmts, mut pieces, mut children) = (Vec::new(), Vec::new(), Vec::new());
    for (band, tuple) in spaces.iter().enumerate() {
        let mut passing = std::collections::BTreeMap::new();
        for map in schedule.members().filter(|map| same(map.space().range_tuple(), tuple)) {
            let n_dim = map.space().dim(DimKind::In);
            let name = map.space().tuple(DimKind::In).and_then(|tuple| tuple.name().cloned());
            for part in columns.disjoint_in(&map.wrap().flatten(), context.as_ref(), budget)? {
                pieces.push(Piece::new(stmts.len(), n_dim, tuple.len(), &part, n_param));
            }
            passing.insert(stmts.len(), None);
            stmts.push(Stmt { name: name.unwrap_or_else(|| Name::from("")), n_dim });
        }
        let members = (0..tuple.len())
            .map(|position| {
                let (regions, rest) = regions(options, tuple, position, &columns, budget)?;

                Ok(PlanMember {
                    id: MemberId { band, member: position },
                    values: Values::Time(position),
                    coincident: false,
                    loop_type: LoopType::Default,
                    regions,
                    rest,
                    isolate: None,
                    name: None,
                })
            })
            .collect::<Result<Vec<_>>>()?;
        let band = Plan::Band { members, full_tiles: false, child: Box::new(Plan::Leaf) };
        children.push(Plan::Filter(passing, Box::new(band)));
    }
    let once = schedule.is_single_valued(budget)?;
    let scoped = System::universe(n_param);
    Ok(Input {
        params: columns.params,
        stmts,
        pieces,
        context: assumed,
        scoped,
        plan: Plan::Sequence(children, false),
        once,
    })
}

/// Whether two tuples have the same name and length.
fn same(a: &Tuple, b: &Tuple) -> bool {
    a.name() == b.name() && a.len() == b.len()
}

/// The parts of component `position` of the time vectors `tuple` for which options give a loop type, disjoint, and the rest.
fn regions(
    options: Option<&UnionMap>,
    tuple: &Tuple,
    position: usize,
    columns: &Columns,
    budget: &Budget,
) -> Result<(Regions, Vec<Part>)> {
    let everywhere = vec![Part::universe(columns.params.len() + position + 1)];
    let Some(options) = options else { return Ok((Vec::new(), everywhere)) };
    let mut done: Option<Set> = None;
    let mut result = Vec::new();
    for wanted in [LoopType::Unroll, LoopType::Atomic, LoopType::Separate] {
        for map in options.members() {
            let space = map.space();
            if space.tuple(DimKind::In).is_none_or(|domain| !same(domain, tuple)) {
                continue;
            }
            if is_separation_class(space.range_tuple()) {
                continue;
            }
            let name = space.range_tuple().name().cloned().unwrap_or_else(|| Name::from(""));
            let found = match &*name {
                "unroll" => LoopType::Unroll,
                "atomic" => LoopType::Atomic,
                "separate" => LoopType::Separate,
                _ => return Err(unknown_option(map.space())),
            };
            if space.dim(DimKind::Out) != 1 {
                return Err(unknown_option(map.space()));
            }
            if found != wanted {
                continue;
            }
            let domain = map.fix(DimKind::Out, 0, &position.into())?.domain(budget)?;
            let n = domain.space().dim(DimKind::Out);
            let mut set = domain.project_out(DimKind::Out, position + 1, n - position - 1, budget)?;
            if let Some(done) = &done {
                set = set.subtract(done, budget)?;
            }
            if set.is_plainly_empty() || set.is_empty(budget)? {
                continue;
            }
            result.push((wanted, columns.disjoint(&set, budget)?));
            done = Some(match done {
                None => set,
                Some(done) => done.union(&set)?,
            });
        }
    }
    let rest = match done {
        None => everywhere,
        Some(done) => columns.disjoint(&done.complement(budget)?, budget)?,
    };
    Ok((result, rest))
}

fn unknown_option(space: &Space) -> AstError {
    let what = format!(
        "the option {space}: options go from time vectors to atomic[x], separate[x] or unroll[x]; \
         the option isolate belongs to a band of a schedule tree"
    );
    AstError::Malformed { what }
}
