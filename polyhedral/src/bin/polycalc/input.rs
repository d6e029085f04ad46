//! Reading the input of a subcommand.

use std::io::Read;
use std::path::Path;

/// Says on standard error which options of loops in an input have no effect.
pub(crate) fn note_ignored(name: &str, text: &str) {
    let mut code = text.lines().map(|line| line.split('#').next().unwrap_or_default());
    if code.any(|line| line.contains("separation_class")) {
        eprintln!("polycalc: {name}: note: the option separation_class is ignored; isolate keeps full tiles apart");
    }
}

/// The name of the input for messages, and its text: of a file, or of standard input if there is none or it is `-`.
pub(crate) fn read(file: Option<&Path>) -> Result<(String, String), String> {
    let (name, text) = match file.filter(|f| f.as_os_str() != "-") {
        Some(path) => (path.display().to_string(), std::fs::read_to_string(path)),
        None => {
            let mut text = String::new();
            ("standard input".into(), std::io::stdin().read_to_string(&mut text).map(|_| text))
        }
    };
    match text {
        Ok(text) => Ok((name, text)),
        Err(error) => Err(format!("cannot read {name}: {error}")),
    }
}
