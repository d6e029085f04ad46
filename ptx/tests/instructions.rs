//! Every instruction, on hand-written PTX.

#[path = "support/forms.rs"]
mod forms;
#[path = "support/operands.rs"]
mod operands;

use operands::{BLOCK, operands};
use tessera_ptx::{Checks, Configuration, Device, Limits, Module};

/// Runs a form for some operands.
fn run(form: &str, operands: &[[u64; 3]]) -> Vec<u64> {
    let text = forms::module(&[form.to_owned()]);
    let module = Module::parse(&text).unwrap_or_else(|e| panic!("{form}: {e}"));
    let mut padded = operands.to_vec();
    padded.resize(operands.len().next_multiple_of(BLOCK as usize), [1; 3]);
    let mut device = Device::new(Limits::default());
    let module = device.load(module).unwrap();
    let input: Vec<u8> = padded.iter().flatten().flat_map(|v| v.to_le_bytes()).collect();
    let (a, b) = (device.allocate(input.len() as u64).unwrap(), device.allocate(padded.len() as u64 * 8).unwrap());
    device.write(a, &input).unwrap();
    let mut configuration = Configuration::new([padded.len() as u32 / BLOCK, 1, 1], [BLOCK, 1, 1]);
    configuration.argument(a.to_le_bytes()).argument(b.to_le_bytes());
    device.launch(module, "f0", &configuration).unwrap_or_else(|e| panic!("{form}: {e}"));
    let mut output = vec![0; padded.len() * 8];
    device.read(b, &mut output).unwrap();
    output.chunks(8).take(operands.len()).map(|c| u64::from_le_bytes(c.try_into().unwrap())).collect()
}

#[track_caller]
fn check(form: &str, cases: &[([u64; 3], u64)]) {
    let operands: Vec<[u64; 3]> = cases.iter().map(|c| c.0).collect();
    for (i, result) in run(form, &operands).into_iter().enumerate() {
        assert_eq!(result, cases[i].1, "{form} with {:x?}: {result:#x}", cases[i].0);
    }
}

fn f(x: f32) -> u64 {
    u64::from(x.to_bits())
}

fn d(x: f64) -> u64 {
    x.to_bits()
}

#[test]
fn every_form_runs_with_and_without_checks() {
    let forms = forms::forms();
    assert!(forms.len() > 800, "{}", forms.len());
    let text = forms::module(&forms);
    let threads = 256;
    let input: Vec<u8> = operands(threads).iter().flat_map(|v| v.to_le_bytes()).collect();
    let mut results = Vec::new();
    for checks in [Checks::ALL, Checks::NONE] {
        let mut device = Device::new(Limits::default());
        let module = device.load(Module::parse(&text).unwrap_or_else(|e| panic!("{e}"))).unwrap();
        let a = device.allocate(input.len() as u64).unwrap();
        device.write(a, &input).unwrap();
        let mut all = Vec::new();
        for (i, form) in forms.iter().enumerate() {
            let b = device.allocate(threads as u64 * 8).unwrap();
            let mut configuration = Configuration::new([threads as u32 / BLOCK, 1, 1], [BLOCK, 1, 1]);
            configuration.checks = checks;
            configuration.argument(a.to_le_bytes()).argument(b.to_le_bytes());
            device.launch(module, &format!("f{i}"), &configuration).unwrap_or_else(|e| panic!("{form}: {e}"));
            let mut output = vec![0; threads * 8];
            device.read(b, &mut output).unwrap();
            all.push(output);
        }
        results.push(all);
    }
    assert!(results[0] == results[1]);
}

