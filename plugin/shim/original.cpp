// Keeps a function as it was for calls that new code is not worth it for.
//
//   f:  guard            f:  guard ---------.
//      /     \               |              |
//   new     old     ==>     new     call f.original      f.original:  old
//      \     /               |              |
//       exit                exit         return
//
// Old loops beside a guard are not what they were: they get other registers, are unrolled otherwise, and stand at other addresses. Calls of
// a microsecond ran up to 11 % slower for it. The copy is compiled as if there were no new code.
//
// - Where only arithmetic and loads come before the guard, and no other new code after it, the guard leads to the copy, which begins again
//   at the start; the old loops in the function itself are gone. Where calls may be very short, what the first condition refuses is the last call
//   of the function, and what is refused behind it is a call like others, if no value is returned, and moves with the new code.
// - Otherwise, as with several nests one after the other, the old loops stay where they are, and move to functions of their own at the end of
//   the pipeline (outline.cpp). The function is marked for that. Several ways lead to them then, and scalar evolution looks for what holds in
//   front of a loop only along a single one: it would not know any longer how often a loop runs that goes down as long as its counter is
//   positive, and such loops were not unrolled (deriche: 1.09 times as many instructions). So counters that end at their bound are compared for
//   equality, which says as much anywhere. (A copy of all of the function, for calls in which no nest has enough to do, cost 0.1 of the time of
//   a compilation without Tessera in the mean, and gained 2 % in calls of two microseconds.)
//
// In what the pass has built, the block that leads to the old loops ends with a branch marked `!tessera.original`. The nearest block that
// dominates it holds the first condition of the guard. `!tessera.short` says that calls may be very short.
#include "original.h"
#include "generated.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace {

// Most instructions that run twice because the copy begins at the start.
constexpr unsigned MostRepeated = 64;

// Marks a function with old loops beside new code.
constexpr StringLiteral Mixed = "tessera-mixed";

// One nest that has new code.
struct Nest {
  // Leads to the old loops.
  BasicBlock *Original;
  // Ends with the first condition.
  BasicBlock *Check;
  // Whether short calls are so short that registers that are saved for the rest of the guard show.
  bool IsForShortCalls;
};

// The nests, whose marks are taken off.
SmallVector<Nest, 4> nestsOf(Function &F) {
  SmallVector<BasicBlock *, 4> Originals;
  for (BasicBlock &Block : F)
    if (Block.getTerminator()->hasMetadata("tessera.original"))
      Originals.push_back(&Block);
  if (Originals.empty())
    return {};
  SmallVector<Nest, 4> Nests;
  DominatorTree DT(F);
  for (BasicBlock *Block : Originals) {
    Instruction *Branch = Block->getTerminator();
    bool IsForShortCalls = Branch->hasMetadata("tessera.short");
    for (StringRef Mark : {"tessera.original", "tessera.short"})
      Branch->setMetadata(Mark, nullptr);
    auto *Above = DT.getNode(Block) ? DT.getNode(Block)->getIDom() : nullptr;
    if (!Above)
      continue;
    Nests.push_back({Block, Above->getBlock(), IsForShortCalls});
  }
  return Nests;
}

// Whether a call would say something else in a function that is called by the one it was in.
bool asksForFrame(const CallBase &Call) {
  switch (Call.getIntrinsicID()) {
  case Intrinsic::localescape:
  case Intrinsic::returnaddress:
  case Intrinsic::addressofreturnaddress:
  case Intrinsic::frameaddress:
  case Intrinsic::sponentry:
    return true;
  default:
    return false;
  }
}

