//! Random static control parts: a few statements in nests, with affine accesses to a few arrays.

use std::collections::BTreeMap;

use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::flow::{Access, AccessInfo, AccessKind, AccessOrder, memory_dependences};
use tessera_polyhedral::relation::{Map, Set, UnionMap, UnionSet};
use tessera_polyhedral::scheduler::ScheduleConstraints;

use super::judge::{Facts, Instance};

/// Random numbers (xorshift).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x2545_F491_4F6C_DD1D)
    }

    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }

    fn between(&mut self, low: i64, high: i64) -> i64 {
        low + i64::try_from(self.below((high - low + 1) as u64)).unwrap()
    }
}

/// An affine expression: constant, coefficient of `n`, coefficients of the loop counters.
#[derive(Clone)]
struct Affine(i64, i64, Vec<i64>);

impl Affine {
    fn text(&self) -> String {
        let mut text = format!("{} + {}n", self.0, self.1);
        self.2.iter().enumerate().for_each(|(k, c)| text += &format!(" + {c}i{k}"));
        text
    }

    fn value(&self, n: i64, point: &[i64]) -> i64 {
        self.0 + self.1 * n + self.2.iter().zip(point).map(|(c, x)| c * x).sum::<i64>()
    }
}

struct Statement {
    name: String,
    /// Lower and upper bound (exclusive) of every counter.
    bounds: Vec<(Affine, Affine)>,
    /// The place in the text: the 2d+1 form without counters.
    places: Vec<i64>,
    accesses: Vec<(bool, usize, Vec<Affine>)>,
    /// Whether the statement writes (or else reads) the scalar `t`, if it uses it.
    scalar: Option<bool>,
}

/// An array and subscripts.
type Element = (usize, Vec<i64>);

/// A random program.
pub(crate) struct Scop {
    statements: Vec<Statement>,
}

impl Scop {
    pub(crate) fn random(random: &mut Random) -> Scop {
        let n_statement = random.between(1, 4);
        let ranks: Vec<usize> = (0..2).map(|_| random.below(3) as usize).collect();
        let mut statements: Vec<Statement> = Vec::new();
        for s in 0..n_statement {
            let depth = random.between(0, 3) as usize;
            let mut bounds: Vec<(Affine, Affine)> = Vec::new();
            for k in 0..depth {
                let zeros = vec![0; k];
                let with = |random: &mut Random, constant: i64, n: i64| {
                    let mut c = zeros.clone();
                    if k > 0 && random.below(3) == 0 {
                        c[random.below(k as u64) as usize] = 1;
                    }
                    Affine(constant, n, c)
                };
                let lower = with(random, 0, 0);
                let upper = match random.below(4) {
                    0 => Affine(random.between(1, 5), 0, zeros.clone()),
                    1 if k > 0 => with(random, 1, 0),
                    _ => Affine(0, 1, zeros.clone()),
                };
                bounds.push((lower, upper));
            }
            // The position: shares the outer loops of the statement before it, up to a random depth.
            let shared = statements.last().map_or(0, |p| random.below(1 + p.bounds.len().min(depth) as u64) as usize);
            let mut places = vec![0; depth + 1];
            if let Some(previous) = statements.last() {
                bounds[..shared].clone_from_slice(&previous.bounds[..shared]);
                places[..shared].copy_from_slice(&previous.places[..shared]);
                places[shared] = previous.places[shared] + 1;
            }
            let mut accesses = Vec::new();
            for _ in 0..random.between(1, 3) {
                let array = random.below(2) as usize;
                let subscripts = (0..ranks[array])
                    .map(|_| {
                        let c =
                            (0..depth).map(|_| if random.below(2) == 0 { random.between(-1, 1) } else { 0 }).collect();
                        Affine(random.between(-2, 2), i64::from(random.below(8) == 0), c)
                    })
                    .collect();
                accesses.push((random.below(2) == 0, array, subscripts));
            }
            if !accesses.iter().any(|a| a.0) {
                accesses[0].0 = true;
            }
            let scalar = [None, Some(true), Some(false)][random.below(3) as usize];
            statements.push(Statement { name: format!("S{s}"), bounds, places, accesses, scalar });
        }
        Scop { statements }
    }

