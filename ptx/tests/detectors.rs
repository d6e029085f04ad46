//! Kernels that are wrong on purpose: every fault is found, with its line, block and thread, and the right kernel has
//! none.

use tessera_ptx::{AccessKind, Checks, Configuration, Device, Fault, FaultKind, Limits, MemoryKind, Module, Origin};

const N: usize = 32;

/// `C = A * B` for matrices of 32 x 32 singles, with tiles of 16 x 16 in shared memory. `{...}` are places to break.
const MATMUL: &str = "
.version 6.0
.target sm_70
.address_size 64
.visible .entry matmul(.param .u64 pa, .param .u64 pb, .param .u64 pc)
.maxntid 16, 16, 1
{
    .reg .pred %p<4>;
    .reg .b32 %r<20>;
    .reg .f32 %f<4>;
    .reg .b64 %rd<20>;
    .shared .align 4 .b8 ta[1024];
    .shared .align 4 .b8 tb[1024];
    ld.param.u64 %rd1, [pa];
    ld.param.u64 %rd2, [pb];
    ld.param.u64 %rd3, [pc];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %tid.y;
    mov.u32 %r3, %ctaid.x;
    mov.u32 %r4, %ctaid.y;
    mad.lo.s32 %r5, %r3, 16, %r1;
    mad.lo.s32 %r6, %r4, 16, %r2;
    mad.lo.s32 %r7, %r2, 16, %r1;
    mul.wide.u32 %rd4, %r7, 4;
    mov.u64 %rd5, ta;
    mov.u64 %rd6, tb;
    add.s64 %rd7, %rd5, %rd4;
    add.s64 %rd8, %rd6, %rd4;
    mov.f32 %f1, 0f00000000;
    mov.u32 %r8, 0;
tiles:
    mad.lo.s32 %r9, %r6, 32, %r8;
    add.s32 %r9, %r9, %r1;
    mul.wide.u32 %rd9, %r9, 4;
    add.s64 %rd10, %rd1, %rd9;
    ld.global.f32 %f2, [%rd10];
    st.shared.f32 [%rd7], %f2;
    add.s32 %r10, %r8, %r2;
    mad.lo.s32 %r11, %r10, 32, %r5;
    mul.wide.u32 %rd11, %r11, 4;
    add.s64 %rd12, %rd2, %rd11;
    ld.global.f32 %f2, [%rd12];
    st.shared.f32 [%rd8], %f2;
    bar.sync 0; // first
    mov.u32 %r12, 0;
inner:
    mad.lo.s32 %r13, %r2, 16, %r12;
    mul.wide.u32 %rd13, %r13, 4;
    add.s64 %rd14, %rd5, %rd13;
    mad.lo.s32 %r14, %r12, 16, %r1;
    mul.wide.u32 %rd15, %r14, 4;
    add.s64 %rd16, %rd6, %rd15;
    ld.shared.f32 %f2, [%rd14]; // a
    ld.shared.f32 %f3, [%rd16]; // b
    fma.rn.f32 %f1, %f2, %f3, %f1;
    add.s32 %r12, %r12, 1;
    setp.lt.s32 %p1, %r12, 16; // inner
    @%p1 bra inner;
    bar.sync 0; // second
    add.s32 %r8, %r8, 16;
    setp.lt.s32 %p2, %r8, 32; // tiles
    @%p2 bra tiles;
    mad.lo.s32 %r15, %r6, 32, %r5; // result
    mul.wide.u32 %rd17, %r15, 4;
    add.s64 %rd18, %rd3, %rd17;
    st.global.f32 [%rd18], %f1; // store
    ret;
}
";

fn matmul(text: &str, checks: Checks) -> Result<Vec<f32>, Fault> {
    let mut device = Device::new(Limits::default());
    let module = device.load(Module::parse(text).unwrap_or_else(|e| panic!("{e}"))).unwrap();
    let mut configuration = Configuration::new([2, 2, 1], [16, 16, 1]);
    configuration.checks = checks;
    configuration.steps = 10_000_000;
    let mut buffers = Vec::new();
    for which in 0..3 {
        let values: Vec<u8> =
            (0..N * N).flat_map(|i| ((i * 7 + which * 3) as f32 % 11.0 - 4.5).to_le_bytes()).collect();
        let buffer = device.allocate((N * N * 4) as u64).unwrap();
        device.write(buffer, &values).unwrap();
        configuration.argument(buffer.to_le_bytes());
        buffers.push(buffer);
    }
    device.launch(module, "matmul", &configuration)?;
    let mut bytes = vec![0; N * N * 4];
    device.read(buffers[2], &mut bytes).unwrap();
    Ok(bytes.chunks(4).map(|c| f32::from_le_bytes(c.try_into().unwrap())).collect())
}

