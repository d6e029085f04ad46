// Memory of the C library: whether code of a function may ask for it, and the calls.
#include "shim.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Support/ModRef.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;
using tessera::Context;

// What an allocator consists of. A module that defines one of these must not call `malloc` where it did not: the call could
// come back to the code that makes it.
static constexpr const char *AllocatorNames[] = {
    "malloc",         "calloc",        "realloc",        "free",           "cfree",         "memalign",
    "aligned_alloc",  "posix_memalign", "valloc",        "pvalloc",        "reallocarray",  "malloc_usable_size",
    "__libc_malloc",  "__libc_free",   "__malloc_hook",  "__wrap_malloc",  "__wrap_free",   "__wrap_calloc",
    "__wrap_realloc", "__interceptor_malloc"};

static FunctionType *typeOf(Module &M, bool IsFree) {
  LLVMContext &C = M.getContext();
  Type *Pointer = PointerType::getUnqual(C);
  return IsFree ? FunctionType::get(Type::getVoidTy(C), {Pointer}, false)
                : FunctionType::get(Pointer, {M.getDataLayout().getIntPtrType(C)}, false);
}

// 0: the module has something else of that name; 1: the program calls it anyway; 2: the program may be without it.
static int stateOf(Module &M, bool IsFree) {
  GlobalValue *Present = M.getNamedValue(IsFree ? "free" : "malloc");
  if (!Present)
    return 2;
  auto *Declared = dyn_cast<Function>(Present);
  if (!Declared || !Declared->isDeclaration() || Declared->getFunctionType() != typeOf(M, IsFree) ||
      Declared->getCallingConv() != CallingConv::C)
    return 0;
  if (Declared->hasExternalWeakLinkage())
    return 2;
  return Declared->hasExternalLinkage() && !Declared->use_empty() ? 1 : 0;
}

// Systems whose programs have a C library, as a rule, and whose linkers give an undefined weak function the address 0.
static bool isHosted(const Triple &T) {
  return (T.isOSLinux() || T.isOSFreeBSD() || T.isOSNetBSD() || T.isOSOpenBSD() || T.isOSDragonFly()) &&
         T.isOSBinFormatELF();
}

extern "C" {

// Whether code of the function may call `malloc` and `free`. 0: no; 1: yes; 2: only where both have an address.
int tessera_heap(Context *C) {
  Function &F = *C->F;
  Module &M = *F.getParent();
  const DataLayout &Layout = M.getDataLayout();
  // Programs built without a library, and functions that must not call it, say so here.
  if (!C->TLI->has(LibFunc_malloc) || !C->TLI->has(LibFunc_free) || !isHosted(M.getTargetTriple()))
    return 0;
  if (Layout.getPointerSizeInBits(0) != 64 || Layout.getIndexSizeInBits(0) != 64 || Layout.isNonIntegralAddressSpace(0) ||
      Layout.getAllocaAddrSpace() != 0 || Layout.getProgramAddressSpace() != 0)
    return 0;
  // Kernels and handlers of interrupts.
  if (M.getCodeModel() == CodeModel::Kernel || F.hasFnAttribute(Attribute::NoRedZone) ||
      F.hasFnAttribute(Attribute::Naked) || F.hasFnAttribute("interrupt") || F.getCallingConv() == CallingConv::X86_INTR)
    return 0;
  for (const char *Name : AllocatorNames)
    if (GlobalValue *Present = M.getNamedValue(Name); Present && !Present->isDeclaration())
      return 0;
  int Malloc = stateOf(M, false), Free = stateOf(M, true);
  return !Malloc || !Free ? 0 : std::max(Malloc, Free);
}

// The declaration of `malloc` or `free`; null if the module has something else of that name. A new one is weak: a program that
// is linked without a library stays one.
LLVMValueRef tessera_heap_declaration(LLVMValueRef F, int IsFree, int *Existed) {
  Module *M = cast<Function>(unwrap(F))->getParent();
  const char *Name = IsFree ? "free" : "malloc";
  *Existed = M->getNamedValue(Name) != nullptr;
  if (*Existed)
    return stateOf(*M, IsFree) ? wrap(M->getNamedValue(Name)) : nullptr;
  auto *Declared = Function::Create(typeOf(*M, IsFree), GlobalValue::ExternalWeakLinkage, Name, M);
  Declared->setDoesNotThrow();
  return wrap(Declared);
}
// `malloc(Bytes)` at the builder's position.
LLVMValueRef tessera_build_malloc(LLVMBuilderRef B, LLVMValueRef Declaration, LLVMValueRef Bytes, const char *Name,
                                  size_t Length) {
  auto *Malloc = cast<Function>(unwrap(Declaration));
  auto *Size = unwrap(B)->CreateZExtOrTrunc(unwrap(Bytes), Malloc->getFunctionType()->getParamType(0));
  CallInst *Call = unwrap(B)->CreateCall(Malloc, {Size}, StringRef(Name, Length));
  Call->addRetAttr(Attribute::NoAlias);
  if (auto *Known = dyn_cast<ConstantInt>(Size))
    Call->addRetAttr(Attribute::getWithDereferenceableOrNullBytes(Call->getContext(), Known->getZExtValue()));
  Call->setDoesNotThrow();
  return wrap(Call);
}
// `free(Memory)` at the builder's position.
LLVMValueRef tessera_build_free(LLVMBuilderRef B, LLVMValueRef Declaration, LLVMValueRef Memory) {
  CallInst *Call = unwrap(B)->CreateCall(cast<Function>(unwrap(Declaration)), {unwrap(Memory)});
  Call->addParamAttr(0, Attribute::getWithCaptureInfo(Call->getContext(), CaptureInfo::none()));
  Call->setDoesNotThrow();
  return wrap(Call);
}
// The intrinsic that clears low bits of a pointer, and whether the module had it before.
LLVMValueRef tessera_mask_declaration(LLVMValueRef F, int *Existed) {
  Module *M = cast<Function>(unwrap(F))->getParent();
  LLVMContext &C = M->getContext();
  *Existed = M->getFunction("llvm.ptrmask.p0.i64") != nullptr;
  return wrap(Intrinsic::getOrInsertDeclaration(M, Intrinsic::ptrmask, {PointerType::getUnqual(C), Type::getInt64Ty(C)}));
}
// The next multiple of `Align` at or above `Memory + 1 - Align` at the builder's position.
LLVMValueRef tessera_build_mask(LLVMBuilderRef B, LLVMValueRef Declaration, LLVMValueRef Memory, uint64_t Align) {
  auto *Mask = ConstantInt::getSigned(Type::getInt64Ty(unwrap(B)->getContext()), -static_cast<int64_t>(Align));
  return wrap(unwrap(B)->CreateCall(cast<Function>(unwrap(Declaration)), {unwrap(Memory), Mask}));
}
}
