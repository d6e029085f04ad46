//! The glue between the driver and one kernel, as source text: C for C, C++ for C++, and for Rust C plus the root module
//! that makes slices of pointers.

use super::Form;
use super::problem::{Array, Problem};
use std::fmt::Write;
use std::path::Path;

/// The parameter list of the kernel: one text per size, scalar and array.
fn parameters(problem: &Problem, sizes: &str, array: impl Fn(&Array) -> String) -> String {
    let scalar = problem.scalar().c();
    let mut list: Vec<String> = Vec::new();
    if !sizes.is_empty() {
        list.extend(problem.sizes.iter().map(|_| sizes.to_string()));
    }
    list.extend(problem.scalars.iter().map(|_| scalar.to_string()));
    list.extend(problem.arrays.iter().map(array));
    list.join(", ")
}

/// The extent product of an array over `size[...]` in C.
fn length(array: &Array) -> String {
    array.extents.iter().map(|extent| format!("size[{extent}]")).collect::<Vec<_>>().join(" * ")
}

/// What is the same for all languages: the description, shapes and start values of the arrays.
fn description(problem: &Problem) -> String {
    let mut text = String::from("static const struct array arrays[] = {\n");
    for array in &problem.arrays {
        let (element, values) = (array.element.c().to_uppercase(), array.values.to_uppercase());
        let _ = writeln!(text, "    {{\"{}\", {element}, {values}}},", array.name);
    }
    let _ = writeln!(
        text,
        "}};\nconst struct problem problem = {{\"{}\", {}, {}, arrays}};",
        problem.name,
        problem.sizes.len(),
        problem.arrays.len()
    );
    text += "long length_of(int array, const long *size) {\n    switch (array) {\n";
    for (at, array) in problem.arrays.iter().enumerate() {
        let _ = writeln!(text, "    case {at}: return {};", length(array));
    }
    text += "    }\n    return 0;\n}\nlong last_extent_of(int array, const long *size) {\n    switch (array) {\n";
    for (at, array) in problem.arrays.iter().enumerate() {
        let _ = writeln!(text, "    case {at}: return size[{}];", array.extents.last().copied().unwrap_or(0));
    }
    text += "    }\n    return 0;\n}\n";
    text
}

/// The call of the kernel; `array` says how an array is passed.
fn call(problem: &Problem, with_sizes: bool, array: impl Fn(usize, &Array) -> String) -> String {
    let mut list: Vec<String> = Vec::new();
    if with_sizes {
        list.extend((0..problem.sizes.len()).map(|at| format!("size[{at}]")));
    }
    list.extend(problem.scalars.iter().map(|(_, value)| value.clone()));
    list.extend(problem.arrays.iter().enumerate().map(|(at, each)| array(at, each)));
    format!("{}({})", problem.name, list.join(", "))
}

/// The glue of a kernel in C, or in C++ for [`Form::Cpp`].
pub fn driver_side(problem: &Problem, form: Form) -> String {
    match form {
        Form::Cpp => cpp(problem),
        _ => c(problem, form),
    }
}

fn c(problem: &Problem, form: Form) -> String {
    let with_sizes = form != Form::Constant;
    let pointer = |array: &Array| format!("{}{} *", if array.read_only { "const " } else { "" }, array.element.c());
    let parameters = parameters(problem, if with_sizes { "long" } else { "" }, pointer);
    let call = call(problem, with_sizes, |at, _| format!("array[{at}]"));
    // A Rust kernel also takes which array is short, and says whether it came to its end.
    let (result, run) = match (form, call.strip_suffix(')')) {
        (Form::Rust, Some(call)) => {
            (format!("int {}({parameters}, int)", problem.name), format!("return {call}, short_array);"))
        }
        _ => (format!("void {}({parameters})", problem.name), format!("{call}; return 1;")),
    };
    format!(
        "#include \"driver.h\"\n{result};\n{}\
         void prepare(const long *size, void *const *array) {{ (void)size; (void)array; }}\n\
         void finish(const long *size, void *const *array) {{ (void)size; (void)array; }}\n\
         int run(const long *size, void *const *array) {{ (void)size; {run} }}\n",
        description(problem)
    )
}

fn cpp(problem: &Problem) -> String {
    let reference =
        |array: &Array| format!("{}std::vector<{}> &", if array.read_only { "const " } else { "" }, array.element.c());
    let parameters = parameters(problem, "int", reference);
    let call = call(problem, true, |at, _| format!("v{at}"));
    let (mut vectors, mut prepare, mut finish) = (String::new(), String::new(), String::new());
    for (at, array) in problem.arrays.iter().enumerate() {
        let element = array.element.c();
        let _ = writeln!(vectors, "static std::vector<{element}> v{at};");
        let _ = writeln!(
            prepare,
            "    v{at}.assign(({element} *)array[{at}], ({element} *)array[{at}] + length_of({at}, size));"
        );
        let _ = writeln!(finish, "    std::copy(v{at}.begin(), v{at}.end(), ({element} *)array[{at}]);");
    }
    format!(
        "#include <algorithm>\n#include <vector>\nextern \"C\" {{\n#include \"driver.h\"\n}}\n\
         void {}({parameters});\n{}{vectors}\
         void prepare(const long *size, void *const *array) {{\n{prepare}}}\n\
         void finish(const long *, void *const *array) {{\n{finish}}}\n\
         int run(const long *size, void *const *) {{ {call}; return 1; }}\n",
        problem.name,
        description(problem)
    )
}

/// The root of the Rust crate around the kernel in the file `kernel`: a function for C that makes slices of its pointers,
/// the one with the number `short` one element shorter, and gives whether the kernel ended without a panic.
pub fn rust_root(problem: &Problem, kernel: &Path) -> String {
    let scalar = problem.scalar().rust();
    let (mut parameters, mut arguments) = (Vec::new(), Vec::new());
    for (name, _) in &problem.sizes {
        parameters.push(format!("{name}: usize"));
        arguments.push(name.clone());
    }
    for (name, _) in &problem.scalars {
        parameters.push(format!("{name}: {scalar}"));
        arguments.push(name.clone());
    }
    for (at, array) in problem.arrays.iter().enumerate() {
        let length: Vec<&str> = array.extents.iter().map(|&extent| problem.sizes[extent].0.as_str()).collect();
        let (name, element, length) = (&array.name, array.element.rust(), length.join(" * "));
        let (pointer, make) = if array.read_only { ("const", "") } else { ("mut", "_mut") };
        parameters.push(format!("{name}: *{pointer} {element}"));
        arguments.push(format!(
            "std::slice::from_raw_parts{make}({name}, ({length}).saturating_sub(usize::from(short == {at})))"
        ));
    }
    let name = &problem.name;
    format!(
        "#[path = {kernel:?}]\nmod kernel;\n#[unsafe(no_mangle)]\npub unsafe extern \"C\" fn {name}({}, short: i32) -> i32 {{\n    \
         let ended = std::panic::catch_unwind(|| unsafe {{ kernel::{name}({}) }});\n    i32::from(ended.is_ok())\n}}\n",
        parameters.join(", "),
        arguments.join(", ")
    )
}
