//! Random kernels in C, which clang compiles for the host and for a device.
//!
//! A kernel has phases, with a barrier between two of them. What a thread does in a phase is one C function, the same
//! on both sides; only the loop over threads differs. In an even phase every thread fills its slot of one half of
//! shared memory and may read all of the other half, in an odd phase the other way round, so that there is no race.
//!
//! Nothing is undefined: both sides are compiled with `-fwrapv`, divisors are never zero, shifts are masked, numbers are
//! converted to integers only where they fit. Bits of floating-point numbers are taken after every NaN was replaced by
//! one and the same, as payloads and signs of NaN are what the two sides do not agree on.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tessera_ptx::{Checks, Configuration, Device, Limits, Module};

/// Threads of a block, blocks, and words of 64 bits that a thread writes.
pub(crate) const THREADS: u32 = 64;
pub(crate) const BLOCKS: u32 = 2;
pub(crate) const WORDS: u32 = 4;
/// Words of the input.
pub(crate) const INPUT: usize = 256;

/// Bytes of the output of one kernel.
pub(crate) fn output_bytes() -> usize {
    (THREADS * BLOCKS * WORDS * 8) as usize
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.next() % 100 < percent
    }

    fn pick<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }
}

const INTEGERS: [&str; 8] = ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"];
const FLOATS: [&str; 3] = ["f32", "f64", "f16"];

fn bits(ty: &str) -> u32 {
    ty[1..].parse().expect("a type has a width")
}

fn is_float(ty: &str) -> bool {
    ty.starts_with('f')
}

/// What both sides have in common.
const PRELUDE: &str = r#"
typedef unsigned char u8; typedef signed char s8; typedef unsigned short u16; typedef short s16;
typedef unsigned u32; typedef int s32; typedef unsigned long long u64; typedef long long s64;
typedef unsigned __int128 u128; typedef __int128 s128;
typedef float f32; typedef double f64; typedef _Float16 f16;
typedef u32 v4 __attribute__((ext_vector_type(4)));
typedef f32 w2 __attribute__((ext_vector_type(2)));
typedef f64 w4 __attribute__((ext_vector_type(4)));
#ifdef __NVPTX__
#define SHARED __attribute__((address_space(3)))
#else
#define SHARED
#endif
#define FN static __attribute__((unused))
#define NOINLINE static __attribute__((noinline, unused))
FN u64 bits_f32(f32 x) { union { f32 f; u32 u; } v; v.f = x; return x != x ? 0x7fc00000u : v.u; }
FN u64 bits_f64(f64 x) { union { f64 f; u64 u; } v; v.f = x; return x != x ? 0x7ff8000000000000ull : v.u; }
FN u64 bits_f16(f16 x) { union { f16 f; u16 u; } v; v.f = x; return x != x ? 0x7e00 : v.u; }
FN f32 of_f32(u32 x) { union { f32 f; u32 u; } v; v.u = x; return v.f; }
FN f64 of_f64(u64 x) { union { f64 f; u64 u; } v; v.u = x; return v.f; }
FN f16 of_f16(u16 x) { union { f16 f; u16 u; } v; v.u = x; return v.f; }
#define DIV(T) FN T div_##T(T a, T b) { return b == 0 || b == (T)-1 ? a : a / b; } \
               FN T rem_##T(T a, T b) { return b == 0 || b == (T)-1 ? a : a % b; }
DIV(u8) DIV(s8) DIV(u16) DIV(s16) DIV(u32) DIV(s32) DIV(u64) DIV(s64)
typedef struct { u32 a; u64 b; f32 c; u8 d; } S;
"#;

/// A generator of one kernel.
struct Kernel {
    random: Random,
    text: String,
    variables: Vec<(String, &'static str)>,
    count: usize,
    indent: usize,
    helpers: Vec<(String, &'static str, Vec<&'static str>)>,
    /// Expressions may read shared memory.
    reads_shared: bool,
    phase: u32,
}

impl Kernel {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{}{text}", "  ".repeat(self.indent));
    }

