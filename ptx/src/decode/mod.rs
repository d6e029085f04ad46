//! From the tree of a text to the internal form: names become slots, opcodes become functions.
//!
//! Every instruction has one function here, in the file of its group, which takes the modifiers in the order that PTX
//! gives them and the operands with the types that they must have. What is left over is an error, so that nothing is
//! ever skipped.

mod arithmetic;
mod control;
mod convert;
mod frame;
mod hazards;
mod logic;
mod memory;
mod modifiers;
mod warp;

use std::collections::HashMap;

use crate::code::{Call, Function, Instruction, NONE, Op, Parameter, Slot, SlotKind, Transfer};
use crate::error::{Error, Place};
use crate::module::{Initial, Module, Variable};
use crate::syntax::{
    Constant, FunctionSyntax, InstructionSyntax, ModuleSyntax, Operand, Space, Statement, StatementKind, VariableSyntax,
};
use frame::{Frame, Meaning};
use modifiers::Modifiers;

/// The module of a tree.
pub(crate) fn module(syntax: &ModuleSyntax<'_>) -> Result<Module, Error> {
    let mut globals = Globals { variables: Vec::new(), names: HashMap::new(), functions: HashMap::new() };
    for variable in &syntax.variables {
        let index = globals.declare(variable, variable.name.to_owned())?;
        if let Some(other) = globals.names.insert(variable.name, index) {
            // A declaration and a definition of the same name are one variable.
            if !variable.external && !globals.variables[other].external {
                return Err(Error::new(variable.place, format!("`{}` is declared twice", variable.name)));
            }
            if variable.external {
                globals.names.insert(variable.name, other);
            }
        }
    }
    for variable in &syntax.variables {
        let index = globals.names[variable.name];
        globals.initialise(index, variable)?;
    }
    // Functions with a body, in order; declarations only announce them.
    let bodies: Vec<&FunctionSyntax<'_>> = syntax.functions.iter().filter(|f| f.body.is_some()).collect();
    for (i, function) in bodies.iter().enumerate() {
        let (mut results, _) = layout(function);
        let parameters = results.split_off(function.results.len());
        if globals.functions.insert(function.name, Signature { index: i, results, parameters }).is_some() {
            return Err(Error::new(function.place, format!("`{}` has two bodies", function.name)));
        }
    }
    let mut warnings = Vec::new();
    let functions = bodies.iter().map(|f| function(f, &mut globals, &mut warnings)).collect::<Result<Vec<_>, _>>()?;
    let target = syntax.target.to_owned();
    Ok(Module { version: syntax.version, target, variables: globals.variables, functions, warnings })
}

/// Offsets of the results and parameters of a function, which share one frame, and the size of all.
fn layout(function: &FunctionSyntax<'_>) -> (Vec<Parameter>, u32) {
    let mut end = 0u64;
    let mut places = Vec::new();
    for variable in function.results.iter().chain(&function.parameters) {
        let align = u64::from(variable.align.max(1));
        let offset = end.div_ceil(align) * align;
        end = offset.saturating_add(variable.bytes());
        places.push(Parameter { offset: offset as u32, bytes: variable.bytes() as u32 });
    }
    (places, end.min(u64::from(u32::MAX)) as u32)
}

/// How a function is called.
struct Signature {
    index: usize,
    results: Vec<Parameter>,
    parameters: Vec<Parameter>,
}

/// The names of a module.
struct Globals<'a> {
    variables: Vec<Variable>,
    names: HashMap<&'a str, usize>,
    functions: HashMap<&'a str, Signature>,
}

/// The greatest size of one variable.
const MAX_BYTES: u64 = 1 << 32;

fn check_size(variable: &VariableSyntax<'_>) -> Result<(), Error> {
    let limit = match variable.space {
        Space::Global | Space::Const => MAX_BYTES,
        _ => 1 << 24,
    };
    if variable.bytes() > limit {
        return Err(Error::new(variable.place, format!("`{}` is too large", variable.name)));
    }
    Ok(())
}

impl<'a> Globals<'a> {
    fn declare(&mut self, variable: &VariableSyntax<'_>, name: String) -> Result<usize, Error> {
        check_size(variable)?;
        if variable.elements.is_none() && !(variable.external || variable.space == Space::Shared) {
            return Err(Error::new(variable.place, format!("`{name}` has no size")));
        }
        self.variables.push(Variable {
            name,
            space: variable.space,
            bytes: variable.bytes(),
            align: u64::from(variable.align),
            external: variable.external,
            initial: Vec::new(),
        });
        Ok(self.variables.len() - 1)
    }

