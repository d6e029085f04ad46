//! Printing a program in the style of CUDA.
//!
//! The last dimension of grids and blocks is `x`: neighbours along it run side by side. Statements are calls of functions of their name, as in
//! the [C](crate::ast::CStyle) of trees that are not mapped.
//!
//! ```text
//! __global__ void kernel0(int n) {
//!   const int b0 = blockIdx.x;
//!   const int t0 = threadIdx.x;
//!   for (int c0 = b0; 32 * c0 <= n - 1; c0 += 8)
//!     ...
//! }
//!
//! // host
//! kernel0<<<dim3(8), dim3(32)>>>(n);
//! ```

use std::fmt;

use crate::ast::{CStyle, call_of, macros_of};
use crate::space::Name;

use super::program::{Kernel, Program};

const AXES: [&str; 3] = ["x", "y", "z"];

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_cuda(&CStyle::default()))
    }
}

impl Program {
    /// Definitions for the preprocessor of the functions that the printed code uses.
    pub fn macros(&self) -> String {
        macros_of(&self.to_string())
    }

    /// The code of all kernels, then that of the host.
    pub fn to_cuda(&self, style: &CStyle) -> String {
        let mut out: String = self.kernels.iter().map(|kernel| kernel.to_cuda(style) + "\n").collect();
        let call = |name: &Name, args: &[String]| match self.kernels.iter().find(|kernel| kernel.order.name == *name) {
            Some(kernel) => kernel.launched(args),
            None => call_of(name, args),
        };
        out += "// host\n";
        out + &self.host.to_c_with(style, &call)
    }
}

impl Kernel {
    /// The parameters of the program that the code knows.
    fn params(&self) -> impl Iterator<Item = &Name> {
        let own = [&self.order.host, &self.order.blocks, &self.order.threads];
        self.unit.params.iter().filter(move |name| !own.iter().any(|names| names.contains(name)))
    }

    fn launched(&self, args: &[String]) -> String {
        let all: Vec<&str> = self.params().map(|name| &**name).chain(args.iter().map(String::as_str)).collect();
        let size = |sizes: &[i64]| {
            let sizes: Vec<String> = sizes.iter().rev().map(ToString::to_string).collect();
            if sizes.is_empty() { "1".to_owned() } else { format!("dim3({})", sizes.join(", ")) }
        };
        let (grid, block) = (size(&self.order.launch().grid), size(&self.order.launch().block));
        format!("{}<<<{grid}, {block}>>>({});", self.order.name, all.join(", "))
    }

    fn to_cuda(&self, style: &CStyle) -> String {
        let kind = &style.iterator;
        let params: Vec<String> = self.params().chain(&self.order.host).map(|name| format!("{kind} {name}")).collect();
        let mut out = format!("__global__ void {}({}) {{\n", self.order.name, params.join(", "));
        for (names, index) in [(&self.order.blocks, "blockIdx"), (&self.order.threads, "threadIdx")] {
            for (name, axis) in names.iter().rev().zip(AXES) {
                out += &format!("  const {kind} {name} = {index}.{axis};\n");
            }
        }
        let call = |name: &Name, args: &[String]| match self.order.barriers.contains(name) {
            true => "__syncthreads();".to_owned(),
            false => call_of(name, args),
        };
        for line in self.unit.to_c_with(style, &call).lines() {
            out += &format!("  {line}\n");
        }
        out + "}\n"
    }
}