#[test]
fn integer_arithmetic() {
    check("add.s32 %r7, %r0, %r1;", &[([0xffff_ffff, 2, 0], 1)]);
    check("sub.u16 %h7, %h0, %h1;", &[([0, 1, 0], 0xffff)]);
    check("mul.hi.s64 %d7, %d0, %d1;", &[([u64::MAX, 5, 0], u64::MAX), ([1 << 63, 1 << 63, 0], 1 << 62)]);
    check("mad.wide.s32 %d7, %r0, %r1, %d2;", &[([0xffff_ffff, 3, 10], 7)]);
    check("mad24.hi.u32 %r7, %r0, %r1, %r2;", &[([0xff_ffff, 0xff_ffff, 1], 0xffff_fe01)]);
    check("div.s32 %r7, %r0, %r1;", &[([0xffff_fff9, 2, 0], 0xffff_fffd), ([7, 0xffff_fffe, 0], 0xffff_fffd)]);
    check("rem.s64 %d7, %d0, %d1;", &[([(-7i64) as u64, 2, 0], u64::MAX)]);
    check("sad.s16 %h7, %h0, %h1, %h2;", &[([0xffff, 1, 5], 7)]);
    check("add.sat.s32 %r7, %r0, %r1;", &[([0x7fff_ffff, 1, 0], 0x7fff_ffff)]);
    check("min.s16 %h7, %h0, %h1;", &[([0xffff, 1, 0], 0xffff)]);
    check("max.u16 %h7, %h0, %h1;", &[([0xffff, 1, 0], 0xffff)]);
    check("abs.s64 %d7, %d0;", &[([u64::MAX, 0, 0], 1)]);
    check("add.cc.u32 %r6, %r0, %r1; addc.u32 %r7, %r2, 0;", &[([0xffff_ffff, 1, 5], 6), ([1, 1, 5], 5)]);
    check("sub.cc.u64 %d6, %d0, %d1; subc.u64 %d7, %d2, 0;", &[([0, 1, 5], 4), ([1, 1, 5], 5)]);
}

#[test]
fn logic_and_fields() {
    check("shl.b32 %r7, %r0, %r1;", &[([1, 31, 0], 1 << 31), ([1, 32, 0], 0), ([1, 0xffff_ffff, 0], 0)]);
    check("shr.s16 %h7, %h0, %r1;", &[([0x8000, 3, 0], 0xf000), ([0x8000, 77, 0], 0xffff)]);
    check("shr.u64 %d7, %d0, %r1;", &[([1 << 63, 63, 0], 1), ([1 << 63, 64, 0], 0)]);
    check("bfe.s32 %r7, %r0, %r1, %r2;", &[([0x0000_0f00, 8, 4], 0xffff_ffff), ([0x8000_0000, 31, 9], 0xffff_ffff)]);
    check("bfi.b64 %d7, %d0, %d1, %r1, %r2;", &[([0xff, 4, 8], 0xff4 & !0xf | 4)]);
    check("prmt.b32 %r7, %r0, %r1, %r2;", &[([0x4433_2211, 0x8877_6655, 0x7531], 0x8866_4422)]);
    check("lop3.b32 %r7, %r0, %r1, %r2, 0xca;", &[([0xffff_0000, 0x1234_5678, 0x9abc_def0], 0x1234_def0)]);
    check("popc.b64 %r7, %d0;", &[([u64::MAX, 0, 0], 64)]);
    check("clz.b32 %r7, %r0;", &[([0, 0, 0], 32), ([1, 0, 0], 31)]);
    check("brev.b64 %d7, %d0;", &[([1, 0, 0], 1 << 63)]);
    check("bfind.s32 %r7, %r0;", &[([0xffff_ffff, 0, 0], 0xffff_ffff), ([0x8000_0000, 0, 0], 30)]);
    check("cnot.b16 %h7, %h0;", &[([0, 0, 0], 1), ([7, 0, 0], 0)]);
    check("slct.u64.s32 %d7, %d0, %d1, %r2;", &[([1, 2, 0], 1), ([1, 2, 0xffff_ffff], 2)]);
    check("selp.b32 %r7, %r0, %r1, %p1;", &[([1, 2, 0], 2), ([1, 2, 0xffff_ffff], 1)]);
}