    fn ty(&mut self) -> &'static str {
        match self.random.below(10) {
            0..=5 => INTEGERS[self.random.below(8)],
            6 | 7 => "f32",
            8 => "f64",
            _ => "f16",
        }
    }

    fn integer(&mut self) -> &'static str {
        INTEGERS[self.random.below(8)]
    }

    fn variable(&mut self, float: bool) -> Option<(String, &'static str)> {
        let fitting: Vec<_> = self.variables.iter().filter(|(_, ty)| is_float(ty) == float).cloned().collect();
        (!fitting.is_empty()).then(|| fitting[self.random.below(fitting.len())].clone())
    }

    fn leaf(&mut self, ty: &'static str) -> String {
        if is_float(ty) {
            if self.random.chance(60)
                && let Some((name, _)) = self.variable(true)
            {
                return format!("({ty}){name}");
            }
            return match self.random.below(5) {
                0 => {
                    let word = self.random.below(INPUT);
                    match ty {
                        "f32" => format!("of_f32((u32)in[{word}])"),
                        "f64" => format!("of_f64(in[{word}])"),
                        _ => format!("of_f16((u16)in[{word}])"),
                    }
                }
                1 => format!("({ty})((const f32 *)in)[(tid + {}) & {}]", self.random.below(64), INPUT * 2 - 1),
                2 => format!("({ty})(s32)tid"),
                _ => {
                    let value = self.random.pick(&[
                        "0.0", "-0.0", "1.0", "-1.0", "0.5", "1.5", "-2.5", "3.0", "1e-3", "1000.25", "6.1e-5", "1e-7",
                        "65504.0", "2.5e9", "1e-40", "3.4e38", "0.1", "-7.75",
                    ]);
                    format!("({ty}){value}")
                }
            };
        }
        match self.random.below(10) {
            0..=5 => match self.variable(false) {
                Some((name, _)) => format!("({ty}){name}"),
                None => format!("({ty})tid"),
            },
            6 => {
                let mixed = self.random.next();
                let shift = self.random.below(64);
                format!("({ty}){}ull", mixed << 11 >> shift)
            }
            7 => format!("({ty}){}", self.random.below(300) as i64 - 40),
            8 => format!("({ty})in[(tid * {} + {}) & {}]", self.random.below(9), self.random.below(99), INPUT - 1),
            _ if self.reads_shared => self.shared_leaf(ty),
            _ => format!("({ty})(tid + bid * 64)"),
        }
    }

    /// A word, or a part of one, that some thread wrote in the phase before.
    fn shared_leaf(&mut self, ty: &'static str) -> String {
        let half = if self.phase.is_multiple_of(2) { 64 } else { 0 };
        let (a, b) = (self.random.below(64), self.random.below(64));
        let slot = format!("{half} + ((tid * {a} + {b}) & 63)");
        match self.random.below(5) {
            0 => format!("({ty})((SHARED u8 *)(sh + {slot}))[{}]", self.random.below(8)),
            1 => format!("({ty})((SHARED s16 *)(sh + {slot}))[{}]", self.random.below(4)),
            2 => format!("({ty})((SHARED u32 *)(sh + {slot}))[tid & 1]"),
            _ => format!("({ty})sh[{slot}]"),
        }
    }

    fn condition(&mut self, depth: usize) -> String {
        let ty = self.ty();
        let (a, b) = (self.expression(ty, depth), self.expression(ty, depth));
        let compare = self.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
        let plain = format!("({a} {compare} {b})");
        match self.random.below(8) {
            0 => format!("!{plain}"),
            1 if is_float(ty) => format!("__builtin_isunordered({a}, {b})"),
            2 => format!("({plain} & (({}) < ({})))", self.leaf("u32"), self.leaf("u32")),
            _ => plain,
        }
    }

    fn expression(&mut self, ty: &'static str, depth: usize) -> String {
        if depth == 0 {
            return self.leaf(ty);
        }
        if self.random.chance(6) {
            let fitting: Vec<_> = self.helpers.iter().filter(|h| is_float(h.1) == is_float(ty)).cloned().collect();
            if !fitting.is_empty() {
                let (name, _, types) = fitting[self.random.below(fitting.len())].clone();
                let arguments: Vec<String> = types
                    .iter()
                    .map(|&t| {
                        if t == "S" {
                            let parts: Vec<String> =
                                ["u32", "u64", "f32", "u8"].iter().map(|&t| self.expression(t, 0)).collect();
                            format!("(S){{ {} }}", parts.join(", "))
                        } else {
                            self.expression(t, depth - 1)
                        }
                    })
                    .collect();
                return format!("({ty}){name}({})", arguments.join(", "));
            }
        }
        if is_float(ty) { self.float_expression(ty, depth) } else { self.integer_expression(ty, depth) }
    }

    fn integer_expression(&mut self, ty: &'static str, depth: usize) -> String {
        let n = bits(ty);
        let d = depth - 1;
        let wide = if n <= 32 { "u32" } else { "u64" };
        match self.random.below(24) {
            0..=6 => {
                let op = self.random.pick(&["+", "-", "*", "&", "|", "^"]);
                let (a, b) = (self.expression(ty, d), self.expression(ty, d));
                format!("({ty})({a} {op} {b})")
            }
            7 => {
                let (a, b) = (self.expression(ty, d), self.expression("u32", d));
                let op = self.random.pick(&["<<", ">>"]);
                format!("({ty})({a} {op} ({b} & {}))", n - 1)
            }
            8 => {
                // A shift by too much gives zero, or the sign.
                let (a, b) = (self.expression(wide, d), self.expression("u32", 0));
                let most = bits(wide);
                let op = self.random.pick(&["<<", ">>"]);
                format!("({ty})(({b} & 127) < {most} ? {a} {op} ({b} & 127) : 0)")
            }
            9 => {
                let (a, b) = (self.expression(ty, d), self.expression(ty, d));
                format!("{}_{ty}({a}, {b})", self.random.pick(&["div", "rem"]))
            }
            10 => {
                let a = self.expression(ty, d);
                let divisor = self.random.below(120) + 1;
                format!("({ty})({a} {} {divisor})", self.random.pick(&["/", "%"]))
            }
            11 => {
                let c = self.condition(d);
                let (a, b) = (self.expression(ty, d), self.expression(ty, d));
                format!("({c} ? {a} : {b})")
            }
            12 => format!("({ty}){}", self.condition(d)),
            13 => {
                let (a, b) = (self.expression(ty, 0), self.expression(ty, 0));
                let op = self.random.pick(&["<", ">"]);
                format!("({a} {op} {b} ? {a} : {b})")
            }
            14 => {
                let a = self.expression(wide, d);
                let suffix = if wide == "u64" { "ll" } else { "" };
                match self.random.below(4) {
                    0 => format!("({ty})__builtin_popcount{suffix}({a})"),
                    1 => format!("({ty})__builtin_clz{suffix}({a} | 1)"),
                    2 => format!("({ty})__builtin_ctz{suffix}({a} | 0x40000000)"),
                    _ => format!("({ty})__builtin_bitreverse{}({a})", bits(wide)),
                }
            }
            15 => {
                let a = self.expression(wide, d);
                let b = self.expression(wide, 0);
                match self.random.below(4) {
                    0 => format!("({ty})__builtin_bswap{}({a})", bits(wide)),
                    1 => format!("({ty})__builtin_rotateleft{}({a}, {b})", bits(wide)),
                    2 => format!("({ty})__builtin_elementwise_add_sat({a}, {b})"),
                    _ => format!("({ty})__builtin_elementwise_sub_sat((s32){a}, (s32){b})"),
                }
            }
            16 => {
                let (a, b) = (self.expression("u64", d), self.expression("u64", d));
                match self.random.below(4) {
                    0 => format!("({ty})(((u128){a} * {b}) >> 64)"),
                    1 => format!("({ty})(((s128)(s64){a} * (s64){b}) >> 64)"),
                    2 => format!("({ty})((((u128){a} << 64 | {b}) + ((u128){b} << 40)) >> {})", self.random.below(128)),
                    _ => format!("({ty})((((u128){a} << 64 | {b}) - {a}) >> ({b} & 127))"),
                }
            }
            17 => {
                let (a, b) = (self.expression("s32", d), self.expression("s32", d));
                format!("({ty})(((s64){a} * {b}) >> {})", self.random.below(64))
            }
            18 | 19 => {
                let from = FLOATS[self.random.below(3)];
                let a = self.expression(from, d);
                let (low, high) = match (ty.starts_with('u'), n) {
                    (true, 8) => ("-0.5", "255.5"),
                    (false, 8) => ("-128.5", "127.5"),
                    (true, 16) => ("-0.5", "65535.5"),
                    (false, 16) => ("-32768.5", "32767.5"),
                    (true, 32) => ("-0.5", "4294967040.0"),
                    (false, 32) => ("-2147483648.0", "2147483520.0"),
                    (true, _) => ("-0.5", "18446742974197923840.0"),
                    _ => ("-9223372036854775808.0", "9223371487098961920.0"),
                };
                format!("({{ f64 x = (f64){a}; x > {low} && x < {high} ? ({ty})({from})x : ({ty})77; }})")
            }
            20 | 21 => {
                let from = FLOATS[self.random.below(3)];
                let a = self.expression(from, d);
                format!("({ty})bits_{from}({a})")
            }
            22 => {
                let a = self.expression(wide, d);
                let (shift, width) = (self.random.below(bits(wide) as usize), self.random.below(31) + 1);
                format!("({ty})(({a} >> {shift}) & ((1u << {width}) - 1))")
            }
            _ => {
                let from = self.integer();
                format!("({ty}){}", self.expression(from, d))
            }
        }
    }

    fn float_expression(&mut self, ty: &'static str, depth: usize) -> String {
        let d = depth - 1;
        let suffix = if ty == "f64" { "" } else { "f" };
        match self.random.below(16) {
            0..=5 => {
                let op = self.random.pick(&["+", "-", "*", "*", "/"]);
                let (a, b) = (self.expression(ty, d), self.expression(ty, d));
                format!("({ty})({a} {op} {b})")
            }
            6 => {
                let a = self.expression(ty, d);
                match self.random.below(3) {
                    0 => format!("({ty})-{a}"),
                    1 => format!("({ty})__builtin_fabs{suffix}({a})"),
                    _ => format!("({ty})__builtin_sqrt{suffix}({a})"),
                }
            }
            7 => {
                let name = self.random.pick(&["floor", "ceil", "trunc", "rint"]);
                let a = self.expression(ty, d);
                format!("({ty})__builtin_{name}{suffix}({a})")
            }
            8 if ty != "f16" => {
                let (a, b, c) = (self.expression(ty, d), self.expression(ty, d), self.expression(ty, d));
                format!("__builtin_fma{suffix}({a}, {b}, {c})")
            }
            9 => {
                let (a, b) = (self.expression(ty, d), self.expression(ty, 0));
                // The sign of a NaN is not the same on both sides.
                format!("({ty})__builtin_copysign{suffix}({a}, ({b} == {b} ? {b} : ({ty})1))")
            }
            10 => {
                let c = self.condition(d);
                let (a, b) = (self.expression(ty, d), self.expression(ty, d));
                format!("({c} ? {a} : {b})")
            }
            11 => {
                let (a, b) = (self.expression(ty, 0), self.expression(ty, 0));
                let op = self.random.pick(&["<", ">", "<=", ">="]);
                // LLVM 22 makes `max` of `0.0 > x ? 0.0 : x`, which is +0 instead of -0 where `x` is -0, and likewise for
                // -0.0 and for `min`.
                if a.ends_with("0.0") || b.ends_with("0.0") {
                    return a;
                }
                format!("({a} {op} {b} ? {a} : {b})")
            }
            12 | 13 => {
                let from = self.integer();
                format!("({ty}){}", self.expression(from, d))
            }
            14 => {
                let from = FLOATS[self.random.below(3)];
                format!("({ty}){}", self.expression(from, d))
            }
            _ => match ty {
                "f32" => format!("of_f32({})", self.expression("u32", d)),
                "f64" => format!("of_f64({})", self.expression("u64", d)),
                _ => format!("of_f16({})", self.expression("u16", d)),
            },
        }
    }

    fn declare(&mut self, depth: usize) {
        let ty = self.ty();
        let value = self.expression(ty, depth);
        let name = format!("x{}", self.count);
        self.count += 1;
        self.line(&format!("{ty} {name} = {value};"));
        self.variables.push((name, ty));
    }

    /// A change of a variable that is there.
    fn assign(&mut self) {
        if self.variables.is_empty() {
            return;
        }
        let (name, ty) = self.variables[self.random.below(self.variables.len())].clone();
        if !name.starts_with('x') {
            return;
        }
        let value = self.expression(ty, 2);
        self.line(&format!("{name} = {value};"));
    }

    fn block(&mut self, statements: usize, depth: usize) {
        let before = self.variables.len();
        self.indent += 1;
        for _ in 0..statements {
            self.statement(depth);
        }
        self.indent -= 1;
        self.variables.truncate(before);
    }

    fn statement(&mut self, depth: usize) {
        match self.random.below(if depth == 0 { 6 } else { 14 }) {
            0..=3 => self.declare(3),
            4 | 5 => self.assign(),
            6 | 7 => {
                let c = self.condition(1);
                self.line(&format!("if ({c}) {{"));
                self.block(2, depth - 1);
                if self.random.chance(50) {
                    self.line("} else {");
                    self.block(2, depth - 1);
                }
                self.line("}");
            }
            8 | 9 => {
                let name = format!("i{}", self.count);
                self.count += 1;
                let bound = if self.random.chance(50) {
                    format!("{}", self.random.below(7) + 1)
                } else {
                    format!("({} & 7)", self.leaf("u32"))
                };
                self.line(&format!("for (u32 {name} = 0; {name} < {bound}; {name}++) {{"));
                self.variables.push((name, "u32"));
                self.indent += 1;
                self.assign();
                if self.random.chance(20) {
                    let c = self.condition(1);
                    let jump = self.random.pick(&["break", "continue"]);
                    self.line(&format!("if ({c}) {jump};"));
                }
                self.indent -= 1;
                self.block(1, depth - 1);
                self.indent += 1;
                self.assign();
                self.indent -= 1;
                self.variables.pop();
                self.line("}");
            }
            10 => {
                let value = self.expression("u32", 1);
                self.line(&format!("switch ({value} & 7) {{"));
                for case in 0..self.random.below(5) + 3 {
                    self.line(&format!("case {case}: {{"));
                    self.indent += 1;
                    self.assign();
                    self.indent -= 1;
                    let end = if self.random.chance(70) { "} break;" } else { "}" };
                    self.line(end);
                }
                self.line("default: {");
                self.indent += 1;
                self.assign();
                self.indent -= 1;
                self.line("} }");
            }
            11 => {
                // An array in local memory, filled and read at computed places.
                let ty = self.ty();
                let name = format!("a{}", self.count);
                self.count += 1;
                let size = if self.random.chance(50) { 8 } else { 16 };
                let first = self.expression(ty, 1);
                self.line(&format!(
                    "{ty} {name}[{size}]; for (u32 i = 0; i < {size}; i++) {name}[i] = ({ty})(i + {first});"
                ));
                for _ in 0..2 {
                    let (at, value) = (self.expression("u32", 1), self.expression(ty, 2));
                    self.line(&format!("{name}[{at} & {}] = {value};", size - 1));
                }
                let at = self.expression("u32", 1);
                let read = format!("x{}", self.count);
                self.count += 1;
                self.line(&format!("{ty} {read} = {name}[{at} & {}];", size - 1));
                self.variables.push((read, ty));
            }
            12 => {
                let name = format!("y{}", self.count);
                let read = format!("x{}", self.count + 1);
                self.count += 2;
                let (a, b) = (self.random.below(60), self.random.below(4));
                let (vector, ty, ops): (&str, &'static str, &[&str]) = match self.random.below(3) {
                    0 => ("v4", "u32", &["+", "*", "^", "-"]),
                    1 => ("w2", "f32", &["+", "*", "-", "/"]),
                    _ => ("w4", "f64", &["+", "*", "-"]),
                };
                let op = self.random.pick(ops);
                let scalar = self.expression(ty, 1);
                let part = b % vector[1..].parse::<usize>().expect("a number of parts");
                self.line(&format!(
                    "{vector} {name} = ((const {vector} *)in)[(tid + {a}) & 63] {op} (({vector})((const {vector} *)in)[{a}] {op} {scalar});"
                ));
                self.line(&format!("{ty} {read} = {name}[{part}];"));
                self.variables.push((read, ty));
            }
            _ => {
                self.line("{");
                self.block(2, depth - 1);
                self.line("}");
            }
        }
    }

    fn helper(&mut self, index: usize, number: usize) {
        let ty = self.ty();
        let mut types: Vec<&'static str> = (0..self.random.below(3) + 1).map(|_| self.ty()).collect();
        let with_struct = self.random.chance(40);
        let parameters: Vec<String> = types.iter().enumerate().map(|(i, t)| format!("{t} p{i}")).collect();
        let name = format!("k{index}_h{number}");
        let mut signature = parameters.join(", ");
        if with_struct {
            signature += ", S s";
        }
        let how = if self.random.chance(70) { "NOINLINE" } else { "FN" };
        self.line(&format!("{how} {ty} {name}({signature}) {{"));
        self.line("  static const __attribute__((aligned(32))) u64 in[256] = { 1, 0x4048000000000000, 0xffffffff };");
        self.line("  const u32 tid = 5, bid = 1; (void)tid; (void)bid; (void)in;");
        self.variables = types.iter().enumerate().map(|(i, &t)| (format!("p{i}"), t)).collect();
        if with_struct {
            types.push("S");
            self.variables.extend([
                ("s.a".into(), "u32"),
                ("s.b".into(), "u64"),
                ("s.c".into(), "f32"),
                ("s.d".into(), "u8"),
            ]);
        }
        self.indent = 1;
        for _ in 0..2 {
            self.statement(1);
        }
        let value = self.expression(ty, 2);
        self.line(&format!("return {value};"));
        self.indent = 0;
        self.line("}");
        self.variables.clear();
        self.helpers.push((name, ty, types));
    }

    fn generate(&mut self, index: usize) {
        self.reads_shared = false;
        for number in 0..self.random.below(3) {
            self.helper(index, number);
        }
        let phases = self.random.below(3) as u32 + 1;
        for phase in 0..phases {
            self.phase = phase;
            self.reads_shared = phase > 0;
            self.variables.clear();
            self.line(&format!(
                "FN void k{index}_p{phase}(u32 tid, u32 bid, const u64 *in, u64 *out, SHARED u64 *sh) {{"
            ));
            self.indent = 1;
            self.line("(void)bid; (void)in; (void)out; (void)sh;");
            for _ in 0..self.random.below(5) + 3 {
                self.statement(2);
            }
            // Every thread fills its own slot, in one of several ways.
            let half = if phase % 2 == 0 { 0 } else { 64 };
            let (odd, plus) = (self.random.below(32) * 2 + 1, self.random.below(64));
            let slot = format!("{half} + ((tid * {odd} + {plus}) & 63)");
            match self.random.below(3) {
                0 => {
                    let value = self.expression("u64", 2);
                    self.line(&format!("sh[{slot}] = {value};"));
                }
                1 => {
                    for part in 0..2 {
                        let value = self.expression("u32", 2);
                        self.line(&format!("((SHARED u32 *)(sh + {slot}))[{part}] = {value};"));
                    }
                }
                _ => {
                    for part in 0..4 {
                        let value = self.expression("u16", 1);
                        self.line(&format!("((SHARED u16 *)(sh + {slot}))[{part}] = {value};"));
                    }
                }
            }
            for word in 0..WORDS {
                let value = match self.variables.pop() {
                    Some((name, ty)) if is_float(ty) => format!("bits_{ty}({name})"),
                    Some((name, ty)) if ty.starts_with('s') => format!("(u64)(s64){name}"),
                    Some((name, _)) => format!("(u64){name}"),
                    None => self.expression("u64", 2),
                };
                let op = if phase == 0 { "=" } else { "^=" };
                self.line(&format!("out[{word}] {op} {value};"));
            }
            self.indent = 0;
            self.line("}");
        }
        let calls: Vec<String> = (0..phases).map(|p| format!("k{index}_p{p}(tid, bid, in, mine, sh);")).collect();
        let device = calls.join(" __syncthreads(); ");
        self.line("#ifdef __NVPTX__");
        self.line(&format!(
            "static SHARED u64 k{index}_shared[128];\n__attribute__((nvptx_kernel)) void k{index}(const u64 *in, u64 *out) {{\n  u32 tid = __nvvm_read_ptx_sreg_tid_x(), bid = __nvvm_read_ptx_sreg_ctaid_x();\n  u64 *mine = out + (bid * {THREADS} + tid) * {WORDS}; SHARED u64 *sh = k{index}_shared;\n  {device}\n}}"
        ));
        self.line("#else");
        let mut host = String::new();
        for p in 0..phases {
            let _ = write!(
                host,
                "for (u32 tid = 0; tid < {THREADS}; tid++) {{ u64 *mine = out + (bid * {THREADS} + tid) * {WORDS}; k{index}_p{p}(tid, bid, in, mine, sh); }} "
            );
        }
        self.line(&format!(
            "static void k{index}(const u64 *in, u64 *out) {{ for (u32 bid = 0; bid < {BLOCKS}; bid++) {{ u64 sh[128] = {{0}}; {host} }} }}"
        ));
        self.line("#endif");
    }
}

