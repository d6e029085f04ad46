//! `polycalc`: a calculator for integer sets and relations, in the syntax of iscc.
//!
//! `polycalc eval [FILE]` executes statements from a file or from standard input; on a terminal it asks for them line
//! by line. `polycalc schedule [FILE]` computes a schedule tree from schedule constraints, `polycalc flow [FILE]` the
//! dependences of accesses; `polycalc optimise [FILE]` transforms SCoPs by a script of passes, `polycalc scop [FILE]`
//! checks SCoPs and prints them or their dependences, `polycalc target [NAME|FILE]` prints machines for which time is
//! estimated; `polycalc tree [FILE]` draws and checks a schedule tree, `polycalc codegen [FILE]` generates code from a
//! schedule. Of an option that is given more than once the last one counts. The exit status is 0, or 1 after an error
//! in a statement, or 2 for wrong arguments.

mod codegen;
mod flow;
mod input;
mod optimise;
mod repl;
mod schedule;
mod scop;
mod target;
mod tree;

use std::io::{IsTerminal, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use tessera_polyhedral::calc::{CalcError, Calculator, Files};

#[derive(Parser)]
#[command(name = "polycalc", version, about = "Exact integer sets and relations", args_override_self = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Evaluate statements in the syntax of iscc: from a file, from standard input, or line by line on a terminal
    Eval {
        /// The file with the statements; standard input if it is missing or `-`
        file: Option<PathBuf>,
        /// The most elementary operations that one statement may take
        #[arg(long, value_name = "N", default_value_t = 5_000_000_000)]
        budget: u64,
    },
    /// Compute a schedule tree from schedule constraints in YAML
    Schedule(Box<schedule::Arguments>),
    /// Compute the dependences of accesses in YAML
    Flow(flow::Arguments),
    /// Generate C from a schedule tree in YAML or from a schedule relation
    Codegen(codegen::Arguments),
    /// Transform SCoPs by a script of passes; print the log, the new schedule and its code
    Optimise(optimise::Arguments),
    /// Check and print SCoPs, as the plugin's print<tessera> prints them, or their dependences
    Scop(scop::Arguments),
    /// Print a target, a machine for which `optimise` estimates time; the names of the built-in ones without an
    /// argument
    Target(target::Arguments),
    /// Draw, check and print a schedule tree in YAML
    Tree(tree::Arguments),
}

/// The files of the file system.
struct FileSystem;

impl Files for FileSystem {
    fn read(&mut self, name: &str) -> Result<String, String> {
        std::fs::read_to_string(name).map_err(|e| e.to_string())
    }
}

/// Prints a line; a closed pipe ends the program quietly.
fn print(line: &str) {
    let mut out = std::io::stdout().lock();
    if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
        std::process::exit(0);
    }
}

/// The message for an error in a file: `FILE: line 3, column 5: ...` with the line.
fn message(file: &str, error: &CalcError) -> String {
    if error.file.is_some() { format!("{error:#}") } else { format!("{file}: {error:#}") }
}

fn eval(file: Option<PathBuf>, budget: u64) -> ExitCode {
    let mut calculator = Calculator::new(budget).with_files(FileSystem);
    let file = file.filter(|f| f.as_os_str() != "-");
    let (name, text) = match &file {
        Some(path) => (path.display().to_string(), std::fs::read_to_string(path)),
        None if std::io::stdin().is_terminal() => return repl::run(calculator),
        None => {
            let mut text = String::new();
            ("standard input".into(), std::io::stdin().read_to_string(&mut text).map(|_| text))
        }
    };
    let text = match text {
        Ok(text) => text,
        Err(error) => {
            eprintln!("polycalc: cannot read {name}: {error}");
            return ExitCode::FAILURE;
        }
    };
    match calculator.run(&text, &mut |line| print(&line)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("polycalc: {}", message(&name, &error));
            ExitCode::FAILURE
        }
    }
}

/// Prints what a subcommand found, or what went wrong.
fn finish(result: Result<String, String>) -> ExitCode {
    match result {
        Ok(text) => {
            let mut out = std::io::stdout().lock();
            // A closed pipe ends the program quietly.
            let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("polycalc: {}", message.trim_end());
            ExitCode::FAILURE
        }
    }
}

fn main() -> ExitCode {
    match Arguments::parse().command {
        Command::Eval { file, budget } => eval(file, budget),
        Command::Schedule(arguments) => schedule::run(&arguments),
        Command::Flow(arguments) => finish(flow::run(&arguments)),
        Command::Codegen(arguments) => finish(codegen::run(&arguments)),
        Command::Optimise(arguments) => finish(optimise::run(&arguments)),
        Command::Scop(arguments) => finish(scop::run(&arguments)),
        Command::Target(arguments) => finish(target::run(&arguments)),
        Command::Tree(arguments) => finish(tree::run(&arguments)),
    }
}