/// The fault after a change of the text, which must be in it.
#[track_caller]
fn broken(from: &str, to: &str) -> Fault {
    assert!(MATMUL.contains(from), "{from}");
    let fault = matmul(&MATMUL.replacen(from, to, 1), Checks::ALL).expect_err(from);
    println!("{fault}");
    fault
}

/// The line with this text.
fn line(text: &str, part: &str) -> u32 {
    text.lines().position(|l| l.contains(part)).unwrap() as u32 + 1
}

#[test]
fn the_right_kernel_is_right() {
    let at = |which: usize, i: usize| (i * 7 + which * 3) as f32 % 11.0 - 4.5;
    for checks in [Checks::ALL, Checks::NONE] {
        let result = matmul(MATMUL, checks).unwrap_or_else(|f| panic!("{f}"));
        for y in 0..N {
            for x in 0..N {
                let sum = (0..N).fold(0f32, |s, k| at(0, y * N + k).mul_add(at(1, k * N + x), s));
                assert_eq!(result[y * N + x].to_bits(), sum.to_bits());
            }
        }
    }
}

#[test]
fn a_missing_barrier_is_a_race() {
    // The first barrier: a thread reads what another one has not written.
    let fault = broken("bar.sync 0; // first", "");
    assert!(matches!(
        fault.kind,
        FaultKind::Undefined { origin: Origin::Memory(MemoryKind::Shared, _), .. } | FaultKind::Race { .. }
    ));
    // The second one: a thread fills the next tile while others read.
    let fault = broken("bar.sync 0; // second", "");
    let FaultKind::Race { memory, access, other, other_thread, .. } = fault.kind else { panic!("{fault}") };
    assert_eq!(memory, MemoryKind::Shared);
    assert!(access == AccessKind::Write || other == AccessKind::Write);
    assert!(fault.thread.is_some_and(|t| t[1] * 16 + t[0] != other_thread));
    // Without the detection of undefined values, the first one is a race too.
    let text = MATMUL.replacen("bar.sync 0; // first", "", 1);
    let fault = matmul(&text, Checks { undefined: false, ..Checks::ALL }).unwrap_err();
    assert!(matches!(fault.kind, FaultKind::Race { memory: MemoryKind::Shared, .. }), "{fault}");
}

#[test]
fn an_index_off_by_one() {
    // Behind the end of the result, in the last row of the last block.
    let fault =
        broken("mad.lo.s32 %r15, %r6, 32, %r5; // result", "mad.lo.s32 %r15, %r6, 32, %r5; add.s32 %r15, %r15, 1;");
    let FaultKind::OutOfBounds { memory: MemoryKind::Global, bytes: 4, .. } = fault.kind else { panic!("{fault}") };
    assert_eq!((fault.block, fault.thread), (Some([1, 1, 0]), Some([15, 15, 0])));
    assert_eq!(fault.line, Some(line(MATMUL, "// store")));
    // One step too many in the tile: behind its end, not into the next one.
    let fault = broken("setp.lt.s32 %p1, %r12, 16; // inner", "setp.le.s32 %p1, %r12, 16;");
    let FaultKind::OutOfBounds { memory: MemoryKind::Shared, address, bytes: 4 } = fault.kind else {
        panic!("{fault}")
    };
    assert!(address >= 1024, "{fault}");
}

#[test]
fn a_tile_that_nobody_filled() {
    let fault = broken("st.shared.f32 [%rd8], %f2;", "");
    assert_eq!(
        fault.kind,
        FaultKind::Undefined {
            register: "%f1".into(),
            origin: Origin::Memory(MemoryKind::Shared, line(MATMUL, "// b")),
        }
    );
    // One element is missing.
    let text =
        MATMUL.replacen("st.shared.f32 [%rd8], %f2;", "setp.ne.u32 %p3, %r7, 37; @%p3 st.shared.f32 [%rd8], %f2;", 1);
    let fault = matmul(&text, Checks::ALL).unwrap_err();
    assert!(matches!(fault.kind, FaultKind::Undefined { .. }), "{fault}");
    assert!(matmul(&text, Checks { undefined: false, ..Checks::ALL }).is_ok());
    // And a register.
    let fault = broken("mov.f32 %f1, 0f00000000;", "");
    assert_eq!(fault.kind, FaultKind::Undefined { register: "%f1".into(), origin: Origin::Nowhere });
}

