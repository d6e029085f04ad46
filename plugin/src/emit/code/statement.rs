//! The code of one instance of a statement: copies of the original operations with new operands, between copies of the
//! branches of subregions.

use super::Emitter;
use super::numbering::Numbering;
use super::vectors::Motion;
use crate::device::sizes::element_align;
use crate::emit::debug_locations;
use crate::emit::scopes::{Linear, Placed};
use crate::formula::poly::{Poly, Sym};
use crate::host::{Block, Edit, EditError, IntOp, Opcode, Value};
use crate::model::scop::{Access, Combination, Op, Operand, Statement, Storage};
use std::collections::HashMap;

/// The metadata of loads that promise something about the value.
pub(super) const VALUES: [&str; 3] = ["range", "nonnull", "noundef"];

/// The state of one instance.
pub(super) struct Run<'r> {
    statement: &'r Statement,
    args: &'r [Placed],
    /// The copies of original values.
    pub(super) results: HashMap<Value, Value>,
    /// The copies of the blocks of a subregion that jumps lead to.
    blocks: HashMap<Block, Block>,
    /// By PHI and original block: the value that the PHI takes from there, the block that leads to it, and by how many edges.
    came: HashMap<(Value, Block), (Value, Block, usize)>,
    /// Inside of a subregion: the branch that leads into it.
    gate: Option<Value>,
}

impl<'r> Run<'r> {
    /// Before the first operation.
    pub(super) fn new(statement: &'r Statement, args: &'r [Placed]) -> Self {
        let (results, blocks, came) = (HashMap::new(), HashMap::new(), HashMap::new());
        Self { statement, args, results, blocks, came, gate: None }
    }

    /// Whether there is what an operand stands for.
    pub(super) fn knows(&self, operand: &Operand) -> bool {
        match operand {
            Operand::Result(original) => self.results.contains_key(original),
            Operand::Invariant(_) | Operand::Affine(..) => true,
        }
    }
}

