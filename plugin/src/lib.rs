//! The Tessera LLVM pass plugin.
