//! Modules and devices: variables with initial values, functions, recursion, dynamic shared memory, tables of jumps.

use tessera_ptx::{Configuration, Device, FaultKind, Limits, MemoryError, Module};

const HEADER: &str = ".version 6.0\n.target sm_70\n.address_size 64\n";

fn device(text: &str) -> (Device, tessera_ptx::ModuleId) {
    let mut device = Device::new(Limits::default());
    let module = Module::parse(&format!("{HEADER}{text}")).unwrap_or_else(|e| panic!("{e}"));
    let id = device.load(module).unwrap();
    (device, id)
}

/// Launches kernel `k(p)` with one block and a buffer of 256 bytes, and gives its words.
fn words(device: &mut Device, id: tessera_ptx::ModuleId, threads: u32) -> Result<Vec<u32>, FaultKind> {
    let buffer = device.allocate(256).unwrap();
    let mut configuration = Configuration::new([1, 1, 1], [threads, 1, 1]);
    configuration.argument(buffer.to_le_bytes());
    device.launch(id, "k", &configuration).map_err(|fault| fault.kind)?;
    let mut bytes = [0; 256];
    device.read(buffer, &mut bytes).unwrap();
    Ok(bytes.chunks(4).map(|c| u32::from_le_bytes(c.try_into().unwrap())).collect())
}

#[test]
fn variables_have_their_initial_values() {
    let (mut device, id) = device(
        ".global .align 4 .b8 bytes[8] = {1, 2, 3, 4, 252, 255, 255, 255};
        .const .align 4 .f32 numbers[3] = {0f3F800000, 2.5, 0f40400000};
        .visible .global .align 8 .u64 pointers[2] = {generic(bytes), generic(bytes)+4};
        .global .align 4 .u32 matrix[2][2] = {{1, 2}, {3, 4}};
        .global .align 4 .u32 zeros[4];
        .visible .entry k(.param .u64 p)
        {
            .reg .b32 %r<8>; .reg .b64 %rd<8>;
            ld.param.u64 %rd1, [p];
            ld.global.u64 %rd2, [pointers+8];
            ld.s32 %r1, [%rd2];
            st.global.u32 [%rd1], %r1;
            ld.const.b32 %r2, [numbers+4];
            st.global.u32 [%rd1+4], %r2;
            ld.global.u32 %r3, [matrix+8];
            st.global.u32 [%rd1+8], %r3;
            ld.global.u32 %r4, [zeros+12];
            add.s32 %r4, %r4, 1;
            st.global.u32 [zeros+12], %r4;
            st.global.u32 [%rd1+12], %r4;
            ret;
        }",
    );
    for launch in 1..3 {
        let found = words(&mut device, id, 1).unwrap();
        assert_eq!(found[..4], [0xffff_fffc, 2.5f32.to_bits(), 3, launch]);
    }
    let (address, bytes) = device.variable(id, "zeros").unwrap();
    let mut content = [0; 16];
    assert_eq!(bytes, 16);
    device.read(address, &mut content).unwrap();
    assert_eq!(content[12], 2);
    assert!(device.variable(id, "nothing").is_none());
    device.unload(id).unwrap();
    assert!(device.read(address, &mut content).is_err());
    assert!(device.module(id).is_none());
    assert_eq!(device.unload(id), Err(MemoryError::Unloaded));
    assert_eq!(words(&mut device, id, 1), Err(FaultKind::NoKernel));
}

