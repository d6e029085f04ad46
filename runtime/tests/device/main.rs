//! The built library in whole programs, with a stub in place of the CUDA driver.

mod header;
mod injection;
mod situations;
mod support;
