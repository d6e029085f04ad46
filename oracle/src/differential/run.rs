//! Many cases: counts per operation, and small reproducers of disagreements.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use super::generate::Drawer;
use super::isolate::{self, Task};
use super::operand::Operand;
use super::random::Random;
use super::verdict::{Limits, Verdict};
use crate::isl::Isl;
use crate::operation::{self, Operation};

/// The limits of random cases.
pub const LIMITS: Limits = Limits { ours: 3_000_000, isl: 200_000 };

/// How often a verdict was given.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// All cases.
    pub cases: u64,
    /// Both agree (or both refuse).
    pub agreed: u64,
    /// Our budget ran out.
    pub ours_gave_up: u64,
    /// isl's limit was reached.
    pub isl_gave_up: u64,
    /// Says nothing.
    pub void: u64,
    /// isl disagrees with us and is shown to be wrong.
    pub contradicted: u64,
    /// Disagreements.
    pub disagreed: u64,
}

/// One disagreement, reduced.
#[derive(Clone, Debug)]
pub struct Disagreement {
    /// The operation.
    pub operation: &'static str,
    /// The number of the case: the seed and this number give the case again.
    pub case: u64,
    /// The operands.
    pub operands: Vec<String>,
    /// What differs.
    pub why: String,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} (case {}): {}", self.operation, self.case, self.why)?;
        self.operands.iter().try_for_each(|text| writeln!(f, "    operand: {text}"))
    }
}

/// A run.
pub struct Run<'l> {
    isl: &'l Isl,
    /// Asked when the first one disagrees: isl has errors too.
    second: Option<&'l Isl>,
    seed: u64,
    operations: Vec<&'static Operation>,
    /// By operation.
    pub counts: BTreeMap<&'static str, Counts>,
    /// Reduced; at most a few per operation are kept.
    pub disagreements: Vec<Disagreement>,
    /// Examples of cases that say nothing, and why: one per operation.
    pub void: BTreeMap<&'static str, String>,
    /// Where isl is shown to be wrong.
    pub contradictions: Vec<Disagreement>,
}

fn task(operation: &'static Operation, operands: &[Operand]) -> Task {
    (operation, operands.iter().map(Operand::to_string).collect())
}

/// At most so many disagreements per operation are reduced and kept.
const KEPT: u64 = 3;