#[test]
fn functions_call_themselves() {
    let text = ".func (.param .b32 result) factorial(.param .b32 n)
        {
            .reg .pred %p; .reg .b32 %r<8>;
            ld.param.b32 %r1, [n];
            mov.b32 %r2, 1;
            setp.lt.u32 %p, %r1, LIMIT;
            @%p bra done;
            add.s32 %r3, %r1, -1;
            {
                .param .b32 argument; .param .b32 value;
                st.param.b32 [argument], %r3;
                call.uni (value), factorial, (argument);
                ld.param.b32 %r4, [value];
            }
            mul.lo.s32 %r2, %r1, %r4;
        done:
            st.param.b32 [result], %r2;
            ret;
        }
        .visible .entry k(.param .u64 p)
        {
            .reg .b32 %r<4>; .reg .b64 %rd<4>;
            ld.param.u64 %rd1, [p];
            mov.u32 %r1, %tid.x;
            {
                .param .b32 argument; .param .b32 value;
                st.param.b32 [argument], %r1;
                call.uni (value), factorial, (argument);
                ld.param.b32 %r2, [value];
            }
            mul.wide.u32 %rd2, %r1, 4;
            add.s64 %rd3, %rd1, %rd2;
            st.global.u32 [%rd3], %r2;
            ret;
        }";
    let (mut good, id) = device(&text.replace("LIMIT", "2"));
    assert_eq!(words(&mut good, id, 7).unwrap()[..7], [1, 1, 2, 6, 24, 120, 720]);
    let (mut endless, id) = device(&text.replace("LIMIT", "0"));
    assert_eq!(words(&mut endless, id, 7), Err(FaultKind::StackOverflow));
}

#[test]
fn the_address_of_a_parameter_is_one_in_local_memory() {
    let (mut device, id) = device(
        ".func (.param .b32 result) pick(.param .align 4 .b8 array[12], .param .b32 n)
        {
            .reg .b32 %r<4>; .reg .b64 %rd<4>;
            ld.param.b32 %r1, [n];
            mov.b64 %rd1, array;
            mul.wide.u32 %rd2, %r1, 4;
            add.s64 %rd3, %rd1, %rd2;
            ld.local.b32 %r2, [%rd3];
            ld.param.b32 %r3, [array+8];
            add.s32 %r2, %r2, %r3;
            st.param.b32 [result], %r2;
            ret;
        }
        .visible .entry k(.param .u64 p)
        {
            .reg .b32 %r<4>; .reg .b64 %rd<4>;
            ld.param.u64 %rd1, [p];
            mov.u32 %r1, %tid.x;
            {
                .param .align 4 .b8 array[12]; .param .b32 n; .param .b32 value;
                st.param.b32 [array], 10;
                st.param.b32 [array+4], 20;
                st.param.b32 [array+8], 30;
                st.param.b32 [n], %r1;
                call.uni (value), pick, (array, n);
                ld.param.b32 %r2, [value];
            }
            mul.wide.u32 %rd2, %r1, 4;
            add.s64 %rd3, %rd1, %rd2;
            st.global.u32 [%rd3], %r2;
            ret;
        }",
    );
    assert_eq!(words(&mut device, id, 3).unwrap()[..3], [40, 50, 60]);
    assert!(matches!(words(&mut device, id, 4), Err(FaultKind::OutOfBounds { .. })));
}

#[test]
fn tables_of_jumps() {
    let (mut device, id) = device(
        ".visible .entry k(.param .u64 p)
        {
            .reg .b32 %r<4>; .reg .b64 %rd<4>;
            ld.param.u64 %rd1, [p];
            mov.u32 %r1, %tid.x;
            mul.wide.u32 %rd2, %r1, 4;
            add.s64 %rd3, %rd1, %rd2;
        list: .branchtargets two, one, two;
            brx.idx %r1, list;
        one:
            mov.u32 %r2, 1;
            bra.uni end;
        two:
            mov.u32 %r2, 2;
        end:
            st.global.u32 [%rd3], %r2;
        }",
    );
    assert_eq!(words(&mut device, id, 3).unwrap()[..3], [2, 1, 2]);
    assert_eq!(words(&mut device, id, 4), Err(FaultKind::JumpIndex(3)));
}