    fn depth(&self) -> usize {
        self.statements.iter().map(|s| s.bounds.len()).max().unwrap_or(0)
    }

    /// The memory-based dependences as constraints: all of them validity, proximity and coincidence. With `flow_only`,
    /// only those from writes to reads count for proximity and coincidence. With `live_ranges`, the uses of the scalar `t` (dead
    /// at the end) are in too, as conditions and conditional validity.
    pub(crate) fn constraints(
        &self,
        flow_only: bool,
        live_ranges: bool,
        budget: &Budget,
    ) -> Result<ScheduleConstraints, String> {
        let error = |e: tessera_polyhedral::Error| e.to_string();
        let (mut domains, mut times, mut accesses) = (Vec::new(), Vec::new(), Vec::new());
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        for s in &self.statements {
            let counters: Vec<String> = (0..s.bounds.len()).map(|k| format!("i{k}")).collect();
            let tuple = format!("{}[{}]", s.name, counters.join(", "));
            let conditions: Vec<String> = s
                .bounds
                .iter()
                .zip(&counters)
                .map(|((l, u), i)| format!("{} <= {i} < {}", l.text(), u.text()))
                .collect();
            let conditions =
                if conditions.is_empty() { String::new() } else { format!(" : {}", conditions.join(" and ")) };
            let domain = Set::parse(&format!("[n] -> {{ {tuple}{conditions} }}"), budget).map_err(error)?;
            let mut time = Vec::new();
            for k in 0..=self.depth() {
                time.push(s.places.get(k).copied().unwrap_or(0).to_string());
                time.push(counters.get(k).cloned().unwrap_or("0".into()));
            }
            times.push(
                Map::parse(&format!("[n] -> {{ {tuple} -> [{}]{conditions} }}", time.join(", ")), budget)
                    .map_err(error)?,
            );
            for (write, array, subscripts) in &s.accesses {
                let subscripts: Vec<String> = subscripts.iter().map(Affine::text).collect();
                let text = format!("[n] -> {{ {tuple} -> A{array}[{}]{conditions} }}", subscripts.join(", "));
                let kind = if *write { AccessKind::MustWrite } else { AccessKind::Read };
                accesses.push(Access {
                    stmt: s.name.as_str().into(),
                    relation: Map::parse(&text, budget).map_err(error)?,
                    kind,
                });
            }
            if let Some(write) = s.scalar {
                let scalar = Map::parse(&format!("[n] -> {{ {tuple} -> t[]{conditions} }}"), budget).map_err(error)?;
                if write { writes.push(scalar) } else { reads.push(scalar) }
            }
            domains.push(domain);
        }
        let schedule = UnionMap::from_members(times).map_err(error)?;
        let dependences = memory_dependences(&accesses, &schedule, budget).map_err(error)?;
        let all = UnionMap::from_members(dependences.iter().map(|d| d.relation.clone())).map_err(error)?;
        let soft = if flow_only {
            UnionMap::from_members(dependences.flow.iter().map(|d| d.relation.clone())).map_err(error)?
        } else {
            all.clone()
        };
        let mut constraints = ScheduleConstraints::new(UnionSet::from_members(domains).map_err(error)?);
        constraints.validity = all;
        constraints.coincidence = soft.clone();
        constraints.proximity = soft;
        if !live_ranges {
            return Ok(constraints);
        }
        // The scalar: reads must follow their writes and keep apart from other live ranges; reads of the value at the
        // beginning precede all writes.
        let (reads, writes) =
            (UnionMap::from_members(reads).map_err(error)?, UnionMap::from_members(writes).map_err(error)?);
        let nothing = UnionMap::empty(reads.params_space());
        let flow = |sink: &UnionMap, must: &UnionMap, may: &UnionMap| {
            let info = AccessInfo {
                sink: sink.clone(),
                must_source: must.clone(),
                may_source: may.clone(),
                kill: nothing.clone(),
                order: AccessOrder::Map(schedule.clone()),
            };
            info.compute_flow(budget)
        };
        let found = flow(&reads, &writes, &nothing).map_err(error)?;
        let ranges = found.may_dependence(budget).map_err(error)?;
        let unused = writes.subtract_domain(&ranges.domain(budget).map_err(error)?, budget).map_err(error)?;
        let initial = found.may_no_source().clone();
        let enders = reads.subtract(&initial, budget).and_then(|r| r.union(&unused)).map_err(error)?;
        let order = flow(&writes, &nothing, &enders).and_then(|f| f.may_dependence(budget)).map_err(error)?;
        let forced = flow(&writes, &nothing, &initial).and_then(|f| f.may_dependence(budget)).map_err(error)?;
        constraints.validity = constraints.validity.union(&ranges).and_then(|v| v.union(&forced)).map_err(error)?;
        constraints.coincidence =
            constraints.coincidence.union(&ranges).and_then(|v| v.union(&forced)).map_err(error)?;
        constraints.proximity = constraints.proximity.union(&ranges).map_err(error)?;
        constraints.condition = ranges;
        constraints.conditional_validity = order;
        Ok(constraints)
    }

