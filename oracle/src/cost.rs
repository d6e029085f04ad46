//! Whether estimates of time order candidates as the machine does: kernels in several loop orders, estimated and run.
//!
//! A kernel is a file of `polyhedral/tests/cost`, in parts that begin with `== `:
//!
//! - `scop`: the SCoP;
//! - `c`: its arrays and statements for a C program, `array double A [n][n]` and `statement S(i, j) A[i][j] += 1`;
//! - `sizes`: values of the parameters, `n=100,m=20`, one line each;
//! - `orders`: named scripts of passes, one line each, the order of the program with none.
//!
//! The code of every order comes from the library's own AST generation. `clang-22 -O3 -march=native` compiles it,
//! arrays are `restrict`, and loops of new orders whose member is coincident are marked as such, without a request that
//! they be vectorised; times are thread CPU times, the median of several rounds in which all orders take turns.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use tessera_polyhedral::ast::{AstBuild, CStyle};
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::cost::{Estimate, Model, Sizes};
use tessera_polyhedral::scop::Scop;
use tessera_polyhedral::target::Target;
use tessera_polyhedral::transform::{Draft, Script};

/// A kernel with its orders.
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// What it is.
    pub scop: Scop,
    /// The lines of its part `c`.
    pub c: Vec<String>,
    /// Values of its parameters.
    pub sizes: Vec<String>,
    /// Names and scripts.
    pub orders: Vec<(String, String)>,
}

fn budget() -> Budget {
    Budget::new(5_000_000_000)
}

