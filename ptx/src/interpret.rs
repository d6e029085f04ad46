//! The interpreter: executes one thread until it waits, ends, or has had its turn.
//!
//! It is compiled twice, with and without checks. Undefined values are followed as they move: a load from bytes that
//! nothing was written to makes its register undefined, and computations and stores to private and shared memory carry
//! that along. The fault is a use that others can see: as a predicate or an address, in a jump, in global memory, or
//! together with other threads. So neither padding that is copied with its structure is a fault nor what LLVM computes
//! before the branch that decides whether it is needed.

use crate::access::{
    address, combined, defined_bytes, division, get, has_low_bytes, origin_of, partly, rewired, undefined_bits, whole,
    zero_bytes,
};
use crate::arithmetic::convert::pack_halves;
use crate::block::Environment;
use crate::code::{CARRY, Instruction, NONE, Op, Slot};
use crate::fault::{AccessKind, FaultKind};
use crate::memory::{SHARED_WINDOW, WINDOW, window};
use crate::syntax::Space;
use crate::thread::{Return, State, Thread, Waiting};

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
                    Op::Unary { f, d, a } | Op::Rewire { f, d, a } => slots[*d as usize] = f(get(slots, *a)),
                    Op::Binary { f, d, a, b } | Op::Bitwise { f, d, a, b, .. } | Op::Shift { f, d, a, b } => {
                        slots[*d as usize] = f(get(slots, *a), get(slots, *b));
                    }
                    Op::Ternary { f, d, a, b, c } | Op::Permute { f, d, a, b, c } => {
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
                        slots[*d as usize] = pack_halves(get(slots, *a), get(slots, *b), *to, *rounding);
                    }
                    Op::Divide { f, d, a, b, bits } => {
                        let divisor = crate::types::truncate(get(slots, *b), u32::from(*bits));
                        if CHECK && divisor == 0 && self.undefined {
                            undefined[*d as usize] = division(self.line);
                        }
                        slots[*d as usize] = f(get(slots, *a), divisor);
                    }
                    Op::Carry { f, d, a, b, reads, writes } => {
                        let carry = if *reads { get(slots, CARRY) } else { 0 };
                        let (result, carry) = f(get(slots, *a), get(slots, *b), carry);
                        slots[*d as usize] = result;
                        if *writes {
                            slots[CARRY as usize] = carry;
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
                        let is = match space {
                            Space::Shared | Space::Local | Space::Param => {
                                address.wrapping_sub(window(*space)) < WINDOW
                            }
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
                                let defined = has_low_bytes(undefined[*a as usize], access.bytes.into());
                                if !self.store_undefined(private, found, usize::from(access.bytes), defined) {
                                    return Err(self.undefined_slot(function, undefined, *a));
                                }
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
                                let defined = has_low_bytes(undefined[*part as usize], access.bytes.into());
                                if !self.store_undefined(private, found, usize::from(access.bytes), defined) {
                                    return Err(self.undefined_slot(function, undefined, *part));
                                }
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
                undefined[*d as usize] = match undefined[*p as usize] {
                    0 => chosen,
                    condition => whole(condition),
                };
            }
            Op::Store { access, .. } => check(access.address)?,
            Op::StoreVector(v) => check(v.0.address)?,
            // Code that stores 16 bits packs them into 32 with any others.
            Op::Pack(p) => {
                let (bytes, count) = (p.2 / 8, p.1.len() as u32);
                let (mut origin, mut defined) = (0, 0);
                for (i, part) in p.1.iter().enumerate() {
                    let mark = undefined[*part as usize];
                    origin = origin.max(whole(mark));
                    let own = u32::from(defined_bytes(mark)) & ((1 << bytes.min(8)) - 1);
                    defined |= (own << (bytes * i as u32)) as u8;
                }
                undefined[p.0 as usize] = partly(origin, defined, bytes * count);
            }
            Op::Unpack(u) => {
                let (mark, bytes) = (undefined[u.1 as usize], u.2 / 8);
                for (i, part) in u.0.iter().enumerate().filter(|(_, part)| **part != NONE) {
                    let defined = u32::from(defined_bytes(mark)) >> (bytes * i as u32);
                    undefined[*part as usize] = partly(mark, defined as u8, bytes);
                }
            }
            // It moves bytes, also those that say which bytes are undefined.
            Op::Permute { f, d, a, b, c } if undefined[*c as usize] == 0 => {
                let [first, second] = [a, b].map(|slot| undefined[*slot as usize]);
                let moved = f(undefined_bits(first, 4), undefined_bits(second, 4), get(slots, *c));
                undefined[*d as usize] = partly(whole(first).max(whole(second)), zero_bytes(moved), 4);
            }
            Op::Shift { f, d, a, b } if undefined[*b as usize] == 0 && get(slots, *b).is_multiple_of(8) => {
                let distance = get(slots, *b);
                undefined[*d as usize] = rewired(|value| f(value, distance), undefined[*a as usize], get(slots, *a));
            }
            Op::Copy { d, a } => undefined[*d as usize] = undefined[*a as usize],
            Op::Rewire { f, d, a } => {
                undefined[*d as usize] = rewired(f, undefined[*a as usize], get(slots, *a));
            }
            Op::Bitwise { f, d, a, b, bits } => {
                let marks = [a, b].map(|slot| undefined[*slot as usize]);
                undefined[*d as usize] = combined(*f, marks, [a, b].map(|slot| get(slots, *slot)), *bits);
            }
            op => {
                let pure = op.is_pure();
                let mut worst = 0;
                for &slot in &function.reads[pc] {
                    if !pure {
                        check(slot)?;
                    }
                    worst = worst.max(whole(undefined[slot as usize]));
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
}
