//! AST to IR: loops, conditions, statements.

mod statement;

use crate::emit::Job;
use crate::emit::hints::Wishes;
use crate::emit::scopes::{Placed, Scopes};
use crate::host::{Block, Edit, EditError, IntOp, IntPredicate, LoopHint, Metadata, Value};
use crate::model::poly::{Poly, Sym};
use crate::model::scop::{Scop, Storage};
use std::collections::HashMap;
use tessera_polyhedral::arith::Int;
use tessera_polyhedral::ast::{Ast, Cond, Expr, For, IterId};

/// Most iterations for each of which there may be a copy of the body.
const MOST_COPIES: i128 = 32;

/// What the generated code needs to know about one array.
struct ArrayCode {
    /// The base pointer, or the cell's place in the frame; `None` for arrays that no statement touches any more.
    base: Option<Placed>,
    scope: Option<Metadata>,
    others: Vec<Metadata>,
}

/// Emits one region's code.
pub struct Emitter<'e, 'a, 's> {
    scopes: Scopes<'e, 'a>,
    scop: &'s Scop,
    job: &'s Job,
    /// Parameters of the region as `i64`, in the scop's order.
    params: Vec<Placed>,
    /// Parameters in the AST's order, as indices of the scop's.
    ast_params: Vec<usize>,
    arrays: Vec<ArrayCode>,
    iters: HashMap<IterId, Placed>,
    groups: Vec<Metadata>,
    wishes: Wishes,
    /// Values from before the region that an earlier region of the function replaced.
    replaced: &'s HashMap<Value, Value>,
    /// What the region hands on: original value and its replacement.
    pub live_out: Vec<(Value, Value)>,
}

impl<'e, 'a, 's> Emitter<'e, 'a, 's> {
    /// An emitter that starts in `block`. `params` are the parameters' values as `i64`, in the scop's order.
    pub fn new(
        editor: &'e crate::host::Editor<'a>,
        block: Block,
        job: &'s Job,
        params: &[Value],
        replaced: &'s HashMap<Value, Value>,
    ) -> Edit<Self> {
        let Job { scop, unit, .. } = job;
        let params: Vec<Placed> = params.iter().map(|value| Placed { value: *value, scope: 0 }).collect();
        let ast_params = unit
            .params
            .iter()
            .map(|name| {
                let position = scop.params.iter().position(|param| param.name.as_str() == &**name);
                position.ok_or_else(|| EditError::new(format!("the parameter {name} has no value")))
            })
            .collect::<Edit<Vec<_>>>()?;
        let mut emitter = Self {
            scopes: Scopes::new(editor, block),
            scop,
            job,
            params,
            ast_params,
            arrays: Vec::new(),
            iters: HashMap::new(),
            groups: Vec::new(),
            wishes: Wishes::new(scop, unit),
            replaced,
            live_out: Vec::new(),
        };
        emitter.prepare_arrays()?;
        Ok(emitter)
    }

    /// Emits everything and returns the block in which it ends.
    pub fn run(mut self) -> Edit<(Block, Vec<(Value, Value)>)> {
        let unit = &self.job.unit;
        self.node(&unit.body)?;
        Ok((self.scopes.block(), self.live_out))
    }

    fn prepare_arrays(&mut self) -> Edit<()> {
        let editor = self.scopes.editor;
        let domain = editor.alias_domain("tessera")?;
        let mut scopes = Vec::new();
        for array in &self.scop.arrays {
            scopes.push(match array.storage {
                Storage::Memory(_) if self.job.hints => Some(editor.alias_scope(domain, &array.name)?),
                _ => None,
            });
        }
        self.scopes.at_end();
        for scope in scopes.iter().flatten() {
            editor.declare_scope(*scope)?;
        }
        for (index, array) in self.scop.arrays.iter().enumerate() {
            let base = match array.storage {
                _ if !self.scop.is_used(index) => None,
                Storage::Memory(pointer) => Some(self.outside(pointer)),
                Storage::Scalar(_, ty) => Some(editor.alloca(ty, array.copies, &array.name)?),
            };
            let others = scopes.iter().enumerate().filter(|(other, _)| *other != index).filter_map(|(_, s)| *s);
            self.arrays.push(ArrayCode {
                base: base.map(|value| Placed { value, scope: 0 }),
                scope: scopes[index],
                others: others.collect(),
            });
        }
        Ok(())
    }

