//! The dialogue on a terminal: a prompt, line editing, a history that outlives the session, completion of names.

use std::path::PathBuf;
use std::process::ExitCode;

use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::DefaultHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Context, Editor, Helper};
use tessera_polyhedral::calc::{Calculator, functions, is_complete};

/// What the line editor knows: the names that can be completed, and when a statement is whole.
struct Names {
    names: Vec<String>,
}

impl Helper for Names {}

impl Highlighter for Names {}

impl Hinter for Names {
    type Hint = String;
}

impl Completer for Names {
    type Candidate = String;

    fn complete(&self, line: &str, pos: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        let before = line.get(..pos).unwrap_or("");
        let start = before.rfind(|c: char| !(c.is_alphanumeric() || c == '_')).map_or(0, |k| k + 1);
        let word = before.get(start..).unwrap_or("");
        if word.is_empty() {
            return Ok((start, Vec::new()));
        }
        Ok((start, self.names.iter().filter(|name| name.starts_with(word)).cloned().collect()))
    }
}

impl Validator for Names {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        Ok(if is_complete(context.input()) { ValidationResult::Valid(None) } else { ValidationResult::Incomplete })
    }
}

/// Where the history is kept: `$XDG_STATE_HOME/polycalc_history` or `~/.local/state/polycalc_history`.
fn history_file() -> Option<PathBuf> {
    let state = std::env::var_os("XDG_STATE_HOME").filter(|s| !s.is_empty()).map(PathBuf::from);
    let state = state.or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".local/state")))?;
    std::fs::create_dir_all(&state).ok()?;
    Some(state.join("polycalc_history"))
}

/// Reads statements until the end of the input; errors are shown and the dialogue goes on.
pub(crate) fn run(mut calculator: Calculator) -> ExitCode {
    let mut editor: Editor<Names, DefaultHistory> = match Editor::new() {
        Ok(editor) => editor,
        Err(error) => {
            eprintln!("polycalc: cannot use the terminal: {error}");
            return ExitCode::FAILURE;
        }
    };
    let history = history_file();
    if let Some(path) = &history {
        // A missing history is not worth a message.
        let _ = editor.load_history(path);
    }
    println!("polycalc {}. `help` lists what there is, Ctrl-D ends.", env!("CARGO_PKG_VERSION"));
    loop {
        let mut names: Vec<String> = functions().iter().map(|f| f.name.to_owned()).collect();
        names.extend(calculator.names().map(str::to_owned));
        names.extend(["print", "help", "source", "cross", "before"].map(str::to_owned));
        names.sort();
        editor.set_helper(Some(Names { names }));
        match editor.readline("> ") {
            Ok(line) => {
                if !line.trim().is_empty() {
                    let _ = editor.add_history_entry(line.as_str());
                }
                if let Err(error) = calculator.run(&line, &mut |line| println!("{line}")) {
                    eprintln!("{error:#}");
                }
            }
            Err(ReadlineError::Interrupted) => {}
            Err(ReadlineError::Eof) => break,
            Err(error) => {
                eprintln!("polycalc: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    if let Some(path) = &history
        && let Err(error) = editor.save_history(path)
    {
        eprintln!("polycalc: cannot write {}: {error}", path.display());
    }
    ExitCode::SUCCESS
}