/// A parameter of a kernel may be loaded by its address.
#[test]
fn addresses_of_parameters() {
    let loaded = |offset: u32| {
        let text = format!("mov.b64 %rd4, p; ld.param.b64 %rd5, [%rd4+{offset}]; st.global.u64 [%rd1], %rd5;");
        body(&text, 1, Checks::ALL)
    };
    assert_ne!(loaded(0).unwrap()[..2], [0, 0]);
    assert!(matches!(loaded(8).unwrap_err().kind, FaultKind::OutOfBounds { memory: MemoryKind::Param, .. }));
}

/// Code that stores 16 bits may pack them into 32 with a register that nothing was written to, and bytes of vectors go through such ones.
#[test]
fn parts_that_are_undefined() {
    let packed = |store: &str| {
        let text = format!(
            ".reg .b16 %h<3>; .reg .b32 %q<2>; mov.b16 %h1, 513; mov.b32 %q1, {{%h1, %h2}}; st.global.b32 [%rd1], 0; {store}"
        );
        body(&text, 1, Checks::ALL)
    };
    assert_eq!(packed("st.global.b16 [%rd1], %q1;").unwrap()[0], 513);
    assert_eq!(packed("st.global.b8 [%rd1], %q1;").unwrap()[0], 1);
    // Only bytes that are defined are chosen.
    let chosen = "mov.b32 %q1, {%h1, %h2}; prmt.b32 %q1, %q1, %r9, 0x1010; st.global.b32 [%rd1], %q1;";
    assert_eq!(packed(chosen).unwrap()[0], 0x0201_0201);
    assert_eq!(packed("mov.b32 {%h2, _}, %q1; st.global.b16 [%rd1], %h2;").unwrap()[0], 513);
    let stores = [
        "prmt.b32 %q1, %q1, %r9, 0x2010; st.global.b32 [%rd1], %q1;",
        "st.global.b32 [%rd1], %q1;",
        "add.u32 %q1, %q1, 1; st.global.b16 [%rd1], %q1;",
    ];
    // The half that is defined moves to where it is stored.
    let moved = "mov.b32 %q1, {%h2, %h1}; and.b32 %q1, %q1, -1; shr.u32 %q1, %q1, 16; st.global.b32 [%rd1], %q1;";
    assert_eq!(packed(moved).unwrap()[0], 513);
    assert_eq!(packed("shl.b32 %q1, %q1, 16; shr.s32 %q1, %q1, 16; st.global.b32 [%rd1], %q1;").unwrap()[0], 513);
    // Undefined bits that a 0 masks, and copies.
    let masked = "not.b32 %q1, %q1; and.b32 %q1, %q1, 65535; mov.b32 %r9, %q1; st.global.b32 [%rd1], %r9;";
    assert_eq!(packed(masked).unwrap()[0], 0xffff - 513);
    assert_eq!(packed("cvt.u16.u32 %h2, %q1; cvt.u32.u16 %q1, %h2; st.global.b32 [%rd1], %q1;").unwrap()[0], 513);
    let condition = |kind: &str, value: &str| {
        packed(&format!(
            ".reg .pred %c<3>; setp.{value}.s16 %c1, %h1, 513; {kind}.pred %c2, %c1, %c2; @%c2 st.global.b32 [%rd1], 7;"
        ))
    };
    assert_eq!((condition("and", "ne").unwrap()[0], condition("or", "eq").unwrap()[0]), (0, 7));
    for (kind, value) in [("and", "eq"), ("or", "ne"), ("xor", "eq"), ("xor", "ne")] {
        let fault = condition(kind, value).unwrap_err();
        assert_eq!(fault.kind, FaultKind::Undefined { register: "%c2".into(), origin: Origin::Nowhere }, "{kind}");
    }
    let others =
        ["mov.b32 %q1, {%h2, %h1}; st.global.b16 [%rd1], %q1;", "shr.u32 %q1, %q1, 16; st.global.b16 [%rd1], %q1;"];
    for store in stores.into_iter().chain(others) {
        let fault = packed(store).unwrap_err();
        assert_eq!(fault.kind, FaultKind::Undefined { register: "%q1".into(), origin: Origin::Nowhere }, "{store}");
    }
}