    fn outside(&self, value: Value) -> Value {
        self.replaced.get(&value).copied().unwrap_or(value)
    }

    fn node(&mut self, ast: &Ast) -> Edit<()> {
        match ast {
            Ast::Block(parts) => parts.iter().try_for_each(|part| self.node(part)),
            Ast::Mark(_, inner) => self.node(inner),
            Ast::If { cond, then, otherwise } => self.branch(cond, then, otherwise.as_deref()),
            Ast::For(node) => self.for_loop(node),
            Ast::User { stmt, args } => {
                let scop = self.scop;
                let statement = scop.statements.iter().find(|s| s.name.as_str() == &**stmt);
                let statement = statement.ok_or_else(|| EditError::new(format!("no statement {stmt}")))?;
                let args = args.iter().map(|arg| self.expr(arg)).collect::<Edit<Vec<_>>>()?;
                self.statement(statement, &args)
            }
        }
    }

    fn branch(&mut self, cond: &Cond, then: &Ast, otherwise: Option<&Ast>) -> Edit<()> {
        let editor = self.scopes.editor;
        let condition = self.cond(cond)?;
        let then_block = editor.create_block("then", Some(self.scopes.block()))?;
        let join = editor.create_block("endif", Some(then_block))?;
        let else_block = match otherwise {
            Some(_) => editor.create_block("else", Some(then_block))?,
            None => join,
        };
        self.scopes.at_end();
        let gate = editor.cond_br(condition.value, then_block, else_block)?;
        self.scopes.open(gate, then_block);
        self.node(then)?;
        self.scopes.at_end();
        editor.br(join)?;
        if let Some(otherwise) = otherwise {
            self.scopes.close(else_block);
            self.scopes.open(gate, else_block);
            self.node(otherwise)?;
            self.scopes.at_end();
            editor.br(join)?;
        }
        self.scopes.close(join);
        Ok(())
    }

    fn for_loop(&mut self, node: &For) -> Edit<()> {
        let editor = self.scopes.editor;
        let lower = self.expr(&node.lower)?;
        let upper = node.upper.as_ref().ok_or_else(|| EditError::new("a loop without end"))?;
        let upper = self.expr(upper)?;
        let step = self.scopes.constant(&node.step)?;
        let not_empty = self.scopes.compare(IntPredicate::Sle, lower, upper)?;
        let entering = self.scopes.block();
        let header = editor.create_block("loop", Some(entering))?;
        let exit = editor.create_block("endloop", Some(header))?;
        self.scopes.at_end();
        let gate = match not_empty.value.constant_int() {
            Some(value) if value != 0 => editor.br(header)?,
            _ => editor.cond_br(not_empty.value, header, exit)?,
        };
        let iterator = editor.phi(header, editor.int_type(64)?, &node.name)?;
        editor.add_incoming(iterator, lower.value, entering)?;
        self.scopes.open(gate, header);
        let scope = self.scopes.depth();
        self.iters.insert(node.iter, Placed { value: iterator, scope });
        let group = if node.coincident && self.job.hints { Some(editor.access_group()?) } else { None };
        self.groups.extend(group);
        self.node(&node.body)?;
        if group.is_some() {
            self.groups.pop();
        }
        self.iters.remove(&node.iter);
        let latch = self.scopes.block();
        self.scopes.at_end();
        let next = editor.int_op(IntOp::Add, iterator, step.value, "next")?;
        editor.set_wrap_flags(next, false, true);
        let goes_on = if node.step.is_one() {
            editor.icmp(IntPredicate::Slt, iterator, upper.value)?
        } else {
            editor.icmp(IntPredicate::Sle, next, upper.value)?
        };
        let back = editor.cond_br(goes_on, header, exit)?;
        editor.add_incoming(iterator, next, latch)?;
        let mut hints = self.wishes.of(node.iter);
        let has_wishes = !hints.is_empty();
        hints.extend(group.map(|group| LoopHint::ParallelAccesses(vec![group])));
        // Copies of whole inner loops cost compile time and gain nothing; nor do copies of all iterations of a vectorised one.
        if contains_loop(&node.body) || !has_wishes && node.coincident && is_long(lower.value, upper.value) {
            hints.push(LoopHint::Flag("llvm.loop.unroll.disable"));
        }
        if !hints.is_empty() {
            editor.set_loop_hints(back, &hints)?;
        }
        self.scopes.close(exit);
        Ok(())
    }

