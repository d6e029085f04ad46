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
//   at the start; the old loops in the function itself are gone.
// - Otherwise, as with several nests one after the other, the function decides at its start: if the numbers of iterations of all nests
//   are known there and all are too small, the copy runs, otherwise `f.nests`, where the old loops stay, too, since one nest may run new
//   code and another one not. `f` itself only decides, and saves no registers (measured: 20 of 400 ns for six registers and a frame).
// - Where neither holds there is no copy.
//
// In what the pass has built, the block that leads to the old loops ends with a branch marked `!tessera.original`. The nearest block that
// dominates it holds the first condition of the guard; `!tessera.work` marks the branch there if it asks only for numbers of iterations.
#include "original.h"
#include "generated.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/ValueTracking.h"
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

// Most instructions that run twice because the copy begins at the start, and that decide at the start of a function; most that the guards
// compute it with, each for itself.
constexpr unsigned MostRepeated = 64, MostDeciding = 96, MostCollected = 512;

// One nest that has new code.
struct Nest {
  // Leads to the old loops.
  BasicBlock *Original;
  // Ends with the first condition.
  BasicBlock *Check;
  // That condition asks only for numbers of iterations.
  bool AsksForWork;
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
    Block->getTerminator()->setMetadata("tessera.original", nullptr);
    auto *Above = DT.getNode(Block) ? DT.getNode(Block)->getIDom() : nullptr;
    if (!Above)
      continue;
    Instruction *Guard = Above->getBlock()->getTerminator();
    Nests.push_back({Block, Above->getBlock(), Guard->hasMetadata("tessera.work")});
    Guard->setMetadata("tessera.work", nullptr);
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

// Whether a load is the first that the function does to memory, with nothing but other loads: it can be done at the start as well.
bool isFirst(const Instruction &I) {
  auto *Load = dyn_cast<LoadInst>(&I);
  const BasicBlock *Entry = &I.getFunction()->getEntryBlock();
  return Load && Load->isSimple() && I.getParent() == Entry &&
         none_of(make_range(Entry->begin(), I.getIterator()),
                 [](const Instruction &Before) { return Before.mayHaveSideEffects(); });
}

// Adds what a value is computed from to a list, each after its operands, if it can be computed at the start of the function.
bool collect(Value *V, SmallVectorImpl<Instruction *> &List, SmallPtrSetImpl<Value *> &Known) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || Known.contains(I))
    return true;
  bool IsFree = isFirst(*I) || (!I->mayReadFromMemory() && isSafeToSpeculativelyExecute(I));
  if (isa<PHINode>(I) || isa<AllocaInst>(I) || !IsFree || Known.size() > MostCollected)
    return false;
  Known.insert(I);
  for (Value *Operand : I->operands())
    if (!collect(Operand, List, Known))
      return false;
  List.push_back(I);
  return true;
}

