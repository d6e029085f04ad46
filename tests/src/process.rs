//! Running other programs: captured output, a time limit, a clean environment, and failures that can be read.
//!
//! The time limit is kept by coreutils' `timeout`, so that a nest turned into an endless loop fails one test and does
//! not hang the suite.
//!
//! Wherever the plugin is loaded in a program that is run here, an internal error of it is a failure: the option `internal-errors`
//! ends the compilation (rustc's not always), and its sentence is looked for in what the program writes. Only what makes a fault (option `fault`) may end
//! in one.

use std::ffi::OsStr;
use std::fmt;
use std::process::{Command, Stdio};

/// Seconds that a compiler or a test program may run.
const TIME_LIMIT: u32 = 300;

/// The exit status that `timeout` gives for a program that it stopped.
const TIMED_OUT: i32 = 124;

/// What `TESSERA` is for every program: an internal error ends a compilation. Other options are added to it.
pub const STRICT: &str = "internal-errors=error";

/// What every sentence about an internal error has.
const INTERNAL: &str = "internal error";

/// The value of `TESSERA` for some options.
pub fn strict(options: &str) -> String {
    if options.contains("fault=") { options.to_string() } else { format!("{STRICT};{options}") }
}

/// What a program that ended with status 0 wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// Standard output, byte for byte.
    pub stdout: Vec<u8>,
    /// Standard error as text.
    pub stderr: String,
}

/// How a program ended, with any status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The exit status or the signal.
    pub status: String,
    /// Standard output, byte for byte.
    pub stdout: Vec<u8>,
    /// Standard error as text.
    pub stderr: String,
}

/// A command that could not be started or ended with another status than 0.
#[derive(Clone)]
pub struct Failure {
    command: String,
    reason: String,
    stdout: String,
    stderr: String,
}

impl Failure {
    /// A failure that is not the end of a command; `what` was tried, `reason` says why it did not work.
    pub fn new(what: impl Into<String>, reason: impl Into<String>) -> Self {
        Failure { command: what.into(), reason: reason.into(), stdout: String::new(), stderr: String::new() }
    }

    /// What the command wrote to standard error before it failed.
    pub fn stderr(&self) -> &str {
        &self.stderr
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.command, self.reason)?;
        for (name, text) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            if !text.is_empty() {
                write!(f, "\n--- {name}\n{}", last_lines(text, 40))?;
            }
        }
        Ok(())
    }
}

/// The same text as for people: a test that fails prints it.
impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl std::error::Error for Failure {}

/// The last `count` lines of `text`.
fn last_lines(text: &str, count: usize) -> &str {
    let start = text.rmatch_indices('\n').nth(count).map_or(0, |(at, _)| at + 1);
    &text[start..]
}

/// A command to run under a time limit. `TESSERA` is not inherited from the environment of the test.
#[derive(Debug)]
pub struct Run {
    command: Command,
    limit: u32,
    may_fault: bool,
}

impl Run {
    /// Runs `program`, found on `PATH` unless it has a slash.
    pub fn new(program: impl AsRef<OsStr>) -> Self {
        Run::within(TIME_LIMIT, program)
    }

    /// Like [`Run::new`] with a time limit of so many seconds.
    pub fn within(limit: u32, program: impl AsRef<OsStr>) -> Self {
        let mut command = Command::new("timeout");
        command.arg("--kill-after=5").arg(limit.to_string()).arg(program);
        command.env("TESSERA", STRICT).env("LC_ALL", "C").stdin(Stdio::null());
        Run { command, limit, may_fault: false }
    }

    /// Adds one argument.
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.command.arg(arg);
        self
    }

    /// Adds arguments.
    pub fn args<A: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.command.args(args);
        self
    }

    /// Sets a variable of the environment; `TESSERA` beside what it always has.
    pub fn env(mut self, name: &str, value: &str) -> Self {
        if name == "TESSERA" {
            self.may_fault = value.contains("fault=");
            self.command.env(name, strict(value));
        } else {
            self.command.env(name, value);
        }
        self
    }

    /// Runs the command to its end. Any status but 0, a signal and the time limit are failures.
    pub fn output(self) -> Result<Output, Failure> {
        let (command, output) = self.run()?;
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() {
            return Ok(Output { stdout: output.stdout, stderr });
        }
        let reason = output.status.to_string();
        Err(Failure { command, reason, stdout: String::from_utf8_lossy(&output.stdout).into_owned(), stderr })
    }

    /// Runs the command to its end, which may be any but the time limit.
    pub fn outcome(self) -> Result<Outcome, Failure> {
        let (_, output) = self.run()?;
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        Ok(Outcome { status: output.status.to_string(), stdout: output.stdout, stderr })
    }

    fn run(mut self) -> Result<(String, std::process::Output), Failure> {
        let words = self.command.get_args().skip(2).map(OsStr::to_string_lossy).collect::<Vec<_>>();
        let mut command = words.join(" ");
        for (name, value) in self.command.get_envs() {
            if let (Some("TESSERA"), Some(value)) = (name.to_str(), value)
                && value != STRICT
            {
                command = format!("TESSERA='{}' {command}", value.to_string_lossy());
            }
        }
        let output = self.command.output().map_err(|error| Failure::new(&command, error.to_string()))?;
        if output.status.code() == Some(TIMED_OUT) {
            return Err(Failure {
                command,
                reason: format!("stopped after {} seconds", self.limit),
                stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
                stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            });
        }
        // The plugin says "tessera: ...", compilers that show a remark of its give the switch or the pass.
        let stderr = String::from_utf8_lossy(&output.stderr);
        let is_internal = |line: &str| line.contains(INTERNAL) && line.contains("tessera");
        if !self.may_fault && stderr.lines().any(is_internal) {
            let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout).into_owned(), stderr.into_owned());
            return Err(Failure { command, reason: "an internal error of Tessera".into(), stdout, stderr });
        }
        Ok((command, output))
    }
}

/// Says where two outputs differ first: `None` when they are the same bytes.
pub fn difference(expected: &[u8], actual: &[u8]) -> Option<String> {
    if expected == actual {
        return None;
    }
    let (expected, actual) = (String::from_utf8_lossy(expected), String::from_utf8_lossy(actual));
    let (mut left, mut right, mut line) = (expected.lines(), actual.lines(), 0);
    let mut differing = 0;
    let mut text = String::new();
    loop {
        line += 1;
        match (left.next(), right.next()) {
            (None, None) => break,
            (l, r) if l != r => {
                differing += 1;
                if differing <= 5 {
                    let [l, r] = [l, r].map(|side| side.unwrap_or("(nothing)"));
                    text += &format!("line {line}\n  plain:   {l}\n  tessera: {r}\n");
                }
            }
            _ => {}
        }
    }
    Some(format!("{differing} lines of output differ\n{text}"))
}
