//! The root module of the Rust crate around one kernel: a function for C that makes the kernel's arguments of pointers and
//! catches its panic. It has no loop, so that everything that is said about the crate is about the kernel.

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

/// The type of an array whose rows are vectors of their own.
fn rows(array: &Array) -> String {
    array.extents.iter().fold(array.element.rust().to_string(), |row, _| format!("Vec<{row}>"))
}
