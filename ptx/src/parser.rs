//! The grammar of PTX, from tokens to [`ModuleSyntax`].
//!
//! Directives are read strictly: one that is not listed here is an error. Only debugging information is passed over,
//! which has its own directives (`.loc`, `.file`, `.section`), and hints (`.pragma`, `.minnctapersm`, `.maxnreg`,
//! `.alias` and `.weak` are not among them).
//!
//! Invariant: the parser terminates on every text and never nests deeper than one vector in one operand list, so that
//! no text overflows the stack.

use crate::error::{Error, Place};
use crate::lexer::{Token, tokens};
use crate::syntax::{
    Constant, FunctionSyntax, InstructionSyntax, ModuleSyntax, Operand, RegisterSyntax, Space, Statement,
    StatementKind, VariableSyntax,
};
use crate::types::Type;

/// The tree of `text`.
pub(crate) fn parse(text: &str) -> Result<ModuleSyntax<'_>, Error> {
    let mut parser = Parser { tokens: tokens(text)?, at: 0 };
    parser.module()
}

struct Parser<'a> {
    tokens: Vec<(Token<'a>, Place)>,
    at: usize,
}

/// What variables of one declaration have in common.
#[derive(Clone, Copy)]
struct VariableKind {
    space: Space,
    ty: Type,
    /// Elements of a vector; 1 for scalars.
    vector: u32,
    align: u32,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> &Token<'a> {
        self.tokens.get(self.at).map_or(&Token::End, |(token, _)| token)
    }

    fn peek_second(&self) -> &Token<'a> {
        self.tokens.get(self.at + 1).map_or(&Token::End, |(token, _)| token)
    }

    fn place(&self) -> Place {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(Place::default(), |(_, place)| *place)
    }

    fn next(&mut self) -> Token<'a> {
        let token = self.peek().clone();
        self.at += 1;
        token
    }

    fn expected<T>(&self, what: &str) -> Result<T, Error> {
        Err(Error::new(self.place(), format!("expected {what}, found {}", self.peek().describe())))
    }

    fn accept(&mut self, sign: char) -> bool {
        let is = *self.peek() == Token::Sign(sign);
        self.at += usize::from(is);
        is
    }

    fn expect(&mut self, sign: char) -> Result<(), Error> {
        if self.accept(sign) { Ok(()) } else { self.expected(&format!("`{sign}`")) }
    }

    fn accept_dot(&mut self, name: &str) -> bool {
        let is = *self.peek() == Token::Dot(name);
        self.at += usize::from(is);
        is
    }

    fn word(&mut self, what: &str) -> Result<&'a str, Error> {
        match *self.peek() {
            Token::Word(word) => {
                self.at += 1;
                Ok(word)
            }
            _ => self.expected(what),
        }
    }

    fn integer(&mut self, what: &str) -> Result<u64, Error> {
        match *self.peek() {
            Token::Integer(value) => {
                self.at += 1;
                Ok(value)
            }
            _ => self.expected(what),
        }
    }

    fn small(&mut self, what: &str) -> Result<u32, Error> {
        let place = self.place();
        let value = self.integer(what)?;
        u32::try_from(value).map_err(|_| Error::new(place, format!("expected {what} of 32 bits, found `{value}`")))
    }

    /// What is left of a list with commas between its items, up to and with `close`.
    fn list<T>(&mut self, close: char, mut item: impl FnMut(&mut Self) -> Result<T, Error>) -> Result<Vec<T>, Error> {
        let mut all = Vec::new();
        loop {
            all.push(item(self)?);
            if self.accept(close) {
                return Ok(all);
            }
            self.expect(',')?;
        }
    }

    /// The next token, and whether a minus sign stands before it; a number is negated then.
    fn signed(&mut self) -> (Token<'a>, bool) {
        let negative = self.accept('-');
        let token = match self.next() {
            Token::Integer(value) if negative => Token::Integer(value.wrapping_neg()),
            Token::Single(bits) if negative => Token::Single(bits ^ 1 << 31),
            Token::Double(bits) if negative => Token::Double(bits ^ 1 << 63),
            other => other,
        };
        (token, negative)
    }

    fn module(&mut self) -> Result<ModuleSyntax<'a>, Error> {
        let mut module = ModuleSyntax::default();
        if !self.accept_dot("version") {
            return self.expected("`.version`");
        }
        // `6.0` is read as a number with a fraction; the two parts are in its text.
        let place = self.place();
        let Token::Double(bits) = self.next() else {
            return Err(Error::new(place, "expected a version such as `6.0`"));
        };
        let version = f64::from_bits(bits);
        module.version = (version as u32, ((version * 10.0).round() as u32) % 10);
        if !self.accept_dot("target") {
            return self.expected("`.target`");
        }
        module.target = self.word("an architecture such as `sm_70`")?;
        while self.accept(',') {
            let place = self.place();
            match self.word("an option of `.target`")? {
                "debug" | "texmode_independent" => {}
                other => return Err(Error::new(place, format!("unknown option `{other}` of `.target`"))),
            }
        }
        while *self.peek() != Token::End {
            self.top_level(&mut module)?;
        }
        Ok(module)
    }

    fn top_level(&mut self, module: &mut ModuleSyntax<'a>) -> Result<(), Error> {
        let place = self.place();
        let mut external = false;
        loop {
            let Token::Dot(directive) = *self.peek() else { return self.expected("a directive") };
            match directive {
                "visible" | "weak" | "common" => self.at += 1,
                "extern" => {
                    self.at += 1;
                    external = true;
                }
                "address_size" => {
                    self.at += 1;
                    let place = self.place();
                    return match self.integer("64")? {
                        64 => Ok(()),
                        other => Err(Error::new(place, format!("addresses of {other} bits are not supported"))),
                    };
                }
                "file" | "loc" | "pragma" | "section" => return self.debug_or_hint(),
                "global" | "const" | "shared" => {
                    let variables = self.variables(external)?;
                    module.variables.extend(variables);
                    return Ok(());
                }
                "entry" | "func" => {
                    self.at += 1;
                    let function = self.function(place, directive == "entry")?;
                    module.functions.push(function);
                    return Ok(());
                }
                other => return Err(Error::new(self.place(), format!("unknown directive `.{other}`"))),
            }
        }
    }

    /// `.loc`, `.file`, `.section` and `.pragma`: what has no effect on results.
    fn debug_or_hint(&mut self) -> Result<(), Error> {
        let line = self.place().line;
        match self.next() {
            Token::Dot("pragma") => {
                while let Token::Text(_) = self.peek() {
                    self.at += 1;
                    self.accept(',');
                }
                self.expect(';')
            }
            Token::Dot("section") => {
                while !matches!(self.peek(), Token::Sign('{') | Token::End) {
                    self.at += 1;
                }
                self.expect('{')?;
                while !matches!(self.peek(), Token::Sign('}') | Token::End) {
                    self.at += 1;
                }
                self.expect('}')
            }
            _ => {
                // `.loc 1 5 3, function_name $L, inlined_at 1 7 2` and `.file 1 "name"` end with their line.
                while *self.peek() != Token::End && self.place().line == line {
                    self.at += 1;
                }
                Ok(())
            }
        }
    }

    fn function(&mut self, place: Place, is_kernel: bool) -> Result<FunctionSyntax<'a>, Error> {
        let mut results = Vec::new();
        if !is_kernel && *self.peek() == Token::Sign('(') {
            results = self.parameters()?;
        }
        let name = self.word("the name of a function")?;
        let parameters = if *self.peek() == Token::Sign('(') { self.parameters()? } else { Vec::new() };
        let mut function = FunctionSyntax {
            place,
            name,
            is_kernel,
            results,
            parameters,
            max_threads: None,
            required_threads: None,
            body: None,
        };
        while let Token::Dot(directive) = *self.peek() {
            let place = self.place();
            self.at += 1;
            match directive {
                "maxntid" => {
                    let sizes = self.sizes()?;
                    function.max_threads = Some(sizes.iter().map(|&n| u64::from(n)).product());
                }
                "reqntid" => function.required_threads = Some(self.sizes()?),
                "minnctapersm" | "maxnreg" => drop(self.integer("a number")?),
                "noreturn" => {}
                "pragma" => {
                    self.at -= 1;
                    self.debug_or_hint()?;
                }
                other => return Err(Error::new(place, format!("unknown directive `.{other}` of a function"))),
            }
        }
        if self.accept(';') {
            return Ok(function);
        }
        if *self.peek() != Token::Sign('{') {
            return self.expected("`{` or `;`");
        }
        function.body = Some(self.body()?);
        Ok(function)
    }

    fn sizes(&mut self) -> Result<[u32; 3], Error> {
        let mut sizes = [1; 3];
        for (i, size) in sizes.iter_mut().enumerate() {
            if i > 0 && !self.accept(',') {
                break;
            }
            *size = self.small("a number of threads")?;
        }
        Ok(sizes)
    }

    fn parameters(&mut self) -> Result<Vec<VariableSyntax<'a>>, Error> {
        self.expect('(')?;
        if self.accept(')') {
            return Ok(Vec::new());
        }
        self.list(')', |parser| match parser.peek() {
            Token::Dot("param") => {
                let kind = parser.variable_kind()?;
                parser.declarator(kind, false)
            }
            _ => parser.expected("`.param`"),
        })
    }

    fn variables(&mut self, external: bool) -> Result<Vec<VariableSyntax<'a>>, Error> {
        let kind = self.variable_kind()?;
        let mut all = vec![self.declarator(kind, external)?];
        while self.accept(',') {
            all.push(self.declarator(kind, external)?);
        }
        self.expect(';')?;
        Ok(all)
    }

    /// What stands before the names of `.shared .align 8 .v2 .b32 a, b[4];`.
    fn variable_kind(&mut self) -> Result<VariableKind, Error> {
        let space = match self.next() {
            Token::Dot("global") => Space::Global,
            Token::Dot("const") => Space::Const,
            Token::Dot("shared") => Space::Shared,
            Token::Dot("local") => Space::Local,
            Token::Dot("param") => Space::Param,
            _ => {
                self.at -= 1;
                return self.expected("a state space");
            }
        };
        let mut align = None;
        let mut ty = None;
        let mut vector = 1;
        loop {
            let place = self.place();
            let Token::Dot(word) = *self.peek() else { break };
            self.at += 1;
            match word {
                "align" => {
                    let value = self.small("an alignment")?;
                    if !value.is_power_of_two() || value > 1 << 20 {
                        return Err(Error::new(place, format!("`{value}` is no alignment")));
                    }
                    align = Some(value);
                }
                "attribute" => return Err(Error::new(place, "`.attribute` is not supported")),
                // What a pointer parameter points to.
                "ptr" => {
                    if let Token::Dot("global" | "const" | "shared" | "local") = self.peek() {
                        self.at += 1;
                    }
                    if self.accept_dot("align") {
                        self.integer("an alignment")?;
                    }
                }
                "v2" => vector = 2,
                "v4" => vector = 4,
                name => match Type::named(name) {
                    Some(found) if found != Type::Pred => ty = Some(found),
                    _ => return Err(Error::new(place, format!("unknown type `.{name}`"))),
                },
            }
        }
        let Some(ty) = ty else { return self.expected("a type") };
        Ok(VariableKind { space, ty, vector, align: align.unwrap_or(ty.bytes() * vector) })
    }

    fn declarator(&mut self, kind: VariableKind, external: bool) -> Result<VariableSyntax<'a>, Error> {
        let VariableKind { space, ty, vector, align } = kind;
        let place = self.place();
        let name = self.word("a name")?;
        let mut elements = Some(u64::from(vector));
        while self.accept('[') {
            if self.accept(']') {
                elements = None;
            } else {
                let count = self.integer("a number of elements")?;
                elements = elements.map(|n| n.saturating_mul(count));
                self.expect(']')?;
            }
        }
        let mut initialiser = Vec::new();
        if self.accept('=') {
            if !matches!(space, Space::Global | Space::Const) {
                return Err(Error::new(place, "only variables in `.global` and `.const` have initialisers"));
            }
            self.initialiser(&mut initialiser)?;
            if elements.is_none() {
                elements = Some(initialiser.len() as u64);
            }
        }
        Ok(VariableSyntax { place, space, name, ty, align, elements, external, initialiser })
    }

    /// A value or nested braces, flattened: LLVM writes all elements.
    fn initialiser(&mut self, values: &mut Vec<Constant<'a>>) -> Result<(), Error> {
        let mut depth = 0usize;
        loop {
            while self.accept('{') {
                depth += 1;
            }
            if !self.accept('}') {
                values.push(self.constant()?);
            } else {
                depth = depth.saturating_sub(1);
            }
            while depth > 0 && self.accept('}') {
                depth -= 1;
            }
            if depth == 0 {
                return Ok(());
            }
            self.expect(',')?;
        }
    }

    fn constant(&mut self) -> Result<Constant<'a>, Error> {
        let place = self.place();
        let (token, negative) = self.signed();
        Ok(match token {
            Token::Integer(value) => Constant::Bits(value),
            Token::Single(bits) => Constant::Single(bits),
            Token::Double(bits) => Constant::Double(bits),
            Token::Word("generic") if !negative && self.accept('(') => {
                let name = self.word("a variable")?;
                let outside = self.offset()?;
                self.expect(')')?;
                let offset = outside.wrapping_add(self.offset()?);
                Constant::Address(place, name, offset)
            }
            Token::Word(name) if !negative => Constant::Address(place, name, self.offset()?),
            _ => {
                self.at -= 1;
                return self.expected("a constant");
            }
        })
    }

    /// `+4`, `-4` or nothing.
    fn offset(&mut self) -> Result<u64, Error> {
        let mut sum = 0u64;
        loop {
            let negative = if self.accept('+') {
                self.accept('-')
            } else if self.accept('-') {
                true
            } else {
                return Ok(sum);
            };
            let value = self.integer("a number of bytes")?;
            sum = if negative { sum.wrapping_sub(value) } else { sum.wrapping_add(value) };
        }
    }

    fn body(&mut self) -> Result<Vec<Statement<'a>>, Error> {
        self.expect('{')?;
        let mut statements = Vec::new();
        let mut depth = 1usize;
        while depth > 0 {
            let place = self.place();
            match *self.peek() {
                Token::End => return self.expected("`}`"),
                Token::Sign('{') => {
                    self.at += 1;
                    depth += 1;
                    statements.push(Statement { place, kind: StatementKind::Open });
                }
                Token::Sign('}') => {
                    self.at += 1;
                    depth -= 1;
                    if depth > 0 {
                        statements.push(Statement { place, kind: StatementKind::Close });
                    }
                }
                Token::Dot("loc" | "file" | "section" | "pragma") => self.debug_or_hint()?,
                _ => self.statement(&mut statements)?,
            }
        }
        Ok(statements)
    }

    fn statement(&mut self, statements: &mut Vec<Statement<'a>>) -> Result<(), Error> {
        let place = self.place();
        match *self.peek() {
            Token::Dot("reg") => {
                self.at += 1;
                let kind = self.registers()?;
                statements.push(Statement { place, kind });
                Ok(())
            }
            Token::Dot("local" | "shared" | "param" | "global" | "const") => {
                let variables = self.variables(false)?;
                statements.extend(
                    variables.into_iter().map(|v| Statement { place: v.place, kind: StatementKind::Variable(v) }),
                );
                Ok(())
            }
            Token::Dot(other) => Err(Error::new(place, format!("unknown directive `.{other}`"))),
            Token::Word(label) if *self.peek_second() == Token::Sign(':') => {
                self.at += 2;
                let kind = if self.accept_dot("branchtargets") {
                    let mut targets = vec![self.word("a label")?];
                    while self.accept(',') {
                        targets.push(self.word("a label")?);
                    }
                    self.expect(';')?;
                    StatementKind::Targets(label, targets)
                } else {
                    StatementKind::Label(label)
                };
                statements.push(Statement { place, kind });
                Ok(())
            }
            Token::Sign('@') | Token::Word(_) => {
                let instruction = self.instruction()?;
                statements.push(Statement { place, kind: StatementKind::Instruction(instruction) });
                Ok(())
            }
            Token::Sign(';') => {
                self.at += 1;
                Ok(())
            }
            _ => self.expected("a statement"),
        }
    }

    fn registers(&mut self) -> Result<StatementKind<'a>, Error> {
        let place = self.place();
        let Token::Dot(name) = self.next() else {
            return Err(Error::new(place, "expected a type of registers"));
        };
        let ty = Type::named(name).filter(|t| t.bits() != 8);
        let Some(ty) = ty else { return Err(Error::new(place, format!("unknown type `.{name}` of registers"))) };
        let names = self.list(';', |parser| {
            let name = parser.word("the name of a register")?;
            let mut count = None;
            if parser.accept('<') {
                let place = parser.place();
                let value = parser.small("a number of registers")?;
                if value > 1 << 20 {
                    return Err(Error::new(place, "more than 2^20 registers"));
                }
                count = Some(value);
                parser.expect('>')?;
            }
            Ok(RegisterSyntax { name, count })
        })?;
        Ok(StatementKind::Registers(ty, names))
    }

    fn instruction(&mut self) -> Result<InstructionSyntax<'a>, Error> {
        let mut guard = None;
        if self.accept('@') {
            let negated = self.accept('!');
            guard = Some((self.word("a predicate")?, negated));
        }
        let opcode = self.word("an instruction")?;
        let mut modifiers = Vec::new();
        while let Token::Dot(modifier) = *self.peek() {
            self.at += 1;
            modifiers.push(modifier);
        }
        let mut operands = Vec::new();
        if !self.accept(';') {
            loop {
                operands.push(self.operand()?);
                if self.accept(';') {
                    break;
                }
                if !self.accept(',') {
                    return self.expected("`,` or `;`");
                }
            }
        }
        Ok(InstructionSyntax { guard, opcode, modifiers, operands })
    }

    fn operand(&mut self) -> Result<Operand<'a>, Error> {
        if self.accept('{') {
            return Ok(Operand::Vector(self.list('}', Self::simple_operand)?));
        }
        if self.accept('(') {
            if self.accept(')') {
                return Ok(Operand::List(Vec::new()));
            }
            return Ok(Operand::List(self.list(')', |parser| parser.word("a parameter of the call"))?));
        }
        if self.accept('[') {
            let name = match *self.peek() {
                Token::Word(name) => {
                    self.at += 1;
                    Some(name)
                }
                _ => None,
            };
            let mut offset = 0u64;
            if name.is_none() {
                offset = match self.simple_operand()? {
                    Operand::Integer(value) => value,
                    _ => return self.expected("an address"),
                };
            }
            offset = offset.wrapping_add(self.offset()?);
            self.expect(']')?;
            return Ok(Operand::Memory(name, offset));
        }
        self.simple_operand()
    }

    fn simple_operand(&mut self) -> Result<Operand<'a>, Error> {
        if self.accept('!') {
            return Ok(Operand::Not(self.word("a predicate")?));
        }
        let (token, negative) = self.signed();
        match token {
            Token::Integer(value) => Ok(Operand::Integer(value)),
            Token::Single(bits) => Ok(Operand::Single(bits)),
            Token::Double(bits) => Ok(Operand::Double(bits)),
            Token::Word("_") if !negative => Ok(Operand::Sink),
            Token::Word(name) if !negative => {
                if self.accept('|') {
                    return Ok(Operand::Pair(name, self.word("a predicate")?));
                }
                if let Token::Dot(part) = *self.peek() {
                    self.at += 1;
                    return Ok(Operand::Name(name, Some(part)));
                }
                if matches!(self.peek(), Token::Sign('+' | '-')) {
                    return Ok(Operand::Sum(name, self.offset()?));
                }
                Ok(Operand::Name(name, None))
            }
            _ => {
                self.at -= 1;
                self.expected("an operand")
            }
        }
    }
}
