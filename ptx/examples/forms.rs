//! Writes every instruction form as PTX, with operands and with what the emulator computes: the material to compare
//! with a device. `cargo run --release -p tessera-ptx --example forms -- FOLDER [THREADS
//! [FILE]]`; a file with one form per line replaces those that are built in.
//!
//! `forms.ptx` has the kernels `f0`, `f1`, ...; `forms.in` the operands; `forms.out` the results of one kernel after
//! the other, and `forms.txt` one form per line. `device/compare.c` runs what `manifest` lists on a device.

#[path = "../tests/support/forms.rs"]
mod forms;
#[path = "../tests/support/operands.rs"]
mod operands;

use operands::{BLOCK, operands};
use std::error::Error;
use std::path::PathBuf;
use tessera_ptx::{Checks, Configuration, Device, Limits, Module};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or("expected a folder")?);
    let threads: usize = arguments.next().unwrap_or("4096".to_owned()).parse()?;
    let all = match arguments.next() {
        Some(file) => std::fs::read_to_string(file)?.lines().map(str::to_owned).collect(),
        None => forms::forms(),
    };
    let text = forms::module(&all);
    let input: Vec<u8> = operands(threads).iter().flat_map(|v| v.to_le_bytes()).collect();
    let mut device = Device::new(Limits::default());
    let module = device.load(Module::parse(&text)?)?;
    let a = device.allocate(input.len() as u64)?;
    device.write(a, &input)?;
    let mut results = Vec::new();
    for i in 0..all.len() {
        let b = device.allocate(threads as u64 * 8)?;
        let mut configuration = Configuration::new([threads as u32 / BLOCK, 1, 1], [BLOCK, 1, 1]);
        configuration.checks = Checks::NONE;
        configuration.argument(a.to_le_bytes()).argument(b.to_le_bytes());
        device.launch(module, &format!("f{i}"), &configuration)?;
        let mut output = vec![0; threads * 8];
        device.read(b, &mut output)?;
        results.extend(output);
        device.free(b)?;
    }
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("forms.ptx"), text)?;
    std::fs::write(folder.join("forms.in"), input)?;
    std::fs::write(folder.join("forms.out"), results)?;
    let manifest: String = (0..all.len())
        .map(|i| {
            let (bytes, grid) = (threads * 8, threads as u32 / BLOCK);
            format!("forms.ptx f{i} forms.in forms.out {} {bytes} {grid} {}\n", i * bytes, BLOCK)
        })
        .collect();
    std::fs::write(folder.join("manifest"), manifest)?;
    std::fs::write(folder.join("forms.txt"), all.join("\n") + "\n")?;
    println!("{} forms with {threads} operands each", all.len());
    Ok(())
}
