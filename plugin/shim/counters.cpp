// Hides the counters of new loops from loop strength reduction where it has nothing to gain.
//
//   loop:                                   loop:
//     %i = phi i64 [ 0, .. ], [ %n, .. ]      %i = phi i64 [ 0, .. ], [ %n, .. ]
//     %p = getelementptr double, %row, %i     %h = freeze i64 (or i64 %i, 0)
//     %n = add i64 %i, 8              ==>     %p = getelementptr double, %row, %h
//                                             %n = add i64 %i, 8
//
// That pass (LoopStrengthReduce, in the code generator) searches for the cheapest set of registers that all addresses of a loop can be made
// of. In the thirty kernels it took a sixth of what compiling new code costs, as loops with many rows and arrays have many such sets. New
// code comes with its addresses in the form that processors have: what does not change in the loop is in registers, and to that a multiple of
// the counter is added, in the addressing mode. A frozen value is not a recurrence for scalar evolution, so the pass sees one use of the
// counter. The `or` keeps the freeze from being moved to the start of the counter; instruction selection removes both.
//
// A loop keeps what the pass can do for it where
// - it runs along rows of tiles across time, which are short (`tessera.short_rows`): the pass shares registers among the rows, which begin
//   anew all the time (heat_3d ran 3 % to 8 % slower without);
// - there are loops in it: additions instead of multiplications give the rows of the inner loops, which may be short (the tiles of fdtd_2d
//   ran 9 % slower without);
// - an address moves by a distance that is not a constant: there, too, it turns a multiplication into an addition;
// - no addressing mode has the multiple, as with elements of 16 bytes, or with any vector on AArch64;
// - there are more different rows than half of the registers: it finds those that are at multiples of a distance. (y = A x + B x in blocks
//   of eight rows ran at 0.69x without it.) But not where there is a division for every few accesses: who waits for these has time for
//   addresses (one of the two row sweeps of adi; compiling it takes 4 % less).
//
// Invariant: the code computes the same as before, for all values. A freeze of a value that is neither poison nor undefined is that value,
// and counters start and step with values that the loop's condition depends on.
#include "counters.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include <set>
#include <vector>

using namespace llvm;

namespace {

// An address as a sum: of values that do not change in the loop, each times a constant, and of a multiple of the counters.
class Address {
  // Most values that are looked at for one address: a value may be used many times in a sum.
  static constexpr unsigned MostValues = 64;

  const Loop &L;
  const DataLayout &DL;
  unsigned Values = 0;

public:
  // In bytes; zero factors are possible.
  std::vector<std::pair<const Value *, int64_t>> Row;
  int64_t Scale = 0;
  bool MovesByConstant = true;

  Address(const Loop &L, const DataLayout &DL, const Value *Pointer) : L(L), DL(DL) {
    add(Pointer, 1);
    llvm::sort(Row);
  }

private:
  bool isCounter(const Instruction &I) const { return isa<PHINode>(I) && I.getParent() == L.getHeader(); }

  static int64_t product(int64_t A, int64_t B) { return int64_t(uint64_t(A) * uint64_t(B)); }

  // Whether a value changes with a counter of the loop, by arithmetic alone.
  bool moves(const Value *V) {
    if (L.isLoopInvariant(V))
      return false;
    if (++Values > MostValues)
      return true;
    auto *I = cast<Instruction>(V);
    return isCounter(*I) || ((isa<BinaryOperator>(I) || isa<CastInst>(I)) && any_of(I->operands(), [&](const Use &U) { return moves(U); }));
  }