// Calls the copy with the arguments of the function and returns what it returns.
void callAtEnd(BasicBlock *Block, Function &F, Function &Copy) {
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

// A copy of a function, with the order of its uses, that only this module sees.
Function *cloneBeside(Function &F, ValueToValueMapTy &Map, StringRef Suffix) {
  Function *Copy = CloneFunction(&F, Map);
  orderUses(F, Map);
  Copy->setName(F.getName() + Suffix);
  Copy->setDLLStorageClass(GlobalValue::DefaultStorageClass);
  Copy->setVisibility(GlobalValue::DefaultVisibility);
  Copy->setLinkage(GlobalValue::InternalLinkage);
  Copy->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  tessera::keepBeside(*Copy, F);
  return Copy;
}

// The function as it was.
Function *copyOf(Function &F, ArrayRef<Nest> Nests) {
  ValueToValueMapTy Map;
  Function *Copy = cloneBeside(F, Map, ".original");
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

// A block outside of all functions that computes whether any nest has enough work; null if that is too much to do for every call.
BasicBlock *decisionOf(Function &F, ArrayRef<Instruction *> Deciding, ArrayRef<Value *> Worthwhile, Value *&Any) {
  BasicBlock *Start = BasicBlock::Create(F.getContext(), "tessera.start");
  ValueToValueMapTy Map;
  for (Instruction *I : Deciding) {
    Instruction *Here = I->clone();
    Here->setDebugLoc(DebugLoc());
    // What the program does not look at here may be poison.
    Here->dropUBImplyingAttrsAndMetadata();
    RemapInstruction(Here, Map, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
    // The nests ask for the same sizes.
    auto Same = find_if(*Start, [&](Instruction &Known) { return Known.isIdenticalTo(Here); });
    if (Same != Start->end()) {
      Here->deleteValue();
      Map[I] = &*Same;
      continue;
    }
    Here->insertInto(Start, Start->end());
    Map[I] = Here;
  }
  Any = nullptr;
  for (Value *Condition : Worthwhile) {
    Value *Here = Map.lookup(Condition);
    Any = Any ? BinaryOperator::CreateOr(Any, Here, "", Start) : Here;
  }
  // What the program looks at only where a nest is reached may be undefined here.
  Any = new FreezeInst(Any, "", Start);
  if (Start->size() > MostDeciding) {
    Start->dropAllReferences();
    delete Start;
    return nullptr;
  }
  return Start;
}

// Lets the function decide at its start, as often one way and the other as the weights say. It does nothing else: what it was with its
// new code becomes a function of its own, whose registers and frame calls that are too short do not pay for.
void decideAtStart(Function &F, Function &Copy, BasicBlock *Start, Value *Any, MDNode *Weights) {
  ValueToValueMapTy Map;
  Function *Nests = cloneBeside(F, Map, ".nests");
  Start->insertInto(&F, &F.getEntryBlock());
  BasicBlock *Long = BasicBlock::Create(F.getContext(), "tessera.long", &F);
  BasicBlock *Short = BasicBlock::Create(F.getContext(), "tessera.short", &F);
  BranchInst *Branch = BranchInst::Create(Long, Short, Any, Start);
  Branch->setMetadata(LLVMContext::MD_prof, Weights);
  callAtEnd(Long, F, *Nests);
  callAtEnd(Short, F, Copy);
  EliminateUnreachableBlocks(F);
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

// Leads calls that are too short to a copy, where that is possible.
void divert(Function &F, ArrayRef<Nest> Nests) {
  if (all_of(Nests, [&](const Nest &N) { return canBeginAgain(F, N, Nests); })) {
    Function *Copy = copyOf(F, Nests);
    for (const Nest &N : Nests) {
      BasicBlock *Call = BasicBlock::Create(F.getContext(), "tessera.short", &F);
      callAtEnd(Call, F, *Copy);
      divertOtherCases(F, N, Nests, Call);
      for (BasicBlock *From : SmallVector<BasicBlock *, 4>(predecessors(N.Original)))
        From->getTerminator()->replaceSuccessorWith(N.Original, Call);
    }
    EliminateUnreachableBlocks(F);
    return;
  }
  SmallVector<Instruction *, 32> Deciding;
  SmallVector<Value *, 4> Worthwhile;
  SmallPtrSet<Value *, 32> Known;
  for (const Nest &N : Nests) {
    auto *Branch = dyn_cast<BranchInst>(N.Check->getTerminator());
    if (!Branch || !N.AsksForWork || !isa<Instruction>(Branch->getCondition()) ||
        !collect(Branch->getCondition(), Deciding, Known))
      return;
    Worthwhile.push_back(Branch->getCondition());
  }
  Value *Any = nullptr;
  if (BasicBlock *Start = decisionOf(F, Deciding, Worthwhile, Any)) {
    MDNode *Weights = Nests.front().Check->getTerminator()->getMetadata(LLVMContext::MD_prof);
    decideAtStart(F, *copyOf(F, Nests), Start, Any, Weights);
  }
}

} // namespace

void tessera::keepOriginal(Function &F, bool MayCopy) {
  SmallVector<Nest, 4> Nests = nestsOf(F);
  if (MayCopy && !Nests.empty() && canBeCopied(F))
    divert(F, Nests);
}

Function *tessera::originalOf(const Function &F) {
  Attribute Name = F.getFnAttribute("tessera-original");
  return Name.isStringAttribute() ? F.getParent()->getFunction(Name.getValueAsString()) : nullptr;
}