#[test]
fn divergent_barriers() {
    // Half of the threads of each warp.
    let fault = broken("bar.sync 0; // first", "setp.lt.u32 %p3, %r1, 8; @%p3 bar.sync 0;");
    assert!(matches!(
        fault.kind,
        FaultKind::DivergentBarrier(_) | FaultKind::Undefined { .. } | FaultKind::Race { .. }
    ));
    let fault = broken("bar.sync 0; // second", "setp.lt.u32 %p3, %r1, 8; @%p3 bar.sync 0; @!%p3 bar.sync 0;");
    let FaultKind::DivergentBarrier(what) = &fault.kind else { panic!("{fault}") };
    assert!(what.contains("waits in line"), "{what}");
    // A thread leaves before.
    let fault = broken("mov.f32 %f1, 0f00000000;", "mov.f32 %f1, 0f00000000; setp.eq.u32 %p3, %r7, 77; @%p3 ret;");
    let FaultKind::DivergentBarrier(what) = &fault.kind else { panic!("{fault}") };
    assert!(what.contains("[13, 4, 0]") && what.contains("has exited"), "{what}");
    // A whole warp leaves; PTX allows it.
    let text = MATMUL.replacen("mov.u32 %r8, 0;", "mov.u32 %r8, 0; setp.gt.u32 %p3, %r2, 13; @%p3 exit;", 1);
    let fault = matmul(&text, Checks::ALL).unwrap_err();
    assert!(matches!(fault.kind, FaultKind::DivergentBarrier(_)), "{fault}");
    let relaxed = Checks { exits: false, undefined: false, ..Checks::ALL };
    assert!(matmul(&text, relaxed).is_ok());
    // Different warps wait at different barriers.
    let fault = broken(
        "bar.sync 0; // second",
        "setp.gt.u32 %p3, %r2, 7; @%p3 bra other; bar.sync 0; bra.uni done; other: bar.sync 1; done:",
    );
    let FaultKind::DivergentBarrier(what) = &fault.kind else { panic!("{fault}") };
    assert!(what.contains("nobody can pass barrier 0"), "{what}");
}

#[test]
fn a_race_between_blocks() {
    // All blocks of a column write the same rows.
    let fault = broken("mad.lo.s32 %r15, %r6, 32, %r5; // result", "mad.lo.s32 %r15, %r2, 32, %r5;");
    let FaultKind::Race { memory, access, other, other_block, .. } = fault.kind else { panic!("{fault}") };
    assert_eq!((memory, access, other, other_block), (MemoryKind::Global, AccessKind::Write, AccessKind::Write, 0));
    assert_eq!(fault.block, Some([0, 1, 0]));
    // The result is one of the operands.
    let fault = broken("ld.param.u64 %rd3, [pc];", "ld.param.u64 %rd3, [pa];");
    let FaultKind::Race { access, other, .. } = fault.kind else { panic!("{fault}") };
    assert!(access != other);
}

#[test]
fn misaligned_accesses() {
    let fault = broken("ld.global.f32 %f2, [%rd10];", "ld.global.v2.f32 {%f2, %f3}, [%rd10];");
    let FaultKind::Misaligned { memory: MemoryKind::Global, bytes: 8, .. } = fault.kind else { panic!("{fault}") };
    assert_eq!(fault.thread, Some([1, 0, 0]));
    let fault = broken("ld.shared.f32 %f2, [%rd14]; // a", "ld.shared.f32 %f2, [%rd14+2];");
    let FaultKind::Misaligned { memory: MemoryKind::Shared, address: 2, bytes: 4 } = fault.kind else {
        panic!("{fault}")
    };
}