/// The C text of some kernels.
pub(crate) fn source(seed: u64, kernels: usize) -> String {
    let mut text = PRELUDE.to_owned();
    for index in 0..kernels {
        let seed = (seed.wrapping_mul(1000).wrapping_add(index as u64) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut random = Random(seed | 1);
        for _ in 0..4 {
            random.next();
        }
        let mut kernel = Kernel {
            random,
            text: String::new(),
            variables: Vec::new(),
            count: 0,
            indent: 0,
            helpers: Vec::new(),
            reads_shared: false,
            phase: 0,
        };
        kernel.generate(index);
        text += &kernel.text;
    }
    text += "#ifndef __NVPTX__\n#include <stdio.h>\nstatic __attribute__((aligned(32))) u64 in[256]; static u64 out[128 * 4];\nint main(void) {\n  if (fread(in, 8, 256, stdin) != 256) return 1;\n";
    for index in 0..kernels {
        let _ = writeln!(text, "  k{index}(in, out); fwrite(out, 1, sizeof out, stdout);");
    }
    text + "  return 0;\n}\n#endif\n"
}

/// The input of all kernels: numbers of all kinds.
pub(crate) fn input() -> Vec<u8> {
    let mut random = Random(88_172_645_463_325_252);
    let mut words = Vec::new();
    for i in 0..INPUT {
        let r = random.next() << 11 ^ random.next();
        words.push(match i % 4 {
            0 => {
                u64::from((random.below(2000) as f32 / 8.0 - 100.0).to_bits())
                    | u64::from(((r as i32) as f32).to_bits()) << 32
            }
            1 => (random.below(100_000) as f64 / 64.0 - 700.0).to_bits(),
            2 => r,
            _ => r >> random.below(64),
        });
    }
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

/// What clang makes of a text.
pub(crate) struct Compiled {
    pub(crate) ptx: String,
    /// What the host computes.
    pub(crate) expected: Vec<u8>,
}

fn clang(arguments: &[&str], source: &Path, output: &Path) -> Result<(), String> {
    let result = Command::new("clang-22")
        .args(["-w", "-fwrapv", "-ffp-contract=off", "-fno-math-errno", "-fno-strict-aliasing"])
        .args(arguments)
        .arg(source)
        .arg("-o")
        .arg(output)
        .args(if arguments.contains(&"-S") { &[][..] } else { &["-lm"] })
        .output()
        .map_err(|e| format!("clang-22 does not start: {e}"))?;
    if result.status.success() {
        return Ok(());
    }
    Err(format!("{}: {}", source.display(), String::from_utf8_lossy(&result.stderr)))
}

/// The level of optimisation for the device and its architecture take turns.
fn target(seed: u64) -> [&'static str; 3] {
    let [cpu, ptx] = [["sm_70", "+ptx60"], ["sm_80", "+ptx70"], ["sm_90", "+ptx78"]][(seed / 4 % 3) as usize];
    [["-O2", "-O0", "-O3", "-O1"][(seed % 4) as usize], cpu, ptx]
}

/// Compiles kernels for both sides and runs them on the host.
pub(crate) fn compile(folder: &Path, seed: u64, kernels: usize) -> Result<Compiled, String> {
    let [level, cpu, ptx] = target(seed);
    let file = |extension: &str| -> PathBuf { folder.join(format!("random-{seed}.{extension}")) };
    let c = file("c");
    std::fs::write(&c, source(seed, kernels)).map_err(|e| e.to_string())?;
    let march = format!("-march={cpu}");
    let device = ["--target=nvptx64-nvidia-cuda", &march, "-Xclang", "-target-feature", "-Xclang", ptx, level, "-S"];
    clang(&device, &c, &file("ptx"))?;
    clang(&["-O1", "-Xclang", "-ffloat16-excess-precision=none"], &c, &file("exe"))?;
    let mut child =
        Command::new(file("exe")).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(|e| e.to_string())?;
    let mut pipe = child.stdin.take().ok_or("no input")?;
    std::io::Write::write_all(&mut pipe, &input()).map_err(|e| e.to_string())?;
    drop(pipe);
    let output = child.wait_with_output().map_err(|e| e.to_string())?;
    if !output.status.success() {
        return Err(format!("{} ends with {}", file("exe").display(), output.status));
    }
    let ptx = std::fs::read_to_string(file("ptx")).map_err(|e| e.to_string())?;
    Ok(Compiled { ptx, expected: output.stdout })
}

/// Runs all kernels on the emulator and compares; returns the differences and how many instructions were executed.
pub(crate) fn run(compiled: &Compiled, kernels: usize, checks: Checks) -> Result<u64, String> {
    let module = Module::parse(&compiled.ptx).map_err(|e| e.to_string())?;
    let mut device = Device::new(Limits::default());
    let module = device.load(module).map_err(|e| e.to_string())?;
    let bytes = output_bytes();
    let data = input();
    let a = device.allocate(data.len() as u64).map_err(|e| e.to_string())?;
    device.write(a, &data).map_err(|e| e.to_string())?;
    let mut instructions = 0;
    for kernel in 0..kernels {
        let b = device.allocate(bytes as u64).map_err(|e| e.to_string())?;
        let mut configuration = Configuration::new([BLOCKS, 1, 1], [THREADS, 1, 1]);
        configuration.checks = checks;
        configuration.argument(a.to_le_bytes()).argument(b.to_le_bytes());
        instructions +=
            device.launch(module, &format!("k{kernel}"), &configuration).map_err(|e| e.to_string())?.instructions;
        let mut output = vec![0; bytes];
        device.read(b, &mut output).map_err(|e| e.to_string())?;
        let expected = &compiled.expected[kernel * bytes..(kernel + 1) * bytes];
        if let Some(word) = output.chunks(8).zip(expected.chunks(8)).position(|(a, b)| a != b) {
            return Err(format!(
                "kernel k{kernel}, thread {}, word {}: {:02x?} instead of {:02x?}",
                word as u32 / WORDS,
                word as u32 % WORDS,
                &output[word * 8..word * 8 + 8],
                &expected[word * 8..word * 8 + 8]
            ));
        }
    }
    Ok(instructions)
}