    // ---- expressions -------------------------------------------------------------------------------------------

    fn expr(&mut self, expr: &Expr) -> Edit<Placed> {
        Ok(match expr {
            Expr::Const(value) => self.scopes.constant(value)?,
            Expr::Param(position) => {
                let index = self.ast_params.get(*position).ok_or_else(|| EditError::new("an unknown parameter"))?;
                self.params[*index]
            }
            Expr::Iter(iter) => {
                *self.iters.get(iter).ok_or_else(|| EditError::new("an iterator outside of its loop"))?
            }
            Expr::Add(a, b) => {
                let (a, b) = (self.expr(a)?, self.expr(b)?);
                self.scopes.int(IntOp::Add, a, b)?
            }
            Expr::Sub(a, b) => {
                let (a, b) = (self.expr(a)?, self.expr(b)?);
                self.scopes.int(IntOp::Sub, a, b)?
            }
            Expr::Neg(a) => {
                let zero = self.scopes.constant(&Int::zero())?;
                let a = self.expr(a)?;
                self.scopes.int(IntOp::Sub, zero, a)?
            }
            Expr::Mul(factor, a) => {
                let factor = self.scopes.constant(factor)?;
                let a = self.expr(a)?;
                self.scopes.int(IntOp::Mul, a, factor)?
            }
            Expr::FloorDiv(a, divisor) | Expr::Div(a, divisor) | Expr::Exact(a, divisor) => {
                let a = self.expr(a)?;
                self.scopes.floor_div(a, divisor)?
            }
            Expr::Mod(a, divisor) | Expr::Rem(a, divisor) => self.remainder(a, divisor)?,
            Expr::Select(cond, a, b) => {
                let (cond, a, b) = (self.cond(cond)?, self.expr(a)?, self.expr(b)?);
                self.scopes.select(cond, a, b)?
            }
            Expr::Min(parts) => self.extremum(false, parts)?,
            Expr::Max(parts) => self.extremum(true, parts)?,
        })
    }

    fn remainder(&mut self, a: &Expr, divisor: &Int) -> Edit<Placed> {
        let a = self.expr(a)?;
        let quotient = self.scopes.floor_div(a, divisor)?;
        let divisor = self.scopes.constant(divisor)?;
        let product = self.scopes.int(IntOp::Mul, quotient, divisor)?;
        self.scopes.int(IntOp::Sub, a, product)
    }

    fn extremum(&mut self, maximum: bool, parts: &[Expr]) -> Edit<Placed> {
        let mut values = parts.iter().map(|part| self.expr(part)).collect::<Edit<Vec<_>>>()?;
        // Outer values first, so that their extremum is placed outside.
        values.sort_by_key(|value| value.scope);
        let mut values = values.into_iter();
        let mut result = values.next().ok_or_else(|| EditError::new("an empty minimum or maximum"))?;
        for value in values {
            result = self.scopes.extremum(maximum, result, value)?;
        }
        Ok(result)
    }