#[test]
fn floating_point() {
    check(
        "add.rn.f32 %r7, %r0, %r1;",
        &[([f(1.0), f(2f32.powi(-24)), 0], f(1.0)), ([f(0.1), f(0.2), 0], f(0.1 + 0.2))],
    );
    check("fma.rn.f64 %d7, %d0, %d1, %d2;", &[([d(0.1), d(10.0), d(-1.0)], d(0.1f64.mul_add(10.0, -1.0)))]);
    check("div.rn.f32 %r7, %r0, %r1;", &[([f(1.0), f(0.0), 0], f(f32::INFINITY)), ([0, 0, 0], 0x7fff_ffff)]);
    check("sqrt.rn.f32 %r7, %r0;", &[([f(2.0), 0, 0], f(2f32.sqrt())), ([f(-0.0), 0, 0], f(-0.0))]);
    check("min.f32 %r7, %r0, %r1;", &[([f(f32::NAN), f(3.0), 0], f(3.0)), ([f(0.0), f(-0.0), 0], f(-0.0))]);
    check("max.f64 %d7, %d0, %d1;", &[([d(-0.0), d(0.0), 0], 0), ([d(f64::NAN), d(-1.0), 0], d(-1.0))]);
    check("max.NaN.f32 %r7, %r0, %r1;", &[([f(f32::NAN), f(3.0), 0], 0x7fff_ffff)]);
    check("copysign.f32 %r7, %r0, %r1;", &[([f(-1.0), f(3.0), 0], f(-3.0))]);
    check("neg.f64 %d7, %d0;", &[([d(0.0), 0, 0], d(-0.0))]);
    check("mul.rn.f16 %h7, %h0, %h1;", &[([0x3e00, 0x4000, 0], 0x4200)]);
}

#[test]
fn comparisons() {
    let nan = f(f32::NAN);
    check("setp.lt.f32 %p7, %r0, %r1;", &[([f(1.0), f(2.0), 0], 1), ([nan, f(2.0), 0], 0)]);
    check("setp.ltu.f32 %p7, %r0, %r1;", &[([f(3.0), f(2.0), 0], 0), ([nan, f(2.0), 0], 1)]);
    check("setp.nan.f64 %p7, %d0, %d1;", &[([d(f64::NAN), 0, 0], 1), ([0, 0, 0], 0)]);
    check("setp.eq.b32 %p7, %r0, -2147483648;", &[([0x8000_0000, 0, 0], 1)]);
    check("setp.lo.u16 %p7, %h0, %h1;", &[([1, 0xffff, 0], 1)]);
    check("setp.lt.and.s32 %p7, %r0, %r1, !%p1;", &[([1, 2, 0], 1), ([1, 2, 0xffff_ffff], 0)]);
    check("set.gt.f32.s32 %r7, %r0, %r1;", &[([2, 1, 0], f(1.0)), ([1, 1, 0], 0)]);
}

#[test]
fn conversions() {
    check("cvt.rzi.s32.f32 %r7, %r0;", &[([f(-1.9), 0, 0], 0xffff_ffff), ([f(1e20), 0, 0], 0x7fff_ffff)]);
    check("cvt.rni.u64.f64 %d7, %d0;", &[([d(2.5), 0, 0], 2), ([d(-3.0), 0, 0], 0)]);
    check("cvt.rmi.f32.f32 %r7, %r0;", &[([f(-0.5), 0, 0], f(-1.0))]);
    check("cvt.rz.f32.f64 %r7, %d0;", &[([d(1.0 / 3.0), 0, 0], 0x3eaa_aaaa)]);
    check("cvt.rn.f32.u64 %r7, %d0;", &[([u64::MAX, 0, 0], f(18446744073709551615f32))]);
    check("cvt.s64.s8 %d7, %r0;", &[([0x1ff, 0, 0], u64::MAX)]);
    check("cvt.u16.s32 %h7, %r0;", &[([0x1_2345, 0, 0], 0x2345)]);
    check("cvt.sat.u8.s32 %r7, %r0;", &[([300, 0, 0], 255), ([0xffff_ffff, 0, 0], 0)]);
    check("cvt.f64.f32 %d7, %r0;", &[([f(0.1), 0, 0], d(f64::from(0.1f32)))]);
    check("cvt.rn.f16.f32 %h7, %r0;", &[([f(1.0 / 3.0), 0, 0], 0x3555)]);
    check("cvt.rn.bf16x2.f32 %r7, %r0, %r1;", &[([f(1.0), f(2.0), 0], 0x3f80_4000)]);
}