#[test]
fn endless_loops_and_limits() {
    let fault = broken("add.s32 %r12, %r12, 1;", "");
    assert_eq!(fault.kind, FaultKind::Steps(10_000_000));
    let fault = broken("fma.rn.f32 %f1, %f2, %f3, %f1;", "trap;");
    assert_eq!(fault.kind, FaultKind::Trap);
    let launch = |change: &dyn Fn(&mut Configuration)| {
        let mut device = Device::new(Limits::default());
        let module = device.load(Module::parse(MATMUL).unwrap()).unwrap();
        let mut configuration = Configuration::new([1, 1, 1], [16, 16, 1]);
        for _ in 0..3 {
            configuration.argument(0u64.to_le_bytes());
        }
        change(&mut configuration);
        device.launch(module, "matmul", &configuration).unwrap_err()
    };
    assert!(matches!(launch(&|c| c.block = [17, 16, 1]).kind, FaultKind::Geometry(_)));
    assert!(matches!(launch(&|c| c.block = [1, 1, 65]).kind, FaultKind::Geometry(_)));
    assert!(matches!(launch(&|c| c.grid = [1, 0, 1]).kind, FaultKind::Geometry(_)));
    assert!(matches!(launch(&|c| c.shared_bytes = 48 << 10).kind, FaultKind::SharedMemory { bytes: 51200, .. }));
    assert!(matches!(launch(&|c| drop(c.arguments.pop())).kind, FaultKind::Arguments(_)));
    assert!(matches!(launch(&|c| c.arguments[0].push(0)).kind, FaultKind::Arguments(_)));
    assert!(matches!(launch(&|_| ()).kind, FaultKind::OutOfBounds { address: 0, .. }));
}

/// A kernel of one block around a body; `%rd1` is a buffer of 4 KiB, `%r1` the number of the thread.
fn body(text: &str, threads: u32, checks: Checks) -> Result<Vec<u32>, Fault> {
    let text = format!(
        ".version 6.3\n.target sm_70\n.address_size 64\n.extern .shared .align 4 .b8 dynamic[];\n.const .align 4 .b32 table[4] = {{1, 2, 3, 4}};\n.visible .entry k(.param .u64 p)\n{{\n.reg .pred %p<8>; .reg .b32 %r<16>; .reg .b64 %rd<16>;\n.shared .align 4 .b32 s[256];\n.local .align 4 .b32 l[4];\nld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;\n{text}\nret;\n}}\n"
    );
    let mut device = Device::new(Limits::default());
    let module = device.load(Module::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))).unwrap();
    let buffer = device.allocate(4096).unwrap();
    let mut configuration = Configuration::new([1, 1, 1], [threads, 1, 1]);
    configuration.checks = checks;
    configuration.steps = 1_000_000;
    configuration.shared_bytes = 64;
    configuration.argument(buffer.to_le_bytes());
    let result = device.launch(module, "k", &configuration);
    if let Err(fault) = &result {
        println!("{fault}");
    }
    result?;
    let mut bytes = vec![0; 4096];
    device.read(buffer, &mut bytes).unwrap();
    Ok(bytes.chunks(4).map(|c| u32::from_le_bytes(c.try_into().unwrap())).collect())
}

#[test]
fn named_barriers_order_some_warps() {
    // Warp 0 produces, warp 1 consumes.
    let text = "mov.u64 %rd4, s; add.s64 %rd4, %rd4, %rd2;
        setp.ge.u32 %p1, %r1, 32; @%p1 bra consume;
        st.shared.u32 [%rd4], %r1; bar.arrive 1, 64; ret;
        consume: bar.sync 1, 64; ld.shared.u32 %r2, [%rd4+-128]; st.global.u32 [%rd3], %r2;";
    let result = body(text, 64, Checks::ALL).unwrap();
    assert_eq!(result[32..64], (0..32).collect::<Vec<_>>());
    // Produced after the arrival.
    let late = text.replacen(
        "st.shared.u32 [%rd4], %r1; bar.arrive 1, 64;",
        "bar.arrive 1, 64; st.shared.u32 [%rd4], %r1;",
        1,
    );
    let fault = body(&late, 64, Checks { undefined: false, ..Checks::ALL }).unwrap_err();
    assert!(matches!(fault.kind, FaultKind::Race { memory: MemoryKind::Shared, .. }), "{fault}");
    // Nobody arrives.
    let fault = body("bar.sync 1, 96;", 64, Checks::ALL).unwrap_err();
    assert!(matches!(fault.kind, FaultKind::DivergentBarrier(_)), "{fault}");
    let fault = body("bar.sync 1, 33;", 64, Checks::ALL).unwrap_err();
    assert!(matches!(fault.kind, FaultKind::DivergentBarrier(_)), "{fault}");
    // Barriers that are not aligned may be reached from different places.
    let text = "setp.lt.u32 %p1, %r1, 7; @%p1 barrier.sync 0; @!%p1 barrier.sync 0;";
    assert!(body(text, 64, Checks::ALL).is_ok());
    assert!(body(&text.replace("barrier.sync", "barrier.sync.aligned"), 64, Checks::ALL).is_err());
}

