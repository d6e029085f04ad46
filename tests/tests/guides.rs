//! The commands of `docs/guide.md`, as they stand there.
//!
//! Each section runs in a folder of its own: blocks whose first line names a file (` ```c gemm.c `) are written to it, `sh` blocks are
//! run, and each line of an `output` block must be part of a line that the commands before it printed. `TESSERA_HOME` is where the
//! first section installs.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use tessera_tests::plugin::{Plugin, workspace};
use tessera_tests::process::{Failure, Run};

/// A fenced block of the guide.
struct Block {
    /// What follows the fence: a language and perhaps a file.
    info: String,
    text: String,
}

/// The blocks of a section.
fn section(name: &str) -> Vec<Block> {
    let path = workspace().join("docs/guide.md");
    let guide = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let start = guide.find(&format!("\n## {name}\n")).unwrap_or_else(|| panic!("no section {name} in the guide"));
    let rest = &guide[start + 4..];
    let text = &rest[..rest.find("\n## ").unwrap_or(rest.len())];
    let mut blocks: Vec<Block> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        match line.strip_prefix("```") {
            Some(_) if inside => inside = false,
            Some(info) => {
                inside = true;
                blocks.push(Block { info: info.to_string(), text: String::new() });
            }
            None if inside => {
                let block = blocks.last_mut().expect("an open block");
                block.text += line;
                block.text.push('\n');
            }
            None => {}
        }
    }
    assert!(!inside, "an open block in the section {name}");
    blocks
}

/// Runs shell commands; gives all they print.
fn shell(commands: &str, folder: &Path, home: &Path) -> Result<String, Failure> {
    let plugin = Plugin::locate()?;
    let script = format!("cd \"$1\"\nexec 2>&1\n{commands}");
    // The plugin is passed on so that the first section need not build it a second time.
    let run = Run::new("bash").args(["-euo", "pipefail", "-c", &script, "guide"]).arg(folder);
    let run = run.env("TESSERA_HOME", &home.display().to_string());
    let run = run.env("TESSERA_PLUGIN", &plugin.path().display().to_string()).env("RUSTFLAGS", "");
    let run = run.env("CARGO_TARGET_DIR", &folder.join("target").display().to_string());
    Ok(String::from_utf8_lossy(&run.output()?.stdout).into_owned())
}

/// Where the guide's first section has installed Tessera, once for all sections.
fn home() -> &'static Path {
    static HOME: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    let (_, home) = HOME.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let home = folder.path().join("tessera");
        let blocks = section("Install");
        assert!(blocks.len() == 1 && blocks[0].info == "sh");
        let commands = format!("cd '{}'\n{}", workspace().display(), blocks[0].text);
        shell(&commands, folder.path(), &home).unwrap_or_else(|failure| panic!("{failure}"));
        (folder, home)
    });
    home
}

/// Runs a section; gives everything that was printed.
fn follow(name: &str, folder: &Path, home: &Path) -> Result<String, Failure> {
    let (mut all, mut printed, mut checked) = (String::new(), String::new(), 0);
    for block in section(name) {
        let mut words = block.info.split_whitespace();
        match (words.next(), words.next()) {
            (Some("sh"), None) => {
                printed = shell(&block.text, folder, home)?;
                all += &printed;
            }
            (Some("output"), None) => {
                for line in block.text.lines() {
                    assert!(printed.lines().any(|other| other.contains(line)), "{name}: no `{line}` in\n{printed}");
                    checked += 1;
                }
            }
            (Some(_), Some(file)) => {
                let path = folder.join(file);
                std::fs::create_dir_all(path.parent().unwrap_or(folder)).expect("a folder");
                std::fs::write(&path, &block.text).expect("the file can be written");
            }
            _ => panic!("{name}: what is a block of `{}`?", block.info),
        }
    }
    assert!(checked > 0, "{name}: no output is checked");
    Ok(all)
}

fn follow_alone(name: &str) -> Result<(), Failure> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    follow(name, folder.path(), home()).map(drop)
}

