//! Every program of the corpus, through every host that compiles its language: the same bits with the plugin as
//! without. Each program runs at the default options and, to stress the code generator, with every legal nest
//! transformed at several tile sizes, and by the strategies of `tests/strategies`.

use libtest_mimic::{Arguments, Trial};
use std::sync::{Arc, OnceLock};
use tessera_tests::corpus::{self, Program};
use tessera_tests::host::{Compilation, Host, Product};
use tessera_tests::plugin::{Plugin, strategy};
use tessera_tests::process::{Failure, Run, difference};

/// Options that transform everything legal, whatever its profit; one per tile size. And the early position in the pipeline.
const STRESS: [(&str, &str); 8] = [
    ("tile-1", "unprofitable=true;min-work=0;tile=1"),
    ("tile-2", "unprofitable=true;min-work=0;tile=2"),
    ("tile-3", "unprofitable=true;min-work=0;tile=3"),
    ("tile-7", "unprofitable=true;min-work=0;tile=7"),
    ("tile-32", "unprofitable=true;min-work=0;tile=32"),
    ("tile-8x4x16", "unprofitable=true;min-work=0;tile=8x4x16"),
    ("early", "position=early;min-work=0"),
    ("early-tile-5", "position=early;unprofitable=true;min-work=0;tile=5"),
];

/// Strategies under which everything legal is transformed, too.
const STRATEGIES: [&str; 2] = ["scheduler", "side_by_side"];

fn main() -> Result<std::process::ExitCode, Failure> {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    let hosts: Vec<Host> = Host::ALL.into_iter().filter(|host| host.is_available()).collect();
    for host in Host::ALL.into_iter().filter(|host| !hosts.contains(host)) {
        println!("skipped: the host {} is not installed", host.name());
    }
    for program in corpus::programs()? {
        for &host in hosts.iter().filter(|host| host.language() == program.language) {
            let oracle = Arc::new(Oracle { program: program.clone(), host, output: OnceLock::new() });
            let mut trial = |name: &str, options: &str| {
                let (oracle, name) = (oracle.clone(), format!("{}::{}::{name}", host.name(), program.name));
                let options = options.to_owned();
                trials.push(Trial::test(name, move || same_bits(&oracle, &options).map_err(Into::into)));
            };
            trial("default", "");
            if matches!(host, Host::Clang | Host::ClangCpp | Host::Rustc) {
                STRESS.iter().for_each(|(name, options)| trial(name, options));
                for name in STRATEGIES {
                    trial(name, &format!("unprofitable=true;min-work=0;{}", strategy(name)));
                }
            }
        }
    }
    Ok(libtest_mimic::run(&arguments, trials).exit_code())
}

/// A program with the output of its plain build, made when first asked for.
struct Oracle {
    program: Program,
    host: Host,
    output: OnceLock<Result<Vec<u8>, Failure>>,
}

impl Oracle {
    fn output(&self) -> Result<&[u8], Failure> {
        let output = self.output.get_or_init(|| run(&self.program, &Compilation::plain(self.host)));
        output.as_deref().map_err(Clone::clone)
    }
}

fn same_bits(oracle: &Oracle, options: &str) -> Result<(), Failure> {
    let plugin = Plugin::locate()?;
    let expected = oracle.output()?;
    let actual = run(&oracle.program, &Compilation::with(oracle.host, &plugin, options))?;
    match difference(expected, &actual) {
        None => Ok(()),
        Some(text) => Err(Failure::new(format!("{} with TESSERA='{options}'", oracle.program.source.display()), text)),
    }
}

fn run(program: &Program, compilation: &Compilation) -> Result<Vec<u8>, Failure> {
    let folder = tempfile::tempdir().map_err(|error| Failure::new("making a folder", error.to_string()))?;
    let executable = folder.path().join("program");
    compilation.compile(&program.source, Product::Executable, &executable)?;
    Ok(Run::new(&executable).output()?.stdout)
}
