//! Random kernels, as many as one likes: `cargo run --release -p tessera-ptx --example random -- FOLDER SEED FILES
//! [KERNELS]`. What differs from the host is printed, and its files stay in the folder.
//!
//! With a fifth argument `keep`, PTX and results of all files stay, as material to compare with a device:
//! `device/compare.c` runs what `manifest` lists.
//!
//! Undefined values are followed as whole registers: where a kernel uses one of which only defined bits count, that is
//! printed, and the kernels of the file are compared without this check.

#[path = "../tests/support/random.rs"]
mod random;

use std::error::Error;
use std::path::PathBuf;
use tessera_ptx::Checks;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, seed, files, rest @ ..] = &arguments[..] else {
        return Err("expected a folder, a seed, files".into());
    };
    let (folder, first, files) = (PathBuf::from(folder), seed.parse::<u64>()?, files.parse::<u64>()?);
    let kernels: usize = rest.first().map_or(Ok(10), |k| k.parse())?;
    let keep = rest.get(1).is_some_and(|k| k == "keep");
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("random.in"), random::input())?;
    let (mut agree, mut instructions) = (0, 0);
    let mut manifest = String::new();
    for seed in first..first + files {
        let file = |extension: &str| folder.join(format!("random-{seed}.{extension}"));
        let result = random::compile(&folder, seed, kernels).and_then(|compiled| {
            if keep {
                std::fs::write(file("out"), &compiled.expected).map_err(|e| e.to_string())?;
                for kernel in 0..kernels {
                    let (bytes, name) = (random::output_bytes(), format!("random-{seed}"));
                    manifest += &format!(
                        "{name}.ptx k{kernel} random.in {name}.out {} {bytes} {} {}\n",
                        kernel * bytes,
                        random::BLOCKS,
                        random::THREADS
                    );
                }
            }
            random::run(&compiled, kernels, Checks::ALL).or_else(|message| {
                let result = random::run(&compiled, kernels, Checks { undefined: false, ..Checks::ALL });
                if result.is_ok() {
                    println!("seed {seed}, without the check of undefined values only: {message}");
                }
                result
            })
        });
        let _ = std::fs::remove_file(file("exe"));
        match result {
            Ok(executed) => {
                agree += 1;
                instructions += executed;
                if !keep {
                    for extension in ["c", "ptx"] {
                        std::fs::remove_file(file(extension))?;
                    }
                }
            }
            Err(message) => println!("seed {seed}: {message}"),
        }
    }
    if keep {
        std::fs::write(folder.join("manifest"), manifest)?;
    }
    println!("{agree} of {files} files with {kernels} kernels agree; {instructions} instructions of threads");
    Ok(())
}
