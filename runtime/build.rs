//! Gives the shared library its name, so that programs that are linked with its path do not look for it at that path.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libtessera_rt.so");
}
