//! The interpreter: executes one thread until it waits, ends, or has had its turn.
//!
//! It is compiled twice, with and without checks. Undefined values are followed as they move: a load from bytes that
//! nothing was written to makes its register undefined, and computations and stores to private and shared memory carry
//! that along. The fault is a use that others can see: as a predicate or an address, in a jump, in global memory, or
//! together with other threads. So neither padding that is copied with its structure is a fault nor what LLVM computes
//! before the branch that decides whether it is needed.

use crate::arithmetic::convert::pack_halves;
use crate::arithmetic::{float, rounding::Rounding};
use crate::block::Environment;
use crate::code::{Access, Atomic, Instruction, NONE, Op, Region, Slot, Transfer, Update};
use crate::fault::{AccessKind, FaultKind, MemoryKind, Origin};
use crate::memory::{LOCAL_WINDOW, PARAM_WINDOW, SHARED_WINDOW, WINDOW, read, window, write};
use crate::races::Now;
use crate::syntax::Space;
use crate::thread::{NEVER, Private, Return, State, Thread, Waiting};
use crate::types::sign_extend;

/// Bytes that an access may touch.
#[derive(Clone, Copy)]
enum Found {
    /// A buffer and an offset in it.
    Global(usize, usize),
    Shared(usize),
    Local(usize),
    Param(usize),
}

/// Why a value that came from memory is undefined: the line of the load and the memory.
fn origin(line: u32, memory: MemoryKind) -> u32 {
    line << 3
        | match memory {
            MemoryKind::Shared => 2,
            MemoryKind::Local => 3,
            MemoryKind::Param => 4,
            MemoryKind::Global | MemoryKind::Const => 5,
        }
}

/// The mark of a result of a division by zero in this line.
fn division(line: u32) -> u32 {
    line << 3 | 6
}

fn origin_of(undefined: u32) -> Origin {
    let line = undefined >> 3;
    match undefined & 7 {
        _ if undefined == NEVER => Origin::Nowhere,
        2 => Origin::Memory(MemoryKind::Shared, line),
        3 => Origin::Memory(MemoryKind::Local, line),
        4 => Origin::Memory(MemoryKind::Param, line),
        6 => Origin::Division(line),
        _ => Origin::Memory(MemoryKind::Global, line),
    }
}

#[inline(always)]
fn get(slots: &[u64], slot: Slot) -> u64 {
    slots[slot as usize]
}