    fn initialise(&mut self, index: usize, variable: &VariableSyntax<'_>) -> Result<(), Error> {
        let size = u64::from(variable.ty.bytes());
        if variable.initialiser.len() as u64 > variable.elements.unwrap_or(0) {
            return Err(Error::new(variable.place, format!("`{}` has too many initial values", variable.name)));
        }
        for (i, constant) in variable.initialiser.iter().enumerate() {
            let bits = match *constant {
                Constant::Bits(bits) => bits,
                Constant::Single(bits) if size == 4 => u64::from(bits),
                Constant::Double(bits) if size == 8 => bits,
                Constant::Double(bits) if size == 4 => u64::from((f64::from_bits(bits) as f32).to_bits()),
                Constant::Address(place, name, offset) => {
                    let Some(&target) = self.names.get(name).filter(|_| size == 8) else {
                        return Err(Error::new(place, format!("no address of `{name}` can stand here")));
                    };
                    if self.variables[target].space == Space::Shared {
                        return Err(Error::new(place, "addresses in `.shared` are no initial values"));
                    }
                    self.variables[index].initial.push(Initial::Address { at: i as u64 * size, target, offset });
                    continue;
                }
                _ => {
                    return Err(Error::new(
                        variable.place,
                        format!("an initial value of `{}` does not fit `.{}`", variable.name, variable.ty.name()),
                    ));
                }
            };
            let bytes = bits.to_le_bytes()[..size as usize].to_vec();
            match self.variables[index].initial.last_mut() {
                Some(Initial::Bytes { at, bytes: before }) if *at + before.len() as u64 == i as u64 * size => {
                    before.extend(bytes);
                }
                _ => self.variables[index].initial.push(Initial::Bytes { at: i as u64 * size, bytes }),
            }
        }
        Ok(())
    }
}

/// One instruction while it is decoded: what its group's functions work on.
struct Instr<'s, 'a, 'g> {
    place: Place,
    syntax: &'s InstructionSyntax<'a>,
    modifiers: Modifiers<'s>,
    frame: &'s mut Frame<'a>,
    globals: &'s Globals<'g>,
    /// The labels of the function, as numbers of instructions.
    labels: &'s HashMap<&'a str, u32>,
    targets: &'s HashMap<&'a str, Vec<&'a str>>,
    /// The next operand.
    at: usize,
}

type Decoded = Result<Op, Error>;