#[test]
fn warps() {
    // Synchronisation of a warp orders its threads, and not those of another warp.
    let text = "mov.u64 %rd4, s; xor.b32 %r2, %r1, 1; mul.wide.u32 %rd5, %r2, 4; add.s64 %rd5, %rd4, %rd5;
        add.s64 %rd4, %rd4, %rd2; st.shared.u32 [%rd4], %r1; bar.warp.sync -1; ld.shared.u32 %r3, [%rd5];
        st.global.u32 [%rd3], %r3;";
    assert_eq!(body(text, 64, Checks::ALL).unwrap()[..4], [1, 0, 3, 2]);
    let fault =
        body(&text.replace("bar.warp.sync -1;", ""), 64, Checks { undefined: false, ..Checks::ALL }).unwrap_err();
    assert!(matches!(fault.kind, FaultKind::Race { .. }), "{fault}");
    let across = text.replace("xor.b32 %r2, %r1, 1;", "xor.b32 %r2, %r1, 32;");
    let fault = body(&across, 64, Checks { undefined: false, ..Checks::ALL }).unwrap_err();
    assert!(matches!(fault.kind, FaultKind::Race { .. }), "{fault}");
    // Half of a warp shuffles, for all of it.
    let fault = body(
        "setp.lt.u32 %p1, %r1, 16; @%p1 shfl.sync.idx.b32 %r2, %r1, 0, 31, -1; @!%p1 bar.sync 0;",
        32,
        Checks::ALL,
    )
    .unwrap_err();
    assert!(matches!(fault.kind, FaultKind::DivergentBarrier(_) | FaultKind::Deadlock(_)), "{fault}");
    let fault = body("setp.lt.u32 %p1, %r1, 16; @%p1 shfl.sync.idx.b32 %r2, %r1, 20, 31, 0xffff;", 32, Checks::ALL)
        .unwrap_err();
    assert!(matches!(fault.kind, FaultKind::Warp(_)), "{fault}");
    let fault = body("shfl.sync.idx.b32 %r2, %r1, 0, 31, 0xffff;", 32, Checks::ALL).unwrap_err();
    assert!(matches!(fault.kind, FaultKind::Warp(_)), "{fault}");
}

#[test]
fn atomics_spin_locks_and_flags() {
    // All threads add to one word.
    let text = "atom.global.add.u32 %r2, [%rd1], %r1;";
    assert_eq!(body(text, 100, Checks::ALL).unwrap()[0], 4950);
    let fault = body("atom.global.add.u32 %r2, [%rd1], %r1; ld.global.u32 %r3, [%rd1];", 2, Checks::ALL).unwrap_err();
    assert!(matches!(fault.kind, FaultKind::Race { .. }), "{fault}");
    assert!(
        body("atom.global.add.u32 %r2, [%rd1], %r1; ld.relaxed.gpu.global.u32 %r3, [%rd1];", 2, Checks::ALL).is_ok()
    );
    // Thread 0 waits for a flag that thread 63 sets: turns are fair.
    let text = "setp.eq.u32 %p1, %r1, 63; @%p1 st.volatile.global.u32 [%rd1], 1;
        wait: ld.volatile.global.u32 %r2, [%rd1]; setp.eq.u32 %p2, %r2, 0; @%p2 bra wait;";
    assert!(body(text, 64, Checks::ALL).is_ok());
    // A lock.
    let text = "lock: atom.global.cas.b32 %r2, [%rd1], 0, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra lock;
        ld.volatile.global.u32 %r3, [%rd1+4]; add.s32 %r3, %r3, 1; st.volatile.global.u32 [%rd1+4], %r3; membar.gl;
        atom.global.exch.b32 %r4, [%rd1], 0;";
    assert_eq!(body(text, 64, Checks::ALL).unwrap()[1], 64);
    // Nobody sets it.
    let fault =
        body("wait: ld.volatile.global.u32 %r2, [%rd1]; setp.eq.u32 %p2, %r2, 0; @%p2 bra wait;", 64, Checks::ALL)
            .unwrap_err();
    assert_eq!(fault.kind, FaultKind::Steps(1_000_000));
}