#[test]
fn geometry_and_dynamic_shared_memory() {
    let (mut device, id) = device(
        ".extern .shared .align 8 .b8 dynamic[];
        .visible .entry k(.param .u64 p)
        {
            .reg .b32 %r<16>; .reg .b64 %rd<8>;
            ld.param.u64 %rd1, [p];
            mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z;
            mov.u32 %r4, %ctaid.z; mov.u32 %r5, %nctaid.z; mov.u32 %r6, %ntid.y;
            mad.lo.s32 %r7, %r3, 2, %r2;
            mad.lo.s32 %r7, %r7, 3, %r1;
            mul.wide.u32 %rd2, %r7, 4;
            mov.u64 %rd3, dynamic;
            add.s64 %rd3, %rd3, %rd2;
            mad.lo.s32 %r8, %r4, 100, %r7;
            st.shared.u32 [%rd3], %r8;
            bar.sync 0;
            mad.lo.s32 %r9, %r4, 12, %r7;
            mul.wide.u32 %rd4, %r9, 4;
            add.s64 %rd5, %rd1, %rd4;
            mov.u64 %rd3, dynamic;
            sub.s64 %rd3, %rd3, %rd2;
            ld.shared.u32 %r10, [%rd3+44];
            st.global.u32 [%rd5], %r10;
            ret;
        }",
    );
    let buffer = device.allocate(96).unwrap();
    let mut configuration = Configuration::new([1, 1, 2], [3, 2, 2]);
    configuration.shared_bytes = 48;
    configuration.argument(buffer.to_le_bytes());
    let stats = device.launch(id, "k", &configuration).unwrap();
    assert_eq!((stats.blocks, stats.threads, stats.barriers), (2, 24, 2));
    let mut bytes = [0; 96];
    device.read(buffer, &mut bytes).unwrap();
    let found: Vec<u32> = bytes.chunks(4).map(|c| u32::from_le_bytes(c.try_into().unwrap())).collect();
    let wanted: Vec<u32> = (0..24).map(|i| i / 12 * 100 + 11 - i % 12).collect();
    assert_eq!(found, wanted);
    configuration.shared_bytes = 44;
    let fault = device.launch(id, "k", &configuration).unwrap_err();
    assert!(matches!(fault.kind, FaultKind::OutOfBounds { address: 44, .. }), "{fault}");
    assert_eq!(fault.thread, Some([2, 1, 1]));
}

#[test]
fn vectors_of_one_declaration_have_one_size() {
    let mut device = Device::new(Limits::default());
    let text = format!("{HEADER}.global .v4 .f32 a, b[2], c[] = {{1.0, 2.0, 3.0, 4.0}}; .global .v2 .u16 d;");
    let id = device.load(Module::parse(&text).unwrap()).unwrap();
    for (name, bytes, align) in [("a", 16, 16), ("b", 32, 16), ("c", 16, 16), ("d", 4, 4)] {
        let (address, size) = device.variable(id, name).unwrap();
        assert_eq!((size, address % align), (bytes, 0), "{name}");
    }
}

#[test]
fn what_host_and_device_say_to_each_other() {
    let mut device = Device::new(Limits { global_bytes: 1000, ..Limits::default() });
    let buffer = device.allocate(100).unwrap();
    assert_eq!(buffer % 256, 0);
    assert!(matches!(device.write(buffer + 90, &[0; 11]), Err(MemoryError::Unmapped { bytes: 11, .. })));
    assert!(device.read(buffer + 100, &mut []).is_ok());
    device.bytes_mut(buffer + 96, 4).unwrap().fill(7);
    assert_eq!(device.bytes(buffer + 94, 4), Ok(&[0, 0, 7, 7][..]));
    assert!(device.bytes_mut(buffer + 96, 5).is_err() && device.bytes(buffer + 101, 0).is_err());
    assert!(matches!(device.allocate(1000), Err(MemoryError::OutOfMemory(1000))));
    device.free(buffer).unwrap();
    assert!(device.allocate(1000).is_ok());
    assert!(device.free(buffer).is_err());
    let declared = Module::parse(&format!("{HEADER}.extern .global .b32 elsewhere;")).unwrap();
    assert_eq!(device.load(declared), Err(MemoryError::External("elsewhere".into())));
    for wrong in [
        ".global .b32 a; .global .b32 a;",
        ".global .b32 a[2] = {1, 2, 3};",
        ".global .b32 a = b;",
        ".shared .b32 a = 1;",
        ".visible .entry k() { .reg .b32 %r; .reg .b64 %r; }",
        ".visible .entry k() { l: l: ret; }",
        ".visible .entry k() { ret; } .visible .entry k() { ret; }",
    ] {
        assert!(Module::parse(&format!("{HEADER}{wrong}")).is_err(), "{wrong}");
    }
}