fn function(
    syntax: &FunctionSyntax<'_>,
    globals: &mut Globals<'_>,
    warnings: &mut Vec<Error>,
) -> Result<Function, Error> {
    let statements = syntax.body.as_deref().unwrap_or(&[]);
    let mut frame = Frame::new(syntax.is_kernel);
    let (places, mut param_bytes) = layout(syntax);
    let mut local_bytes = 0u32;
    let mut moved = Vec::new();
    for (variable, place) in syntax.results.iter().chain(&syntax.parameters).zip(&places) {
        check_size(variable)?;
        let mut meaning = Meaning::Param(place.offset, place.bytes);
        // A parameter of a function whose address is taken lives in local memory.
        if !syntax.is_kernel && takes_address(statements, variable.name) {
            let offset = append(&mut local_bytes, variable, 8)?;
            moved.push(Transfer { caller: place.offset, callee: offset, bytes: place.bytes });
            meaning = Meaning::Local(offset);
        }
        frame.declare(variable.place, variable.name, meaning)?;
    }
    let labels = labels(statements)?;
    let targets: HashMap<&str, Vec<&str>> = statements
        .iter()
        .filter_map(|s| match &s.kind {
            StatementKind::Targets(name, targets) => Some((*name, targets.clone())),
            _ => None,
        })
        .collect();
    let mut code = Vec::new();
    let mut lines = Vec::new();
    for statement in statements {
        match &statement.kind {
            StatementKind::Open => frame.open(),
            StatementKind::Close => frame.close(),
            StatementKind::Label(_) | StatementKind::Targets(..) => {}
            StatementKind::Registers(ty, registers) => {
                for register in registers {
                    frame.registers(statement.place, register, *ty)?;
                }
            }
            StatementKind::Variable(variable) => {
                check_size(variable)?;
                let meaning = match variable.space {
                    Space::Local => Meaning::Local(append(&mut local_bytes, variable, 1)?),
                    Space::Param => Meaning::Param(append(&mut param_bytes, variable, 1)?, variable.bytes() as u32),
                    _ => {
                        let name = format!("{}.{}", syntax.name, variable.name);
                        let index = globals.declare(variable, name)?;
                        globals.initialise(index, variable)?;
                        Meaning::Variable(index)
                    }
                };
                frame.declare(variable.place, variable.name, meaning)?;
            }
            StatementKind::Instruction(instruction) => {
                let mut guard = (NONE, true);
                if let Some((name, negated)) = instruction.guard {
                    guard = (frame.predicate(statement.place, name)?, !negated);
                }
                let mut decoder = Instr {
                    place: statement.place,
                    syntax: instruction,
                    modifiers: Modifiers::new(statement.place, instruction.opcode, &instruction.modifiers),
                    frame: &mut frame,
                    globals,
                    labels: &labels,
                    targets: &targets,
                    at: 0,
                };
                let op = decoder.op()?;
                decoder.note_hazards(&op);
                decoder.modifiers.end()?;
                if decoder.at < instruction.operands.len() {
                    return Err(decoder.error("it has too many operands"));
                }
                code.push(Instruction { guard: guard.0, wanted: guard.1, op });
                lines.push(statement.place.line);
            }
        }
    }
    // Running into the closing brace is a return.
    code.push(Instruction { guard: NONE, wanted: true, op: Op::Return });
    lines.push(lines.last().copied().unwrap_or(syntax.place.line));

    let is_register = |slot: Slot| matches!(frame.slots().get(slot as usize), Some(SlotKind::Register(_)));
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    for instruction in &code {
        let (mut r, mut w) = (Vec::new(), Vec::new());
        instruction.op.slots(
            |slot| {
                if is_register(slot) {
                    r.push(slot);
                }
            },
            |slot| {
                if is_register(slot) {
                    w.push(slot);
                }
            },
        );
        reads.push(r);
        writes.push(w);
    }
    let mut shared: Vec<usize> = frame
        .slots()
        .iter()
        .filter_map(|slot| match slot {
            SlotKind::Address(variable, _) => Some(*variable),
            _ => None,
        })
        .filter(|&v| globals.variables[v].space == Space::Shared)
        .collect();
    shared.sort_unstable();
    shared.dedup();
    let callees = code
        .iter()
        .filter_map(|i| match &i.op {
            Op::Call(call) => Some(call.function),
            _ => None,
        })
        .collect();
    warnings.extend(frame.hazards.warnings());
    let (slots, names) = frame.finish();
    let parameters = places[syntax.results.len()..].to_vec();
    Ok(Function {
        name: syntax.name.to_owned(),
        is_kernel: syntax.is_kernel,
        code,
        lines,
        slots,
        names,
        reads,
        writes,
        local_bytes,
        param_bytes,
        moved,
        parameters,
        shared,
        callees,
        max_threads: syntax.max_threads,
        required_threads: syntax.required_threads,
    })
}

/// Puts a variable behind the others of a frame that ends at `end`, aligned at least to `align`; returns its offset.
fn append(end: &mut u32, variable: &VariableSyntax<'_>, align: u32) -> Result<u32, Error> {
    let offset = end.next_multiple_of(variable.align.max(align));
    let after = u32::try_from(u64::from(offset) + variable.bytes());
    *end = after.map_err(|_| Error::new(variable.place, "too many variables"))?;
    Ok(offset)
}

/// Whether a `mov` takes the address of `name`.
fn takes_address(statements: &[Statement<'_>], name: &str) -> bool {
    statements.iter().any(|s| match &s.kind {
        StatementKind::Instruction(i) if i.opcode == "mov" => {
            i.operands.get(1).is_some_and(|o| matches!(o, Operand::Name(n, None) | Operand::Sum(n, _) if *n == name))
        }
        _ => false,
    })
}

/// The number of the instruction that every label stands before.
fn labels<'a>(statements: &[Statement<'a>]) -> Result<HashMap<&'a str, u32>, Error> {
    let mut labels = HashMap::new();
    let mut count = 0;
    for statement in statements {
        match &statement.kind {
            StatementKind::Label(name) if labels.contains_key(name) => {
                return Err(Error::new(statement.place, format!("the label `{name}` stands twice")));
            }
            StatementKind::Label(name) => drop(labels.insert(*name, count)),
            StatementKind::Instruction(_) => count += 1,
            _ => {}
        }
    }
    Ok(labels)
}

impl<'a> Instr<'_, 'a, '_> {
    /// An error that names the instruction with its modifiers.
    fn error(&self, message: &str) -> Error {
        Error::new(self.place, format!("`{}`: {message}", self.modifiers.whole()))
    }

