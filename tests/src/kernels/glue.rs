//! The glue between the driver and one kernel, as source text: C++ for C++, C for C and for Rust, whose other half is the
//! root of its crate (`root.rs`).

use super::form::{Form, Language};
use super::problem::{Array, Problem};
use std::fmt::Write;

/// The parameter list of the kernel: one text per size that it takes, scalar and array.
fn parameters(problem: &Problem, form: Form, size: &str, array: impl Fn(&Array) -> String) -> String {
    let scalar = problem.scalar().c();
    let mut list: Vec<String> = Vec::new();
    list.extend(form.sizes(problem).iter().map(|_| size.to_string()));
    list.extend(problem.scalars.iter().map(|_| scalar.to_string()));
    list.extend(problem.arrays.iter().map(array));
    list.join(", ")
}

fn constant(array: &Array) -> &'static str {
    if array.read_only { "const " } else { "" }
}

/// The extents of an array, as a list after other arguments.
fn extents(array: &Array) -> String {
    array.extents.iter().map(|extent| format!(", size[{extent}]")).collect()
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
fn call(problem: &Problem, form: Form, array: impl Fn(usize, &Array) -> String) -> String {
    let mut list: Vec<String> = form.sizes(problem).iter().map(|at| format!("size[{at}]")).collect();
    list.extend(problem.scalars.iter().map(|(_, value)| value.clone()));
    list.extend(problem.arrays.iter().enumerate().map(|(at, each)| array(at, each)));
    format!("{}({})", problem.name, list.join(", "))
}

/// The glue of a kernel, in C++ for kernels in C++ and else in C.
pub fn driver_side(problem: &Problem, form: Form) -> String {
    match (form.language(), form) {
        (Language::C, _) => c(problem, form),
        (Language::Cpp, Form::Mdspan) => views(problem, form),
        (Language::Cpp, _) => vectors(problem, form),
        (Language::Rust, Form::RustVecVec) => rust_rows(problem, form),
        (Language::Rust, _) => rust(problem, form),
    }
}

/// The three functions for the driver: `run` is an expression, the others are statements.
fn functions(prepare: &str, run: &str, finish: &str) -> String {
    let mut text = String::new();
    for (result, name, body) in
        [("void", "prepare", prepare), ("int", "run", &format!("    return {run};\n")), ("void", "finish", finish)]
    {
        let _ = writeln!(
            text,
            "{result} {name}(const long *size, void *const *array) {{\n    (void)size;\n    (void)array;\n{body}}}"
        );
    }
    text
}

fn c(problem: &Problem, form: Form) -> String {
    let parameters = parameters(problem, form, "long", |array| format!("{}{} *", constant(array), array.element.c()));
    let call = call(problem, form, |at, _| format!("array[{at}]"));
    let functions = functions("", &format!("({call}, 1)"), "");
    format!("#include \"driver.h\"\nvoid {}({parameters});\n{}{functions}", problem.name, description(problem))
}

/// For Rust: every array is a pointer and the length of the slice; the result says whether the kernel came to its end.
fn rust(problem: &Problem, form: Form) -> String {
    let is_slice = !form.is_constant();
    let parameters = parameters(problem, form, "long", |array| {
        format!("{}{} *{}", constant(array), array.element.c(), if is_slice { ", long" } else { "" })
    });
    let call = call(problem, form, |at, _| match is_slice {
        true => format!("array[{at}], given_length_of({at}, size)"),
        false => format!("array[{at}]"),
    });
    let functions = functions("", &call, "");
    format!("#include \"driver.h\"\nint {}({parameters});\n{}{functions}", problem.name, description(problem))
}

/// For Rust with rows in vectors of their own, which `driver/rows.rs` makes.
fn rust_rows(problem: &Problem, form: Form) -> String {
    let parameters = parameters(problem, form, "long", |_| "void *".to_string());
    let call = call(problem, form, |at, _| format!("rows[{at}]"));
    let (mut declarations, mut prepare, mut finish) = (String::new(), String::new(), String::new());
    let mut declared = Vec::new();
    for (at, array) in problem.arrays.iter().enumerate() {
        let make = format!("rows_{}_{}", array.element.c(), array.extents.len());
        let extents = if array.extents.len() > 1 { extents(array) } else { String::new() };
        let _ = writeln!(prepare, "    rows[{at}] = {make}(array[{at}], given_length_of({at}, size){extents});");
        let _ = writeln!(finish, "    {make}_back(rows[{at}], array[{at}]);");
        if !declared.contains(&make) {
            let extents = ", long".repeat(extents.matches(',').count());
            let _ = writeln!(declarations, "void *{make}(const void *, long{extents});");
            let _ = writeln!(declarations, "void {make}_back(void *, void *);");
            declared.push(make);
        }
    }
    let functions = functions(&prepare, &call, &finish);
    format!(
        "#include \"driver.h\"\nint {}({parameters});\n{declarations}static void *rows[{}];\n{}{functions}",
        problem.name,
        problem.arrays.len(),
        description(problem)
    )
}

/// For C++ with vectors, of rows of their own or not.
fn vectors(problem: &Problem, form: Form) -> String {
    let vector = |array: &Array| {
        let levels = if form == Form::VecVec { array.extents.len() } else { 1 };
        (0..levels).fold(array.element.c().to_string(), |row, _| format!("std::vector<{row}>"))
    };
    let parameters = parameters(problem, form, "int", |array| format!("{}{} &", constant(array), vector(array)));
    let call = call(problem, form, |at, _| format!("v{at}"));
    let (mut variables, mut prepare, mut finish) = (String::new(), String::new(), String::new());
    for (at, array) in problem.arrays.iter().enumerate() {
        let element = array.element.c();
        let extents = if form == Form::VecVec { extents(array) } else { format!(", length_of({at}, size)") };
        let _ = writeln!(variables, "static {} v{at};", vector(array));
        let _ = writeln!(prepare, "    fill(v{at}, (const {element} *)array[{at}]{extents});");
        let _ = writeln!(finish, "    drain(v{at}, ({element} *)array[{at}]);");
    }
    let functions = functions(&prepare, &format!("({call}, 1)"), &finish);
    format!(
        "#include \"rows.hpp\"\nextern \"C\" {{\n#include \"driver.h\"\n}}\nvoid {}({parameters});\n{}{variables}{functions}",
        problem.name,
        description(problem)
    )
}

/// For C++ with views of the driver's memory.
fn views(problem: &Problem, form: Form) -> String {
    let view = |array: &Array| {
        let element = format!("{}{}", constant(array), array.element.c());
        match array.extents.len() {
            1 => format!("std::span<{element}>"),
            rank => format!("mdspan<{element}, {rank}>"),
        }
    };
    let parameters = parameters(problem, form, "std::size_t", view);
    let call = call(problem, form, |at, array| {
        format!("{}(({} *)array[{at}]{})", view(array), array.element.c(), extents(array))
    });
    let functions = functions("", &format!("({call}, 1)"), "");
    format!(
        "#include \"../mdspan/mdspan.hpp\"\nextern \"C\" {{\n#include \"driver.h\"\n}}\nvoid {}({parameters});\n{}{functions}",
        problem.name,
        description(problem)
    )
}
