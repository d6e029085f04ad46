//! No text makes the parser or the emulator panic: texts with random changes are errors, faults or run.

#[path = "support/forms.rs"]
mod forms;

use tessera_ptx::{Checks, Configuration, Device, Limits, Module};

/// What LLVM 22 makes of a kernel with a call, a switch, local, shared and constant memory, and atomics.
const LLVM: &str = include_str!("support/llvm.ptx");

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % n.max(1)
    }
}

/// One small change: of a byte, of a line, or of a word for another one of the text.
fn change(text: &mut Vec<u8>, random: &mut Random) {
    let at = random.below(text.len());
    match random.below(16) {
        // Another number or another register: such a text can often still be read.
        7.. => {
            let digits: Vec<usize> = (0..text.len()).filter(|&i| text[i].is_ascii_digit()).collect();
            if let Some(&digit) = digits.get(random.below(digits.len())) {
                text[digit] = b'0' + random.below(10) as u8;
            }
        }
        0 => drop(text.remove(at)),
        1 => text.insert(at, b" .,;:[]{}()%@!|-+_0x9<>\"/*\n\xc3\xa9"[random.below(29)]),
        2 => text[at] = text[at].wrapping_add(random.below(255) as u8),
        3 => {
            let end = (at + random.below(60)).min(text.len());
            text.drain(at..end);
        }
        4 => {
            let end = (at + random.below(60)).min(text.len());
            let part = text[at..end].to_vec();
            let to = random.below(text.len());
            text.splice(to..to, part);
        }
        5 => {
            let numbers: [&[u8]; 6] = [b"0", b"-1", b"4294967295", b"18446744073709551615", b"1048577", b"33"];
            text.splice(at..at, numbers[random.below(6)].iter().copied());
        }
        _ => {
            // A word becomes another one.
            let word = |from: usize| {
                let begin = text[..from].iter().rposition(|c| b" \t\n,.;[]{}".contains(c)).map_or(0, |i| i + 1);
                let end =
                    text[from..].iter().position(|c| b" \t\n,.;[]{}".contains(c)).map_or(text.len(), |i| from + i);
                begin..end.max(begin)
            };
            let (to, from) = (word(at), word(random.below(text.len())));
            let part = text[from].to_vec();
            text.splice(to, part);
        }
    }
}

/// Reads a text and runs its kernels for a moment. Returns whether it could be read.
fn try_out(text: &str) -> bool {
    let Ok(module) = Module::parse(text) else { return false };
    let kernels: Vec<String> = module.kernels().map(str::to_owned).collect();
    let parameters: Vec<Vec<usize>> = kernels.iter().filter_map(|k| module.parameters(k)).collect();
    let limits = Limits { global_bytes: 1 << 24, local_bytes: 1 << 16, ..Limits::default() };
    let mut device = Device::new(limits);
    let Ok(module) = device.load(module) else { return true };
    let Ok(buffer) = device.allocate(65536) else { return true };
    for (kernel, sizes) in kernels.iter().zip(parameters) {
        for checks in [Checks::ALL, Checks::NONE] {
            let mut configuration = Configuration::new([2, 1, 1], [40, 1, 1]);
            configuration.checks = checks;
            configuration.steps = 20_000;
            for &size in &sizes {
                if size > 1 << 16 {
                    return true;
                }
                let mut bytes = buffer.to_le_bytes().to_vec();
                bytes.resize(size, 0);
                configuration.argument(bytes);
            }
            let _ = device.launch(module, kernel, &configuration).map_err(|fault| fault.to_string());
        }
    }
    true
}

#[test]
fn changed_texts_do_not_panic() {
    assert!(try_out(LLVM));
    let all = forms::forms();
    let mut random = Random(0x1234_5678_9abc_def1);
    let mut read = 0;
    for round in 0..6000 {
        let mut text = if round % 3 == 0 {
            LLVM.as_bytes().to_vec()
        } else {
            let some: Vec<String> = (0..3).map(|_| all[random.below(all.len())].clone()).collect();
            forms::module(&some).into_bytes()
        };
        for _ in 0..random.below(3) + 1 {
            change(&mut text, &mut random);
        }
        read += usize::from(try_out(&String::from_utf8_lossy(&text)));
    }
    println!("{read} texts could still be read");
    assert!(read > 300, "{read}");
}

#[test]
fn no_text_is_too_odd() {
    for text in [
        "",
        ".version",
        ".version 6.0",
        ".version 6.0 .target",
        ".version 6.0 .target sm_70 .entry",
        ".version 6.0 .target sm_70 .entry k { { { { } } ",
        ".version 6.0 .target sm_70 .entry k() { mov.b64 {",
        ".version 6.0 .target sm_70 .global .b8 a[4] = {{{{{1",
        ".version 6.0 .target sm_70 .global .b8 a[18446744073709551615][18446744073709551615];",
        ".version 6.0 .target sm_70 .entry k() { .reg .b32 %r<4294967295>; }",
        ".version 6.0 .target sm_70 .entry k() { .local .b64 l[4294967295]; }",
        ".version 6.0 .target sm_70 .entry k() { } }",
        "\u{feff}.version 6.0",
        "/*",
        "\"",
        "0d",
        "..",
        "@@@@",
    ] {
        try_out(text);
    }
    let deep = format!(".version 6.0 .target sm_70 .entry k() {}", "{".repeat(100_000));
    assert!(!try_out(&deep));
    let many = format!(".version 6.0 .target sm_70 .entry k() {{ {} }}", "l: ".repeat(1000));
    assert!(!try_out(&many));
}
