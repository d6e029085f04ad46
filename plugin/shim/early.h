// The passes in front of the early position (see early.cpp).
#pragma once
#include "llvm/Passes/OptimizationLevel.h"
#include "llvm/Passes/PassBuilder.h"

namespace tessera {

// The inliner, with a first simplification of each function.
void addInlining(llvm::ModulePassManager &MPM, llvm::OptimizationLevel Level, llvm::ThinOrFullLTOPhase Phase);
// Rotated loops in LCSSA form with wide counters.
void addLoopForm(llvm::FunctionPassManager &FPM, llvm::OptimizationLevel Level);

} // namespace tessera
