//! Elements that stay: in a kernel, what a loop reads and writes at the same places in all iterations lives in registers meanwhile.
//!
//! ```text
//! for k:                                             x0 = C[i][j]; x1 = C[i][j + 32]
//!   C[i][j]      += A[i][k] * B[k][j]                for k:
//!   C[i][j + 32] += A[i][k] * B[k][j + 32]    =>       x0 += A[i][k] * B[k][j]; x1 += A[i][k] * B[k][j + 32]
//!                                                    C[i][j] = x0; C[i][j + 32] = x1
//! ```
//!
//! Later passes cannot do that: for them `C[i][j]` and `C[i + 2][j]` may be one place, since nothing says what a row's length is. Here
//! subscripts are known, and elements with different subscripts are different places (that is what the model and its guard are about).
//! Each element gets a variable in the frame, which later passes turn into a register.
//!
//! Of an array all places that the loop touches must be such elements, any two of which are the same or certainly different. An element is read
//! before the loop and stored behind it where an iteration certainly touches (and writes) it: the loop has an iteration, and the conditions
//! in it do not depend on the iteration. There is no barrier in the loop, so no other thread sees an element meanwhile.
//!
//! Invariant: only places are read that the model says the iterations touch, and only those are stored that they may write.

use super::Emitter;
use super::sum::Sum;
use crate::device::sizes::element_align;
use crate::emit::scopes::Placed;
use crate::host::{Edit, EditError, Opcode, Type, TypeKind, Value};
use crate::model::scop::{Access, Scop, Statement, Storage};
use tessera_polyhedral::ast::{Ast, Expr, For, IterId};
use tessera_polyhedral::flow::AccessKind;

/// The most elements that stay in a loop: more would not find registers.
const MOST: usize = 64;

/// An element, by its array and subscripts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Element {
    pub(super) array: usize,
    pub(super) subscripts: Vec<Sum>,
}

/// An element with the variable in which it is.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    element: Element,
    place: Value,
    ty: Type,
}

/// A place that a loop touches.
struct Touched {
    array: usize,
    /// Nothing where it may be another one in another iteration, or where no iteration is certain to touch it.
    element: Option<(Element, Type)>,
    is_written: bool,
}

/// What is done with elements outside of the loop.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Moves {
    In,
    Out,
}

impl Element {
    fn is_apart(&self, other: &Element) -> bool {
        self.subscripts.iter().zip(&other.subscripts).any(|(a, b)| a.is_apart(b))
    }
}