bool canBeCopied(const Function &F) {
  if (F.isVarArg() || F.isPresplitCoroutine() || F.hasAvailableExternallyLinkage() || F.callsFunctionThatReturnsTwice() ||
      F.hasFnAttribute(Attribute::Naked) || !tessera::isOrdinary(F))
    return false;
  for (const Argument &A : F.args())
    if (A.hasPassPointeeByValueCopyAttr() || A.hasSwiftErrorAttr() || A.hasAttribute(Attribute::SwiftAsync) ||
        A.hasNestAttr())
      return false;
  for (const BasicBlock &Block : F) {
    if (Block.hasAddressTaken())
      return false;
    for (const Instruction &I : Block) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (isa<IndirectBrInst>(I) || isa<CallBrInst>(I) ||
          (Call && (Call->cannotDuplicate() || Call->isInlineAsm() || asksForFrame(*Call))))
        return false;
    }
  }
  return true;
}

using Edges = SmallVector<std::pair<const BasicBlock *, const BasicBlock *>, 8>;

// The blocks that lead to a nest, with the one that checks it.
SmallSetVector<BasicBlock *, 16> before(const Nest &N) {
  SmallSetVector<BasicBlock *, 16> Before;
  Before.insert(N.Check);
  for (unsigned I = 0; I < Before.size(); ++I)
    for (BasicBlock *Block : predecessors(Before[I]))
      Before.insert(Block);
  return Before;
}

// Whether the function may begin again when it has come to the nest: only loads and arithmetic, outside of all loops, came before.
bool canBeginAgain(const Function &F, const Nest &N, ArrayRef<Nest> Nests) {
  SmallSetVector<BasicBlock *, 16> Before = before(N);
  Edges Backedges;
  FindFunctionBackedges(F, Backedges);
  if (any_of(Backedges, [&](auto &Edge) { return Before.contains(Edge.first); }))
    return false;
  unsigned Count = 0;
  for (const BasicBlock *Block : Before) {
    for (const Instruction &I : *Block) {
      auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
      if (I.isDebugOrPseudoInst() || (Intrinsic && Intrinsic->isAssumeLikeIntrinsic()))
        continue;
      // The guard's own arithmetic does not run again.
      if (I.mayHaveSideEffects() || (Block != N.Check && ++Count > MostRepeated))
        return false;
    }
  }
  return none_of(Nests, [&](const Nest &Other) {
    return Other.Original != N.Original && (Before.contains(Other.Check) || isPotentiallyReachable(N.Original, Other.Check));
  });
}

// Calls the copy with the arguments of the function and returns what it returns.
CallInst *callAtEnd(BasicBlock *Block, Function &F, Function &Copy) {
  IRBuilder<> B(Block);
  SmallVector<Value *, 8> Arguments;
  for (Argument &A : F.args())
    Arguments.push_back(&A);
  CallInst *Call = B.CreateCall(&Copy, Arguments);
  Call->setCallingConv(F.getCallingConv());
  Call->setTailCallKind(CallInst::TCK_Tail);
  // Those of the ABI, such as sign extension.
  AttributeList Attributes = F.getAttributes();
  SmallVector<AttributeSet, 8> OfParameters;
  for (unsigned I = 0; I < F.arg_size(); ++I)
    OfParameters.push_back(Attributes.getParamAttrs(I));
  Call->setAttributes(AttributeList::get(F.getContext(), AttributeSet(), Attributes.getRetAttrs(), OfParameters));
  if (DISubprogram *Program = F.getSubprogram())
    Call->setDebugLoc(DILocation::get(F.getContext(), 0, 0, Program));
  if (F.getReturnType()->isVoidTy())
    B.CreateRetVoid();
  else
    B.CreateRet(Call);
  return Call;
}

// Orders the uses of values of a copy as those of the function: later passes walk blocks and instructions in this order, and decide by it.
void orderUses(Function &F, ValueToValueMapTy &Map) {
  auto Order = [&](Value &V) {
    Value *Copied = Map.lookup(&V);
    if (!Copied || Copied->hasOneUse() || Copied->use_empty())
      return;
    DenseMap<std::pair<Value *, unsigned>, unsigned> Places;
    for (Use &U : V.uses())
      Places.try_emplace({Map.lookup(U.getUser()), U.getOperandNo()}, Places.size());
    Copied->sortUseList([&](const Use &Left, const Use &Right) {
      auto PlaceOf = [&](const Use &U) { return Places.lookup({U.getUser(), U.getOperandNo()}); };
      return PlaceOf(Left) < PlaceOf(Right);
    });
  };
  for (Argument &A : F.args())
    Order(A);
  for (BasicBlock &Block : F) {
    Order(Block);
    for (Instruction &I : Block)
      Order(I);
  }
}

