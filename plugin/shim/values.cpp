// Facts about values, instructions and blocks that the C API does not give, or gives with an abort.
#include "shim.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/ValueSymbolTable.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <tuple>

using namespace llvm;
using tessera::Context;

size_t tessera::fillText(StringRef Text, char *Buffer, size_t Capacity) {
  std::copy_n(Text.data(), std::min(Text.size(), Capacity), Buffer);
  return Text.size();
}

static bool isLibraryFile(const DILocation *Location) {
  SmallString<128> Path(Location->getFilename());
  if (!sys::path::is_absolute(Path)) {
    Path = Location->getDirectory();
    sys::path::append(Path, Location->getFilename());
  }
  StringRef Name(Path);
  return Name.starts_with("/rustc/") || Name.contains("/lib/rustlib/src/rust/") || Name.contains("/include/c++/");
}

DILocation *tessera::userLocation(DILocation *Location) {
  for (DILocation *Place = Location; Place; Place = Place->getInlinedAt())
    if (!isLibraryFile(Place))
      return Place;
  return Location;
}

static bool hasLine(const DebugLoc &Location) {
  DILocation *Place = tessera::userLocation(Location.get());
  return Place && Place->getLine() != 0;
}

DebugLoc tessera::loopLocation(const Loop &L) {
  DebugLoc Start = L.getStartLoc();
  if (hasLine(Start))
    return Start;
  for (const BasicBlock *Block : L.blocks())
    for (const Instruction &I : *Block)
      if (hasLine(I.getDebugLoc()))
        return I.getDebugLoc();
  return Start;
}

bool tessera::fillLocation(const DebugLoc &Location, uint32_t *LineColumn, char *Buffer, size_t Capacity,
                           size_t *Length) {
  DILocation *Place = userLocation(Location.get());
  // Line 0 marks code that LLVM has merged from several lines: that is no place to send a user to.
  if (!Place || Place->getLine() == 0)
    return false;
  LineColumn[0] = Place->getLine();
  LineColumn[1] = Place->getColumn();
  *Length = fillText(Place->getFilename(), Buffer, Capacity);
  return true;
}

static Instruction *instruction(LLVMValueRef V) { return dyn_cast<Instruction>(unwrap(V)); }

