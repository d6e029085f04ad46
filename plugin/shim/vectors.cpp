// Operations on vectors, made from operations on numbers: the same operation, lane by lane, with the same flags.
#include "shim.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace {

bool isNumber(const Type *T) { return T->isFloatTy() || T->isDoubleTy() || T->isIntegerTy(); }

// Intrinsics whose operands all have the type of the result, and of which vectors of that type are what numbers are.
bool isWidenable(Intrinsic::ID Id) {
  switch (Id) {
  case Intrinsic::fma:
  case Intrinsic::fmuladd:
  case Intrinsic::sqrt:
  case Intrinsic::fabs:
  case Intrinsic::minnum:
  case Intrinsic::maxnum:
  case Intrinsic::minimum:
  case Intrinsic::maximum:
  case Intrinsic::minimumnum:
  case Intrinsic::maximumnum:
  case Intrinsic::copysign:
  case Intrinsic::floor:
  case Intrinsic::ceil:
  case Intrinsic::trunc:
  case Intrinsic::rint:
  case Intrinsic::nearbyint:
  case Intrinsic::smin:
  case Intrinsic::smax:
  case Intrinsic::umin:
  case Intrinsic::umax:
    return true;
  default:
    return false;
  }
}

// Integers are not divided: processors have no vectors for that.
bool isWidenable(const Instruction &I) {
  switch (I.getOpcode()) {
  case Instruction::UDiv:
  case Instruction::SDiv:
  case Instruction::URem:
  case Instruction::SRem:
  case Instruction::FRem:
    return false;
  case Instruction::Call: {
    auto *Call = dyn_cast<IntrinsicInst>(&I);
    return Call && isWidenable(Call->getIntrinsicID()) && !Call->hasOperandBundles();
  }
  default:
    return isa<BinaryOperator, UnaryOperator, CmpInst, SelectInst, CastInst>(I);
  }
}

// The declaration of an intrinsic for these types; `Created` gets it if the module did not have it.
Function *declaration(Module &M, Intrinsic::ID Id, ArrayRef<Type *> Types, LLVMValueRef *Created) {
  bool Existed = Intrinsic::getDeclarationIfExists(&M, Id, Types);
  Function *F = Intrinsic::getOrInsertDeclaration(&M, Id, Types);
  if (!Existed)
    *Created = wrap(F);
  return F;
}

Module &moduleOf(IRBuilder<> &B) { return *B.GetInsertBlock()->getModule(); }

} // namespace

extern "C" {

// Whether there is an operation on vectors that does what this instruction does, lane by lane.
int tessera_can_widen(LLVMValueRef V) {
  auto *I = dyn_cast<Instruction>(unwrap(V));
  if (!I || !isNumber(I->getType()) || !isWidenable(*I))
    return 0;
  unsigned Count = isa<CallInst>(I) ? cast<CallInst>(I)->arg_size() : I->getNumOperands();
  for (unsigned Index = 0; Index < Count; ++Index)
    if (!isNumber(I->getOperand(Index)->getType()))
      return 0;
  return 1;
}

// That operation at the builder's position, for an instruction of which `tessera_can_widen` says that there is one. Operands are vectors.
LLVMValueRef tessera_widen(LLVMBuilderRef Builder, LLVMValueRef V, const LLVMValueRef *Operands, size_t Count,
                           LLVMValueRef *Created) {
  IRBuilder<> &B = *unwrap(Builder);
  auto *I = cast<Instruction>(unwrap(V));
  auto Operand = [&](size_t Index) { return unwrap(Operands[Index]); };
  auto Lanes = cast<VectorType>(Operand(0)->getType())->getElementCount();
  auto *T = VectorType::get(I->getType(), Lanes);
  Instruction *New = nullptr;
  if (auto *Call = dyn_cast<IntrinsicInst>(I)) {
    SmallVector<Value *, 3> Values;
    for (size_t Index = 0; Index < Count; ++Index)
      Values.push_back(Operand(Index));
    New = CallInst::Create(declaration(moduleOf(B), Call->getIntrinsicID(), {T}, Created), Values);
  } else if (auto *Cast = dyn_cast<CastInst>(I)) {
    New = CastInst::Create(Cast->getOpcode(), Operand(0), T);
  } else if (auto *Comparison = dyn_cast<CmpInst>(I)) {
    New = CmpInst::Create(Comparison->getOpcode(), Comparison->getPredicate(), Operand(0), Operand(1));
  } else if (isa<SelectInst>(I)) {
    New = SelectInst::Create(Operand(0), Operand(1), Operand(2));
  } else if (auto *Unary = dyn_cast<UnaryOperator>(I)) {
    New = UnaryOperator::Create(Unary->getOpcode(), Operand(0));
  } else {
    New = BinaryOperator::Create(cast<BinaryOperator>(I)->getOpcode(), Operand(0), Operand(1));
  }
  New->copyIRFlags(I);
  New->setMetadata(LLVMContext::MD_fpmath, I->getMetadata(LLVMContext::MD_fpmath));
  B.Insert(New);
  if (const DebugLoc &Location = I->getDebugLoc())
    New->setDebugLoc(Location);
  return wrap(New);
}
}
