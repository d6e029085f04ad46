// Counters of new loops that loop strength reduction leaves alone.
#pragma once

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"

namespace tessera {

// Hides the counters of an innermost loop where addresses are a register and a multiple of a counter anyway. To be called when nothing but code
// generation follows. The answer is whether the loop changed.
bool hideCounters(llvm::Loop &L, const llvm::TargetTransformInfo &TTI);

} // namespace tessera
