//! Parameters: values that do not change inside the region.

use super::is_address;
use super::{Param, ParamSource, ProgramPoint, Reader, Surroundings, signed_range, unique_name, unsigned_range};
use crate::detect::target::Division;
use crate::formula::poly::{Poly, Sym};
use crate::host::{Loop, Opcode, Scev, ScevKind, Value};
use crate::reasons::Reason;

impl Reader<'_, '_> {
    /// An expression over values from before the region as one parameter.
    pub(super) fn param(&mut self, scev: Scev, region: &impl Surroundings) -> Result<Poly, Reason> {
        if let Some(index) = self.keys.iter().position(|key| *key == scev) {
            return Ok(Poly::symbol(Sym::Param(index)));
        }
        if scev.is_pointer() || is_address(scev) || !self.is_computable_before(scev, region) {
            return Err(Reason::Scalar);
        }
        let source = match scev.unknown_value() {
            Some(value) => ParamSource::Value(self.fixed(value, region).ok_or(Reason::Scalar)?),
            None => ParamSource::Expression(scev),
        };
        // Loads of the same bytes are one parameter.
        if let Some(index) = self.params.iter().position(|param| param.source == source) {
            return Ok(Poly::symbol(Sym::Param(index)));
        }
        let known = self.add_param(scev, source, region)?;
        if self.is_read_inside(scev, region)
            && let Some(param) = self.params.last_mut()
        {
            param.range = signed_range(param.bits);
        }
        Ok(known)
    }

    /// Whether some leaf is computed inside the region. What the compiler knows about its range may hold only where it is executed.
    fn is_read_inside(&self, scev: Scev, region: &impl Surroundings) -> bool {
        let inside = |value: Value| value.parent().is_some_and(|block| region.contains(block));
        scev.unknown_value().is_some_and(inside)
            || scev.operands().into_iter().any(|operand| self.is_read_inside(operand, region))
    }

    /// A parameter that is an unsigned number.
    pub(super) fn unsigned_param(
        &mut self,
        scev: Scev,
        place: ProgramPoint,
        region: &impl Surroundings,
    ) -> Result<Poly, Reason> {
        let value = self.param(scev, region)?;
        self.assume_range(&value, unsigned_range(self.host.scev_bits(scev)), place);
        Ok(value)
    }

    fn add_param(&mut self, scev: Scev, source: ParamSource, region: &impl Surroundings) -> Result<Poly, Reason> {
        let bits = self.host.scev_bits(scev);
        if bits == 0 || bits > 64 {
            return Err(Reason::TooLarge);
        }
        if matches!(source, ParamSource::Expression(_)) && !self.is_computed_without_call(scev) {
            return Err(Reason::TripCount);
        }
        let wanted = match source {
            ParamSource::Value(value) => value.user_name(),
            ParamSource::Expression(_) => format!("p{}", self.params.len()),
        };
        let name = unique_name(&wanted, self.params.iter().map(|param| param.name.as_str()));
        let range = self.host.signed_range(scev).unwrap_or(signed_range(bits));
        let before = region.entry().0.terminator();
        let is_certain = match source {
            ParamSource::Value(value) => self.host.is_defined(value, before),
            // Its range may follow from promises about how it is computed.
            ParamSource::Expression(_) => false,
        };
        self.params.push(Param { source, bits, name, range, is_certain });
        self.keys.push(scev);
        Ok(Poly::symbol(Sym::Param(self.params.len() - 1)))
    }

    /// True if all leaves are constants or values that are known before the region. Whoever computes it takes care of divisions: where the
    /// program would divide by zero, any result will do.
    pub(super) fn is_computable_before(&mut self, scev: Scev, region: &impl Surroundings) -> bool {
        match scev.kind() {
            ScevKind::Constant => scev.constant().is_some(),
            ScevKind::Unknown => scev.unknown_value().is_some_and(|value| {
                (value.is_argument() || value.is_instruction()) && self.fixed(value, region).is_some()
            }),
            ScevKind::Add
            | ScevKind::Mul
            | ScevKind::SignExtend
            | ScevKind::ZeroExtend
            | ScevKind::Truncate
            | ScevKind::UMax
            | ScevKind::SMax
            | ScevKind::UMin
            | ScevKind::SMin
            | ScevKind::PtrToInt
            | ScevKind::UDiv => scev.operands().into_iter().all(|operand| self.is_computable_before(operand, region)),
            _ => false,
        }
    }

    /// Whether the target divides what has to be divided for an expression: a loop with a step needs it, and the program does not.
    fn is_computed_without_call(&self, scev: Scev) -> bool {
        let operands = scev.operands();
        let divides = match (scev.kind(), operands.get(1)) {
            (ScevKind::UDiv, Some(divisor)) => {
                Division::divides(self.host, self.host.scev_bits(scev), divisor.constant())
            }
            _ => true,
        };
        divides && operands.into_iter().all(|operand| self.is_computed_without_call(operand))
    }

    /// A recurrence of a loop around the region is a parameter if some header PHI holds it.
    pub(super) fn outer_recurrence(
        &mut self,
        scev: Scev,
        handle: Loop,
        region: &impl Surroundings,
    ) -> Result<Poly, Reason> {
        if let Some(index) = self.keys.iter().position(|key| *key == scev) {
            return Ok(Poly::symbol(Sym::Param(index)));
        }
        let host = self.host;
        let phis = handle.header().instructions().into_iter().take_while(|v| v.is(Opcode::Phi));
        for phi in phis {
            if phi.ty().int_bits().is_some() && host.scev(phi) == Some(scev) {
                return self.add_param(scev, ParamSource::Value(phi), region);
            }
        }
        // start + step * iv, with a PHI that counts 0, 1, 2, ... or any other recurrence with the same step.
        let operands = scev.operands();
        let [start, step] = operands.as_slice() else { return Err(Reason::Scalar) };
        let bits = host.scev_bits(scev);
        let phis = handle.header().instructions().into_iter().take_while(|v| v.is(Opcode::Phi));
        for phi in phis {
            if phi.ty().int_bits() != Some(bits) {
                continue;
            }
            let Some(counter) = host.scev(phi) else { continue };
            if counter.kind() != ScevKind::AddRec || counter.recurrence_loop() != Some(handle) {
                continue;
            }
            let other = counter.operands();
            if other.len() == 2 && other[0].constant() == Some(0) && other[1].constant() == Some(1) {
                let counter = match self.keys.iter().position(|key| *key == counter) {
                    Some(index) => Poly::symbol(Sym::Param(index)),
                    None => self.add_param(counter, ParamSource::Value(phi), region)?,
                };
                let start = self.poly(*start, ProgramPoint::Before, region)?;
                let step = self.poly(*step, ProgramPoint::Before, region)?;
                let moved = step.mul(&counter).ok_or(Reason::TooLarge)?;
                return start.add(&moved).ok_or(Reason::TooLarge);
            }
        }
        Err(Reason::Scalar)
    }
}

/// The names of parameters by number, for texts.
pub fn names<'p>(params: &'p [Param]) -> impl Fn(usize) -> Option<&'p str> {
    |index| params.get(index).map(|param| param.name.as_str())
}
