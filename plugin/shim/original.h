// A copy of a function as it was before it had new code.
#pragma once

#include "llvm/IR/Function.h"

namespace llvm {
class LoopInfo;
class ScalarEvolution;
} // namespace llvm

namespace tessera {

// Where calls are too short for the new code that the pass has just put into the function, a copy of the function without new code runs
// instead, or the old loops in functions of their own, if functions may be added to the module. To be called before anything else changes
// the function; the loops and their counters are those from before the new code.
void keepOriginal(llvm::Function &F, bool MayAdd, const llvm::LoopInfo &LI, llvm::ScalarEvolution &SE);

// That copy; null if there is none.
llvm::Function *originalOf(const llvm::Function &F);

// Whether old loops are to move out of the function; the mark that says so is taken off.
bool takeMixed(llvm::Function &F);

} // namespace tessera