#[test]
fn moves_and_memory() {
    check("mov.b64 %d7, {%r0, %r1};", &[([1, 2, 0], 2 << 32 | 1)]);
    check("mov.b32 {_, %h7}, %r0;", &[([0x1234_5678, 0, 0], 0x1234)]);
    check("st.shared.b64 [%sh], %d0; ld.shared.s8 %d7, [%sh+1];", &[([0x8000, 0, 0], 0xffff_ffff_ffff_ff80)]);
    check(
        "st.global.b32 [%out], %r0; atom.global.cas.b32 %r6, [%out], 5, %r1; ld.global.b32 %r7, [%out];",
        &[([5, 9, 0], 9), ([6, 9, 0], 6)],
    );
    check(
        "st.global.b32 [%out], %r0; red.global.add.f32 [%out], %r1; ld.global.b32 %r7, [%out];",
        &[([f(1.5), f(2.0), 0], f(3.5)), ([1, 1, 0], 0)],
    );
    check("st.shared.b32 [%sh], %r0; red.shared.add.f32 [%sh], %r1; ld.shared.b32 %r7, [%sh];", &[([1, 1, 0], 2)]);
    check(
        "st.global.b32 [%out], %r0; atom.global.inc.u32 %r6, [%out], %r1; ld.global.b32 %r7, [%out];",
        &[([5, 5, 0], 0), ([4, 5, 0], 5)],
    );
}

#[test]
fn shuffles_and_votes() {
    let operands: Vec<[u64; 3]> = (0..64).map(|i| [i * 10, 3, if i == 40 { u64::MAX } else { 0 }]).collect();
    let results = run("shfl.sync.bfly.b32 %r7, %r0, %r1, 31, -1;", &operands);
    assert!((0..64).all(|i| results[i] == (i as u64 ^ 3) * 10));
    let results = run("shfl.sync.up.b32 %r7|%p2, %r0, %r1, 0, -1;", &operands);
    assert!((0..32).all(|i| results[i] == if i < 3 { i } else { i - 3 } as u64 * 10));
    let results = run("vote.sync.ballot.b32 %r7, %p1, -1;", &operands);
    assert_eq!((results[0], results[63]), (0, 1 << 8));
    let results = run("barrier.cta.red.popc.aligned.u32 %r7, 0, %p1;", &operands);
    assert_eq!((results[0], results[63]), (1, 1));
    let results = run("redux.sync.add.u32 %r7, %r0, -1;", &operands);
    assert_eq!((results[0], results[63]), (4960, 15200));
}