    /// What really happens for a value of `n`, by running the program.
    pub(crate) fn facts(&self, n: i64, flow_only: bool, live_ranges: bool) -> Facts {
        let mut facts = Facts { params: vec![("n".into(), n)], ..Facts::default() };
        let mut order: Vec<(Vec<i64>, usize, Vec<i64>)> = Vec::new();
        for (index, s) in self.statements.iter().enumerate() {
            let mut points: Vec<Vec<i64>> = vec![Vec::new()];
            for (lower, upper) in &s.bounds {
                let extended = points.iter().flat_map(|p| {
                    (lower.value(n, p)..upper.value(n, p))
                        .map(move |x| p.iter().copied().chain([x]).collect::<Vec<_>>())
                });
                points = extended.collect();
            }
            for p in points {
                let mut time = Vec::new();
                for k in 0..=self.depth() {
                    time.push(s.places.get(k).copied().unwrap_or(0));
                    time.push(p.get(k).copied().unwrap_or(0));
                }
                order.push((time, index, p));
            }
        }
        order.sort();
        // Accesses to every element so far: (instance, time, writes).
        let mut touched: BTreeMap<Element, Vec<(usize, bool)>> = BTreeMap::new();
        // The last writes of the scalar and what ends live ranges so far, each with its time.
        let (mut last, mut initial): (Option<usize>, Vec<usize>) = (None, Vec::new());
        let mut enders: Vec<usize> = Vec::new();
        for (i, (time, index, point)) in order.iter().enumerate() {
            let s = &self.statements[*index];
            let instance: Instance = (s.name.clone(), point.clone());
            facts.instances.push(instance);
            match s.scalar.filter(|_| live_ranges) {
                Some(true) => {
                    facts.validity.extend(initial.iter().map(|&j| (j, i)));
                    facts.coincidence.extend(initial.iter().map(|&j| (j, i)));
                    if let Some(w) = last
                        && !facts.conditions.iter().any(|c| c.0 == w)
                    {
                        enders.push(w);
                    }
                    facts.conditional.extend(enders.iter().map(|&j| (j, i)));
                    last = Some(i);
                }
                Some(false) => match last {
                    Some(w) => {
                        facts.validity.push((w, i));
                        facts.coincidence.push((w, i));
                        facts.conditions.push((w, i));
                        enders.push(i);
                    }
                    None => initial.push(i),
                },
                None => {}
            }
            let mut here = Vec::new();
            for (write, array, subscripts) in &s.accesses {
                let element = (*array, subscripts.iter().map(|a| a.value(n, point)).collect::<Vec<_>>());
                for &(j, wrote) in touched.get(&element).map_or(&[][..], Vec::as_slice) {
                    if (*write || wrote) && order[j].0 < *time {
                        facts.validity.push((j, i));
                        if !flow_only || (wrote && !*write) {
                            facts.coincidence.push((j, i));
                        }
                    }
                }
                here.push((element, *write));
            }
            for (element, write) in here {
                touched.entry(element).or_default().push((i, write));
            }
        }
        for pairs in [&mut facts.validity, &mut facts.coincidence, &mut facts.conditional] {
            pairs.sort_unstable();
            pairs.dedup();
        }
        facts
    }
}