    fn cond(&mut self, cond: &Cond) -> Edit<Placed> {
        let editor = self.scopes.editor;
        let zero = self.scopes.constant(&Int::zero())?;
        Ok(match cond {
            Cond::True => Placed { value: editor.const_bool(true)?, scope: 0 },
            Cond::False => Placed { value: editor.const_bool(false)?, scope: 0 },
            Cond::Ge(expr) => {
                let value = self.expr(expr)?;
                self.scopes.compare(IntPredicate::Sge, value, zero)?
            }
            Cond::Eq(expr) => {
                let value = self.expr(expr)?;
                self.scopes.compare(IntPredicate::Eq, value, zero)?
            }
            Cond::Divides(divisor, expr) => {
                let value = self.remainder(expr, divisor)?;
                self.scopes.compare(IntPredicate::Eq, value, zero)?
            }
            Cond::And(parts) | Cond::Or(parts) => {
                let op = if matches!(cond, Cond::And(_)) { IntOp::And } else { IntOp::Or };
                let mut result = None;
                for part in parts {
                    let value = self.cond(part)?;
                    result = Some(match result {
                        None => value,
                        Some(known) => self.scopes.int(op, known, value)?,
                    });
                }
                result.ok_or_else(|| EditError::new("an empty condition"))?
            }
        })
    }

    /// The value modulo 2^64 of a polynomial over the region's induction variables, whose values are `args` by position in `loops`.
    fn poly(&mut self, poly: &Poly, loops: &[usize], args: &[Placed]) -> Edit<Placed> {
        let mut terms = Vec::new();
        let mut all_small = true;
        for (monomial, coefficient) in poly.terms() {
            let mut factors = Vec::new();
            for symbol in monomial {
                factors.push(match symbol {
                    Sym::Param(index) => self.params[*index],
                    Sym::Iv(index) => {
                        let position = loops.iter().position(|l| l == index);
                        let position = position.ok_or_else(|| EditError::new("an induction variable without value"))?;
                        args[position]
                    }
                });
            }
            // The guard bounds parameters and thereby iterators; a small multiple of one of them cannot wrap, products
            // of several can, although the residue that they stand for is right.
            let wraps = factors.len() > 1 || coefficient.abs() >= 1 << 20;
            all_small &= !wraps;
            // Constants and outer values first: partial products stay outside of inner loops.
            factors.sort_by_key(|factor| factor.scope);
            let mut product = self.residue(coefficient)?;
            for factor in factors {
                product = self.scopes.int_flagged(IntOp::Mul, factor, product, !wraps)?;
            }
            terms.push(product);
        }
        terms.sort_by_key(|term| term.scope);
        let mut sum = self.scopes.constant(&Int::zero())?;
        for term in terms {
            sum = self.scopes.int_flagged(IntOp::Add, sum, term, all_small)?;
        }
        Ok(sum)
    }

    /// A coefficient modulo 2^64: all that the value of a polynomial depends on.
    fn residue(&self, coefficient: i128) -> Edit<Placed> {
        #[expect(clippy::cast_possible_truncation, reason = "the residue modulo 2^64 is what is wanted")]
        let low = coefficient as i64;
        self.scopes.constant(&Int::from(low))
    }
}

/// Whether a loop has a known number of iterations that is too great to have a copy of the body for each.
fn is_long(lower: Value, upper: Value) -> bool {
    let bounds = lower.constant_int().zip(upper.constant_int());
    bounds.is_some_and(|(lower, upper)| upper - lower >= MOST_COPIES)
}

fn contains_loop(ast: &Ast) -> bool {
    match ast {
        Ast::For(_) => true,
        Ast::Block(parts) => parts.iter().any(contains_loop),
        Ast::Mark(_, inner) => contains_loop(inner),
        Ast::If { then, otherwise, .. } => contains_loop(then) || otherwise.as_deref().is_some_and(contains_loop),
        Ast::User { .. } => false,
    }
}