// Innermost old loops of a nest that end as soon as a counter has come to its bound, step by step, ask for nothing else. `LI` and `SE` know the loops as they were before
// there was a guard.
void compareForEquality(const Nest &N, const LoopInfo &LI, ScalarEvolution &SE) {
  Loop *Root = LI.getLoopFor(N.Original->getSingleSuccessor());
  if (!Root)
    return;
  for (Loop *L : Root->getLoopsInPreorder()) {
    BasicBlock *Latch = L->getLoopLatch();
    if (!L->isInnermost() || !Latch || L->getExitingBlock() != Latch)
      continue;
    auto *Branch = dyn_cast<BranchInst>(Latch->getTerminator());
    auto *Compared = Branch && Branch->isConditional() ? dyn_cast<ICmpInst>(Branch->getCondition()) : nullptr;
    if (!Compared || !Compared->isRelational() || !Compared->hasOneUse() || !SE.isSCEVable(Compared->getOperand(0)->getType()))
      continue;
    const SCEV *Count = SE.getExitCount(L, Latch);
    auto *Counter = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(Compared->getOperand(0)));
    if (isa<SCEVCouldNotCompute>(Count) || !Counter || Counter->getLoop() != L || !Counter->isAffine())
      continue;
    // With steps of one no value comes twice.
    const SCEV *Step = Counter->getStepRecurrence(SE);
    bool IsUnit = Step->isOne() || Step->isAllOnesValue();
    if (IsUnit && Counter->evaluateAtIteration(Count, SE) == SE.getSCEV(Compared->getOperand(1))) {
      Compared->setSameSign(false);
      Compared->setPredicate(L->contains(Branch->getSuccessor(0)) ? CmpInst::ICMP_NE : CmpInst::ICMP_EQ);
    }
  }
}

// The function as it was, which only this module sees.
Function *copyOf(Function &F, ArrayRef<Nest> Nests) {
  ValueToValueMapTy Map;
  Function *Copy = CloneFunction(&F, Map);
  orderUses(F, Map);
  Copy->setName(F.getName() + ".original");
  Copy->setDLLStorageClass(GlobalValue::DefaultStorageClass);
  Copy->setVisibility(GlobalValue::DefaultVisibility);
  Copy->setLinkage(GlobalValue::InternalLinkage);
  Copy->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  tessera::keepBeside(*Copy, F);
  // Short loops are the ones that it matters to where they stand.
  Copy->setAlignment(MaybeAlign(std::max<uint64_t>(F.getAlign().valueOrOne().value(), 64)));
  F.addFnAttr("tessera-original", Copy->getName());
  for (const Nest &N : Nests) {
    auto *Check = cast<BasicBlock>(Map[N.Check]), *Original = cast<BasicBlock>(Map[N.Original]);
    Instruction *Guard = Check->getTerminator();
    for (BasicBlock *Next : successors(Check))
      if (Next != Original)
        Next->removePredecessor(Check);
    BranchInst::Create(Original, Guard->getIterator());
    Guard->eraseFromParent();
  }
  // Where new code joined the old one.
  SmallVector<WeakTrackingVH, 4> Joins;
  for (BasicBlock &Block : F)
    Joins.push_back(pred_size(&Block) > 1 ? Map.lookup(&Block) : nullptr);
  EliminateUnreachableBlocks(*Copy);
  for (BasicBlock &Block : *Copy)
    if (Block.getUniquePredecessor())
      FoldSingleEntryPHINodes(&Block);
  for (WeakTrackingVH &Join : Joins) {
    auto *Block = cast_or_null<BasicBlock>(Join);
    auto *Branch = Block ? dyn_cast<BranchInst>(&Block->front()) : nullptr;
    if (Branch && Branch->isUnconditional() && Block->getUniquePredecessor())
      TryToSimplifyUncondBranchFromEmptyBlock(Block);
  }
  for (const Nest &N : Nests) {
    auto *Original = cast<BasicBlock>(Map[N.Original]);
    MergeBlockIntoPredecessor(Original);
    MergeBlockIntoPredecessor(cast<BasicBlock>(Map[N.Check]));
  }
  // What the guards have computed, and where their values would be.
  SmallVector<WeakTrackingVH, 32> Dead;
  for (Instruction &I : instructions(*Copy))
    if (isInstructionTriviallyDead(&I))
      Dead.push_back(&I);
  RecursivelyDeleteTriviallyDeadInstructions(Dead);
  return Copy;
}

