// New code: which loops belong to it, and the functions that the pass makes of the user's.
#pragma once

#include "llvm/IR/Function.h"
#include "llvm/IR/Metadata.h"

namespace tessera {

// The piece of new code that a loop with these properties belongs to, as a node that names it; null for loops of the program.
llvm::MDNode *pieceOf(llvm::MDNode *LoopId);

// Whether a function is entered and left by calls, unlike interrupt handlers and kernels: only of such ones others are made.
bool isOrdinary(const llvm::Function &F);

// Makes a generated function one that stays beside the user's: it is not put back by an inliner, and goes where the linker drops that.
void keepBeside(llvm::Function &Generated, const llvm::Function &F);

} // namespace tessera