impl Environment<'_, '_> {
    /// Executes at most `turn` instructions of a thread; returns how many.
    pub(crate) fn run<const CHECK: bool>(
        &mut self,
        thread: &mut Thread,
        index: u32,
        turn: u64,
    ) -> Result<u64, FaultKind> {
        let launch = self.launch;
        let mut left = turn;
        'frame: loop {
            let Some(function) = launch.module.functions.get(thread.function) else { return Ok(turn - left) };
            let code = &function.code[..];
            let base = thread.base;
            let slots = &mut thread.slots[base..];
            let undefined: &mut [u32] = if CHECK && self.undefined { &mut thread.undefined[base..] } else { &mut [] };
            let pc = &mut thread.pc;
            let private = &mut thread.private;
            loop {
                if left == 0 {
                    return Ok(turn);
                }
                left -= 1;
                let Some(instruction) = code.get(*pc) else { return Ok(turn - left) };
                if CHECK && self.undefined && instruction.guard != NONE && undefined[instruction.guard as usize] != 0 {
                    return Err(self.undefined_slot(function, undefined, instruction.guard));
                }
                if instruction.guard != NONE && (get(slots, instruction.guard) != 0) != instruction.wanted {
                    *pc += 1;
                    continue;
                }
                if CHECK {
                    self.line = function.lines[*pc];
                    if self.undefined {
                        self.check_reads(function, instruction, *pc, undefined, slots)?;
                    }
                }
                match &instruction.op {
                    Op::Copy { d, a } => slots[*d as usize] = get(slots, *a),
                    Op::Unary { f, d, a } => slots[*d as usize] = f(get(slots, *a)),
                    Op::Binary { f, d, a, b } => slots[*d as usize] = f(get(slots, *a), get(slots, *b)),
                    Op::Ternary { f, d, a, b, c } => {
                        slots[*d as usize] = f(get(slots, *a), get(slots, *b), get(slots, *c));
                    }
                    Op::Quaternary(q) => {
                        let (f, d, [a, b, c, e]) = &**q;
                        slots[*d as usize] = f(get(slots, *a), get(slots, *b), get(slots, *c), get(slots, *e));
                    }
                    Op::Select { d, a, b, p } => {
                        slots[*d as usize] = get(slots, if get(slots, *p) != 0 { *a } else { *b });
                    }
                    Op::Set(s) => {
                        let (f, d, a, b, one) = &**s;
                        slots[*d as usize] = if f(get(slots, *a), get(slots, *b)) != 0 { *one } else { 0 };
                    }
                    Op::PackHalves(p) => {
                        let (to, rounding, d, a, b) = &**p;
                        let rounding: Rounding = *rounding;
                        slots[*d as usize] = pack_halves(get(slots, *a), get(slots, *b), *to, rounding);
                    }
                    Op::Divide { f, d, a, b, bits } => {
                        let divisor = crate::types::truncate(get(slots, *b), u32::from(*bits));
                        if CHECK && divisor == 0 && self.undefined {
                            undefined[*d as usize] = division(self.line);
                        }
                        slots[*d as usize] = f(get(slots, *a), divisor);
                    }
                    Op::Carry { f, d, a, b, reads, writes } => {
                        let carry = if *reads { slots[0] } else { 0 };
                        let (result, carry) = f(get(slots, *a), get(slots, *b), carry);
                        slots[*d as usize] = result;
                        if *writes {
                            slots[0] = carry;
                        }
                    }
                    Op::Compare(c) => {
                        let result = (c.f)(get(slots, c.a), get(slots, c.b));
                        let (mut p, mut q) = (result, result ^ 1);
                        if c.c != NONE {
                            let other = get(slots, c.c) ^ u64::from(c.negated);
                            p = (c.combine)(result, other);
                            q = (c.combine)(result ^ 1, other);
                        }
                        if c.p != NONE {
                            slots[c.p as usize] = p;
                        }
                        if c.q != NONE {
                            slots[c.q as usize] = q;
                        }
                    }
                    Op::ComparePair(c) => {
                        let (f, p, q, a, b) = **c;
                        let (a, b) = (get(slots, a), get(slots, b));
                        if p != NONE {
                            slots[p as usize] = f(a & 0xffff, b & 0xffff);
                        }
                        if q != NONE {
                            slots[q as usize] = f(a >> 16, b >> 16);
                        }
                    }
                    Op::Lop3 { d, a, b, c, table } => {
                        slots[*d as usize] =
                            crate::arithmetic::bits::lop3(get(slots, *a), get(slots, *b), get(slots, *c), *table);
                    }
                    Op::Convert(c) => slots[c.1 as usize] = c.0.apply(get(slots, c.2)),
                    Op::Pack(p) => {
                        let (d, parts, bits) = &**p;
                        let value =
                            parts.iter().enumerate().fold(0, |v, (i, part)| v | get(slots, *part) << (i as u32 * bits));
                        slots[*d as usize] = value;
                    }
                    Op::Unpack(u) => {
                        let (parts, a, bits) = &**u;
                        let value = get(slots, *a);
                        for (i, part) in parts.iter().enumerate() {
                            if *part != NONE {
                                slots[*part as usize] = crate::types::truncate(value >> (i as u32 * bits), *bits);
                            }
                        }
                    }
                    Op::FrameAddress { d, space, offset } => {
                        let base = if *space == Space::Local { private.local_base } else { private.param_base };
                        slots[*d as usize] = (base as u64).wrapping_add(*offset);
                    }
                    Op::ToSpace { d, a, space } => {
                        slots[*d as usize] = get(slots, *a).wrapping_sub(window(*space));
                    }
                    Op::ToGeneric { d, a, space } => {
                        slots[*d as usize] = get(slots, *a).wrapping_add(window(*space));
                    }
                    Op::IsSpace { d, a, space } => {
                        let address = get(slots, *a);
                        let inside = |start: u64| address.wrapping_sub(start) < WINDOW;
                        let is = match space {
                            Space::Shared => inside(SHARED_WINDOW),
                            Space::Local => inside(LOCAL_WINDOW),
                            Space::Param => inside(PARAM_WINDOW),
                            Space::Const => self.is_constant(address),
                            Space::Global | Space::Generic => address < SHARED_WINDOW && !self.is_constant(address),
                        };
                        slots[*d as usize] = u64::from(is);
                    }
                    Op::Load { access, d } => {
                        let address = address(slots, access);
                        let found = self.find(private, access, address, 1)?;
                        if CHECK {
                            self.note(found, access, index, AccessKind::Read)?;
                            if self.undefined {
                                undefined[*d as usize] = self.load_undefined(private, found, usize::from(access.bytes));
                            }
                        }
                        slots[*d as usize] = self.load(private, found, access);
                    }
                    Op::Store { access, a } => {
                        let address = address(slots, access);
                        let found = self.find(private, access, address, 1)?;
                        self.writable(found, address)?;
                        if CHECK {
                            self.note(found, access, index, AccessKind::Write)?;
                            if self.undefined {
                                let is = undefined[*a as usize];
                                if is != 0 && matches!(found, Found::Global(..)) {
                                    return Err(self.undefined_slot(function, undefined, *a));
                                }
                                self.store_undefined(private, found, usize::from(access.bytes), is == 0);
                            }
                        }
                        self.store(private, found, access.bytes, get(slots, *a));
                    }
                    Op::LoadVector(v) => {
                        let (access, parts) = &**v;
                        let address = address(slots, access);
                        let whole = self.find(private, access, address, u64::from(access.count))?;
                        if CHECK {
                            self.note(whole, access, index, AccessKind::Read)?;
                        }
                        for (i, part) in parts.iter().enumerate().filter(|(_, part)| **part != NONE) {
                            let found = whole.plus(i * usize::from(access.bytes));
                            if CHECK && self.undefined {
                                undefined[*part as usize] =
                                    self.load_undefined(private, found, usize::from(access.bytes));
                            }
                            slots[*part as usize] = self.load(private, found, access);
                        }
                    }
                    Op::StoreVector(v) => {
                        let (access, parts) = &**v;
                        let address = address(slots, access);
                        let whole = self.find(private, access, address, u64::from(access.count))?;
                        self.writable(whole, address)?;
                        if CHECK {
                            self.note(whole, access, index, AccessKind::Write)?;
                        }
                        for (i, part) in parts.iter().enumerate() {
                            let found = whole.plus(i * usize::from(access.bytes));
                            if CHECK && self.undefined {
                                let is = undefined[*part as usize];
                                if is != 0 && matches!(found, Found::Global(..)) {
                                    return Err(self.undefined_slot(function, undefined, *part));
                                }
                                self.store_undefined(private, found, usize::from(access.bytes), is == 0);
                            }
                            self.store(private, found, access.bytes, get(slots, *part));
                        }
                    }
                    Op::Atomic(atomic) => self.atomic::<CHECK>(private, atomic, slots, index)?,
                    Op::Fence => {}
                    Op::Jump(target) => {
                        *pc = *target as usize;
                        continue;
                    }
                    Op::JumpTable(table) => {
                        let chosen = get(slots, table.0);
                        let Some(&target) = table.1.get(chosen as usize) else {
                            return Err(FaultKind::JumpIndex(chosen));
                        };
                        *pc = target as usize;
                        continue;
                    }
                    Op::Call(call) => {
                        if thread.stack.len() >= launch.limits.call_depth
                            || private.local.len() as u64 > launch.limits.local_bytes
                        {
                            return Err(FaultKind::StackOverflow);
                        }
                        let from = Return {
                            function: thread.function,
                            pc: *pc + 1,
                            base,
                            local_base: private.local_base,
                            param_base: private.param_base,
                        };
                        let params = thread.next_params(function);
                        thread.enter(launch, call.function, params, self.block_id, index);
                        thread.stack.push(from);
                        for transfer in &call.arguments {
                            let to = params + transfer.callee as usize;
                            thread.private.copy_params(from.param_base + transfer.caller as usize, to, transfer.bytes);
                        }
                        if let Some(callee) = launch.module.functions.get(call.function) {
                            thread.private.move_params(&callee.moved);
                        }
                        continue 'frame;
                    }
                    Op::Return => {
                        let Some(to) = thread.stack.pop() else {
                            thread.state = State::Done;
                            return Ok(turn - left);
                        };
                        let params = private.param_base;
                        // The call is the instruction before the one to return to.
                        let caller = &launch.module.functions[to.function].code[to.pc - 1];
                        if let Op::Call(call) = &caller.op {
                            for transfer in &call.results {
                                let at = to.param_base + transfer.caller as usize;
                                thread.private.copy_params(params + transfer.callee as usize, at, transfer.bytes);
                            }
                        }
                        thread.leave(to);
                        continue 'frame;
                    }
                    Op::Exit => {
                        thread.state = State::Done;
                        return Ok(turn - left);
                    }
                    Op::Trap => return Err(FaultKind::Trap),
                    Op::Barrier(barrier) => {
                        let id = get(slots, barrier.id);
                        if id > 15 {
                            return Err(FaultKind::DivergentBarrier(format!("there is no barrier {id}")));
                        }
                        let threads = (barrier.threads != NONE).then(|| get(slots, barrier.threads) as u32);
                        if let Some(n) = threads
                            && (n == 0 || n % 32 != 0)
                        {
                            return Err(FaultKind::DivergentBarrier(format!("{n} threads are no whole warps")));
                        }
                        let reduction =
                            barrier.reduction.map(|(kind, d, p, negated)| (kind, d, (get(slots, p) != 0) != negated));
                        thread.state = State::Barrier(Waiting {
                            id: id as u32,
                            threads,
                            aligned: barrier.aligned,
                            arrive: barrier.arrive,
                            reduction,
                        });
                        return Ok(turn - left);
                    }
                    Op::Warp(_) => {
                        thread.state = State::Warp;
                        return Ok(turn - left);
                    }
                }
                *pc += 1;
            }
        }
    }

    /// Faults where an undefined slot is used, and carries it along where it is only computed with.
    fn check_reads(
        &self,
        function: &crate::code::Function,
        instruction: &Instruction,
        pc: usize,
        undefined: &mut [u32],
        slots: &[u64],
    ) -> Result<(), FaultKind> {
        let check = |slot: Slot| {
            if slot != NONE && undefined[slot as usize] != 0 {
                Err(self.undefined_slot(function, undefined, slot))
            } else {
                Ok(())
            }
        };
        match &instruction.op {
            Op::Select { d, a, b, p } => {
                let chosen = undefined[if get(slots, *p) != 0 { *a } else { *b } as usize];
                undefined[*d as usize] = undefined[*p as usize].max(chosen);
            }
            Op::Store { access, .. } => check(access.address)?,
            Op::StoreVector(v) => check(v.0.address)?,
            op => {
                let mut worst = 0;
                for &slot in &function.reads[pc] {
                    if !op.is_pure() {
                        check(slot)?;
                    }
                    worst = worst.max(undefined[slot as usize]);
                }
                for &slot in &function.writes[pc] {
                    undefined[slot as usize] = worst;
                }
            }
        }
        Ok(())
    }

    fn undefined_slot(&self, function: &crate::code::Function, undefined: &[u32], slot: Slot) -> FaultKind {
        let origin = origin_of(undefined[slot as usize]);
        FaultKind::Undefined { register: function.register_name(slot), origin }
    }

    fn is_constant(&self, address: u64) -> bool {
        let found = self.memory.find(address, 0, &mut 0);
        found.is_some_and(|(buffer, _)| self.memory.buffers[buffer].constant)
    }

    /// The bytes of `count` elements of an access, which must be there and aligned.
    #[inline(always)]
    fn find(&mut self, private: &Private, access: &Access, address: u64, count: u64) -> Result<Found, FaultKind> {
        let bytes = u64::from(access.bytes) * count;
        match access.region {
            Region::Global if address & (bytes - 1) == 0 => {
                if let Some((buffer, offset)) = self.memory.find(address, bytes, &mut self.hint)
                    && !self.memory.buffers[buffer].constant
                {
                    return Ok(Found::Global(buffer, offset));
                }
                Err(FaultKind::OutOfBounds { memory: MemoryKind::Global, address, bytes })
            }
            _ => self.find_anywhere(private, access.region, address, bytes),
        }
    }

    fn find_anywhere(
        &mut self,
        private: &Private,
        region: Region,
        address: u64,
        bytes: u64,
    ) -> Result<Found, FaultKind> {
        let (memory, at) = match region {
            Region::Global => (MemoryKind::Global, address),
            Region::Const => (MemoryKind::Const, address),
            Region::Shared => (MemoryKind::Shared, address),
            Region::Local => (MemoryKind::Local, address),
            Region::LocalFrame => (MemoryKind::Local, address.wrapping_add(private.local_base as u64)),
            Region::ParamFrame => (MemoryKind::Param, address.wrapping_add(private.param_base as u64)),
            Region::Generic if address < SHARED_WINDOW => (MemoryKind::Global, address),
            Region::Generic if address < LOCAL_WINDOW => (MemoryKind::Shared, address - SHARED_WINDOW),
            Region::Generic if address < PARAM_WINDOW => (MemoryKind::Local, address - LOCAL_WINDOW),
            Region::Generic => (MemoryKind::Param, address - PARAM_WINDOW),
        };
        if at & (bytes - 1) != 0 {
            return Err(FaultKind::Misaligned { memory, address: at, bytes });
        }
        let outside = Err(FaultKind::OutOfBounds { memory, address: at, bytes });
        let within = |length: usize| at.checked_add(bytes).is_some_and(|end| end <= length as u64);
        match memory {
            MemoryKind::Global | MemoryKind::Const => {
                let Some((buffer, offset)) = self.memory.find(at, bytes, &mut self.hint) else { return outside };
                let constant = self.memory.buffers[buffer].constant;
                if region != Region::Generic && constant != (memory == MemoryKind::Const) {
                    return outside;
                }
                Ok(Found::Global(buffer, offset))
            }
            MemoryKind::Shared => {
                if !within(self.shared.len()) {
                    return outside;
                }
                // The whole access lies in one variable.
                let next = self.launch.shared_regions.partition_point(|(start, _)| *start <= at);
                match next.checked_sub(1).and_then(|i| self.launch.shared_regions.get(i)) {
                    Some((_, end)) if at + bytes <= *end => Ok(Found::Shared(at as usize)),
                    _ => outside,
                }
            }
            MemoryKind::Local if within(private.local.len()) => Ok(Found::Local(at as usize)),
            MemoryKind::Param if within(private.params.len()) => Ok(Found::Param(at as usize)),
            _ => outside,
        }
    }

    fn writable(&self, found: Found, address: u64) -> Result<(), FaultKind> {
        match found {
            Found::Global(buffer, _) if self.memory.buffers[buffer].constant => {
                Err(FaultKind::ReadOnly { memory: MemoryKind::Const, address })
            }
            _ => Ok(()),
        }
    }

    #[inline(always)]
    fn load(&self, private: &Private, found: Found, access: &Access) -> u64 {
        let bytes = usize::from(access.bytes);
        let value = match found {
            Found::Global(buffer, offset) => read(&self.memory.buffers[buffer].bytes, offset, bytes),
            Found::Shared(offset) => read(&self.shared, offset, bytes),
            Found::Local(offset) => read(&private.local, offset, bytes),
            Found::Param(offset) => read(&private.params, offset, bytes),
        };
        if access.extend == 0 {
            value
        } else {
            crate::types::truncate(sign_extend(value, u32::from(access.bytes) * 8), u32::from(access.extend))
        }
    }

    #[inline(always)]
    fn store(&mut self, private: &mut Private, found: Found, bytes: u8, value: u64) {
        let bytes = usize::from(bytes);
        match found {
            Found::Global(buffer, offset) => write(&mut self.memory.buffers[buffer].bytes, offset, bytes, value),
            Found::Shared(offset) => write(&mut self.shared, offset, bytes, value),
            Found::Local(offset) => write(&mut private.local, offset, bytes, value),
            Found::Param(offset) => write(&mut private.params, offset, bytes, value),
        }
    }

    /// Why a value loaded from here is undefined, or zero.
    fn load_undefined(&self, private: &Private, found: Found, bytes: usize) -> u32 {
        let (written, offset, memory) = match found {
            Found::Global(..) => return 0,
            Found::Shared(offset) => (&self.shared_written, offset, MemoryKind::Shared),
            Found::Local(offset) => (&private.local_written, offset, MemoryKind::Local),
            Found::Param(offset) => (&private.params_written, offset, MemoryKind::Param),
        };
        let all = written.get(offset..offset + bytes).is_some_and(|w| w.iter().all(|b| *b));
        if all { 0 } else { origin(self.line, memory) }
    }

    /// Notes that these bytes were written, with a defined value or not.
    fn store_undefined(&mut self, private: &mut Private, found: Found, bytes: usize, defined: bool) {
        let (written, offset) = match found {
            Found::Global(..) => return,
            Found::Shared(offset) => (&mut self.shared_written, offset),
            Found::Local(offset) => (&mut private.local_written, offset),
            Found::Param(offset) => (&mut private.params_written, offset),
        };
        if let Some(written) = written.get_mut(offset..offset + bytes) {
            written.fill(defined);
        }
    }

    /// Enters an access for the detection of races.
    fn note(&mut self, found: Found, access: &Access, thread: u32, kind: AccessKind) -> Result<(), FaultKind> {
        if !self.launch.checks.races {
            return Ok(());
        }
        let (shadow, offset, memory, start) = match found {
            Found::Global(buffer, offset) => {
                if self.global_shadows.len() <= buffer {
                    self.global_shadows.resize_with(buffer + 1, Default::default);
                }
                let start = self.memory.buffers[buffer].address;
                (&mut self.global_shadows[buffer], offset, MemoryKind::Global, start)
            }
            Found::Shared(offset) => (&mut self.shared_shadow, offset, MemoryKind::Shared, 0),
            Found::Local(_) | Found::Param(_) => return Ok(()),
        };
        let strong_read = access.strong && kind == AccessKind::Read;
        let kind = if access.strong && kind == AccessKind::Write { AccessKind::Atomic } else { kind };
        let now = Now {
            block: self.block_index,
            thread,
            line: self.line,
            kind,
            strong_read,
            clocks: &self.clocks,
            private: memory == MemoryKind::Shared,
        };
        let bytes = usize::from(access.bytes) * usize::from(access.count);
        match shadow.access(offset, bytes, &now) {
            None => Ok(()),
            Some(conflict) => Err(FaultKind::Race {
                memory,
                address: start + conflict.offset as u64,
                access: kind,
                other: conflict.kind,
                other_block: u64::from(conflict.block),
                other_thread: conflict.thread,
                other_line: conflict.line,
            }),
        }
    }

    fn atomic<const CHECK: bool>(
        &mut self,
        private: &mut Private,
        atomic: &Atomic,
        slots: &mut [u64],
        index: u32,
    ) -> Result<(), FaultKind> {
        let access = &atomic.access;
        let address = address(slots, access);
        let found = self.find(private, access, address, 1)?;
        self.writable(found, address)?;
        if CHECK {
            self.note(found, access, index, AccessKind::Atomic)?;
            if self.undefined && self.load_undefined(private, found, usize::from(access.bytes)) != 0 {
                let memory = if let Found::Shared(_) = found { MemoryKind::Shared } else { MemoryKind::Local };
                return Err(FaultKind::Undefined {
                    register: "the value that the atomic changes".to_owned(),
                    origin: Origin::Memory(memory, self.line),
                });
            }
        }
        let old = self.load(private, found, access);
        let operand = get(slots, atomic.a);
        let new = match atomic.update {
            Update::With(f) => f(old, operand),
            Update::AddSingle if matches!(found, Found::Global(..)) => float::add_flushing(old, operand),
            Update::AddSingle => float::add::<f32>(old, operand),
            Update::CompareAndSwap => {
                if old == operand {
                    get(slots, atomic.b)
                } else {
                    old
                }
            }
        };
        self.store(private, found, access.bytes, new);
        if atomic.d != NONE {
            slots[atomic.d as usize] = old;
        }
        Ok(())
    }
}

