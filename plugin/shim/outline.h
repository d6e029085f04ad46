// New code in functions of its own.
#pragma once

#include "llvm/IR/PassManager.h"

namespace tessera {

// Stands at the end of the pipeline over a module.
struct OutlinePass : llvm::PassInfoMixin<OutlinePass> {
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &AM);
  static bool isRequired() { return false; }
};

} // namespace tessera
