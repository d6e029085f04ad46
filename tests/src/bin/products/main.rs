//! `scripts/bench products`: one thread's product of square matrices, C += A B, plain against Tessera, OpenBLAS and the processor's peak.
//!
//! One table for every form and type of elements ([`table`]), then the bars and what misses them ([`bars`]). A measurement is a process in
//! which all of them take turns ([`turns`]), and which compares their results: other bits than plain's end the run.

mod bars;
mod openblas;
mod table;
mod turns;

use std::process::ExitCode;
use tessera_tests::kernels::measure::positive_seconds;
use tessera_tests::kernels::{Collection, Form};
use tessera_tests::plugin::Plugin;
use tessera_tests::process::Failure;

const HELP: &str = "scripts/bench products [OPTIONS]
  --form FORM    only this form (may be given several times): flat, c99, rust
  --only TYPE    only this type of elements (may be given several times): f64, f32
  --sizes LIST   numbers of rows and columns (1,2,3,4,5,7,8,12,16,24,32,37,48,64,100,129,200,256,300,500,512,1000,1024,1500,2000)
  --order ORDER  order of the loops (may be given several times): ijk, ikj (ijk)
  --target CPU   compile for haswell or x86-64 instead of this machine, and run that here; OpenBLAS is limited to its instructions
  --seconds S    time per measurement (0.4); what misses a bar is measured again for longer
  --options TEXT the value of TESSERA, for instance tile=32
OpenBLAS: the library that scripts/setup openblas gets, or that TESSERA_OPENBLAS names, or the system's libopenblas.so.0";

const SIZES: [i64; 25] =
    [1, 2, 3, 4, 5, 7, 8, 12, 16, 24, 32, 37, 48, 64, 100, 129, 200, 256, 300, 500, 512, 1000, 1024, 1500, 2000];

/// The largest size for which all arrays stay far below a gigabyte.
const LARGEST: i64 = 8000;

/// A processor to compile for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    /// The one that this runs on.
    Native,
    /// AVX2 with fused multiply-add.
    Haswell,
    /// Every x86-64 processor: vectors of 128 bits.
    Baseline,
}

impl Target {
    fn named(name: &str) -> Option<Target> {
        [Target::Native, Target::Haswell, Target::Baseline].into_iter().find(|target| target.name() == name)
    }

    /// The name that compilers know.
    fn name(self) -> &'static str {
        match self {
            Target::Native => "native",
            Target::Haswell => "haswell",
            Target::Baseline => "x86-64",
        }
    }

    /// What OpenBLAS calls the processor whose instructions it may use. Prescott is the least that it has code for (SSE3), and that code
    /// was found to be faster than the one for Nehalem (SSE4.2).
    fn openblas_core(self) -> Option<&'static str> {
        match self {
            Target::Native => None,
            Target::Haswell => Some("Haswell"),
            Target::Baseline => Some("Prescott"),
        }
    }
}

struct Options {
    forms: Vec<Form>,
    elements: Vec<String>,
    orders: Vec<String>,
    sizes: Vec<i64>,
    target: Target,
    seconds: f64,
    tessera: String,
}

fn options() -> Result<Options, String> {
    let mut result = Options {
        forms: Vec::new(),
        elements: Vec::new(),
        orders: Vec::new(),
        sizes: SIZES.to_vec(),
        target: Target::Native,
        seconds: 0.4,
        tessera: String::new(),
    };
    let one_of = |name: String, known: &[&str]| match known.contains(&name.as_str()) {
        true => Ok(name),
        false => Err(format!("`{name}` is none of {}\n{HELP}", known.join(", "))),
    };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("{arg} needs a value\n{HELP}"));
        match arg.as_str() {
            "--form" => {
                let name = value()?;
                let form = Form::named(&name).filter(|form| Collection::Products.forms().contains(form));
                result.forms.push(form.ok_or_else(|| format!("products have no form {name}\n{HELP}"))?);
            }
            "--only" => result.elements.push(one_of(value()?, &["f64", "f32"])?),
            "--order" => result.orders.push(one_of(value()?, &["ijk", "ikj"])?),
            "--sizes" => {
                let size = |text: &str| {
                    let size = text.parse().ok().filter(|size| (1..=LARGEST).contains(size));
                    size.ok_or_else(|| format!("--sizes: `{text}` is not a number from 1 to {LARGEST}\n{HELP}"))
                };
                result.sizes = value()?.split(',').map(size).collect::<Result<_, _>>()?;
            }
            "--target" => {
                let name = value()?;
                result.target = Target::named(&name).ok_or_else(|| format!("no target is called {name}\n{HELP}"))?;
            }
            "--seconds" => {
                let seconds = positive_seconds("--seconds", &value()?);
                result.seconds = seconds.map_err(|message| format!("{message}\n{HELP}"))?;
            }
            "--options" => result.tessera = value()?,
            _ => return Err(HELP.to_string()),
        }
    }
    if result.forms.is_empty() {
        result.forms = Collection::Products.forms().to_vec();
    }
    if result.elements.is_empty() {
        result.elements = ["f64", "f32"].map(String::from).to_vec();
    }
    if result.orders.is_empty() {
        result.orders = vec!["ijk".to_string()];
    }
    Ok(result)
}

fn main() -> Result<ExitCode, Failure> {
    let options = match options() {
        Ok(options) => options,
        Err(text) => {
            eprintln!("{text}");
            return Ok(ExitCode::FAILURE);
        }
    };
    let bench = turns::Bench::open(options, Plugin::locate()?)?;
    let lines = table::print(&bench)?;
    bars::print(&lines);
    Ok(ExitCode::SUCCESS)
}
