//! The root module of a Rust crate around one kernel: a function for C that makes the kernel's arguments of pointers and
//! catches its panic, or a program that does not. The function has no loop, so that everything that is said about the crate
//! is about the kernel.

use super::Form;
use super::problem::{Array, Problem};
use std::path::Path;

/// The text of the root around the kernel in the file `kernel`. Its function takes the sizes that the form has, the
/// scalars, the arrays, and which slice is how much shorter than it should be; it gives whether the kernel ended without a
/// panic. The constants of [`Form::RustFixed`] are `sizes`.
pub fn rust_root(problem: &Problem, form: Form, sizes: &[i64], kernel: &Path) -> String {
    let scalar = problem.scalar().rust();
    let (mut parameters, mut arguments) = (Vec::new(), Vec::new());
    let given = form.sizes(problem);
    for name in given.iter().map(|&at| &problem.sizes[at].0) {
        parameters.push(format!("{name}: usize"));
        arguments.push(name.clone());
    }
    for (name, _) in &problem.scalars {
        parameters.push(format!("{name}: {scalar}"));
        arguments.push(name.clone());
    }
    for (at, array) in problem.arrays.iter().enumerate() {
        let (name, pointer) = (&array.name, if array.read_only { "const" } else { "mut" });
        let reference = if array.read_only { "&*" } else { "&mut *" };
        match form {
            Form::RustVecVec => {
                let rows = rows(array);
                parameters.push(format!("{name}: *{pointer} {rows}"));
                arguments.push(format!("{reference}{name}"));
            }
            Form::RustFixed => {
                let array = array
                    .extents
                    .iter()
                    .rev()
                    .fold(array.element.rust().to_string(), |row, &extent| format!("[{row}; {}]", sizes[extent]));
                parameters.push(format!("{name}: *{pointer} {array}"));
                arguments.push(format!("{reference}{name}"));
            }
            _ => {
                let make = if array.read_only { "" } else { "_mut" };
                parameters.push(format!("{name}: *{pointer} {}", array.element.rust()));
                parameters.push(format!("length_{at}: usize"));
                arguments.push(format!("std::slice::from_raw_parts{make}({name}, length_{at})"));
            }
        }
    }
    let constants: Vec<String> = match form {
        Form::RustFixed => {
            (0..sizes.len()).filter(|at| !given.contains(at)).map(|at| format!("{{ {} }}", sizes[at])).collect()
        }
        _ => Vec::new(),
    };
    let constants = if constants.is_empty() { String::new() } else { format!("::<{}>", constants.join(", ")) };
    let name = &problem.name;
    format!(
        "#[path = {kernel:?}]\nmod kernel;\n#[unsafe(no_mangle)]\npub unsafe extern \"C\" fn {name}({}) -> i32 {{\n    \
         let ended = std::panic::catch_unwind(|| unsafe {{ kernel::{name}{constants}({}) }});\n    \
         i32::from(ended.is_ok())\n}}\n",
        parameters.join(", "),
        arguments.join(", ")
    )
}

/// The text of a program that writes a line, calls the kernel in the file `kernel` with arrays of its own, the one with
/// number `short` without its second half, and writes another line. It catches no panic. Arrays have at most two
/// dimensions.
pub fn rust_program(problem: &Problem, form: Form, sizes: &[i64], short: usize, kernel: &Path) -> String {
    let mut text = format!("#[path = {kernel:?}]\nmod kernel;\nfn main() {{\n    println!(\"before\");\n");
    let mut arguments: Vec<String> = form.sizes(problem).iter().map(|&at| sizes[at].to_string()).collect();
    arguments.extend(problem.scalars.iter().map(|(_, value)| value.clone()));
    for (at, array) in problem.arrays.iter().enumerate() {
        let (name, element) = (&array.name, array.element.rust());
        let length: i64 = array.extents.iter().map(|&extent| sizes[extent]).product();
        let length = if at == short { length / 2 } else { length };
        text += &format!("    let {name} = (0..{length}).map(|at| (at % 97 + 1) as {element});\n");
        match (form, array.extents.last()) {
            (Form::RustVecVec, Some(&last)) if array.extents.len() == 2 => {
                let width = sizes[last];
                text += &format!("    let {name} = {name}.collect::<Vec<_>>();\n");
                text += &format!("    let {name} = {name}.chunks({width}).map(<[{element}]>::to_vec);\n");
            }
            _ => {}
        }
        text += &format!("    let mut {name}: Vec<_> = {name}.collect();\n");
        arguments.push(format!("{}{name}", if array.read_only { "&" } else { "&mut " }));
    }
    text + &format!("    kernel::{}({});\n    println!(\"after\");\n}}\n", problem.name, arguments.join(", "))
}

/// The type of an array whose rows are vectors of their own.
fn rows(array: &Array) -> String {
    array.extents.iter().fold(array.element.rust().to_string(), |row, _| format!("Vec<{row}>"))
}
