//! `ptx-run FILE` lists the kernels of a PTX text; `ptx-run FILE KERNEL GRID BLOCK ARGUMENT...` runs one.
//!
//! Grid and block are sizes such as `4` or `2x2x1`. An argument is a number with its type (`u32:7`, `u64:7`, `f32:0.5`,
//! `f64:0.5`), a buffer of zeros (`zeros:4096`) or the content of a file (`file:data.bin`). After the launch the first
//! words of every buffer are printed. All checks are on; `--fast` as the first argument switches them off.
//!
//! ```text
//! $ ptx-run sum.ptx sum 1 32 file:numbers.bin zeros:128 u32:32
//! 1 blocks, 32 threads, 8704 instructions, 0 barriers
//! argument 0: 3f800000 40000000 ...
//! ```

use std::error::Error;
use std::process::ExitCode;
use tessera_ptx::{Checks, Configuration, Device, Limits, Module};

/// Words of a buffer that are printed.
const SHOWN: usize = 16;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("ptx-run: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let fast = arguments.first().is_some_and(|a| a == "--fast");
    if fast {
        arguments.remove(0);
    }
    let Some(file) = arguments.first() else {
        return Err("usage: ptx-run [--fast] FILE [KERNEL GRID BLOCK ARGUMENT...]".into());
    };
    let text = std::fs::read_to_string(file)?;
    let module = Module::parse(&text).map_err(|error| format!("{file}: {error}"))?;
    for warning in module.warnings() {
        eprintln!("ptx-run: warning: {file}: {warning}");
    }
    let [_, kernel, grid, block, values @ ..] = &arguments[..] else {
        for kernel in module.kernels() {
            println!("{kernel}: parameters of {:?} bytes", module.parameters(kernel).unwrap_or_default());
        }
        return Ok(());
    };
    let mut device = Device::new(Limits::default());
    let module = device.load(module)?;
    let mut configuration = Configuration::new(size(grid)?, size(block)?);
    if fast {
        configuration.checks = Checks::NONE;
    }
    let mut buffers = Vec::new();
    for (index, value) in values.iter().enumerate() {
        let (kind, value) = value.split_once(':').ok_or_else(|| format!("`{value}` has no type"))?;
        let bytes = match kind {
            "u32" => value.parse::<u32>()?.to_le_bytes().to_vec(),
            "u64" => value.parse::<u64>()?.to_le_bytes().to_vec(),
            "f32" => value.parse::<f32>()?.to_le_bytes().to_vec(),
            "f64" => value.parse::<f64>()?.to_le_bytes().to_vec(),
            "zeros" | "file" => {
                let content = if kind == "file" { std::fs::read(value)? } else { vec![0; value.parse()?] };
                let address = device.allocate(content.len() as u64)?;
                device.write(address, &content)?;
                buffers.push((index, address, content.len()));
                address.to_le_bytes().to_vec()
            }
            other => return Err(format!("unknown type `{other}`").into()),
        };
        configuration.argument(bytes);
    }
    let stats = device.launch(module, kernel, &configuration)?;
    println!(
        "{} blocks, {} threads, {} instructions, {} barriers",
        stats.blocks, stats.threads, stats.instructions, stats.barriers
    );
    for (index, address, length) in buffers {
        let mut bytes = vec![0; length.min(4 * SHOWN)];
        device.read(address, &mut bytes)?;
        let words: Vec<String> =
            bytes.chunks(4).map(|w| w.iter().rev().map(|b| format!("{b:02x}")).collect()).collect();
        let more = if length > bytes.len() { " ..." } else { "" };
        println!("argument {index}: {}{more}", words.join(" "));
    }
    Ok(())
}

/// `2x3` is two by three by one.
fn size(text: &str) -> Result<[u32; 3], Box<dyn Error>> {
    let mut size = [1; 3];
    for (i, part) in text.split('x').enumerate() {
        *size.get_mut(i).ok_or("a size has three parts at most")? = part.parse()?;
    }
    Ok(size)
}
