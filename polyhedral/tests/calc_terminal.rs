//! The dialogue of `polycalc eval` on a pseudo-terminal, which `script` (util-linux) makes.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// How long to wait for an answer. Only a failure takes that long.
const PATIENCE: Duration = Duration::from_secs(60);

struct Terminal {
    child: Child,
    keys: ChildStdin,
    screen: Receiver<Vec<u8>>,
    seen: Vec<u8>,
    /// What was seen before this place has been waited for.
    at: usize,
}

impl Terminal {
    fn start(state: &Path) -> Terminal {
        let mut child = Command::new("script")
            .args(["--quiet", "--return", "--command"])
            .arg(format!("{} eval", env!("CARGO_BIN_EXE_polycalc")))
            .arg("/dev/null")
            .env("XDG_STATE_HOME", state)
            .env("TERM", "xterm")
            .env("SHELL", "/bin/sh")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("`script` of util-linux (Debian: bsdutils) makes the terminal");
        let keys = child.stdin.take().unwrap();
        let mut output = child.stdout.take().unwrap();
        let (sender, screen) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(n) = output.read(&mut buffer) {
                if n == 0 || sender.send(buffer[..n].to_vec()).is_err() {
                    break;
                }
            }
        });
        let mut terminal = Terminal { child, keys, screen, seen: Vec::new(), at: 0 };
        terminal.prompt();
        terminal
    }

    /// Waits until a text appears behind what was waited for before.
    fn wait(&mut self, text: &str) {
        let start = Instant::now();
        loop {
            let found = self.seen[self.at..].windows(text.len()).position(|w| w == text.as_bytes());
            if let Some(k) = found {
                self.at += k + text.len();
                return;
            }
            let left = PATIENCE.saturating_sub(start.elapsed());
            match self.screen.recv_timeout(left) {
                Ok(bytes) => self.seen.extend(bytes),
                Err(_) => panic!("no `{text}` after {}", String::from_utf8_lossy(&self.seen).escape_debug()),
            }
        }
    }

    fn prompt(&mut self) {
        // The line editor writes the prompt once it reads keys.
        self.wait("> ");
    }

    /// Presses keys, then the return key; waits for an answer and for the next prompt.
    fn ask(&mut self, keys: &str, answer: &str) {
        self.press(keys);
        self.press("\r");
        self.wait("\n");
        self.wait(answer);
        self.prompt();
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Ctrl-D; gives the exit status.
    fn end(mut self) -> Option<i32> {
        self.press("\x04");
        self.child.wait().unwrap().code()
    }
}

fn state(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    path
}

const UP: &str = "\x1b[A";
const LEFT: &str = "\x1b[D";

#[test]
fn statements_errors_and_help() {
    let mut terminal = Terminal::start(&state("dialogue"));
    terminal.ask("A := [n] -> { S[i] : 0 <= i < n }; card A", "[n] -> { n : n >= 1 }");
    // An error shows its place, and the dialogue goes on.
    terminal.ask("A - 1 / 0 ;", "line 1, column 3: `-` is not defined for a set and a integer");
    terminal.ask("B := { [i] : i > }", "expected an expression, found `}`");
    terminal.ask("ub A", "`ub` is not available yet");
    terminal.ask("help lexmin", "lexmin: set -> set, map -> map");
    terminal.ask("help", "Functions: aff, ");
    // An open bracket or an operator at the end asks for more.
    terminal.press("A *\r");
    terminal.press("[n] -> {\r");
    terminal.ask(" : n = 4 }", "[n] -> { S[i] : n = 4 and 0 <= i <= 3 }");
    // Ctrl-C forgets the line.
    terminal.press("A + \x03");
    terminal.prompt();
    terminal.ask("1 + 1", "2");
    // The tab key completes names.
    terminal.ask("coal\t A", "[n] -> { S[i] : 0 <= i < n }");
    assert_eq!(terminal.end(), Some(0));
}

#[test]
fn lines_are_recalled_and_edited() {
    let state = state("history");
    let mut terminal = Terminal::start(&state);
    terminal.ask("6 * 70", "420");
    terminal.ask(UP, "420");
    // The cursor moves before the last digit.
    terminal.ask(&format!("{UP}{LEFT}1"), "4260");
    assert_eq!(terminal.end(), Some(0));
    // The history outlives the session.
    let text = std::fs::read_to_string(state.join("polycalc_history")).unwrap();
    assert!(text.contains("6 * 70") && text.contains("6 * 710"), "{text}");
    let mut terminal = Terminal::start(&state);
    terminal.ask(&format!("{UP}{UP}"), "420");
    assert_eq!(terminal.end(), Some(0));
}
