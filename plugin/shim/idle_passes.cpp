// Leaves out passes where new code gives them nothing to do: they take time to find that out.
//
// - Loop deletion, for every loop of new code: what has no effect is no statement, and each statement's loops are there because it runs.
// - Loop load elimination (values that one iteration stores and the next one loads), for functions without old loops, if each innermost loop
//   is parallel, was vectorised, or is one block that stores nothing.
// - The vectoriser of straight-line code, for functions without old loops, if no innermost loop that is left as scalars stores twice or
//   more, as rows side by side do, and there is next to no straight-line code beside innermost loops: the user's around a nest must not
//   lose it.
//
// Functions without old loops are those in which each branch back is marked as new code's; the copy that has the old loops
// (`original.cpp`) is a function of its own. The kernels of the tests become the same code as with these passes.
//
// A pass whose answer is not known to be "nothing" runs. Passes that are required never ask.
#include "idle_passes.h"
#include "generated.h"
#include "llvm/ADT/Any.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassInstrumentation.h"

using namespace llvm;

namespace {

// How many scalars a block loads or stores.
template <typename Access> unsigned scalars(const BasicBlock &Block) {
  return count_if(Block, [](const Instruction &I) { return isa<Access>(I) && !getLoadStoreType(&I)->isVectorTy(); });
}

bool stores(const BasicBlock &Block) {
  return any_of(Block, [](const Instruction &I) { return I.mayWriteToMemory(); });
}

using Edges = SmallVector<std::pair<const BasicBlock *, const BasicBlock *>, 32>;

// Whether every loop of a function is one of new code, and of a kind that a pass has nothing to do in.
bool hasOnly(const Edges &BackEdges, function_ref<bool(const BasicBlock &Header, const BasicBlock &Latch, MDNode *Id)> IsIdle) {
  return all_of(BackEdges, [&](auto &Edge) {
    auto [Latch, Header] = Edge;
    MDNode *Id = Latch->getTerminator()->getMetadata(LLVMContext::MD_loop);
    return tessera::pieceOf(Id) && IsIdle(*Header, *Latch, Id);
  });
}

// Loops around others, and those that the vectoriser has seen to.
bool isOuterOrVector(const BasicBlock &Header, const BasicBlock &Latch, MDNode *Id) {
  return (&Header != &Latch && findOptionMDForLoopID(Id, "llvm.loop.unroll.disable")) ||
         findOptionMDForLoopID(Id, "llvm.loop.isvectorized");
}

bool isIdle(StringRef Pass, const Function &F) {
  // The name first: the host asks for every pass over every function.
  if ((Pass != "LoopLoadEliminationPass" && Pass != "SLPVectorizerPass") || !F.hasFnAttribute("tessera-done"))
    return false;
  Edges BackEdges;
  FindFunctionBackedges(F, BackEdges);
  if (Pass == "LoopLoadEliminationPass")
    return hasOnly(BackEdges, [](const BasicBlock &Header, const BasicBlock &Latch, MDNode *Id) {
      return isOuterOrVector(Header, Latch, Id) || findOptionMDForLoopID(Id, "llvm.loop.parallel_accesses") ||
             (&Header == &Latch && !stores(Header));
    });
  SmallPtrSet<const BasicBlock *, 32> Loops;
  for (auto &[Latch, Header] : BackEdges)
    if (Latch == Header)
      Loops.insert(Header);
  bool IsShort = all_of(F, [&](const BasicBlock &Block) {
    return Loops.contains(&Block) || (scalars<StoreInst>(Block) < 2 && scalars<LoadInst>(Block) < 4);
  });
  return IsShort && hasOnly(BackEdges, [](const BasicBlock &Header, const BasicBlock &Latch, MDNode *Id) {
           return isOuterOrVector(Header, Latch, Id) || (&Header == &Latch && scalars<StoreInst>(Header) < 2);
         });
}

bool shouldRun(StringRef Pass, Any IR) {
  if (auto *L = any_cast<const Loop *>(&IR))
    return Pass != "LoopDeletionPass" || !tessera::pieceOf((*L)->getLoopID());
  if (auto *F = any_cast<const Function *>(&IR))
    return !isIdle(Pass, **F);
  return true;
}

} // namespace

void tessera::leaveOutIdlePasses(PassBuilder &PB) {
  // There are none where a tool builds its pipeline without them.
  if (PassInstrumentationCallbacks *Callbacks = PB.getPassInstrumentationCallbacks())
    Callbacks->registerShouldRunOptionalPassCallback(shouldRun);
}