#[test]
fn what_is_not_known_is_an_error_with_its_line() {
    for (form, message) in [
        ("frobnicate.u32 %r7, %r0;", "unknown instruction `frobnicate.u32`"),
        ("add.frob.u32 %r7, %r0, %r1;", "`add.frob.u32`: unknown modifier `.frob`"),
        ("add.u32.x %r7, %r0, %r1;", "unknown modifier `.x`"),
        ("add.f32 %r7, %r0, %r1;", "without `.rn`"),
        ("add.rz.f32 %r7, %r0, %r1;", "unknown modifier `.rz`"),
        ("add.rn.ftz.f32 %r7, %r0, %r1;", "`.ftz` flushes subnormal numbers"),
        ("div.approx.f32 %r7, %r0, %r1;", "`.approx` is an approximation"),
        ("div.full.f32 %r7, %r0, %r1;", "`.full` is an approximation"),
        ("sqrt.approx.f32 %r7, %r0;", "`.approx` is an approximation"),
        ("ex2.approx.f32 %r7, %r0;", "`ex2.approx.f32`: it is an approximation"),
        ("rsqrt.approx.f32 %r7, %r0;", "approximation"),
        ("add.u32 %r7, %r0;", "an operand is missing"),
        ("add.u32 %r7, %r0, %r1, %r2;", "too many operands"),
        ("add.u32 %d7, %r0, %r1;", "`%d7` is a register of type `.b64`, expected `.u32`"),
        ("add.u32 %r7, %p1, %r1;", "`%p1` is a register of type `.pred`"),
        ("mov.u32 %r7, %clock;", "`%clock` is neither declared nor a known special register"),
        ("cvt.f32.s32 %r7, %r0;", "a rounding (`.rn`) is missing"),
        ("cvt.s32.f32 %r7, %r0;", "a rounding to an integer (`.rzi`) is missing"),
        ("cvt.rna.tf32.f32 %r7, %r0;", "unknown modifier `.rna`"),
        ("bra nowhere; mov.u32 %r7, 0;", "there is no label `nowhere`"),
        ("call nothing; mov.u32 %r7, 0;", "there is no function `nothing` with a body"),
        ("activemask.b32 %r7;", "unknown instruction `activemask.b32`"),
        ("ld.global.frob.b32 %r7, [%out];", "unknown modifier `.frob`"),
        ("min.xorsign.abs.f32 %r7, %r0, %r1;", "unknown modifier `.xorsign`"),
        ("bar.sync 16; mov.u32 %r7, 0;", "there are 16 barriers"),
        (".frob %r7;", "unknown directive `.frob`"),
    ] {
        let text = forms::module(&[form.to_owned()]);
        let error = Module::parse(&text).map(|_| ()).expect_err(form);
        assert!(error.message.contains(message), "{form}: {error}");
        let line = text.lines().position(|l| l.contains(form)).unwrap() + 1;
        assert_eq!(error.place.line as usize, line, "{form}: {error}");
    }
}

#[test]
fn what_ptxas_translates_wrongly() {
    for (form, count) in [
        ("cvt.rn.f32.u32 %r5, %r0; st.global.b16 [%out], %r5; mov.u32 %r7, 0;", 1),
        ("add.rn.f64 %d5, %d0, %d1; st.shared.v2.b32 [%sh], {%d5, %d0}; mov.u32 %r7, 0;", 1),
        ("cvt.rn.f32.u32 %r5, %r0; mov.b32 %r6, %r5; st.global.b16 [%out], %r6; mov.u32 %r7, 0;", 0),
        ("cvt.rn.f32.u32 %r5, %r0; st.global.b32 [%out], %r5; mov.u32 %r7, 0;", 0),
        ("cvt.rzi.u32.f32 %r5, %r0; st.global.b16 [%out], %r5; mov.u32 %r7, 0;", 0),
        ("mul.hi.u32 %r5, %r0, 49367441; cvt.u64.u32 %d5, %r5; sub.s64 %d7, %d5, %d1;", 1),
        ("mul.hi.u32 %r5, %r0, 49367441; mov.b64 %d5, {%r5, 0}; neg.s64 %d4, %d1; add.s64 %d7, %d5, %d4;", 1),
        ("mul.hi.u32 %r5, %r0, 49367441; cvt.u64.u32 %d5, %r5; sub.s64 %d7, %d1, %d5;", 0),
        ("mul.hi.u32 %r5, %r0, 9; shr.u32 %r5, %r5, 1; cvt.u64.u32 %d5, %r0; sub.s64 %d7, %d5, %d1;", 0),
    ] {
        let text = forms::module(&[form.to_owned()]);
        let module = Module::parse(&text).unwrap_or_else(|e| panic!("{form}: {e}"));
        assert_eq!(module.warnings().len(), count, "{form}");
    }
    // And the results are those of PTX.
    check("mul.hi.u32 %r5, %r0, 49367441; cvt.u64.u32 %d5, %r5; sub.s64 %d7, %d5, %d1;", &[([4, 0, 0], 0)]);
    check(
        "cvt.rn.f32.u32 %r5, %r0; st.shared.b32 [%sh], 0; st.shared.b16 [%sh], %r5; ld.shared.b32 %r7, [%sh];",
        &[([0x1234_5678, 0, 0], u64::from((0x1234_5678 as f32).to_bits() & 0xffff))],
    );
}
