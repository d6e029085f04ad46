// ScalarEvolution: expressions, exit counts, ranges.
#include "shim.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using tessera::Context;

static const SCEV *scev(const void *S) { return static_cast<const SCEV *>(S); }
static Loop *loop(const void *L) { return static_cast<Loop *>(const_cast<void *>(L)); }

// Two's complement, low word first; false when the value needs more than 128 bits.
static bool words(const APInt &Value, uint64_t *Out) {
  if (Value.getSignificantBits() > 128)
    return false;
  APInt Wide = Value.sextOrTrunc(128);
  Out[0] = Wide.extractBitsAsZExtValue(64, 0);
  Out[1] = Wide.extractBitsAsZExtValue(64, 64);
  return true;
}

extern "C" {

// Null for values that ScalarEvolution does not handle (neither integer nor pointer).
const void *tessera_scev(Context *C, LLVMValueRef V) {
  Value *Val = unwrap(V);
  return C->SE->isSCEVable(Val->getType()) ? C->SE->getSCEV(Val) : nullptr;
}
const void *tessera_scev_at_scope(Context *C, const void *S, void *L) {
  if (isa<SCEVCouldNotCompute>(scev(S)))
    return S;
  return C->SE->getSCEVAtScope(scev(S), loop(L));
}
const void *tessera_backedge_taken_count(Context *C, void *L) { return C->SE->getBackedgeTakenCount(loop(L)); }
const void *tessera_exit_count(Context *C, void *L, LLVMBasicBlockRef Exiting) {
  return C->SE->getExitCount(loop(L), unwrap(Exiting));
}
unsigned tessera_scev_kind(const void *S) { return scev(S)->getSCEVType(); }
size_t tessera_scev_operands(const void *S, const void **Buffer, size_t Capacity) {
  if (isa<SCEVCouldNotCompute>(scev(S)))
    return 0;
  size_t N = 0;
  for (auto &Operand : scev(S)->operands()) {
    if (N < Capacity)
      Buffer[N] = static_cast<const SCEV *>(Operand);
    ++N;
  }
  return N;
}
int tessera_scev_constant(const void *S, uint64_t *Out) {
  auto *Constant = dyn_cast<SCEVConstant>(scev(S));
  return Constant && words(Constant->getAPInt(), Out);
}
LLVMValueRef tessera_scev_unknown(const void *S) {
  auto *Unknown = dyn_cast<SCEVUnknown>(scev(S));
  return Unknown ? wrap(Unknown->getValue()) : nullptr;
}
void *tessera_scev_loop(const void *S) {
  auto *Recurrence = dyn_cast<SCEVAddRecExpr>(scev(S));
  return Recurrence ? const_cast<Loop *>(Recurrence->getLoop()) : nullptr;
}
// Bit 0: no self wrap, bit 1: no unsigned wrap, bit 2: no signed wrap.
unsigned tessera_scev_flags(const void *S) {
  auto *Expression = dyn_cast<SCEVNAryExpr>(scev(S));
  return Expression ? unsigned(Expression->getNoWrapFlags()) : 0;
}
// 0 for "could not compute".
unsigned tessera_scev_bits(Context *C, const void *S) {
  return isa<SCEVCouldNotCompute>(scev(S)) ? 0 : unsigned(C->SE->getTypeSizeInBits(scev(S)->getType()));
}
int tessera_scev_is_pointer(const void *S) {
  return !isa<SCEVCouldNotCompute>(scev(S)) && scev(S)->getType()->isPointerTy();
}
const void *tessera_scev_pointer_base(Context *C, const void *S) {
  return tessera_scev_is_pointer(S) ? C->SE->getPointerBase(scev(S)) : nullptr;
}
// Null when the difference is not expressible; both must have the same type.
const void *tessera_scev_minus(Context *C, const void *A, const void *B) {
  if (isa<SCEVCouldNotCompute>(scev(A)) || isa<SCEVCouldNotCompute>(scev(B)) ||
      C->SE->getEffectiveSCEVType(scev(A)->getType()) != C->SE->getEffectiveSCEVType(scev(B)->getType()))
    return nullptr;
  const SCEV *Difference = C->SE->getMinusSCEV(scev(A), scev(B));
  return isa<SCEVCouldNotCompute>(Difference) ? nullptr : Difference;
}
const void *tessera_scev_quotient(Context *C, const void *A, const void *B) {
  if (isa<SCEVCouldNotCompute>(scev(A)) || isa<SCEVCouldNotCompute>(scev(B)) || !scev(A)->getType()->isIntegerTy() ||
      scev(A)->getType() != scev(B)->getType())
    return nullptr;
  return C->SE->getUDivExpr(scev(A), scev(B));
}
const void *tessera_scev_product(Context *C, const void *A, const void *B) {
  if (isa<SCEVCouldNotCompute>(scev(A)) || isa<SCEVCouldNotCompute>(scev(B)) || !scev(A)->getType()->isIntegerTy() ||
      scev(A)->getType() != scev(B)->getType())
    return nullptr;
  return C->SE->getMulExpr(scev(A), scev(B));
}
int tessera_scev_is_invariant(Context *C, const void *S, void *L) {
  return !isa<SCEVCouldNotCompute>(scev(S)) && C->SE->isLoopInvariant(scev(S), loop(L));
}
const void *tessera_scev_with_guards(Context *C, const void *S, void *L) {
  return isa<SCEVCouldNotCompute>(scev(S)) ? S : static_cast<const void *>(C->SE->applyLoopGuards(scev(S), loop(L)));
}
// Out: low and high word of the minimum, then of the maximum.
int tessera_scev_range(Context *C, const void *S, int Signed, uint64_t *Out) {
  if (isa<SCEVCouldNotCompute>(scev(S)) || C->SE->getTypeSizeInBits(scev(S)->getType()) > (Signed ? 128 : 127))
    return 0;
  if (Signed)
    return words(C->SE->getSignedRangeMin(scev(S)), Out) && words(C->SE->getSignedRangeMax(scev(S)), Out + 2);
  return words(C->SE->getUnsignedRangeMin(scev(S)).zext(128), Out) &&
         words(C->SE->getUnsignedRangeMax(scev(S)).zext(128), Out + 2);
}
// Whether the comparison holds whenever the loop is entered. The operands must have the same type.
int tessera_scev_guarded(Context *C, void *L, LLVMIntPredicate Predicate, const void *A, const void *B) {
  if (isa<SCEVCouldNotCompute>(scev(A)) || isa<SCEVCouldNotCompute>(scev(B)) ||
      scev(A)->getType() != scev(B)->getType() || !C->SE->isLoopInvariant(scev(A), loop(L)) ||
      !C->SE->isLoopInvariant(scev(B), loop(L)))
    return 0;
  return C->SE->isLoopEntryGuardedByCond(loop(L), static_cast<CmpInst::Predicate>(Predicate), scev(A), scev(B));
}
size_t tessera_scev_text(const void *S, char *Buffer, size_t Capacity) {
  std::string Text;
  raw_string_ostream Stream(Text);
  scev(S)->print(Stream);
  return tessera::fillText(Text, Buffer, Capacity);
}
}
