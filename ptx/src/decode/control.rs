//! Decoding of jumps, calls and returns.

use super::{Decoded, Error, Instr};
use crate::code::Op;
use crate::syntax::Operand;
use crate::types::Type;

impl Instr<'_, '_, '_> {
    fn target(&self, name: &str) -> Result<u32, Error> {
        self.labels.get(name).copied().ok_or_else(|| self.error(&format!("there is no label `{name}`")))
    }

    pub(super) fn control(&mut self) -> Decoded {
        match self.syntax.opcode {
            "bra" => {
                self.modifiers.accept("uni");
                match self.next_operand()? {
                    Operand::Name(name, None) => Ok(Op::Jump(self.target(name)?)),
                    _ => Err(self.error("expected a label")),
                }
            }
            "brx" => {
                self.modifiers.expect("idx")?;
                self.modifiers.accept("uni");
                let index = self.source(Type::U32)?;
                let Operand::Name(name, None) = self.next_operand()? else {
                    return Err(self.error("expected a list of targets"));
                };
                let Some(names) = self.targets.get(name) else {
                    return Err(self.error(&format!("there is no list of targets `{name}`")));
                };
                let targets = names.iter().map(|n| self.target(n)).collect::<Result<_, _>>()?;
                Ok(Op::JumpTable(Box::new((index, targets))))
            }
            "call" => self.call(),
            "ret" => {
                self.modifiers.accept("uni");
                Ok(Op::Return)
            }
            "exit" => Ok(Op::Exit),
            _ => Ok(Op::Trap),
        }
    }
}
