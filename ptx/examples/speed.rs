//! How fast the emulator is: `cargo run --release -p tessera-ptx --example speed`.

use std::error::Error;
use std::time::Instant;
use tessera_ptx::{Checks, Configuration, Device, Limits, Module};

const TEXT: &str = "
.version 6.0
.target sm_70
.address_size 64
.visible .entry sum(.param .u64 pa, .param .u64 pb, .param .u32 n)
{
    .reg .pred %p<2>;
    .reg .b32 %r<8>;
    .reg .f32 %f<4>;
    .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [pa];
    ld.param.u64 %rd2, [pb];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    mul.wide.u32 %rd3, %r5, 4;
    add.s64 %rd4, %rd2, %rd3;
    mov.f32 %f1, 0f00000000;
    mov.u32 %r6, 0;
loop:
    mul.wide.u32 %rd5, %r6, 4;
    add.s64 %rd6, %rd1, %rd5;
    ld.global.f32 %f2, [%rd6];
    mul.rn.f32 %f3, %f2, %f2;
    add.rn.f32 %f1, %f1, %f3;
    add.s32 %r6, %r6, 1;
    setp.lt.u32 %p1, %r6, %r1;
    @%p1 bra loop;
    st.global.f32 [%rd4], %f1;
    ret;
}
";

fn main() -> Result<(), Box<dyn Error>> {
    let mut device = Device::new(Limits::default());
    let module = device.load(Module::parse(TEXT)?)?;
    let (a, b) = (device.allocate(4096)?, device.allocate(4 * 32 * 256)?);
    for (name, checks) in [("without checks", Checks::NONE), ("with all checks", Checks::ALL)] {
        let mut configuration = Configuration::new([32, 1, 1], [256, 1, 1]);
        configuration.checks = checks;
        configuration.argument(a.to_le_bytes()).argument(b.to_le_bytes()).argument(1024u32.to_le_bytes());
        let begin = Instant::now();
        let stats = device.launch(module, "sum", &configuration)?;
        let seconds = begin.elapsed().as_secs_f64();
        let millions = stats.instructions as f64 / 1e6;
        println!("{name}: {millions:.1} million instructions in {seconds:.2} s, {:.0} million/s", millions / seconds);
    }
    Ok(())
}
