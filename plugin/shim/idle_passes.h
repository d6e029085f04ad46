// Passes of the compiler that have nothing to do in new code.
#pragma once

#include "llvm/Passes/PassBuilder.h"

namespace tessera {

// From now on the pipelines of this builder leave them out where they would find nothing.
void leaveOutIdlePasses(llvm::PassBuilder &PB);

} // namespace tessera