  void add(const Value *V, int64_t Factor) {
    if (++Values > MostValues) {
      MovesByConstant = false;
      return;
    }
    if (L.isLoopInvariant(V)) {
      // Constants are the displacement.
      if (!isa<ConstantInt>(V))
        Row.push_back({V, Factor});
      return;
    }
    auto *I = cast<Instruction>(V);
    if (isCounter(*I)) {
      Scale += Factor;
      return;
    }
    if (auto *Element = dyn_cast<GetElementPtrInst>(I)) {
      add(Element->getPointerOperand(), Factor);
      for (auto Index = gep_type_begin(Element), End = gep_type_end(Element); Index != End; ++Index)
        if (!Index.isStruct())
          add(Index.getOperand(), product(Factor, int64_t(Index.getSequentialElementStride(DL).getKnownMinValue())));
      return;
    }
    switch (I->getOpcode()) {
    case Instruction::Sub:
      add(I->getOperand(0), Factor);
      return add(I->getOperand(1), product(Factor, -1));
    case Instruction::Or:
      if (!cast<PossiblyDisjointInst>(I)->isDisjoint())
        break;
      [[fallthrough]];
    case Instruction::Add:
      add(I->getOperand(0), Factor);
      return add(I->getOperand(1), Factor);
    case Instruction::SExt:
    case Instruction::ZExt:
    case Instruction::Trunc:
      return add(I->getOperand(0), Factor);
    case Instruction::Shl:
    case Instruction::Mul: {
      auto *Second = dyn_cast<ConstantInt>(I->getOperand(1));
      if (!Second || Second->getValue().getSignificantBits() > 31)
        break;
      int64_t Times = Second->getSExtValue();
      if (I->getOpcode() == Instruction::Shl && (Times < 0 || Times > 30))
        break;
      return add(I->getOperand(0), product(Factor, I->getOpcode() == Instruction::Shl ? int64_t(1) << Times : Times));
    }
    default:
      break;
    }
    if (moves(I))
      MovesByConstant = false;
    else
      Row.push_back({I, Factor});
  }
};

// Whether all addresses of an innermost loop are such as the processor adds up, from few enough rows.
bool hasSimpleAddresses(const Loop &L, const TargetTransformInfo &TTI) {
  const DataLayout &DL = L.getHeader()->getModule()->getDataLayout();
  unsigned Most = TTI.getNumberOfRegisters(TTI.getRegisterClassForType(/*Vector=*/false)) / 2;
  constexpr unsigned AccessesPerDivision = 8;
  unsigned Accesses = 0, Divisions = 0;
  std::set<std::vector<std::pair<const Value *, int64_t>>> Rows;
  for (const BasicBlock *Block : L.blocks()) {
    for (const Instruction &I : *Block) {
      Divisions += I.getOpcode() == Instruction::FDiv;
      const Value *Pointer = getLoadStorePointerOperand(&I);
      if (!Pointer)
        continue;
      ++Accesses;
      Address A(L, DL, Pointer);
      if (!A.MovesByConstant)
        return false;
      if (A.Scale == 0)
        continue;
      if (!TTI.isLegalAddressingMode(getLoadStoreType(&I), nullptr, 0, /*HasBaseReg=*/true, A.Scale, getLoadStoreAddressSpace(&I)))
        return false;
      Rows.insert(std::move(A.Row));
    }
  }
  return Rows.size() <= Most || Divisions * AccessesPerDivision >= Accesses;
}

} // namespace

bool tessera::hideCounters(Loop &L, const TargetTransformInfo &TTI) {
  BasicBlock *Header = L.getHeader(), *Latch = L.getLoopLatch();
  if (!Latch || !L.isInnermost() || getBooleanLoopAttribute(&L, "tessera.short_rows") || !hasSimpleAddresses(L, TTI))
    return false;
  bool Changed = false;
  for (PHINode &Counter : Header->phis()) {
    if (!Counter.getType()->isIntegerTy())
      continue;
    auto *Next = dyn_cast<BinaryOperator>(Counter.getIncomingValueForBlock(Latch));
    if (!Next || Next->getOpcode() != Instruction::Add || Next->getOperand(0) != &Counter)
      continue;
    SmallVector<Use *, 16> Hidden;
    for (Use &U : Counter.uses())
      if (U.getUser() != Next && !isa<PHINode>(U.getUser()) && !isa<CmpInst>(U.getUser()))
        Hidden.push_back(&U);
    if (Hidden.empty())
      continue;
    auto At = Header->getFirstInsertionPt();
    auto *Same = BinaryOperator::Create(Instruction::Or, &Counter, ConstantInt::get(Counter.getType(), 0), "", At);
    auto *Frozen = new FreezeInst(Same, "", At);
    for (Use *U : Hidden)
      U->set(Frozen);
    Changed = true;
  }
  return Changed;
}