extern "C" {

// Bits of tessera_instruction_facts.
enum {
  MayRead = 1,
  MayWrite = 2,
  SideEffects = 4,
  MayThrow = 8,
  Volatile = 16,
  Atomic = 32,
  PureCall = 64,
  NoReturn = 128,
  ErrnoCall = 256
};

unsigned tessera_instruction_facts(LLVMValueRef V) {
  Instruction *I = instruction(V);
  if (!I)
    return 0;
  unsigned Facts = 0;
  if (I->mayReadFromMemory())
    Facts |= MayRead;
  if (I->mayWriteToMemory())
    Facts |= MayWrite;
  if (I->mayHaveSideEffects())
    Facts |= SideEffects;
  if (I->mayThrow())
    Facts |= MayThrow;
  if (I->isVolatile())
    Facts |= Volatile;
  if (I->isAtomic())
    Facts |= Atomic;
  if (auto *Call = dyn_cast<CallBase>(I)) {
    bool Plain = Call->willReturn() && Call->doesNotThrow() && !Call->isConvergent() && !Call->isInlineAsm() &&
                 !Call->hasOperandBundles();
    MemoryEffects Effects = Call->getMemoryEffects();
    if (Plain && Effects.doesNotAccessMemory())
      Facts |= PureCall;
    else if (Plain && (Effects & MemoryEffects::errnoMemOnly(ModRefInfo::Mod)) == Effects)
      Facts |= ErrnoCall;
    if (Call->doesNotReturn())
      Facts |= NoReturn;
  }
  return Facts;
}

int tessera_is_safe_to_speculate(LLVMValueRef V) {
  Instruction *I = instruction(V);
  return I && isSafeToSpeculativelyExecute(I);
}

// Bit 0: nuw, 1: nsw, 2: exact, 3: inbounds, 4: disjoint, 5: nneg, 8..: fast-math flags (reassoc first, as LLVM orders them).
unsigned tessera_instruction_flags(LLVMValueRef V) {
  unsigned Flags = 0;
  Value *Val = unwrap(V);
  if (auto *Op = dyn_cast<OverflowingBinaryOperator>(Val))
    Flags |= (Op->hasNoUnsignedWrap() ? 1u : 0u) | (Op->hasNoSignedWrap() ? 2u : 0u);
  if (auto *Op = dyn_cast<TruncInst>(Val))
    Flags |= (Op->hasNoUnsignedWrap() ? 1u : 0u) | (Op->hasNoSignedWrap() ? 2u : 0u);
  if (auto *Op = dyn_cast<PossiblyExactOperator>(Val))
    Flags |= Op->isExact() ? 4u : 0u;
  if (auto *Op = dyn_cast<GEPOperator>(Val))
    Flags |= Op->isInBounds() ? 8u : 0u;
  if (auto *Op = dyn_cast<PossiblyDisjointInst>(Val))
    Flags |= Op->isDisjoint() ? 16u : 0u;
  if (auto *Op = dyn_cast<PossiblyNonNegInst>(Val))
    Flags |= Op->hasNonNeg() ? 32u : 0u;
  if (auto *Op = dyn_cast<FPMathOperator>(Val)) {
    FastMathFlags Fast = Op->getFastMathFlags();
    Flags |= (Fast.allowReassoc() << 8) | (Fast.noNaNs() << 9) | (Fast.noInfs() << 10) | (Fast.noSignedZeros() << 11) |
             (Fast.allowReciprocal() << 12) | (Fast.allowContract() << 13) | (Fast.approxFunc() << 14);
  }
  return Flags;
}

// A switch's or branch's structure comes through operands; a GEP's through this: constant offset and one (index, scale) a variable.
int tessera_constant_int(LLVMValueRef V, uint64_t *Out) {
  auto *Constant = dyn_cast<ConstantInt>(unwrap(V));
  if (!Constant || Constant->getValue().getSignificantBits() > 128)
    return 0;
  APInt Wide = Constant->getValue().sextOrTrunc(128);
  Out[0] = Wide.extractBitsAsZExtValue(64, 0);
  Out[1] = Wide.extractBitsAsZExtValue(64, 64);
  return 1;
}

size_t tessera_intrinsic_name(LLVMValueRef V, char *Buffer, size_t Capacity) {
  auto *Call = dyn_cast<IntrinsicInst>(unwrap(V));
  return Call ? tessera::fillText(Intrinsic::getBaseName(Call->getIntrinsicID()), Buffer, Capacity) : 0;
}

size_t tessera_called_name(LLVMValueRef V, char *Buffer, size_t Capacity) {
  auto *Call = dyn_cast<CallBase>(unwrap(V));
  Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee ? tessera::fillText(Callee->getName(), Buffer, Capacity) : 0;
}

// The name of the source variable that the value holds, from debug records.
size_t tessera_variable_name(LLVMValueRef V, char *Buffer, size_t Capacity) {
  Value *Val = unwrap(V);
  if (auto *Global = dyn_cast<GlobalVariable>(Val)) {
    SmallVector<DIGlobalVariableExpression *, 1> Expressions;
    Global->getDebugInfo(Expressions);
    if (!Expressions.empty())
      return tessera::fillText(Expressions.front()->getVariable()->getName(), Buffer, Capacity);
    return 0;
  }
  SmallVector<DbgVariableRecord *, 4> Records;
  findDbgUsers(Val, Records);
  // The order of the records follows use lists; the earliest variable in the source is the stable choice, and one of the
  // function itself says more than one of something inlined, whose `this` says nothing.
  const DILocalVariable *Best = nullptr;
  bool BestIsInlined = false;
  for (DbgVariableRecord *Record : Records) {
    const DILocalVariable *Variable = Record->getVariable();
    if (Record->getNumVariableLocationOps() != 1 || Record->getExpression()->getNumElements() != 0)
      continue;
    const bool IsInlined = Record->getDebugLoc().getInlinedAt() != nullptr;
    if (IsInlined && Variable->isArtificial())
      continue;
    if (!Best || std::make_tuple(IsInlined, Variable->getLine(), Variable->getName()) <
                     std::make_tuple(BestIsInlined, Best->getLine(), Best->getName())) {
      Best = Variable;
      BestIsInlined = IsInlined;
    }
  }
  return Best ? tessera::fillText(Best->getName(), Buffer, Capacity) : 0;
}

int tessera_debug_location(LLVMValueRef V, uint32_t *LineColumn, char *Buffer, size_t Capacity, size_t *Length) {
  Instruction *I = instruction(V);
  return I && tessera::fillLocation(I->getDebugLoc(), LineColumn, Buffer, Capacity, Length);
}

int tessera_function_location(LLVMValueRef V, uint32_t *LineColumn, char *Buffer, size_t Capacity, size_t *Length) {
  auto *F = dyn_cast<Function>(unwrap(V));
  DISubprogram *Program = F ? F->getSubprogram() : nullptr;
  if (!Program)
    return 0;
  LineColumn[0] = Program->getLine();
  LineColumn[1] = 0;
  *Length = tessera::fillText(Program->getFilename(), Buffer, Capacity);
  return 1;
}

// Pairs (user, operand index), flattened; users that are not instructions or constants cannot occur.
size_t tessera_uses(LLVMValueRef V, LLVMValueRef *Users, unsigned *Indices, size_t Capacity) {
  size_t N = 0;
  for (Use &U : unwrap(V)->uses()) {
    if (N < Capacity) {
      Users[N] = wrap(U.getUser());
      Indices[N] = U.getOperandNo();
    }
    ++N;
  }
  return N;
}

// Operands of an instruction or constant expression. Metadata and token operands are handed out like any other value.
size_t tessera_operands(LLVMValueRef V, LLVMValueRef *Buffer, size_t Capacity) {
  auto *U = dyn_cast<User>(unwrap(V));
  if (!U)
    return 0;
  size_t N = 0;
  for (Value *Operand : U->operands()) {
    if (N < Capacity)
      Buffer[N] = wrap(Operand);
    ++N;
  }
  return N;
}

size_t tessera_successors(LLVMBasicBlockRef B, LLVMBasicBlockRef *Buffer, size_t Capacity) {
  size_t N = 0;
  if (Instruction *T = unwrap(B)->getTerminator())
    for (unsigned I = 0; I < T->getNumSuccessors(); ++I, ++N)
      if (N < Capacity)
        Buffer[N] = wrap(T->getSuccessor(I));
  return N;
}

// Each predecessor once per edge, in the order of the use list.
size_t tessera_predecessors(LLVMBasicBlockRef B, LLVMBasicBlockRef *Buffer, size_t Capacity) {
  size_t N = 0;
  for (BasicBlock *P : predecessors(unwrap(B))) {
    if (N < Capacity)
      Buffer[N] = wrap(P);
    ++N;
  }
  return N;
}

size_t tessera_block_name(LLVMBasicBlockRef B, char *Buffer, size_t Capacity) {
  BasicBlock *Block = unwrap(B);
  if (Block->hasName())
    return tessera::fillText(Block->getName(), Buffer, Capacity);
  std::string Text;
  raw_string_ostream Stream(Text);
  Block->printAsOperand(Stream, false);
  return tessera::fillText(StringRef(Text).ltrim('%'), Buffer, Capacity);
}

size_t tessera_value_text(LLVMValueRef V, int AsOperand, char *Buffer, size_t Capacity) {
  std::string Text;
  raw_string_ostream Stream(Text);
  if (AsOperand)
    unwrap(V)->printAsOperand(Stream, false);
  else
    unwrap(V)->print(Stream);
  return tessera::fillText(Text, Buffer, Capacity);
}

int tessera_has_attribute(LLVMValueRef F, const char *Name, size_t Length) {
  return cast<Function>(unwrap(F))->hasFnAttribute(StringRef(Name, Length));
}
// The text of an attribute of the function; empty when it has none of that name.
size_t tessera_attribute_text(LLVMValueRef F, const char *Name, size_t Length, char *Buffer, size_t Capacity) {
  StringRef Text = cast<Function>(unwrap(F))->getFnAttribute(StringRef(Name, Length)).getValueAsString();
  return tessera::fillText(Text, Buffer, Capacity);
}
// Bit 0: optnone, 1: minsize, 2: optsize, 3: strictfp, 4: a sanitizer watches every access.
unsigned tessera_function_facts(LLVMValueRef V) {
  auto *F = cast<Function>(unwrap(V));
  return (F->hasOptNone() ? 1u : 0u) | (F->hasMinSize() ? 2u : 0u) | (F->hasOptSize() ? 4u : 0u) |
         (F->hasFnAttribute(Attribute::StrictFP) ? 8u : 0u) |
         (F->hasFnAttribute(Attribute::SanitizeAddress) || F->hasFnAttribute(Attribute::SanitizeHWAddress) ||
                  F->hasFnAttribute(Attribute::SanitizeMemTag) || F->hasFnAttribute(Attribute::SanitizeMemory) ||
                  F->hasFnAttribute(Attribute::SanitizeThread)
              ? 16u
              : 0u) |
         (F->hasProfileData() ? 32u : 0u);
}
int tessera_has_name(LLVMValueRef F, const char *Name, size_t Length) {
  // There is no table in contexts that discard names.
  ValueSymbolTable *Table = cast<Function>(unwrap(F))->getValueSymbolTable();
  return Table && Table->lookup(StringRef(Name, Length));
}

// The complaints of the verifier; length 0 when the function is right.
size_t tessera_verify(LLVMValueRef F, char *Buffer, size_t Capacity) {
  std::string Text;
  raw_string_ostream Stream(Text);
  if (!verifyFunction(*cast<Function>(unwrap(F)), &Stream))
    return 0;
  return tessera::fillText(Text.empty() ? StringRef("the verifier gave no reason") : StringRef(Text), Buffer, Capacity);
}
}
