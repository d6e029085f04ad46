// Leaves out passes where they find nothing to do: they take time to find that out.
//
// - Loop deletion, for every loop of new code: what has no effect is no statement, and each statement's loops are there because it runs.
// - Loop load elimination (values that one iteration stores and the next one loads), for functions with new code, if each innermost loop
//   was vectorised, is parallel, or has no load at a moving address from an object that it stores to at a moving address.
// - The vectoriser of straight-line code, for functions with new code, if what new loops leave as scalars has neither two stores in a block, as
//   rows side by side have, nor several loads of integers that one sum may take in any order; and if what is the user's, old loops included, has
//   next to nothing that stands side by side: the code around a nest, and the old loops, must not lose it.
//
// The kernels of the tests become the same code as with these passes.
//
// A pass whose answer is not known to be "nothing" runs. Passes that are required never ask.
#include "idle_passes.h"
#include "generated.h"
#include "llvm/ADT/Any.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassInstrumentation.h"

using namespace llvm;

namespace {

// How many scalars a block loads or stores.
template <typename Access> unsigned scalars(const BasicBlock &Block) {
  return count_if(Block, [](const Instruction &I) { return isa<Access>(I) && !getLoadStoreType(&I)->isVectorTy(); });
}

using Blocks = SmallPtrSet<const BasicBlock *, 16>;

// One loop, seen without an analysis: a branch back and the blocks from which it is reached without its header.
struct Cycle {
  const BasicBlock *Header;
  const BasicBlock *Latch;
  Blocks Body;

  Cycle(const BasicBlock *Header, const BasicBlock *Latch) : Header(Header), Latch(Latch), Body{Header} {
    SmallVector<const BasicBlock *, 16> Open{Latch};
    while (!Open.empty())
      if (const BasicBlock *Block = Open.pop_back_val(); Body.insert(Block).second)
        append_range(Open, predecessors(Block));
  }

  MDNode *id() const { return Latch->getTerminator()->getMetadata(LLVMContext::MD_loop); }
  bool isNew() const { return tessera::pieceOf(id()); }
  bool has(StringRef Hint) const { return findOptionMDForLoopID(id(), Hint); }
};

using Cycles = SmallVector<Cycle, 16>;

Cycles cyclesOf(const Function &F) {
  SmallVector<std::pair<const BasicBlock *, const BasicBlock *>, 16> BackEdges;
  FindFunctionBackedges(F, BackEdges);
  Cycles All;
  for (auto [Latch, Header] : BackEdges)
    All.emplace_back(Header, Latch);
  return All;
}

bool isInnermost(const Cycle &C, const Cycles &All) {
  return none_of(All, [&](const Cycle &Other) { return &Other != &C && C.Body.contains(Other.Latch); });
}

// Whether an iteration may load what the one before has stored: both addresses move, and names do not tell that the objects differ.
bool mayForward(const Cycle &C) {
  SmallPtrSet<const Value *, 8> Stored;
  SmallVector<const Value *, 8> Loaded, Objects;
  for (const BasicBlock *Block : C.Body)
    for (const Instruction &I : *Block)
      if (auto *Pointer = dyn_cast_or_null<Instruction>(getLoadStorePointerOperand(&I)); Pointer && C.Body.contains(Pointer->getParent())) {
        Objects.clear();
        getUnderlyingObjects(Pointer, Objects);
        if (isa<StoreInst>(I))
          Stored.insert_range(Objects);
        else
          append_range(Loaded, Objects);
      }
  return any_of(Loaded, [&](const Value *Object) { return Stored.contains(Object); });
}

bool forwardsNothing(const Cycles &All) {
  return all_of(All, [&](const Cycle &C) {
    return C.has("llvm.loop.isvectorized") || (C.isNew() && C.has("llvm.loop.parallel_accesses")) || !isInnermost(C, All) ||
           !mayForward(C);
  });
}

// Whether a block of the user's has next to nothing that stands side by side.
bool isShort(const BasicBlock &Block) { return scalars<StoreInst>(Block) < 2 && scalars<LoadInst>(Block) < 4; }

// Whether values that stand side by side go round an old loop, as two sums do. A counter and a sum of integers do not.
bool carriesSeveral(const BasicBlock &Header) {
  SmallDenseMap<const Type *, unsigned, 4> Counts;
  for (const PHINode &Phi : Header.phis())
    ++Counts[Phi.getType()];
  return any_of(Counts, [](auto &Entry) {
    return (Entry.first->isFloatingPointTy() && Entry.second > 1) || (Entry.first->isIntegerTy() && Entry.second > 2);
  });
}

// Whether a block of new code has several loads that end in one value whose operations may be reordered: integers, and floats where flags
// allow it.
bool mayReduce(const BasicBlock &Block) {
  unsigned Integers = 0, Floats = 0;
  bool MayReorder = false;
  for (const Instruction &I : Block) {
    Integers += isa<LoadInst>(I) && I.getType()->isIntegerTy();
    Floats += isa<LoadInst>(I) && I.getType()->isFloatingPointTy();
    MayReorder |= isa<FPMathOperator>(I) && I.hasAllowReassoc();
  }
  return Integers >= 4 || (MayReorder && Floats >= 4);
}

bool hasNothingSideBySide(const Function &F, const Cycles &All) {
  Blocks OfNewLoops, Vectors;
  for (const Cycle &C : All) {
    if (!C.isNew()) {
      if (carriesSeveral(*C.Header))
        return false;
      continue;
    }
    OfNewLoops.insert_range(C.Body);
    if (C.Header == C.Latch && C.has("llvm.loop.isvectorized"))
      Vectors.insert(C.Header);
  }
  return all_of(F, [&](const BasicBlock &Block) {
    if (!OfNewLoops.contains(&Block))
      return isShort(Block);
    return Vectors.contains(&Block) || (scalars<StoreInst>(Block) < 2 && !mayReduce(Block));
  });
}

bool isIdle(StringRef Pass, const Function &F) {
  // The name first: the host asks for every pass over every function.
  if ((Pass != "LoopLoadEliminationPass" && Pass != "SLPVectorizerPass") || !F.hasFnAttribute("tessera-done"))
    return false;
  Cycles All = cyclesOf(F);
  // A copy that has the old loops is compiled as if there were no new code.
  if (none_of(All, [](const Cycle &C) { return C.isNew(); }))
    return false;
  return Pass == "LoopLoadEliminationPass" ? forwardsNothing(All) : hasNothingSideBySide(F, All);
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
