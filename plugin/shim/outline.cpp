// Moves the new code of a nest, and the old loops beside it, into functions of their own when everything else has been done with the module.
//
//   f:  guard            f:  guard -------------.
//      /     \               |                  |
//   old     new     ==>   call f.tessera   call f.original        f.tessera:  new code        f.original:  old
//      \     /               |                  |
//       exit                 exit -------------'
//
// One function for both costs the old loops registers, although one of the two runs: triangular products of 20 rows ran 7 % slower than
// without the new code, 2 % so. By the end of the pipeline the new code has had all that the compiler knows about its surroundings.
// The old loops of several nests, each with its guard, cost each other registers, too (LU and two solves of 40 rows: 6 %). They move where
// `original.cpp` says so, which has made no copy of the whole function then.
//
// The loops of one piece of new code name it in their properties: `!{!"tessera.code", !N}`. What is moved is all that only the block
// where the piece begins leads to. It is found again from the loops, since later passes have split, joined and copied blocks: it begins
// at their nearest common dominator, or at one above it as long as the piece has one exit and no other loops. Old loops are found in the same
// way; they are beside new code where control goes on from both in the same block.
//
// As nothing but code generation follows, the counters of new loops are hidden from it here, too (counters.cpp).
#include "outline.h"
#include "counters.h"
#include "generated.h"
#include "original.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/BranchProbabilityInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/CodeExtractor.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace {

MDNode *codeOf(const Loop &L) { return tessera::pieceOf(L.getLoopID()); }

// Says of the calls of a function without a frame of its own that they use none, which passes had no reason to say where the code came from: what the
// guard remembers of rows was in that frame. Code generation asks for it at the end of the function: without it Cholesky of rows ran 12 % slower.
void markTailCalls(Function &F) {
  for (Instruction &I : instructions(F))
    if (isa<AllocaInst>(I))
      return;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallInst>(&I); Call && Call->getTailCallKind() == CallInst::TCK_None)
      Call->setTailCall();
}

// Takes assumptions out of a function, with what is computed for nothing else; whether there were any. The extractor leaves that behind, and then it is passed to the
// function of a piece, and strength reduction keeps counters for it: covariances of 20 columns in Rust, where `get_unchecked` assumes each index to be in range, took 1.07
// times as long. Code generation has no use for assumptions.
bool dropAssumptions(Function &F, AssumptionCache &AC) {
  SmallVector<WeakTrackingVH, 16> Conditions;
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (auto *Assume = dyn_cast<AssumeInst>(&I)) {
      append_range(Conditions, Assume->data_ops());
      AC.unregisterAssumption(Assume);
      Assume->eraseFromParent();
    }
  bool Changed = !Conditions.empty();
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(Conditions);
  return Changed;
}

// What only one block leads to, and where control goes from there; `Exit` is null where that is not one block.
struct Piece {
  SmallVector<BasicBlock *, 32> Blocks;
  SmallPtrSet<BasicBlock *, 32> Inside;
  BasicBlock *Exit = nullptr;
};

// The one block that control goes to from a piece that begins at a block; null where there is no such block.
BasicBlock *exitOf(const Piece &P, BasicBlock *Start) {
  BasicBlock *Exit = nullptr;
  for (BasicBlock *Block : P.Blocks) {
    if (Block->getTerminator()->getNumSuccessors() == 0)
      return nullptr;
    for (BasicBlock *Next : successors(Block)) {
      if (P.Inside.contains(Next) && Next != Start)
        continue;
      // Back to the start is a loop around more than the piece.
      if (Next == Start || (Exit && Exit != Next))
        return nullptr;
      Exit = Next;
    }
  }
  return Exit;
}

Piece pieceAt(BasicBlock *Start, const DominatorTree &DT) {
  Piece P;
  DT.getDescendants(Start, P.Blocks);
  P.Inside.insert(P.Blocks.begin(), P.Blocks.end());
  P.Exit = exitOf(P, Start);
  return P;
}

// Gives a function the registers of its widest vectors: the code generator splits what is wider than functions say they need.
bool needWideRegisters(Function &F) {
  constexpr StringLiteral Name = "min-legal-vector-width";
  uint64_t Known;
  // Without the attribute all registers may be used.
  if (!F.hasFnAttribute(Name) || F.getFnAttribute(Name).getValueAsString().getAsInteger(0, Known) || Known >= 512)
    return false;
  F.addFnAttr(Name, "512");
  return true;
}

// Makes functions of pieces.
class Mover {
  Function &F;
  DominatorTree &DT;
  CodeExtractorAnalysisCache Cache;
  AssumptionCache &AC;
  BlockFrequencyInfo *BFI;
  BranchProbabilityInfo *BPI;

public:
  Mover(Function &F, FunctionAnalysisManager &AM)
      : F(F), DT(AM.getResult<DominatorTreeAnalysis>(F)), Cache(F), AC(AM.getResult<AssumptionAnalysis>(F)) {
    bool HasProfile = F.getEntryCount().has_value();
    BFI = HasProfile ? &AM.getResult<BlockFrequencyAnalysis>(F) : nullptr;
    BPI = HasProfile ? &AM.getResult<BranchProbabilityAnalysis>(F) : nullptr;
  }

  // The largest piece that begins at a block or at one above it and may be moved; without an exit if there is none.
  Piece around(BasicBlock *Start, function_ref<bool(const Piece &)> MayMove) const {
    Piece Found;
    for (BasicBlock *Block = Start; Block && Block != &F.getEntryBlock();) {
      Piece P = pieceAt(Block, DT);
      if (!MayMove(P) || (!P.Exit && Found.Exit))
        break;
      if (P.Exit)
        Found = std::move(P);
      auto *Above = DT.getNode(Block)->getIDom();
      Block = Above ? Above->getBlock() : nullptr;
    }
    return Found;
  }