#[test]
fn clang() -> Result<(), Failure> {
    follow_alone("clang")
}

#[test]
fn cmake() -> Result<(), Failure> {
    if Run::new("cmake").arg("--version").output().is_err() {
        println!("skipped: cmake is not installed");
        return Ok(());
    }
    follow_alone("CMake")
}

#[test]
fn rustc() -> Result<(), Failure> {
    follow_alone("rustc")
}

#[test]
fn opt() -> Result<(), Failure> {
    follow_alone("opt")
}

/// The commands, and what the guide says about them: when cargo compiles again, and what `--target` leaves out.
#[test]
fn cargo() -> Result<(), Failure> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let all = follow("cargo", folder.path(), home())?;
    assert!(!all.contains("build.rs:"), "the build script is compiled with the plugin:\n{all}");
    let build = |options: &str, home: &Path, target: &str, flags: &str| {
        let commands = format!(
            "export RUSTC_BOOTSTRAP=1 TESSERA='{options}'\nRUSTFLAGS=\"{flags}\" cargo build --release {target}"
        );
        shell(&commands, folder.path(), home)
    };
    let (target, marked) = ("--target x86_64-unknown-linux-gnu", "$(\"$TESSERA_HOME/bin/tessera-rustflags\")");
    // The same plugin and options: nothing is compiled. Other options: everything.
    assert!(!build("remarks", home(), target, marked)?.contains("Compiling"));
    let log = build("remarks;tile=8", home(), target, marked)?;
    assert!(log.contains("Compiling") && log.contains("src/main.rs:4:"), "{log}");
    // Without --target the build script is compiled with the plugin, too.
    let log = build("remarks", home(), "", marked)?;
    assert!(log.contains("\nbuild.rs:"), "{log}");
    // Without the mark cargo does not notice that an option changed.
    let plain = "-Z llvm-plugins=$PLUGIN";
    let link = folder.path().join("libtessera.so");
    std::os::unix::fs::symlink(home().join("lib/libtessera.so"), &link).expect("a link");
    let plain = plain.replace("$PLUGIN", &link.display().to_string());
    assert!(build("remarks", home(), target, &plain)?.contains("Compiling"));
    assert!(!build("remarks;tile=8", home(), target, &plain)?.contains("Compiling"), "cargo sees TESSERA now");
    Ok(())
}

/// A new version of the plugin: the mark changes, and CMake's targets are compiled again.
#[test]
fn a_new_plugin_is_noticed() -> Result<(), Failure> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let copy = folder.path().join("copy");
    let commands = format!("cp -r '{}' '{}'", home().display(), copy.display());
    shell(&commands, folder.path(), home())?;
    let flags = |home: &Path| shell("\"$TESSERA_HOME/bin/tessera-rustflags\"", folder.path(), home);
    let mark = |flags: String| flags.split_once("tessera=").map(|(_, mark)| mark.to_string());
    let before = mark(flags(&copy)?);
    assert_eq!(before, mark(flags(home())?), "a moved folder has the same mark");
    // A byte more at the end of a shared library is another file with the same code.
    shell("printf x >>\"$TESSERA_HOME/lib/libtessera.so\"", folder.path(), &copy)?;
    assert!(before.is_some() && mark(flags(&copy)?) != before);
    if Run::new("cmake").arg("--version").output().is_ok() {
        let project = folder.path().join("project");
        std::fs::create_dir(&project).expect("a folder");
        follow("CMake", &project, &copy)?;
        assert!(!shell("cmake --build build", &project, &copy)?.contains("Building"));
        shell("sleep 1; touch \"$TESSERA_HOME/lib/libtessera.so\"", folder.path(), &copy)?;
        let log = shell("cmake --build build", &project, &copy)?;
        assert!(log.contains("Building C object CMakeFiles/kernel.dir") && !log.contains("app.dir/main.c"), "{log}");
    }
    Ok(())
}

#[test]
fn gpu() -> Result<(), Failure> {
    follow_alone("On a GPU")
}
