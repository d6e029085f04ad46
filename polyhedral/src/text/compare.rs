//! Comparisons that split a conjunction: `!=`, lexicographic orders, minima, maxima and conditions.

use crate::error::Result;
use crate::relation::Conjunction;

use super::lower::Evaluator;
use super::syntax::{At, Expr, Formula, Op};
use super::value::Value;

impl<'a> Evaluator<'a, '_> {
    /// The alternatives of a chain of comparisons that does not keep the conjunction convex.
    pub(super) fn compare(
        &mut self,
        formula: &Formula<'a>,
        lists: &[Vec<Expr<'a>>],
        ops: &[(Op, At)],
        holds: bool,
        c: Conjunction,
    ) -> Result<Vec<Conjunction>> {
        for (pair, (op, at)) in lists.windows(2).zip(ops) {
            if op.is_lexicographic() && pair[0].len() != pair[1].len() {
                return self.error(*at, "lists of the same length on both sides");
            }
        }
        if !holds && lists.iter().flatten().any(Expr::is_partial) {
            return self.complement(formula, c);
        }
        if let ([left, right], [(op, _)]) = (lists, ops)
            && let ([left], [right]) = (left.as_slice(), right.as_slice())
        {
            let op = if holds { *op } else { op.negated() };
            return match op {
                Op::Le | Op::Lt => self.order(left, op, right, vec![c]),
                Op::Ge => self.order(right, Op::Le, left, vec![c]),
                Op::Gt => self.order(right, Op::Lt, left, vec![c]),
                _ => self.compare_cases(lists, &[op], true, c),
            };
        }
        let ops: Vec<Op> = ops.iter().map(|(op, _)| *op).collect();
        self.compare_cases(lists, &ops, holds, c)
    }

    /// `smaller op greater` (`<=` or `<`) added to each of several conjunctions. `max(a, b) <= c` is
    /// `a <= c and b <= c`, `min(a, b) <= c` is `a <= c or b <= c`, and so on.
    fn order(
        &mut self,
        smaller: &Expr<'a>,
        op: Op,
        greater: &Expr<'a>,
        mut list: Vec<Conjunction>,
    ) -> Result<Vec<Conjunction>> {
        self.spend(list.len())?;
        match (smaller, greater) {
            (Expr::Max(parts), _) => {
                for part in parts {
                    list = self.order(part, op, greater, list)?;
                }
                Ok(list)
            }
            (_, Expr::Min(parts)) => {
                for part in parts {
                    list = self.order(smaller, op, part, list)?;
                }
                Ok(list)
            }
            (Expr::Min(parts), _) | (_, Expr::Max(parts)) => {
                let mut result = Vec::new();
                for part in parts {
                    let copies = list.iter().map(|c| self.copy(c)).collect::<Result<Vec<_>>>()?;
                    result.extend(match smaller {
                        Expr::Min(_) => self.order(part, op, greater, copies)?,
                        _ => self.order(smaller, op, part, copies)?,
                    });
                }
                self.prune(result)
            }
            _ => {
                let mut result = Vec::with_capacity(list.len());
                for c in list {
                    for (c, low) in self.cases(smaller, c)? {
                        for (mut c, high) in self.cases(greater, c)? {
                            self.add_comparison(&mut c, &low, op, &high)?;
                            result.push(c);
                        }
                    }
                }
                self.prune(result)
            }
        }
    }

    /// A chain of comparisons whose operands can have several cases.
    fn compare_cases(
        &mut self,
        lists: &[Vec<Expr<'a>>],
        ops: &[Op],
        holds: bool,
        c: Conjunction,
    ) -> Result<Vec<Conjunction>> {
        let mut states = vec![(c, Vec::new())];
        for expr in lists.iter().flatten() {
            states = self.extended(states, expr)?;
        }
        let mut result = Vec::new();
        for (c, values) in states {
            let mut rest = values.as_slice();
            let mut split = Vec::with_capacity(lists.len());
            for list in lists {
                let (first, others) = rest.split_at(list.len().min(rest.len()));
                split.push(first);
                rest = others;
            }
            result.extend(self.compare_values(c, &split, ops, holds)?);
        }
        Ok(result)
    }

    /// The alternatives of a chain of comparisons between known values.
    fn compare_values(
        &mut self,
        c: Conjunction,
        lists: &[&[Value]],
        ops: &[Op],
        holds: bool,
    ) -> Result<Vec<Conjunction>> {
        let mut list = vec![c];
        let mut failures = Vec::new();
        for (pair, op) in lists.windows(2).zip(ops) {
            let (left, right) = (pair[0], pair[1]);
            let op = if holds { *op } else { op.negated() };
            let mut pairs: Vec<(&[Value], &[Value])> = Vec::new();
            if op.is_lexicographic() {
                pairs.push((left, right));
            } else {
                for a in left {
                    pairs.extend(right.iter().map(|b| (std::slice::from_ref(a), std::slice::from_ref(b))));
                }
            }
            for (a, b) in pairs {
                let mut next = Vec::with_capacity(list.len());
                for c in &list {
                    self.compare_pair(c, a, op, b, &mut next)?;
                }
                if holds {
                    list = self.prune(next)?;
                } else {
                    failures.extend(next);
                }
            }
        }
        Ok(if holds { list } else { failures })
    }

    /// The alternatives of one comparison, of single values or lexicographic.
    fn compare_pair(&self, c: &Conjunction, a: &[Value], op: Op, b: &[Value], to: &mut Vec<Conjunction>) -> Result<()> {
        let (strict, equal) = match op {
            Op::Ne => {
                for op in [Op::Lt, Op::Gt] {
                    self.compare_pair(c, a, op, b, to)?;
                }
                return Ok(());
            }
            Op::LexLt => (Op::Lt, false),
            Op::LexLe => (Op::Lt, true),
            Op::LexGt => (Op::Gt, false),
            Op::LexGe => (Op::Gt, true),
            _ => {
                let mut c = self.copy(c)?;
                for (a, b) in a.iter().zip(b) {
                    self.add_comparison(&mut c, a, op, b)?;
                }
                to.push(c);
                return Ok(());
            }
        };
        let mut prefix = self.copy(c)?;
        for (a, b) in a.iter().zip(b) {
            let mut decided = self.copy(&prefix)?;
            self.add_comparison(&mut decided, a, strict, b)?;
            to.push(decided);
            self.add_comparison(&mut prefix, a, Op::Eq, b)?;
        }
        if equal {
            to.push(prefix);
        }
        Ok(())
    }
}