impl<'l> Run<'l> {
    /// A run over the operations whose name contains `only`.
    pub fn new(isl: &'l Isl, second: Option<&'l Isl>, seed: u64, only: &str) -> Run<'l> {
        let operations: Vec<_> = operation::all().filter(|o| o.name.contains(only)).collect();
        let (counts, void) = (BTreeMap::new(), BTreeMap::new());
        Run { isl, second, seed, operations, counts, disagreements: Vec::new(), void, contradictions: Vec::new() }
    }

    /// The operation and operands of a case.
    pub fn case(&self, number: u64) -> Option<(&'static Operation, Vec<Operand>)> {
        let mut random = Random::new(self.seed.wrapping_mul(0x9e37_79b9).wrapping_add(number));
        random.bits();
        let operation = *self.operations.get(random.below(self.operations.len()))?;
        let mut drawer = Drawer::new(&mut random);
        Some((operation, operation.args.iter().map(|a| drawer.operand(*a)).collect()))
    }

    /// Runs some cases; gives the numbers of those that took longer than so many milliseconds, and how long.
    pub fn run(&mut self, numbers: Range<u64>, slow: u64) -> Vec<(u64, u64)> {
        let cases: Vec<_> = numbers.filter_map(|n| self.case(n).map(|(o, x)| (n, o, x))).collect();
        let tasks: Vec<Task> = cases.iter().map(|(_, o, x)| task(o, x)).collect();
        let verdicts = isolate::judge(self.isl, &tasks, LIMITS);
        let mut late = Vec::new();
        for (((number, operation, operands), task), (verdict, time)) in cases.into_iter().zip(&tasks).zip(verdicts) {
            let verdict = self.confirmed(task, verdict);
            self.count(number, operation, operands, verdict);
            if time > slow {
                late.push((number, time));
            }
        }
        late
    }

    fn count(&mut self, number: u64, operation: &'static Operation, operands: Vec<Operand>, verdict: Verdict) {
        let counts = self.counts.entry(operation.name).or_default();
        counts.cases += 1;
        match verdict {
            Verdict::Agreed | Verdict::BothRefused => counts.agreed += 1,
            Verdict::OursGaveUp => counts.ours_gave_up += 1,
            Verdict::IslGaveUp => counts.isl_gave_up += 1,
            Verdict::Void(why) => {
                counts.void += 1;
                self.void.entry(operation.name).or_insert(why);
            }
            Verdict::Contradicted(why) => {
                counts.contradicted += 1;
                let operands = operands.iter().map(Operand::to_string).collect();
                self.contradictions.push(Disagreement { operation: operation.name, case: number, operands, why });
            }
            Verdict::Disagreed(why) => {
                counts.disagreed += 1;
                if counts.disagreed <= KEPT {
                    let (operands, why) = self.reduce(operation, operands, why);
                    let operands = operands.iter().map(Operand::to_string).collect();
                    self.disagreements.push(Disagreement { operation: operation.name, case: number, operands, why });
                }
            }
        }
    }

    /// What remains of a disagreement: isl's words for its limit can be misleading, so it gets another try without one;
    /// and isl has errors too, so another build is asked.
    fn confirmed(&self, task: &Task, verdict: Verdict) -> Verdict {
        let unlimited = Limits { isl: 0, ..LIMITS };
        let once = |isl: &Isl| isolate::judge(isl, std::slice::from_ref(task), unlimited).pop().map(|v| v.0);
        let why = match verdict {
            Verdict::Disagreed(why) if why.starts_with("isl: ") => match once(self.isl) {
                Some(Verdict::Disagreed(why)) => why,
                Some(verdict) => return verdict,
                None => why,
            },
            Verdict::Disagreed(why) => why,
            verdict => return verdict,
        };
        match self.second.and_then(once) {
            Some(Verdict::Agreed) => Verdict::Contradicted(format!("Debian's isl agrees with us: {why}")),
            _ => Verdict::Disagreed(why),
        }
    }

    fn judge(&self, operation: &'static Operation, operands: &[Operand]) -> Verdict {
        let task = task(operation, operands);
        let verdict = isolate::judge(self.isl, std::slice::from_ref(&task), LIMITS).pop();
        verdict.map_or(Verdict::IslGaveUp, |v| self.confirmed(&task, v.0))
    }

    /// Leaves out what can be left out while the libraries disagree.
    fn reduce(
        &self,
        operation: &'static Operation,
        mut operands: Vec<Operand>,
        mut why: String,
    ) -> (Vec<Operand>, String) {
        let mut tries = 0;
        'again: loop {
            for k in 0..operands.len() {
                for smaller in operands[k].reductions() {
                    tries += 1;
                    if tries > 400 {
                        return (operands, why);
                    }
                    let mut candidate = operands.clone();
                    candidate[k] = smaller;
                    if let Verdict::Disagreed(reason) = self.judge(operation, &candidate) {
                        (operands, why) = (candidate, reason);
                        continue 'again;
                    }
                }
            }
            return (operands, why);
        }
    }

    /// The sum over all operations.
    pub fn total(&self) -> Counts {
        self.counts.values().fold(Counts::default(), |a, b| Counts {
            cases: a.cases + b.cases,
            agreed: a.agreed + b.agreed,
            ours_gave_up: a.ours_gave_up + b.ours_gave_up,
            isl_gave_up: a.isl_gave_up + b.isl_gave_up,
            void: a.void + b.void,
            contradicted: a.contradicted + b.contradicted,
            disagreed: a.disagreed + b.disagreed,
        })
    }

    /// Counts per operation as a table.
    pub fn table(&self) -> String {
        let line = |name: &str, c: &Counts| {
            format!(
                "{name:36} {:>8} {:>8} {:>8} {:>8} {:>6} {:>9} {:>9}\n",
                c.cases, c.agreed, c.ours_gave_up, c.isl_gave_up, c.void, c.contradicted, c.disagreed
            )
        };
        let mut text = format!(
            "{:36} {:>8} {:>8} {:>8} {:>8} {:>6} {:>9} {:>9}\n",
            "operation", "cases", "agreed", "we quit", "isl quit", "void", "isl wrong", "disagreed"
        );
        for (name, counts) in &self.counts {
            text += &line(name, counts);
        }
        text + &line("all", &self.total())
    }
}
