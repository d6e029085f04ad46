// What the host knows about the processor that will run the function: registers and what operations cost.
#include "shim.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Intrinsics.h"

using namespace llvm;
using tessera::Context;

namespace {

constexpr TargetTransformInfo::TargetCostKind Throughput = TargetTransformInfo::TCK_RecipThroughput;

// One element of a float or integer type of so many bits, or a vector of several.
Type *elements(Context *C, int IsFloat, unsigned Bits, unsigned Lanes) {
  LLVMContext &Types = C->F->getContext();
  Type *One = !IsFloat ? IntegerType::get(Types, Bits) : Bits == 64 ? Type::getDoubleTy(Types) : Type::getFloatTy(Types);
  return Lanes == 1 ? One : FixedVectorType::get(One, Lanes);
}

InstructionCost intrinsic(Context *C, Intrinsic::ID Id, Type *T, unsigned Operands) {
  SmallVector<Type *, 3> Parameters(Operands, T);
  return C->TTI->getIntrinsicInstrCost(IntrinsicCostAttributes(Id, T, Parameters), Throughput);
}

InstructionCost arithmetic(Context *C, unsigned Opcode, Type *T) {
  return C->TTI->getArithmeticInstrCost(Opcode, T, Throughput);
}

InstructionCost choice(Context *C, unsigned Opcode, Type *T, int IsFloat) {
  auto Predicate = IsFloat ? CmpInst::FCMP_OLT : CmpInst::ICMP_SLT;
  return C->TTI->getCmpSelInstrCost(Opcode, T, CmpInst::makeCmpResultType(T), Predicate, Throughput);
}

} // namespace

extern "C" {

// The width of the vector registers that the host prefers; 0 without vectors.
unsigned tessera_vector_bits(Context *C) {
  return unsigned(C->TTI->getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue());
}

// The number of registers, of vectors or of scalars.
unsigned tessera_registers(Context *C, int IsVector) {
  return C->TTI->getNumberOfRegisters(C->TTI->getRegisterClassForType(IsVector != 0));
}

// Whether vectors of floating-point numbers have registers.
int tessera_has_vectors_of(Context *C, unsigned Bits, unsigned Lanes) {
  return C->TTI->isTypeLegal(elements(C, 1, Bits, Lanes));
}

// The size of a cache line in bytes; 0 when unknown.
unsigned tessera_cache_line(Context *C) { return C->TTI->getCacheLineSize(); }

// Whether lanes have loads and stores that leave some of them out (0), loads from addresses of their own (1), or stores to such addresses
// (2). Lanes have 64 bits. Of the first kind count only those that small lanes have, too: the masked stores of AVX2, for lanes of 32 and 64
// bits, are slow on many processors.
int tessera_lane_access(Context *C, int Kind, unsigned Bits) {
  Type *T = elements(C, 1, 64, Bits / 64);
  switch (Kind) {
  case 0:
    return C->TTI->isLegalMaskedLoad(T, Align(8), 0) && C->TTI->isLegalMaskedStore(T, Align(8), 0) &&
           C->TTI->isLegalMaskedStore(elements(C, 0, 8, Bits / 8), Align(1), 0);
  case 1:
    return C->TTI->isLegalMaskedGather(T, Align(8)) &&
           !C->TTI->forceScalarizeMaskedGather(cast<VectorType>(T), Align(8));
  default:
    return C->TTI->isLegalMaskedScatter(T, Align(8)) &&
           !C->TTI->forceScalarizeMaskedScatter(cast<VectorType>(T), Align(8));
  }
}

// What an operation costs where many of its kind follow each other, in the host's own units; -1 if it cannot tell. The numbers of
// operations are those of `host::Operation`.
int64_t tessera_operation_cost(Context *C, int Operation, int IsFloat, unsigned Bits, unsigned Lanes) {
  Type *T = elements(C, IsFloat, Bits, Lanes);
  InstructionCost Cost = InstructionCost::getInvalid();
  switch (Operation) {
  case 0:
    Cost = arithmetic(C, IsFloat ? Instruction::FAdd : Instruction::Add, T);
    break;
  case 1:
    Cost = arithmetic(C, IsFloat ? Instruction::FMul : Instruction::Mul, T);
    break;
  case 2:
    Cost = IsFloat ? intrinsic(C, Intrinsic::fma, T, 3) : Cost;
    break;
  case 3:
    Cost = arithmetic(C, IsFloat ? Instruction::FDiv : Instruction::SDiv, T);
    break;
  case 4:
    Cost = IsFloat ? intrinsic(C, Intrinsic::sqrt, T, 1) : Cost;
    break;
  case 5:
    Cost = intrinsic(C, IsFloat ? Intrinsic::minnum : Intrinsic::smin, T, 2);
    break;
  case 6:
    Cost = IsFloat ? Cost : arithmetic(C, Instruction::And, T);
    break;
  case 7:
    Cost = IsFloat ? Cost : arithmetic(C, Instruction::Shl, T);
    break;
  case 8:
    Cost = choice(C, IsFloat ? Instruction::FCmp : Instruction::ICmp, T, IsFloat);
    break;
  case 9:
    Cost = choice(C, Instruction::Select, T, IsFloat);
    break;
  }
  return Cost.isValid() ? int64_t(Cost.getValue()) : -1;
}
}
