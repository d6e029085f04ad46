// The C boundary between the plugin's Rust and the parts of LLVM that have no C API.
//
// Rules: no decisions, no callbacks into Rust except the two entry points below; arrays and strings are filled by the caller's
// buffer: a function returns how many items there are and writes at most `capacity` of them. Nothing here may use RTTI,
// exceptions, dump() or a symbol that one of the supported hosts does not export (scripts check that).
#pragma once

#ifndef NDEBUG
#error "the shim must be compiled with NDEBUG: LLVM's struct layouts depend on it"
#endif
#ifdef __GXX_RTTI
#error "the shim must be compiled with -fno-rtti: rustc's LLVM exports no type information"
#endif

#include "llvm-c/Core.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"
#include <cstddef>
#include <cstdint>

namespace llvm {
class AAResults;
class AssumptionCache;
class DominatorTree;
class Loop;
class LoopInfo;
class OptimizationRemarkEmitter;
class ScalarEvolution;
class TargetLibraryInfo;
class TargetTransformInfo;
} // namespace llvm

namespace tessera {

// What one run of the pass may ask LLVM. Lives on the stack of the pass for the time of the run.
struct Context {
  llvm::Function *F;
  llvm::LoopInfo *LI;
  llvm::DominatorTree *DT;
  llvm::ScalarEvolution *SE;
  llvm::AAResults *AA;
  llvm::TargetTransformInfo *TTI;
  llvm::TargetLibraryInfo *TLI;
  llvm::AssumptionCache *AC;
  llvm::OptimizationRemarkEmitter *ORE;
  // Whether functions may be added to the module.
  bool MayAddFunctions;
};

template <typename Range, typename Out> size_t fill(const Range &R, Out *Buffer, size_t Capacity) {
  size_t N = 0;
  for (auto *Item : R) {
    if (N < Capacity)
      Buffer[N] = reinterpret_cast<Out>(const_cast<void *>(static_cast<const void *>(Item)));
    ++N;
  }
  return N;
}

size_t fillText(llvm::StringRef Text, char *Buffer, size_t Capacity);
// The place in the user's own files: code that was inlined from a language's library (iterators, say) counts as the place that
// it was inlined into. Null for null.
llvm::DILocation *userLocation(llvm::DILocation *Location);
// Where a loop comes from: its start, or the first instruction with a line where passes have merged the start from several lines.
llvm::DebugLoc loopLocation(const llvm::Loop &L);
// Line, column and file of the user's place of a location; false when there is none.
bool fillLocation(const llvm::DebugLoc &Location, uint32_t *LineColumn, char *Buffer, size_t Capacity, size_t *Length);

} // namespace tessera

// The entry points of the Rust side (src/exports.rs).
extern "C" {
// Bits of the result.
enum { TesseraChanged = 1, TesseraCleanup = 2 };
int tessera_run_on_function(tessera::Context *C, void *Config);
// Kind of a configuration: 0 = transform, 1 = print.
void *tessera_config_new(const char *Parameters, size_t ParametersLength, const char *CommandLine,
                         size_t CommandLineLength, int Kind);
void tessera_config_free(void *Config);
// The complaint about pass parameters; length 0 when they are right.
size_t tessera_config_check(const char *Parameters, size_t ParametersLength, char *Buffer, size_t Capacity);
// Where in the default pipeline the pass shall stand; nowhere when the options ask for nothing to be done at all.
enum { TesseraNowhere = 0, TesseraAtVectorizer = 1, TesseraEarly = 2 };
int tessera_config_position(void *Config);
}