impl Kernel {
    /// All kernels, in the order of their names.
    pub fn all() -> Result<Vec<Kernel>, String> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../polyhedral/tests/cost");
        let error = |e: std::io::Error| format!("{}: {e}", folder.display());
        let mut files: Vec<PathBuf> = Vec::new();
        for entry in std::fs::read_dir(&folder).map_err(error)? {
            files.push(entry.map_err(error)?.path());
        }
        files.sort();
        files
            .iter()
            .filter(|file| file.extension().is_some_and(|e| e == "txt"))
            .map(|file| Kernel::read(file))
            .collect()
    }

    fn read(file: &Path) -> Result<Kernel, String> {
        let text = std::fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let part = |part: &str| -> Vec<String> {
            let lines = text.lines().skip_while(|line| *line != format!("== {part}")).skip(1);
            lines.take_while(|line| !line.starts_with("== ")).map(str::to_owned).collect()
        };
        let scop = Scop::parse(&part("scop").join("\n"), &budget()).map_err(|e| format!("{name}: {e:#}"))?;
        let lines = part("orders");
        let orders = lines.iter().filter_map(|line| line.split_once(':'));
        let orders = orders.map(|(name, script)| (name.to_owned(), script.trim().to_owned()));
        Ok(Kernel { scop, c: part("c"), sizes: part("sizes"), orders: orders.collect(), name })
    }

    /// The drafts of all orders.
    pub fn drafts(&self) -> Result<Vec<Draft<'_>>, String> {
        let original = Draft::new(&self.scop, &budget()).map_err(|e| e.to_string())?;
        let draft = |(name, script): &(String, String)| {
            let script = Script::parse(script).map_err(|e| format!("{}, {name}: {e:#}", self.name))?;
            original.run(&script, &budget()).map_err(|e| format!("{}, {name}: {e}", self.name))
        };
        self.orders.iter().map(draft).collect()
    }

    /// The estimates of all orders.
    pub fn estimates(&self, drafts: &[Draft<'_>], target: &Target, sizes: &str) -> Result<Vec<Estimate>, String> {
        let sizes = Sizes::parse(sizes).map_err(|e| e.to_string())?;
        let Some(first) = drafts.first() else { return Ok(Vec::new()) };
        let model =
            Model::new(&self.scop, first.dependences(), target, &sizes, &budget()).map_err(|e| e.to_string())?;
        drafts.iter().map(|draft| model.estimate(draft.tree(), &budget()).map_err(|e| e.to_string())).collect()
    }

    /// A C program that prints one line per order: nanoseconds. Its arguments are the parameters in the order of the
    /// context.
    pub fn program(&self, drafts: &[Draft<'_>]) -> Result<String, String> {
        let params: Vec<&str> = self.scop.context.space().param_names().iter().map(|name| &**name).collect();
        let longs: Vec<String> = params.iter().map(|name| format!("long {name}")).collect();
        // Type, name, extents.
        let arrays: Vec<(&str, &str, &str)> = self
            .c
            .iter()
            .filter_map(|line| line.strip_prefix("array "))
            .filter_map(|line| {
                let (ty, rest) = line.split_once(' ')?;
                let (name, extents) = rest.split_once(' ')?;
                Some((ty, name, extents))
            })
            .collect();
        let formal = arrays.iter().map(|(ty, name, extents)| match extents.split_once(']') {
            Some((_, rest)) if !rest.is_empty() => format!("{ty} (*restrict {name}){rest}"),
            _ => format!("{ty} *restrict {name}"),
        });
        let formal: Vec<String> = longs.iter().cloned().chain(formal).collect();
        let actual: Vec<&str> = params.iter().copied().chain(arrays.iter().map(|(_, name, _)| *name)).collect();
        // The names of variables are none that parameters have.
        let mut out = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <time.h>\n".to_owned();
        for line in self.c.iter().filter_map(|line| line.strip_prefix("statement ")) {
            let (head, body) = line.split_once(") ").ok_or_else(|| format!("{}: {line}", self.name))?;
            let _ = writeln!(out, "#define {head}) {body}");
        }
        for (index, draft) in drafts.iter().enumerate() {
            let hint = (!draft.log().is_empty()).then(|| "#pragma clang loop vectorize(assume_safety)".to_owned());
            let style = CStyle { iterator: "long".into(), unsigned: Some("unsigned long".into()), coincident: hint };
            let build = AstBuild::new().with_context(self.scop.context.clone());
            let unit = build.build(draft.tree(), &budget()).map_err(|e| e.to_string())?;
            for line in unit.macros().lines() {
                let name = line.split(['(', ' ']).nth(1).unwrap_or_default();
                let _ = writeln!(out, "#undef {name}\n{line}");
            }
            let _ = writeln!(
                out,
                "__attribute__((noinline)) static void order_{index}({}) {{\n{}}}",
                formal.join(", "),
                unit.to_c(&style)
            );
        }
        let _ = writeln!(
            out,
            "static double now(void) {{ struct timespec t; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); return t.tv_sec * 1e9 + t.tv_nsec; }}\n\
             static int compare(const void *a, const void *b) {{ double x = *(double *)a, y = *(double *)b; return (x > y) - (x < y); }}\n\
             static void *data(size_t bytes) {{ double *p = aligned_alloc(4096, (bytes + 8191) / 4096 * 4096); \
             for (size_t k = 0; k < bytes / 8; k++) p[k] = 1.0 + (k % 17) * 0.01; return p; }}\n\
             int main(int argc, char **argv) {{"
        );
        for (index, name) in params.iter().enumerate() {
            let _ = writeln!(out, "long {name} = atol(argv[{}]);", index + 1);
        }
        for (ty, name, extents) in &arrays {
            let _ = writeln!(out, "void *{name} = data(sizeof({ty} {extents}));");
        }
        let n = drafts.len();
        let _ = writeln!(
            out,
            "enum {{ N = {n}, ROUNDS = 7 }};\nstatic double times[N][ROUNDS]; long repeats[N]; double start;"
        );
        let call = |index: usize| format!("order_{index}({});", actual.join(", "));
        for index in 0..n {
            let call = call(index);
            let _ = writeln!(
                out,
                "{call} start = now(); {call} {{ double t = now() - start; repeats[{index}] = t > 2e7 ? 1 : 2e7 / (t + 100) + 1; }}"
            );
        }
        let _ = writeln!(out, "for (int in_round = 0; in_round < ROUNDS; in_round++) {{");
        for index in 0..n {
            let _ = writeln!(
                out,
                "start = now(); for (long again = 0; again < repeats[{index}]; again++) {{ {} }} times[{index}][in_round] = (now() - start) / repeats[{index}];",
                call(index)
            );
        }
        let _ = writeln!(
            out,
            "}}\nfor (int k = 0; k < N; k++) {{ qsort(times[k], ROUNDS, sizeof(double), compare); \
             printf(\"%.0f\\n\", times[k][ROUNDS / 2]); }}\nreturn 0; }}"
        );
        Ok(out)
    }

    /// Nanoseconds of all orders for every line of sizes, measured here; files go to a folder.
    pub fn measured(&self, drafts: &[Draft<'_>], folder: &Path) -> Result<Vec<Vec<f64>>, String> {
        let source = folder.join(format!("{}.c", self.name));
        let program = folder.join(&self.name);
        std::fs::write(&source, self.program(drafts)?).map_err(|e| format!("{}: {e}", source.display()))?;
        let text = folder.join(format!("{}.ll", self.name));
        let clang = |arguments: &[&str], from: &Path, to: &Path| {
            let output = Command::new("clang-22").args(arguments).arg("-o").args([to, from]).output();
            let output = output.map_err(|e| format!("clang-22: {e}"))?;
            match output.status.success() {
                true => Ok(()),
                false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
            }
        };
        let plain = ["-O3", "-march=native", "-w", "-S", "-emit-llvm", "-Xclang", "-disable-llvm-passes"];
        clang(&plain, &source, &text)?;
        // The pragma says that iterations are independent, and asks for vectors; that request is taken out.
        let ir = std::fs::read_to_string(&text).map_err(|e| format!("{}: {e}", text.display()))?;
        let ir = ir.replace("!\"llvm.loop.vectorize.enable\", i1 true", "!\"llvm.loop.mustprogress\"");
        std::fs::write(&text, ir).map_err(|e| format!("{}: {e}", text.display()))?;
        clang(&["-O3", "-march=native", "-w"], &text, &program)?;
        let run = |sizes: &String| {
            let values = Sizes::parse(sizes).map_err(|e| e.to_string())?;
            let params = self.scop.context.space();
            let params = params.param_names().iter().map(|name| values.get(name).unwrap_or(100).to_string());
            let output = Command::new(&program).args(params).output().map_err(|e| format!("{}: {e}", self.name))?;
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            let times: Vec<f64> = text.lines().filter_map(|line| line.parse().ok()).collect();
            match times.len() == drafts.len() {
                true => Ok(times),
                false => Err(format!("{} with {sizes}: {}", self.name, output.status)),
            }
        };
        self.sizes.iter().map(run).collect()
    }
}

/// Spearman's rank correlation: 1 if both order in the same way, -1 if in opposite ways. What differs by less than 5 %
/// is equal.
pub fn rank_correlation(a: &[f64], b: &[f64]) -> f64 {
    let ranks = |values: &[f64]| -> Vec<f64> {
        let rank = |value: &f64| {
            let below = values.iter().filter(|other| **other * 1.05 < *value).count() as f64;
            let above = values.iter().filter(|other| **other > *value * 1.05).count() as f64;
            let equal = values.len() as f64 - below - above;
            below + (equal - 1.0) / 2.0
        };
        values.iter().map(rank).collect()
    };
    let (a, b) = (ranks(a), ranks(b));
    let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
    let product = |x: &[f64], y: &[f64]| {
        let (m, n) = (mean(x), mean(y));
        x.iter().zip(y).map(|(x, y)| (x - m) * (y - n)).sum::<f64>()
    };
    let scale = (product(&a, &a) * product(&b, &b)).sqrt();
    // Where one side has no order, there is nothing to get wrong but an order on the other side.
    let is_flat = product(&a, &a) == 0.0 && product(&b, &b) == 0.0;
    if scale == 0.0 { f64::from(u8::from(is_flat)) } else { product(&a, &b) / scale }
}
