// Functions that the pass makes of the user's: new code, and copies.
#pragma once

#include "llvm/IR/Function.h"

namespace tessera {

// Whether a function is entered and left by calls, unlike interrupt handlers and kernels: only of such ones others are made.
bool isOrdinary(const llvm::Function &F);

// Makes a generated function one that stays beside the user's: it is not put back by an inliner, and goes where the linker drops that.
void keepBeside(llvm::Function &Generated, const llvm::Function &F);

} // namespace tessera