    fn unknown(&self) -> Error {
        Error::new(self.place, format!("unknown instruction `{}`", self.modifiers.whole()))
    }

    fn op(&mut self) -> Decoded {
        match self.syntax.opcode {
            "add" | "sub" | "mul" | "mad" | "fma" | "div" | "rem" | "min" | "max" | "abs" | "neg" | "sad" | "mul24"
            | "mad24" | "addc" | "subc" | "sqrt" | "rcp" | "copysign" | "testp" => self.arithmetic(),
            "and" | "or" | "xor" | "not" | "cnot" | "shl" | "shr" | "shf" | "bfe" | "bfi" | "brev" | "popc" | "clz"
            | "bfind" | "prmt" | "lop3" | "szext" | "bmsk" | "setp" | "set" | "selp" | "slct" => self.logic(),
            "cvt" => self.convert(),
            "mov" | "ld" | "ldu" | "st" | "atom" | "red" | "cvta" | "isspacep" | "membar" | "fence" => self.memory(),
            "bra" | "brx" | "call" | "ret" | "exit" | "trap" => self.control(),
            "bar" | "barrier" | "shfl" | "vote" | "redux" | "match" => self.warp(),
            "rsqrt" | "sin" | "cos" | "lg2" | "ex2" | "tanh" => {
                Err(self.error("it is an approximation, whose results PTX leaves open"))
            }
            _ => Err(self.unknown()),
        }
    }

    fn is_zero(&self, slot: Slot) -> bool {
        self.frame.slots().get(slot as usize) == Some(&SlotKind::Constant(0))
    }

    /// Notes what may be a part of a pattern that `ptxas` translates wrongly.
    fn note_hazards(&mut self, op: &Op) {
        let modifiers = &self.syntax.modifiers[..];
        match (self.syntax.opcode, modifiers, op) {
            ("mul", ["hi", "u32"], Op::Binary { d, .. }) => self.frame.hazards.high_product(*d),
            ("cvt", ["u64", "u32"], Op::Rewire { d, a, .. }) => self.frame.hazards.widening(*d, *a),
            ("mov", ["b64"], Op::Pack(p)) if p.1.len() == 2 && self.is_zero(p.1[1]) => {
                self.frame.hazards.widening(p.0, p.1[0]);
            }
            ("neg", ["s64"], Op::Unary { d, .. }) => self.frame.hazards.negation(*d),
            ("add", ["s64" | "u64"], Op::Binary { a, b, .. }) => self.frame.hazards.sum(*a, *b, self.place),
            ("sub", ["s64" | "u64"], Op::Binary { a, .. }) => self.frame.hazards.minuend(*a, self.place),
            _ => {}
        }
    }

    /// The call of a function: parameters are copied between frames.
    fn call(&mut self) -> Decoded {
        self.modifiers.accept("uni");
        let mut operands = self.syntax.operands.iter();
        let mut first = operands.next();
        let mut results: &[&str] = &[];
        if let Some(Operand::List(names)) = first {
            results = names;
            first = operands.next();
        }
        let Some(Operand::Name(name, None)) = first else { return Err(self.error("expected a function")) };
        let mut arguments: &[&str] = &[];
        match operands.next() {
            Some(Operand::List(names)) => arguments = names,
            None => {}
            Some(_) => return Err(self.error("expected a list of arguments")),
        }
        if operands.next().is_some() {
            return Err(self.error("calls through a prototype are not supported"));
        }
        self.at = self.syntax.operands.len();
        let Some(signature) = self.globals.functions.get(name) else {
            return Err(self.error(&format!("there is no function `{name}` with a body in this module")));
        };
        let transfers = |names: &[&str], parameters: &[Parameter]| {
            if names.len() != parameters.len() {
                return Err(self.error(&format!("`{name}` has another number of parameters or results")));
            }
            let mut all = Vec::new();
            for (argument, parameter) in names.iter().zip(parameters) {
                let Some(Meaning::Param(offset, bytes)) = self.frame.meaning(argument) else {
                    return Err(self.error(&format!("`{argument}` is no variable in `.param`")));
                };
                if bytes != parameter.bytes {
                    return Err(self.error(&format!("`{argument}` has another size than in `{name}`")));
                }
                all.push(Transfer { caller: offset, callee: parameter.offset, bytes });
            }
            Ok(all)
        };
        let arguments = transfers(arguments, &signature.parameters)?;
        let results = transfers(results, &signature.results)?;
        Ok(Op::Call(Box::new(Call { function: signature.index, arguments, results })))
    }
}