impl Emitter<'_, '_, '_> {
    /// Builds a loop of a kernel with the elements that stay in variables; `false` where there are none.
    pub(super) fn loop_with_kept(&mut self, node: &For) -> Edit<bool> {
        if self.kernel.is_none() || !self.job.hints {
            return Ok(false);
        }
        let elements = self.staying(node);
        if elements.is_empty() {
            return Ok(false);
        }
        let editor = self.scopes.editor;
        let before = self.kept.len();
        for (element, ty) in elements {
            let place = editor.alloca(ty, "kept")?;
            self.kept.push(Kept { element, place, ty });
        }
        let (inside, body) = ([node.iter], &*node.body);
        self.with_iterations(&[node], &mut |emitter| {
            if let Some(strips) = emitter.strips_of(node)? {
                // All threads have to come to the barriers, also those that have nothing to do.
                emitter.clear(before)?;
                return emitter.with_moves(body, before, &inside, |emitter| emitter.strip_loop(node, strips));
            }
            let Some(speculation) = emitter.speculation(node) else {
                return emitter.with_moves(body, before, &inside, |emitter| emitter.plain_loop(node));
            };
            // There is nothing to do where no copy exists.
            let condition = emitter.cond(&speculation.condition)?;
            let mut speculation = Some(speculation);
            emitter.fork(condition, [Some(body), None], &mut |emitter, body| {
                emitter.clear(before)?;
                let Some(own) = speculation.take() else { return Ok(()) };
                emitter.with_moves(body, before, &inside, |emitter| {
                    let node = own.node.clone();
                    emitter.speculation = Some(own);
                    emitter.plain_loop(&node)?;
                    emitter.speculation = None;
                    Ok(())
                })
            })
        })?;
        self.kept.truncate(before);
        Ok(true)
    }

    /// Gives the variables from `first` on a value, for copies that do not exist.
    fn clear(&mut self, first: usize) -> Edit<()> {
        let editor = self.scopes.editor;
        self.scopes.at_end();
        for kept in &self.kept[first..] {
            editor.store(editor.zero(kept.ty)?, kept.place, self.cell_align(kept.ty))?;
        }
        Ok(())
    }

    /// Builds a loop between the moves of its elements.
    fn with_moves(
        &mut self,
        body: &Ast,
        first: usize,
        inside: &[IterId],
        build: impl FnOnce(&mut Self) -> Edit<()>,
    ) -> Edit<()> {
        self.move_all(body, Moves::In, first, inside, &mut Vec::new())?;
        build(self)?;
        self.move_all(body, Moves::Out, first, inside, &mut Vec::new())
    }

    /// Whether an element stays in a variable.
    pub(super) fn is_kept(&self, element: &Element) -> bool {
        self.kept.iter().any(|kept| kept.element == *element)
    }

    /// The variable of the element that an access of the present instance touches, if it has one.
    pub(super) fn kept_place(&self, statement: &Statement, access: &Access) -> Option<Value> {
        if !self.kept.iter().any(|kept| kept.element.array == access.array) {
            return None;
        }
        let element = self.element(statement, access, &self.instance)?;
        self.kept.iter().find(|kept| kept.element == element).map(|kept| kept.place)
    }

    /// The elements that stay in a loop, each once, with their types.
    fn staying(&self, node: &For) -> Vec<(Element, Type)> {
        let mut touched = Vec::new();
        if !self.collect(&node.body, &mut vec![node.iter], false, &mut touched) {
            return Vec::new();
        }
        let mut all: Vec<(Element, Type)> = Vec::new();
        for array in 0..self.scop.arrays.len() {
            if self.kept.iter().any(|kept| kept.element.array == array) {
                continue;
            }
            let own: Vec<&Touched> = touched.iter().filter(|touched| touched.array == array).collect();
            if !own.iter().any(|touched| touched.is_written) {
                continue;
            }
            let Some(elements) = own.iter().map(|touched| touched.element.as_ref()).collect::<Option<Vec<_>>>() else {
                continue;
            };
            let mut different: Vec<(Element, Type)> = Vec::new();
            for (element, ty) in elements {
                if !different.iter().any(|(known, _)| known == element) {
                    different.push((element.clone(), *ty));
                }
            }
            let is_clear = different.iter().enumerate().all(|(index, (element, ty))| {
                different[..index].iter().all(|(other, of)| of == ty && element.is_apart(other))
            });
            if is_clear && all.len() + different.len() <= MOST {
                all.extend(different);
            }
        }
        all
    }

    /// Collects what is touched; `false` where there is a barrier.
    fn collect(&self, ast: &Ast, inside: &mut Vec<IterId>, uncertain: bool, touched: &mut Vec<Touched>) -> bool {
        match ast {
            Ast::For(inner) => {
                inside.push(inner.iter);
                let goes_on = self.collect(&inner.body, inside, true, touched);
                inside.pop();
                goes_on
            }
            Ast::If { cond, then, otherwise } => {
                let uncertain = uncertain || inside.iter().any(|iter| cond.involves(*iter));
                let mut parts = std::iter::once(then).chain(otherwise);
                parts.all(|part| self.collect(part, inside, uncertain, touched))
            }
            Ast::User { stmt, args } => {
                let Some(statement) = self.scop.statement(stmt) else {
                    return false;
                };
                for access in &statement.accesses {
                    let stays = |element: &Element| {
                        let mut terms = element.subscripts.iter().flat_map(|sum| sum.terms.keys());
                        !terms.any(|term| inside.iter().any(|iter| term.involves(*iter)))
                    };
                    let element = self.element(statement, access, args).filter(|element| !uncertain && stays(element));
                    let element = element.and_then(|element| Some((element, kept_type(self.scop, access)?)));
                    let is_written = access.kind != AccessKind::Read;
                    touched.push(Touched { array: access.array, element, is_written });
                }
                true
            }
            other => other.children().all(|part| self.collect(part, inside, uncertain, touched)),
        }
    }

    /// The element that an access touches in an instance; nothing where that is not known.
    pub(super) fn element(&self, statement: &Statement, access: &Access, args: &[Expr]) -> Option<Element> {
        if access.count != 1 {
            return None;
        }
        let param = |index| Some(Expr::Param(self.ast_params.iter().position(|param| *param == index)?));
        let sum = |poly| Sum::of(poly, statement, args, param);
        let subscripts = access.subscripts.iter().map(sum).collect::<Option<Vec<_>>>()?;
        Some(Element { array: access.array, subscripts })
    }

    /// Moves the elements from `first` on between memory and their variables, where a part of the loop's body touches them.
    fn move_all(
        &mut self,
        ast: &Ast,
        moves: Moves,
        first: usize,
        inside: &[IterId],
        done: &mut Vec<usize>,
    ) -> Edit<()> {
        match ast {
            // What is only touched there does not stay.
            Ast::For(_) => Ok(()),
            Ast::If { cond, then, otherwise } => {
                if inside.iter().any(|iter| cond.involves(*iter)) {
                    return Ok(());
                }
                let is_needed = |part: &Ast| self.moves_some(part, moves, first, inside, done);
                let parts =
                    [Some(&**then).filter(|part| is_needed(part)), otherwise.as_deref().filter(|part| is_needed(part))];
                if parts == [None, None] {
                    return Ok(());
                }
                let condition = self.cond(cond)?;
                let known = done.clone();
                self.fork(condition, parts, &mut |emitter, part| {
                    emitter.move_all(part, moves, first, inside, &mut known.clone())
                })
            }
            Ast::User { stmt, args } => {
                let scop = self.scop;
                let Some(statement) = scop.statement(stmt) else {
                    return Ok(());
                };
                for access in &statement.accesses {
                    if let Some(number) = self.number_of_moved((statement, access, args), moves, first, done) {
                        done.push(number);
                        self.move_one((statement, access, args), number, moves, inside)?;
                    }
                }
                Ok(())
            }
            other => other.children().try_for_each(|part| self.move_all(part, moves, first, inside, done)),
        }
    }

    /// Whether something is to be moved for a part of the body.
    fn moves_some(&self, ast: &Ast, moves: Moves, first: usize, inside: &[IterId], done: &[usize]) -> bool {
        match ast {
            Ast::For(_) => false,
            Ast::If { cond, .. } if inside.iter().any(|iter| cond.involves(*iter)) => false,
            Ast::User { stmt, args } => {
                let statement = self.scop.statement(stmt);
                statement.is_some_and(|statement| {
                    let mut accesses = statement.accesses.iter();
                    accesses.any(|access| self.number_of_moved((statement, access, args), moves, first, done).is_some())
                })
            }
            other => other.children().any(|part| self.moves_some(part, moves, first, inside, done)),
        }
    }

    /// The number of the element that is to be moved for an access, if one is.
    fn number_of_moved(
        &self,
        (statement, access, args): (&Statement, &Access, &[Expr]),
        moves: Moves,
        first: usize,
        done: &[usize],
    ) -> Option<usize> {
        if moves == Moves::Out && access.kind == AccessKind::Read {
            return None;
        }
        let element = self.element(statement, access, args)?;
        let number = self.kept.iter().position(|kept| kept.element == element)?;
        (number >= first && !done.contains(&number)).then_some(number)
    }

    fn move_one(
        &mut self,
        (statement, access, args): (&Statement, &Access, &[Expr]),
        number: usize,
        moves: Moves,
        inside: &[IterId],
    ) -> Edit<()> {
        let editor = self.scopes.editor;
        // The element does not depend on what goes on in the loop.
        let zero = Expr::constant(0);
        let is_known = |arg: &&Expr| !inside.iter().any(|iter| arg.involves(*iter));
        let args = args.iter().map(|arg| self.expr(Some(arg).filter(is_known).unwrap_or(&zero)));
        let args: Vec<Placed> = args.collect::<Edit<_>>()?;
        let pointer = self.memory_address(&statement.loops, access, &args)?;
        let ty = kept_type(self.scop, access).ok_or_else(|| EditError::new("an element without a type"))?;
        let align = match self.scop.arrays[access.array].storage {
            Storage::Scalar(..) => self.cell_align(ty),
            Storage::Memory(_) | Storage::Rows(_) | Storage::Buffer(_) => element_align(self.scop, access),
        };
        let (place, own) = (self.kept[number].place, self.cell_align(ty));
        self.scopes.at_end();
        let moved = match moves {
            Moves::In => {
                let value = editor.load(ty, pointer, align)?;
                editor.store(value, place, own)?;
                value
            }
            Moves::Out => editor.store(editor.load(ty, place, own)?, pointer, align)?,
        };
        self.annotate(moved, access.array)
    }
}

/// The type of the variable for what an access touches; nothing where it is not loaded and stored as one value.
pub(super) fn kept_type(scop: &Scop, access: &Access) -> Option<Type> {
    let ty = match (access.instruction, scop.arrays[access.array].storage) {
        (Some(call), _) if call.is(Opcode::Call) => None,
        (Some(original), _) => original.memory_access().map(|model| model.ty),
        (None, Storage::Scalar(_, ty)) => Some(ty),
        (None, Storage::Memory(_) | Storage::Rows(_) | Storage::Buffer(_)) => None,
    }?;
    match ty.kind() {
        TypeKind::Int(8 | 16 | 32 | 64) | TypeKind::Float | TypeKind::Double => Some(ty),
        _ => None,
    }
}