#[test]
fn constants_are_not_written() {
    let text = "ld.global.nc.u32 %r2, [%rd3]; st.global.u32 [%rd3+1024], %r2;";
    assert!(body(text, 32, Checks::ALL).is_ok());
    let fault = body(&text.replace("+1024", ""), 32, Checks::ALL).unwrap_err();
    assert!(matches!(fault.kind, FaultKind::NotConstant { access: AccessKind::Write, .. }), "{fault}");
    let fault = body("st.global.u32 [%rd3], %r1; ld.global.nc.u32 %r2, [%rd3];", 32, Checks::ALL).unwrap_err();
    assert!(matches!(fault.kind, FaultKind::NotConstant { access: AccessKind::Read, .. }), "{fault}");
    assert!(
        fault.to_string().contains("is read as a constant, and written by block 0, thread 0 in line 12"),
        "{fault}"
    );
}

#[test]
fn spaces_and_bounds() {
    let fault = |text: &str| body(text, 1, Checks::ALL).expect_err(text).kind;
    let outside = |kind: FaultKind| matches!(kind, FaultKind::OutOfBounds { .. });
    assert!(outside(fault("st.global.u32 [%rd1+4096], %r1;")));
    assert!(outside(fault("st.global.u32 [%rd1+-4], %r1;")));
    assert!(outside(fault("st.shared.u32 [s+1024], %r1;")));
    assert!(outside(fault("ld.local.u32 %r2, [l+16];")));
    assert!(outside(fault("ld.const.u32 %r2, [table+16];")));
    assert!(outside(fault("ld.const.u32 %r2, [%rd1];")));
    assert!(outside(fault("mov.u64 %rd4, dynamic; st.shared.u32 [%rd4+64], %r1;")));
    assert!(outside(fault("mov.u64 %rd4, l; cvta.local.u64 %rd5, %rd4; st.u32 [%rd5+16], %r1;")));
    assert!(outside(fault("mov.u64 %rd4, 0; ld.u32 %r2, [%rd4];")));
    assert!(matches!(
        fault("mov.u64 %rd4, table; cvta.const.u64 %rd5, %rd4; st.u32 [%rd5], %r1;"),
        FaultKind::ReadOnly { .. }
    ));
    assert_eq!(
        fault("ld.local.u32 %r2, [l+4]; mov.u32 %r3, %r2; add.s32 %r4, %r3, 1; st.global.u32 [%rd1], %r4;"),
        FaultKind::Undefined { register: "%r4".into(), origin: Origin::Memory(MemoryKind::Local, 12) }
    );
    assert_eq!(
        fault("mov.u32 %r3, 0;\ndiv.u32 %r4, %r1, %r3; st.global.u32 [%rd1], %r4;"),
        FaultKind::Undefined { register: "%r4".into(), origin: Origin::Division(13) }
    );
    let changed = |memory, line| FaultKind::Undefined {
        register: "the value that the atomic changes".into(),
        origin: Origin::Memory(memory, line),
    };
    assert_eq!(fault("atom.shared.add.u32 %r2, [s+4], 1;"), changed(MemoryKind::Shared, 12));
    assert_eq!(
        fault("mov.u64 %rd4, l; cvta.local.u64 %rd5, %rd4;\natom.add.u32 %r2, [%rd5], 1;"),
        changed(MemoryKind::Local, 13)
    );
    assert_eq!(
        fault(
            "{ .param .b32 q; st.param.b32 [q], %r9;\nmov.b64 %rd4, q; cvta.param.u64 %rd5, %rd4; atom.add.u32 %r2, [%rd5], 1; }"
        ),
        changed(MemoryKind::Param, 13)
    );
    // Undefined values may be copied, and selected against.
    let text = "ld.local.u32 %r2, [l+4]; st.local.u32 [l+8], %r2; setp.eq.u32 %p1, %r1, 0; selp.u32 %r3, 7, %r2, %p1;
        st.global.u32 [%rd1], %r3; ld.const.u32 %r4, [table+8]; st.global.u32 [%rd1+4], %r4;
        mov.u64 %rd4, dynamic; st.shared.u32 [%rd4+60], 5; cvta.shared.u64 %rd5, %rd4; ld.u32 %r5, [%rd5+60];
        st.global.u32 [%rd1+8], %r5;";
    assert_eq!(body(text, 1, Checks::ALL).unwrap()[..3], [7, 3, 5]);
}
