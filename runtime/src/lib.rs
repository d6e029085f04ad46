//! `libtessera_rt.so`: what generated code calls at run time, so that a loop nest may run on a GPU.
//!
//! Tessera compiles a nest twice: as loops for the processor (the *host path*) and as kernels for a CUDA device, whose PTX
//! text lies in the program. This library decides where the nest runs, moves its arrays, launches its kernels, and gives up
//! whenever something is in the way: then the host path runs. A program that was compiled for a GPU therefore starts and
//! gives the same results on any machine.
//!
//! # How generated code uses it
//!
//! ```c
//! tessera_rt_session *session = tessera_rt_begin(&nest, &estimate);
//! if (session) {
//!     uint64_t x = tessera_rt_array(session, X, n * sizeof(float), TESSERA_RT_IN);
//!     uint64_t y = tessera_rt_array(session, Y, n * sizeof(float), TESSERA_RT_IN | TESSERA_RT_OUT);
//!     const void *parameters[] = {&n, &a, &x, &y};
//!     uint32_t grid[3] = {(n + 255) / 256, 1, 1}, block[3] = {256, 1, 1};
//!     for (int step = 0; step < steps; step++)
//!         tessera_rt_launch(session, 0, grid, block, 0, parameters);
//!     if (tessera_rt_end(session)) return;       // X is as it was, Y holds the results
//! }
//! ...                                            // the host path: nothing on the host was changed
//! if (estimate.begun) tessera_rt_host_done(&nest, &estimate);
//! ```
//!
//! Between `tessera_rt_begin` and `tessera_rt_end` lies a *session*. Arrays stay on the device for as long as it lasts, over any
//! number of kernels and over loops of the host around them. [`abi`] has the functions, `include/tessera_rt.h` the same for C.
//!
//! # Invariants
//!
//! - **The host's arrays change at one place**, at the end of `tessera_rt_end`, when all results lie complete in memory of
//!   the host and nothing can fail any more. Whatever goes wrong before leaves them as they were. Where other threads may write
//!   elements of an array meanwhile (`TESSERA_RT_CHANGED`), bytes that no kernel changed are not stored.
//! - **An error in a session stays** (`session`): later calls do nothing, and `tessera_rt_end` answers 0.
//! - **No answer is an error for the program.** No library, no device, too little memory, PTX that the driver refuses, a
//!   kernel that fails: each is a value (`reason`), one line under `TESSERA_RT=trace`, and the host path.
//! - **Nothing unwinds into the program**: every exported function catches panics and switches the device off.
//! - **`errno` stays what it was** (`errno`): loops do not set it.
//! - **`unsafe` is at the boundary**: in the modules that say so in their first lines, to C, to the driver and to arrays of
//!   the program.
//! - **There is one static** (`owner`), because there is one driver per process and generated code has no place to keep a
//!   handle. It has no destructor, so that nothing is called in a program that exits, and it never blocks, so that a fork
//!   cannot stop the child.
//!
//! # Environment
//!
//! | variable | meaning |
//! | --- | --- |
//! | `TESSERA_RT` | words, several by commas: `host` and `device` force a side, `emulate` runs every nest in an emulator of PTX, with checks, `trace` prints a line per decision |
//! | `TESSERA_RT_DRIVER` | path of the CUDA driver library, instead of `libcuda.so.1` |
//! | `XDG_CACHE_HOME`, `HOME` | where measurements of the device are kept (`tessera/`) |
//!
//! Programs that run with more rights than their user ignore all of them.
//!
//! # From the environment to a kernel
//!
//! `environment` and `mode` read what the user wants; `decide` says whether the device would be faster, with the numbers that
//! `calibrate` measured and `cache` kept; `owner` starts the `device` when that pays; `driver` is the interface to a driver, with
//! `driver::cuda` and `driver::emulate` behind it; `nest` loads a nest's kernels once; `pool` keeps memory between sessions; `readable` looks
//! whether memory can be read that the program may not touch; `transfer` makes large copies, with `workers` and through `plain` memory; `session` is all of the above
//! for one execution of one nest.

#![deny(unsafe_code)]

pub mod abi;
mod cache;
mod calibrate;
mod decide;
mod device;
mod driver;
mod environment;
mod errno;
mod host_times;
mod mode;
mod nest;
mod owner;
mod plain;
mod pool;
mod readable;
mod reason;
mod session;
mod trace;
mod transfer;
mod workers;

pub use abi::{ABI_VERSION, tessera_rt_abi_version};