  // The call of a function that a piece has become; null if it cannot become one.
  CallInst *move(const Piece &P, StringRef Suffix) {
    CodeExtractor Extractor(P.Blocks, &DT, /*AggregateArgs=*/false, BFI, BPI, &AC, /*AllowVarArgs=*/false,
                            /*AllowAlloca=*/false, /*AllocationBlock=*/nullptr, Suffix.str());
    Function *Own = P.Exit && Extractor.isEligible() ? Extractor.extractCodeRegion(Cache) : nullptr;
    if (!Own)
      return nullptr;
    DT.recalculate(F);
    tessera::keepBeside(*Own, F);
    markTailCalls(*Own);
    return cast<CallInst>(Own->user_back());
  }
};

// The loops of a function that has been through the pipeline.
struct Loops {
  // The nearest block that leads to all loops of a piece of new code.
  MapVector<MDNode *, BasicBlock *> Starts;
  // The pieces in vectors wider than those that the compiler prefers.
  SmallPtrSet<MDNode *, 4> Wide;
  // The headers of all loops of pieces, and of the program's.
  SmallVector<std::pair<BasicBlock *, MDNode *>, 16> New;
  SmallVector<BasicBlock *, 8> Old;

  Loops(LoopInfo &LI, const DominatorTree &DT) {
    for (Loop *L : LI.getLoopsInPreorder()) {
      if (MDNode *Code = codeOf(*L)) {
        if (getBooleanLoopAttribute(L, "tessera.wide"))
          Wide.insert(Code);
        New.push_back({L->getHeader(), Code});
        BasicBlock *Before = DT.getNode(L->getHeader())->getIDom()->getBlock();
        BasicBlock *&Start = Starts[Code];
        Start = Start ? DT.findNearestCommonDominator(Start, Before) : Before;
      } else if (!L->getParentLoop() || !codeOf(*L->getParentLoop())) {
        Old.push_back(L->getHeader());
      }
    }
  }
};

bool outline(Function &F, FunctionAnalysisManager &AM) {
  LoopInfo &LI = AM.getResult<LoopAnalysis>(F);
  bool IsMixed = tessera::takeMixed(F), Changed = IsMixed;
  for (Loop *L : LI.getLoopsInPreorder())
    if (codeOf(*L))
      Changed |= tessera::hideCounters(*L, AM.getResult<TargetIRAnalysis>(F));
  Loops All(LI, AM.getResult<DominatorTreeAnalysis>(F));
  // Where the old loops are: here, or behind calls of the copy that has them. A call that is not the last thing that the function does is what
  // the guard of new code leads to, and moves with it.
  SmallPtrSet<BasicBlock *, 8> Others(All.Old.begin(), All.Old.end());
  if (Function *Original = tessera::originalOf(F))
    for (User *Use : Original->users())
      if (auto *Call = dyn_cast<CallInst>(Use); Call && Call->getFunction() == &F && !Call->isNoTailCall())
        Others.insert(Call->getParent());
  // Without old loops there is nothing that could get slower.
  if (All.Starts.empty() || Others.empty())
    return (!All.Wide.empty() && needWideRegisters(F)) || Changed;
  Changed |= dropAssumptions(F, AM.getResult<AssumptionAnalysis>(F));
  Mover M(F, AM);
  SmallPtrSet<BasicBlock *, 8> Calls, Joins;
  for (auto &[Code, Start] : All.Starts) {
    Piece P = M.around(Start, [&, Own = Code](const Piece &P) {
      // Where nothing is left of the old loops between two pieces, one leads to the other.
      return none_of(Others, [&](BasicBlock *Other) { return P.Inside.contains(Other); }) &&
             none_of(All.New, [&](auto &Loop) { return Loop.second != Own && P.Inside.contains(Loop.first); });
    });
    CallInst *Call = M.move(P, "tessera");
    Changed |= Call || All.Wide.contains(Code);
    if (All.Wide.contains(Code))
      needWideRegisters(Call ? *Call->getCalledFunction() : F);
    if (!Call)
      continue;
    Call->getCalledFunction()->addFnAttr("tessera-generated");
    Calls.insert(Call->getParent());
    Joins.insert(P.Exit);
  }
  if (!IsMixed)
    return Changed;
  for (BasicBlock *Header : All.Old) {
    // One that has moved with the loop before it.
    if (Header->getParent() != &F)
      continue;
    Piece P = M.around(Header, [&](const Piece &P) {
      return none_of(Calls, [&](BasicBlock *Call) { return P.Inside.contains(Call); });
    });
    CallInst *Call = Joins.contains(P.Exit) ? M.move(P, "original") : nullptr;
    Changed |= Call != nullptr;
    if (Call)
      Calls.insert(Call->getParent());
  }
  return Changed;
}

} // namespace

PreservedAnalyses tessera::OutlinePass::run(Module &M, ModuleAnalysisManager &AM) {
  SmallVector<Function *, 16> Functions;
  for (Function &F : M)
    if (!F.isDeclaration() && F.hasFnAttribute("tessera-done") && !F.hasFnAttribute("tessera-generated") &&
        tessera::isOrdinary(F))
      Functions.push_back(&F);
  FunctionAnalysisManager *FAM = nullptr;
  bool Changed = false;
  for (Function *F : Functions) {
    if (!FAM)
      FAM = &AM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
    if (outline(*F, *FAM)) {
      Changed = true;
      FAM->invalidate(*F, PreservedAnalyses::none());
    }
  }
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
