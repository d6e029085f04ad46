//! What people write for a device, compiled by clang at every level: right results, and no fault but where there is one.

use std::process::Command;
use tessera_ptx::{Configuration, Device, Fault, FaultKind, Limits, MemoryKind, Module};

const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/programs.c");

fn compile(level: &str) -> String {
    let output = Command::new("clang-22")
        .args(["--target=nvptx64-nvidia-cuda", "-march=sm_80", "-Xclang", "-target-feature", "-Xclang", "+ptx70"])
        .args(["-ffp-contract=off", "-S", "-o", "-", level, SOURCE])
        .output()
        .expect("clang-22 starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Runs `kernel(input, output)` with blocks of 256 threads.
fn run(text: &str, kernel: &str, blocks: u32, input: &[u32], output: &mut [u32]) -> Result<(), Fault> {
    let mut device = Device::new(Limits::default());
    let module = device.load(Module::parse(text).unwrap_or_else(|e| panic!("{e}"))).unwrap();
    let mut configuration = Configuration::new([blocks, 1, 1], [256, 1, 1]);
    let bytes = |words: &[u32]| words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>();
    let mut buffers = Vec::new();
    for words in [input, output] {
        let buffer = device.allocate(words.len() as u64 * 4).unwrap();
        device.write(buffer, &bytes(words)).unwrap();
        configuration.argument(buffer.to_le_bytes());
        buffers.push(buffer);
    }
    device.launch(module, kernel, &configuration)?;
    let mut result = vec![0; output.len() * 4];
    device.read(buffers[1], &mut result).unwrap();
    for (word, bytes) in output.iter_mut().zip(result.chunks(4)) {
        *word = u32::from_le_bytes(bytes.try_into().unwrap());
    }
    Ok(())
}

#[test]
fn kernels_of_all_days() {
    // Quarters of small integers: sums are exact in every order.
    let numbers: Vec<f32> = (0..1024).map(|i| ((i * 37 + 11) % 199) as f32 / 4.0 - 20.0).collect();
    let floats: Vec<u32> = numbers.iter().map(|f| f.to_bits()).collect();
    let integers: Vec<u32> = (0..1024).map(|i| i * 7919 % 1000).collect();
    for level in ["-O0", "-O1", "-O2", "-O3"] {
        let text = compile(level);
        let go = |kernel: &str, blocks, input: &[u32], mut output: Vec<u32>| {
            run(&text, kernel, blocks, input, &mut output).unwrap_or_else(|fault| panic!("{level}: {fault}"));
            output
        };
        let transposed = go("transpose", 1, &floats, vec![0; 1024]);
        assert!((0..1024).all(|i| transposed[i] == floats[i % 32 * 32 + i / 32]));

        let counts = go("histogram", 3, &integers, vec![0; 64]);
        assert!((0..64).all(|b| counts[b as usize] == 3 * integers.iter().filter(|&&i| i % 64 == b).count() as u32));

        let sums = go("reduce", 2, &floats, vec![0; 2]);
        assert_eq!(sums, [numbers.iter().sum::<f32>().to_bits(); 2]);

        let prefixes = go("scan", 1, &integers, vec![0; 256]);
        assert!((0..256).all(|i| prefixes[i] == integers[..=i].iter().sum::<u32>()));

        let scaled = go("saxpy", 4, &floats, floats.clone());
        let wanted = |i: usize| if i < 1000 { 2.5f32 * numbers[i] + numbers[i] } else { numbers[i] };
        assert!((0..1024).all(|i| scaled[i] == wanted(i).to_bits()));

        let fault = run(&text, "racing_scan", 1, &integers, &mut [0; 256]).unwrap_err();
        assert!(matches!(fault.kind, FaultKind::Race { memory: MemoryKind::Shared, .. }), "{level}: {fault}");
    }
}