impl Emitter<'_, '_, '_> {
    pub(super) fn statement(&mut self, statement: &Statement, args: &[Placed]) -> Edit<()> {
        let mut run = Run::new(statement, args);
        for op in &statement.body {
            if self.kernel.is_none() {
                debug_locations::enter(self.scopes.editor, self.scop, statement, op);
            }
            self.operation(&mut run, op)?;
        }
        if self.kernel.is_none() {
            debug_locations::leave(self.scopes.editor, self.scop);
        }
        Ok(())
    }

    pub(super) fn operation(&mut self, run: &mut Run<'_>, op: &Op) -> Edit<()> {
        let editor = self.scopes.editor;
        let (statement, args) = (run.statement, run.args);
        match op {
            Op::Read { access, result } => {
                let value = self.read(statement, &statement.accesses[*access], args)?;
                run.results.insert(*result, value);
            }
            Op::Compute { instruction, operands } => {
                let olds = instruction.operands();
                let mut news = Vec::new();
                for operand in operands.iter().take(olds.len()) {
                    news.push(self.operand(statement, operand, args, &run.results)?);
                }
                self.alike(&mut news)?;
                let reordered = |kind| !matches!(kind, Combination::FloatMinimum | Combination::FloatMaximum);
                let is_reordered = statement
                    .reduction
                    .as_ref()
                    .is_some_and(|r| reordered(r.combination) && r.chain.contains(instruction));
                self.numbering.enter(self.scopes.block());
                // Partial results of a reduction lose the flags of the original.
                let known = match is_reordered {
                    true => None,
                    false => self.known().find_map(|known| known.computed(*instruction, &news)),
                };
                if let Some(known) = known {
                    run.results.insert(*instruction, known);
                    return Ok(());
                }
                self.scopes.at_end();
                let copy = match (self.kernel, self.computed_in_lanes(*instruction, &news)?) {
                    (_, Some(vector)) => vector,
                    (Some(kernel), None) => self.on_device(*instruction, &news, kernel.fuses)?,
                    (None, None) => self.copied(*instruction, &news)?,
                };
                if is_reordered {
                    editor.drop_poison_flags(copy)?;
                } else {
                    if let Some(before) = self.noted_before() {
                        before.compute(*instruction, news.clone(), copy);
                    }
                    self.numbering.compute(*instruction, news, copy);
                }
                run.results.insert(*instruction, copy);
            }
            Op::Combine { combination, result, operands } => {
                let [a, b] = operands;
                let a = self.operand(statement, a, args, &run.results)?;
                let b = self.operand(statement, b, args, &run.results)?;
                self.scopes.at_end();
                run.results.insert(*result, self.combined(*combination, a, b)?);
            }
            Op::Write { access, value } => {
                let value = self.operand(statement, value, args, &run.results)?;
                self.write(statement, &statement.accesses[*access], args, value)?;
            }
            Op::LiveOut { escaping, value } => {
                let value = self.operand(statement, value, args, &run.results)?;
                self.hand_on(*escaping, value)?;
            }
            Op::Label { block, exit } => self.label(run, *block, *exit)?,
            Op::Phi { phi, incoming } => {
                let new = editor.phi(self.scopes.block(), phi.ty(), "chosen")?;
                for (from, _) in incoming {
                    // A block that does not lead here on any way that stays in the nest.
                    let Some((value, block, edges)) = run.came.get(&(*phi, *from)) else { continue };
                    for _ in 0..*edges {
                        editor.add_incoming(new, *value, *block)?;
                    }
                }
                run.results.insert(*phi, new);
            }
            Op::Jump { from, condition, cases, targets } => {
                self.jump(run, *from, condition.as_ref(), cases, targets)?;
            }
        }
        Ok(())
    }

    /// What is known to be computed: in the present block, and in front of a loop in vectors.
    fn known(&self) -> impl Iterator<Item = &Numbering> {
        [Some(&self.numbering), self.before()].into_iter().flatten()
    }

    /// A copy of an instruction with other operands.
    pub(super) fn copied(&self, instruction: Value, operands: &[Value]) -> Edit<Value> {
        let olds = instruction.operands();
        self.scopes.editor.clone_instruction(instruction, |old| {
            let new = olds.iter().zip(operands).find(|(other, _)| **other == old);
            new.map(|(_, new)| *new).ok_or_else(|| EditError::new("an operand without value"))
        })
    }

    /// Leaves the present block. The values that PHIs take by this way are computed here.
    fn jump(
        &mut self,
        run: &mut Run<'_>,
        from: Block,
        condition: Option<&Operand>,
        cases: &[i128],
        targets: &[Block],
    ) -> Edit<()> {
        let editor = self.scopes.editor;
        let (mut target, mut last) = (None, self.scopes.block());
        for op in &run.statement.body {
            match op {
                Op::Label { block, .. } => target = Some(*block),
                Op::Phi { phi, incoming } if target.is_some_and(|target| targets.contains(&target)) => {
                    if let Some((_, operand)) = incoming.iter().find(|(block, _)| *block == from) {
                        let value = self.operand(run.statement, operand, run.args, &run.results)?;
                        let edges = targets.iter().filter(|other| Some(**other) == target).count();
                        run.came.insert((*phi, from), (value, self.scopes.block(), edges));
                    }
                }
                _ => {}
            }
        }
        let condition =
            condition.map(|condition| self.operand(run.statement, condition, run.args, &run.results)).transpose()?;
        for target in targets {
            if !run.blocks.contains_key(target) {
                last = editor.create_block("way", Some(last))?;
                run.blocks.insert(*target, last);
            }
        }
        let place = |target: &Block| run.blocks.get(target).copied();
        self.scopes.at_end();
        let places = targets.iter().map(place).collect::<Option<Vec<_>>>();
        let places = places.ok_or_else(|| EditError::new("a jump to nowhere"))?;
        let branch = match (condition, places.first().copied(), places.get(1).copied()) {
            (Some(value), Some(default), _) if !cases.is_empty() => {
                let cases: Vec<(i128, Block)> = cases.iter().copied().zip(places[1..].iter().copied()).collect();
                editor.switch(value, default, &cases)?
            }
            (Some(condition), Some(on_true), Some(on_false)) => editor.cond_br(condition, on_true, on_false)?,
            (None, Some(target), None) => editor.br(target)?,
            _ => return Err(EditError::new("a jump to nowhere")),
        };
        if run.gate.is_none() {
            run.gate = Some(branch);
            self.scopes.open(branch, self.scopes.block());
        }
        Ok(())
    }

    /// Begins a block of a subregion, or what comes behind it. Arithmetic that a subregion needs is placed in front of it.
    fn label(&mut self, run: &mut Run<'_>, block: Block, exit: bool) -> Edit<()> {
        let new = run.blocks.remove(&block).ok_or_else(|| EditError::new("a label that no jump leads to"))?;
        let gate = run.gate.ok_or_else(|| EditError::new("a label without a jump"))?;
        self.scopes.close(new);
        if exit {
            run.gate = None;
        } else {
            self.scopes.open(gate, new);
        }
        Ok(())
    }

    pub(super) fn operand(
        &mut self,
        statement: &Statement,
        operand: &Operand,
        args: &[Placed],
        results: &HashMap<Value, Value>,
    ) -> Edit<Value> {
        match operand {
            Operand::Invariant(value) => Ok(self.outside(*value)),
            Operand::Result(original) => {
                results.get(original).copied().ok_or_else(|| EditError::new("a value used before it is computed"))
            }
            Operand::Affine(poly, ty) => {
                let bits = ty.int_bits().ok_or_else(|| EditError::new("a counter that is no integer"))?;
                // Numbers are looked at as such in at most 64 bits; more repeat the sign.
                let value = self.poly(poly, &statement.loops, args, bits.min(64))?;
                self.scopes.at_end();
                self.scopes.editor.sext_or_trunc(value.value, bits)
            }
        }
    }

    /// The address of an access.
    pub(super) fn address(&mut self, statement: &Statement, access: &Access, args: &[Placed]) -> Edit<Value> {
        if let Some(place) = self.kept_place(statement, access) {
            self.scopes.at_end();
            return Ok(place);
        }
        if let Some(place) = self.strip_place(statement, access)? {
            return Ok(place);
        }
        if let Some(args) = self.loaded_instead(statement, access)? {
            return self.memory_address(&statement.loops, access, &args);
        }
        self.memory_address(&statement.loops, access, args)
    }

    /// The same for a place that is in memory, of a statement with these loops.
    pub(super) fn memory_address(&mut self, loops: &[usize], access: &Access, args: &[Placed]) -> Edit<Value> {
        let array = &self.arrays[access.array];
        if let Some((_, number)) = self.numbers.iter().find(|(index, _)| *index == access.array) {
            let variable = usize::try_from(*number).ok().and_then(|number| array.variables.get(number));
            self.scopes.at_end();
            return Ok(variable.ok_or_else(|| EditError::new("a copy without place"))?.value);
        }
        let mut base = array.base.ok_or_else(|| EditError::new("an array without base"))?;
        for (level, entry) in access.entries.iter().enumerate() {
            let entry = self.moved(base, entry, loops, args)?;
            base = self.entry(access.array, level, entry)?;
        }
        let pointer = self.moved(base, &access.offset, loops, args)?;
        self.scopes.at_end();
        Ok(pointer.value)
    }

    /// A pointer moved by so many bytes: outer parts of the distance are added outside of inner loops.
    fn moved(&mut self, base: Placed, distance: &Poly, loops: &[usize], args: &[Placed]) -> Edit<Placed> {
        if let Some(bytes) = self.cancelled(distance, loops, args)? {
            return self.scopes.offset(base, bytes);
        }
        // A counter that is a sum: its terms once with the one part, once with the other.
        let is_counter = |symbol: &&Sym| matches!(symbol, Sym::Iv(_));
        let is_linear = distance.terms().all(|(monomial, _)| monomial.iter().filter(is_counter).count() <= 1);
        let counted = self.counted.filter(|_| is_linear);
        let is_sum = |arg: &Placed| counted.is_some_and(|(counter, ..)| counter == arg.value);
        let with = |part: Option<Placed>| -> Vec<Placed> {
            args.iter().map(|arg| part.filter(|_| is_sum(arg)).unwrap_or(*arg)).collect()
        };
        let [firsts, added] = [with(counted.map(|(_, first, _)| first)), with(counted.map(|(.., own)| own))];
        let mut parts: Vec<((usize, bool), Poly)> = Vec::new();
        for (monomial, coefficient) in distance.terms() {
            let positions = monomial.iter().filter_map(|symbol| match symbol {
                Sym::Param(_) => None,
                Sym::Iv(index) => loops.iter().position(|own| own == index),
            });
            let positions: Vec<usize> = positions.collect();
            let of = |args: &[Placed]| positions.iter().map(|p| args[*p].scope).max().unwrap_or(0);
            let mut places = vec![(of(&firsts), false)];
            if positions.iter().any(|p| is_sum(&args[*p])) {
                places.push((of(&added), true));
            }
            let too_large = || EditError::new("an offset out of range");
            let term = Poly::term(monomial.clone(), coefficient).ok_or_else(too_large)?;
            for place in places {
                match parts.iter_mut().find(|(other, _)| *other == place) {
                    Some((_, sum)) => *sum = sum.add(&term).ok_or_else(too_large)?,
                    None => parts.push((place, term.clone())),
                }
            }
        }
        parts.sort_by_key(|(place, _)| *place);
        let mut pointer = base;
        for ((_, is_added), part) in parts {
            let args = if is_added { &added } else { &firsts };
            let bytes = self.poly(&part, loops, args, self.scopes.word)?;
            pointer = self.scopes.offset(pointer, bytes)?;
        }
        Ok(pointer)
    }

    /// A distance in which what the counters have in common cancels out: a copy of a scalar has the subscript `i - 8 t`, and where
    /// `i` is `8 t + 3` that is 3. As such a number it is a place of which later passes know that no other one overlaps it, so that they
    /// find a register for it. Nothing where nothing cancels.
    fn cancelled(&mut self, distance: &Poly, loops: &[usize], args: &[Placed]) -> Edit<Option<Placed>> {
        let mut sum = Linear::default();
        for (monomial, coefficient) in distance.terms() {
            let expanded = match monomial.as_slice() {
                [] => sum.constant.checked_add(coefficient).map(|constant| sum.constant = constant),
                [Sym::Iv(index)] => {
                    let position = loops.iter().position(|own| own == index);
                    position.and_then(|position| self.scopes.expand(args[position], coefficient, &mut sum))
                }
                _ => None,
            };
            if expanded.is_none() {
                return Ok(None);
            }
        }
        if sum.terms.iter().all(|(_, factor)| *factor != 0) {
            return Ok(None);
        }
        sum.terms.retain(|(_, factor)| *factor != 0);
        sum.terms.sort_by_key(|(value, _)| value.scope);
        let bits = self.scopes.word;
        let mut bytes = self.residue(sum.constant, bits)?;
        for (value, factor) in sum.terms {
            let factor = self.residue(factor, bits)?;
            let product = self.scopes.modular(IntOp::Mul, value, factor)?;
            bytes = self.scopes.modular(IntOp::Add, bytes, product)?;
        }
        Ok(Some(bytes))
    }

    /// The pointer in an entry of a table, read where it is certain that the statement is executed.
    fn entry(&mut self, array: usize, level: usize, entry: Placed) -> Edit<Placed> {
        let align = self.scop.arrays[array].levels.get(level).map_or(1, |level| level.align);
        let (pointer, is_new) = self.scopes.load_pointer(entry, align, self.certain)?;
        if is_new {
            let arrays: Vec<_> = self.arrays.iter().filter_map(|array| array.scope).collect();
            let own: Vec<_> = self.tables.into_iter().collect();
            self.scopes.editor.add_alias_scopes(pointer.value, &own, &arrays)?;
        }
        Ok(pointer)
    }

    fn read(&mut self, statement: &Statement, access: &Access, args: &[Placed]) -> Edit<Value> {
        match self.in_vectors(statement, access) {
            Some(Motion::ByRecord(field)) => return self.read_field(statement, access, args, field),
            Some(_) => return self.read_lanes(statement, access, args),
            None => {}
        }
        let editor = self.scopes.editor;
        let pointer = self.address(statement, access, args)?;
        let pointer = self.read_again(pointer)?;
        self.numbering.enter(self.scopes.block());
        let ty = match (access.instruction, self.scop.arrays[access.array].storage) {
            (Some(original), _) => original.memory_access().map(|model| model.ty),
            (None, Storage::Scalar(_, ty) | Storage::Buffer(ty)) => Some(ty),
            (None, Storage::Memory(_) | Storage::Rows(_)) => None,
        };
        let promises = |original| VALUES.iter().any(|kind| editor.metadata(original, kind).is_some());
        let known = ty.and_then(|ty| {
            let place = (access.array, pointer, ty);
            self.known().find_map(|known| known.loaded(place, access.instruction, promises))
        });
        if let Some(known) = known {
            return Ok(known);
        }
        let load = match (access.instruction, self.scop.arrays[access.array].storage) {
            (Some(call), _) if call.is(Opcode::Call) => {
                editor.load(editor.int_type(self.element_bits(access)?)?, pointer, self.bulk_align(access))?
            }
            (Some(original), _) if original.is(Opcode::Load) => self.copy_access(access, original, pointer, None)?,
            (Some(store), _) => {
                let model = store.memory_access().ok_or_else(|| EditError::new("an access that is no access"))?;
                let is_buffer = matches!(self.scop.arrays[access.array].storage, Storage::Buffer(_));
                let align = match self.kernel.is_some() {
                    true => element_align(self.scop, access),
                    false if is_buffer => self.unit_align(access.array),
                    false => model.align,
                };
                let load = editor.load(model.ty, pointer, align)?;
                if !is_buffer && let Some(tbaa) = editor.metadata(store, "tbaa") {
                    editor.set_metadata(load, "tbaa", Some(tbaa))?;
                }
                load
            }
            (None, Storage::Scalar(_, ty) | Storage::Buffer(ty)) => editor.load(ty, pointer, self.cell_align(ty))?,
            (None, Storage::Memory(_) | Storage::Rows(_)) => {
                return Err(EditError::new("a memory access without a model"));
            }
        };
        self.annotate(load, access.array)?;
        self.numbering.load(access.array, pointer, access.instruction, load);
        if let Some(before) = self.noted_before() {
            before.load(access.array, pointer, access.instruction, load);
        }
        self.touch(statement, access, None);
        Ok(load)
    }

    fn write(&mut self, statement: &Statement, access: &Access, args: &[Placed], value: Value) -> Edit<()> {
        match self.in_vectors(statement, access) {
            Some(Motion::ByRecord(field)) => return self.write_field(statement, access, args, (field, value)),
            Some(_) => return self.write_lanes(statement, access, args, value),
            None => {}
        }
        let editor = self.scopes.editor;
        let pointer = self.address(statement, access, args)?;
        let value = self.kept_scalar(statement, value)?;
        self.numbering.enter(self.scopes.block());
        let mut stored = value;
        let store = match (access.instruction, self.scop.arrays[access.array].storage) {
            (Some(call), _) if call.is(Opcode::Call) => {
                stored = self.repeated(value, self.element_bits(access)?)?;
                editor.store(stored, pointer, self.bulk_align(access))?
            }
            (Some(original), _) if original.is(Opcode::Store) => {
                self.copy_access(access, original, pointer, Some(value))?
            }
            (None, Storage::Scalar(_, ty) | Storage::Buffer(ty)) => {
                editor.store(value, pointer, self.cell_align(ty))?
            }
            _ => return Err(EditError::new("a memory access without a model")),
        };
        if let Some(before) = self.numbering.store(access.array, pointer, stored, store) {
            editor.discard_store(before)?;
            self.forget(before);
        }
        self.touch(statement, access, Some(store));
        self.annotate(store, access.array)
    }

    /// What is known of the address of an element of a copy of many bytes.
    fn bulk_align(&self, access: &Access) -> u64 {
        if self.kernel.is_some() { element_align(self.scop, access) } else { 1 }
    }

    /// The width of what an access touches, as an integer.
    fn element_bits(&self, access: &Access) -> Edit<u32> {
        let bits = 8 * access.count * self.scop.arrays[access.array].unit;
        u32::try_from(bits).map_err(|_| EditError::new("an element that is no integer"))
    }

    /// An integer of so many bits; a byte is repeated.
    fn repeated(&self, value: Value, bits: u32) -> Edit<Value> {
        let editor = self.scopes.editor;
        if value.ty().int_bits() == Some(bits) {
            return Ok(value);
        }
        let ones = (0..bits / 8).fold(0i128, |ones, byte| ones | 1 << (8 * byte));
        match value.constant_int() {
            Some(byte) => editor.const_int(bits, (byte & 0xff) * ones),
            None => editor.mul(editor.zext(value, bits)?, editor.const_int(bits, ones)?),
        }
    }

    pub(super) fn cell_align(&self, ty: crate::host::Type) -> u64 {
        self.scopes.editor.analyses().abi_align(ty).unwrap_or(1)
    }

    /// A copy of a load or store with another address (and another value to store).
    fn copy_access(&self, access: &Access, original: Value, pointer: Value, value: Option<Value>) -> Edit<Value> {
        let editor = self.scopes.editor;
        let model = original.memory_access().ok_or_else(|| EditError::new("an access that is no access"))?;
        if self.kernel.is_some() {
            return self.access_on_device(access, (original, model.ty), pointer, value);
        }
        let is_buffer = matches!(self.scop.arrays[access.array].storage, Storage::Buffer(_));
        let align = if is_buffer { self.unit_align(access.array) } else { model.align };
        let copy = match value {
            None => editor.load(model.ty, pointer, align)?,
            Some(value) => editor.store(value, pointer, align)?,
        };
        // What was copied there has the type of the program's accesses, but was stored without their metadata.
        if is_buffer {
            return Ok(copy);
        }
        for kind in ["tbaa", "tbaa.struct", "nontemporal"].iter().chain(&VALUES) {
            if let Some(node) = editor.metadata(original, kind) {
                editor.set_metadata(copy, kind, Some(node))?;
            }
        }
        Ok(copy)
    }

    /// Tells later passes what the guard has checked: different arrays do not overlap, and which loops are parallel.
    pub(super) fn annotate(&self, access: Value, array: usize) -> Edit<()> {
        let editor = self.scopes.editor;
        if let Some(scope) = self.arrays[array].scope {
            editor.add_alias_scopes(access, &[scope], &self.arrays[array].others)?;
        }
        for group in &self.groups {
            editor.add_access_group(access, *group)?;
        }
        Ok(())
    }
}
