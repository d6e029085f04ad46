//! Kernels: schedule trees whose marks say what runs on a device, as the code of the host and of every kernel.
//!
//! # The tree
//!
//! A mapped tree is the schedule tree that it was, with three kinds of [marks](crate::schedule::Mark) in it. Take them away, and the same
//! instances run in the order of the tree, one after the other. With them
//!
//! ```text
//! band T -> [t]                                            the host's loop
//!   mark kernel(grid = [2], block = [4, 8], members = [0])     for each t: 2 blocks of 4 x 8 threads
//!     band S -> [floor(i/32), floor(j/32)]                     a block takes the values of i/32 that are b0 modulo 2
//!       mark threads(members = [0, 1])
//!         band S -> [i, j]                                     a thread takes those with i = t0 modulo 4, j = t1 modulo 8
//! ```
//!
//! - a *kernel* is launched once for every point of the bands above its mark where there is something to do;
//! - its blocks share the values of some members of the first band below: block `b` of `grid` takes the values `b`, `b + grid`,
//!   `b + 2 grid`, ... (wrapped: any size is right);
//! - the threads of a block share the values of some members of the band below a mark `threads` in the same way. What is below no such
//!   mark is done by the first thread alone;
//! - where a mark `barrier` is, all threads of a block wait for each other *behind* what is below it. Below a filter of a sequence this
//!   is behind that child, at every point that comes to the sequence.
//!
//! A thread goes through its instances in the order of the tree.
//!
//! # The code
//!
//! [`Program::new`] makes two kinds of trees of it, for the same generator of code. In the *host's tree* the instances of a kernel are one
//! instance of a new statement, the launch. The *kernel's tree* has the members of outer bands (`h0`, `h1`, ...), the block (`b0`, `b1`) and the thread
//! (`t0`, `t1`, `t2`) as parameters, and filters where marks were, as PPCG has them:
//!
//! ```text
//! domain [h0] -> { S[t, i, j] : t = h0 and ... }
//!   filter [b0] -> { S[t, i, j] : (floor(i/32) - b0) mod 2 = 0 }
//!     band S -> [floor(i/32), floor(j/32)]
//!       filter [t0, t1] -> { S[t, i, j] : (i - t0) mod 4 = 0 and (j - t1) mod 8 = 0 }
//!         band S -> [i, j]
//! ```
//!
//! A barrier is a statement, too, that an extension node introduces. No filter of threads is above it, so its instances do not depend on
//! the thread: all threads reach the same barriers in the same order, whatever the generator makes of it. That is a
//! [rule](sites), and [`Kernel::divergent_barrier`] looks for exceptions in the finished code.
//!
//! S. Verdoolaege et al., "Polyhedral Parallel Code Generation for CUDA", TACO 2013; S. Verdoolaege, G. Janssens, "Scheduling for PPCG",
//! 2017.

mod error;
mod places;
mod print;
mod program;
mod site;
mod split;
mod uniform;

pub use error::DeviceError;
pub use places::Places;
pub(crate) use places::{child_of_sequence, equal, members_inside};
pub use program::{Kernel, Program, ThreadOrder};
pub(crate) use site::band_below;
pub use site::{Site, sites};
