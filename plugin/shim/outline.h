// New code in functions of its own.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Support/raw_ostream.h"

namespace tessera {

// Stands at the end of the pipeline over a module.
struct OutlinePass : llvm::PassInfoMixin<OutlinePass> {
  // In the text of a pipeline, which LLVM prints and reads back.
  static constexpr llvm::StringLiteral Name = "tessera-outline";
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &AM);
  void printPipeline(llvm::raw_ostream &OS, llvm::function_ref<llvm::StringRef(llvm::StringRef)>) { OS << Name; }
  static bool isRequired() { return false; }
};

} // namespace tessera