/// The address of an access.
#[inline(always)]
fn address(slots: &[u64], access: &Access) -> u64 {
    if access.address == NONE { access.offset } else { get(slots, access.address).wrapping_add(access.offset) }
}

impl Found {
    fn plus(self, bytes: usize) -> Found {
        match self {
            Found::Global(buffer, offset) => Found::Global(buffer, offset + bytes),
            Found::Shared(offset) => Found::Shared(offset + bytes),
            Found::Local(offset) => Found::Local(offset + bytes),
            Found::Param(offset) => Found::Param(offset + bytes),
        }
    }
}

impl Private {
    /// Copies parameters whose address is taken to the local variables of the current function.
    fn move_params(&mut self, moved: &[Transfer]) {
        for transfer in moved {
            let from = self.param_base + transfer.caller as usize;
            let to = self.local_base + transfer.callee as usize;
            let bytes = transfer.bytes as usize;
            if let (Some(to), Some(from)) = (self.local.get_mut(to..to + bytes), self.params.get(from..from + bytes)) {
                to.copy_from_slice(from);
            }
            let from = self.params_written.get(from..from + bytes);
            if let (Some(to), Some(from)) = (self.local_written.get_mut(to..to + bytes), from) {
                to.copy_from_slice(from);
            }
        }
    }

    /// Copies parameters between the frames of caller and callee.
    fn copy_params(&mut self, from: usize, to: usize, bytes: u32) {
        let range = from..from + bytes as usize;
        let end = range.end.max(to + bytes as usize);
        if end <= self.params.len() {
            self.params.copy_within(range.clone(), to);
        }
        if end <= self.params_written.len() {
            self.params_written.copy_within(range, to);
        }
    }
}