// Leads to the copy, too, where control comes past a nest to loops but to no new code: the loops for a case that the compiler told apart, as for
// `k = 0` in a matrix product.
void divertOtherCases(Function &F, const Nest &N, ArrayRef<Nest> Nests, BasicBlock *Call) {
  Edges Backedges;
  FindFunctionBackedges(F, Backedges);
  for (BasicBlock *Block : before(N)) {
    Instruction *End = Block->getTerminator();
    for (unsigned I = 0; Block != N.Check && I < End->getNumSuccessors(); ++I) {
      BasicBlock *Next = End->getSuccessor(I);
      bool LeadsToNest = any_of(Nests, [&](const Nest &Other) { return isPotentiallyReachable(Next, Other.Check); });
      if (LeadsToNest || none_of(Backedges, [&](auto &Edge) { return isPotentiallyReachable(Next, Edge.first); }))
        continue;
      Next->removePredecessor(Block);
      End->setSuccessor(I, Call);
    }
  }
}

// Leads calls that are too short to a copy.
void divert(Function &F, ArrayRef<Nest> Nests) {
  Function *Copy = copyOf(F, Nests);
  for (const Nest &N : Nests) {
    BasicBlock *Call = BasicBlock::Create(F.getContext(), "tessera.short", &F);
    callAtEnd(Call, F, *Copy);
    divertOtherCases(F, N, Nests, Call);
    BasicBlock *Refused = N.IsForShortCalls && F.getReturnType()->isVoidTy() ? nullptr : Call;
    for (BasicBlock *From : SmallVector<BasicBlock *, 4>(predecessors(N.Original))) {
      if (From != N.Check && !Refused) {
        // What the rest of the guard refuses goes another way, which `outline.cpp` moves with the new code: then nothing but the first
        // condition stands in the way of short calls, and no register that only the rest needs is saved for them.
        Refused = BasicBlock::Create(F.getContext(), "tessera.refused", &F);
        callAtEnd(Refused, F, *Copy)->setTailCallKind(CallInst::TCK_NoTail);
      }
      From->getTerminator()->replaceSuccessorWith(N.Original, From == N.Check ? Call : Refused);
    }
  }
  EliminateUnreachableBlocks(F);
}

} // namespace

void tessera::keepOriginal(Function &F, bool MayAdd, const LoopInfo &LI, ScalarEvolution &SE) {
  SmallVector<Nest, 4> Nests = nestsOf(F);
  if (Nests.empty())
    return;
  if (MayAdd && canBeCopied(F) && all_of(Nests, [&](const Nest &N) { return canBeginAgain(F, N, Nests); })) {
    divert(F, Nests);
    return;
  }
  if (MayAdd)
    F.addFnAttr(Mixed);
  for (const Nest &N : Nests)
    compareForEquality(N, LI, SE);
}

bool tessera::takeMixed(Function &F) {
  bool IsMixed = F.hasFnAttribute(Mixed);
  F.removeFnAttr(Mixed);
  return IsMixed;
}

Function *tessera::originalOf(const Function &F) {
  Attribute Name = F.getFnAttribute("tessera-original");
  return Name.isStringAttribute() ? F.getParent()->getFunction(Name.getValueAsString()) : nullptr;
}
