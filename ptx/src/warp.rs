//! What the threads of a warp do together: shuffles, votes, reductions, matches and `bar.warp.sync`.
//!
//! Such an instruction names the threads that take part. It is executed when all of them that have not exited stand at
//! an instruction of the same kind with the same threads.

use crate::block::Machine;
use crate::code::{NONE, Op, Shuffle, Vote, Warp, WarpKind};
use crate::fault::FaultKind;
use crate::thread::State;

/// A number for each kind that must be the same for all threads.
fn tag(kind: WarpKind) -> usize {
    match kind {
        WarpKind::Barrier => 0,
        WarpKind::Shuffle(mode) => 1 + mode as usize,
        WarpKind::Vote(mode) => 8 + mode as usize,
        WarpKind::Reduce(f) => 0x100 + f as usize,
        WarpKind::Match { all } => 16 + usize::from(all),
    }
}

/// One thread that takes part.
struct Member {
    lane: usize,
    a: u64,
    b: u64,
    c: u64,
}

impl Machine<'_, '_> {
    /// Executes the instructions of a warp whose threads are all there. Returns whether a thread goes on.
    pub(crate) fn warp_instructions(&mut self, warp: usize) -> Result<bool, (usize, FaultKind)> {
        let range = self.warp_threads(warp);
        let mut progress = false;
        for thread in range.clone() {
            if self.threads()[thread].state != State::Warp {
                continue;
            }
            let Some(Op::Warp(operation)) = self.operation(thread) else { continue };
            let mask = self.threads()[thread].get(operation.mask);
            if mask >> (thread - range.start) & 1 == 0 {
                let what = format!("this thread is not in its own mask {mask:#010x}");
                return Err((thread, FaultKind::Warp(what)));
            }
            let mut members = Vec::new();
            let mut all = true;
            for other in range.clone().filter(|o| mask >> (o - range.start) & 1 == 1) {
                let there = &self.threads()[other];
                match (there.state, self.operation(other)) {
                    (State::Done, _) => {}
                    (State::Warp, Some(Op::Warp(o)))
                        if tag(o.kind) == tag(operation.kind) && there.get(o.mask) == mask =>
                    {
                        let a = if o.a == NONE { 0 } else { there.get(o.a) ^ u64::from(o.negated) };
                        let lane = other - range.start;
                        members.push(Member { lane, a, b: there.get(o.b), c: there.get(o.c) });
                    }
                    _ => all = false,
                }
            }
            if all {
                let results = results(operation, mask, &members).map_err(|what| (thread, FaultKind::Warp(what)))?;
                for (member, (d, p)) in members.iter().zip(results) {
                    let index = range.start + member.lane;
                    let Some(Op::Warp(own)) = self.operation(index) else { continue };
                    let (own_d, own_p) = (own.d, own.p);
                    let member = &mut self.threads_mut()[index];
                    if own_d != NONE {
                        member.set(own_d, d);
                    }
                    if own_p != NONE {
                        member.set(own_p, p);
                    }
                    member.state = State::Ready;
                    member.pc += 1;
                }
                if let WarpKind::Barrier = operation.kind {
                    self.synchronise_warp(warp);
                }
                progress = true;
            }
        }
        Ok(progress)
    }
}

/// The two results of every member.
fn results(operation: &Warp, mask: u64, members: &[Member]) -> Result<Vec<(u64, u64)>, String> {
    let same = |value: (u64, u64)| Ok(members.iter().map(|_| value).collect());
    let values: Vec<u64> = members.iter().map(|m| m.a).collect();
    match operation.kind {
        WarpKind::Barrier => same((0, 0)),
        WarpKind::Reduce(f) => same((values.iter().copied().reduce(f).unwrap_or(0), 0)),
        WarpKind::Vote(vote) => {
            let ballot: u64 = members.iter().map(|m| (m.a & 1) << m.lane).sum();
            let all: u64 = members.iter().map(|m| 1 << m.lane).sum();
            same((
                match vote {
                    Vote::All => u64::from(ballot == all),
                    Vote::Any => u64::from(ballot != 0),
                    Vote::Uniform => u64::from(ballot == all || ballot == 0),
                    Vote::Ballot => ballot,
                },
                0,
            ))
        }
        WarpKind::Match { all: true } => {
            let equal = values.iter().all(|v| Some(v) == values.first());
            same((if equal { mask } else { 0 }, u64::from(equal)))
        }
        WarpKind::Match { all: false } => {
            Ok(members.iter().map(|m| (members.iter().filter(|o| o.a == m.a).map(|o| 1 << o.lane).sum(), 0)).collect())
        }
        WarpKind::Shuffle(mode) => members.iter().map(|m| shuffle(mode, m, members)).collect(),
    }
}

fn shuffle(mode: Shuffle, member: &Member, members: &[Member]) -> Result<(u64, u64), String> {
    let lane = member.lane as i64;
    let by = (member.b & 31) as i64;
    let segment = (member.c >> 8 & 31) as i64;
    let clamp = (member.c & 31) as i64;
    let most = (lane & segment) | (clamp & !segment);
    let least = lane & segment;
    let (source, good) = match mode {
        Shuffle::Up => (lane - by, lane - by >= most),
        Shuffle::Down => (lane + by, lane + by <= most),
        Shuffle::Butterfly => (lane ^ by, lane ^ by <= most),
        Shuffle::Index => {
            let source = least | (by & !segment);
            (source, source <= most)
        }
    };
    let source = if good { source } else { lane };
    match members.iter().find(|m| m.lane as i64 == source) {
        Some(other) => Ok((other.a, u64::from(good))),
        None => Err(format!("it reads from lane {source}, which does not take part")),
    }
}
