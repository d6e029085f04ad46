// Edits that the C API lacks: their inverses, metadata that must be distinct, detaching without deleting.
#include "shim.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Operator.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;
using tessera::Context;

static MDNode *node(LLVMMetadataRef M) { return cast_or_null<MDNode>(unwrap(M)); }
static MDNode *lists(LLVMContext &Context, const LLVMMetadataRef *Nodes, size_t Count) {
  SmallVector<Metadata *, 8> Items;
  for (size_t I = 0; I < Count; ++I)
    Items.push_back(unwrap(Nodes[I]));
  return Count ? MDNode::get(Context, Items) : nullptr;
}

extern "C" {

LLVMContextRef tessera_llvm_context(Context *C) { return wrap(&C->F->getContext()); }

// Takes an instruction out of its block and drops its operands; it stays allocated.
void tessera_detach_instruction(LLVMValueRef V) {
  auto *I = cast<Instruction>(unwrap(V));
  I->dropAllReferences();
  if (I->getParent())
    I->removeFromParent();
}
// Deletes what was detached. Nothing may use it any more; a use that is left gets poison.
void tessera_delete_detached(LLVMValueRef V) {
  auto *I = cast<Instruction>(unwrap(V));
  if (!I->use_empty())
    I->replaceAllUsesWith(PoisonValue::get(I->getType()));
  I->deleteValue();
}
// Takes an empty block out of its function; it stays allocated.
void tessera_detach_block(LLVMBasicBlockRef B) {
  if (unwrap(B)->getParent())
    unwrap(B)->removeFromParent();
}
void tessera_delete_block(LLVMBasicBlockRef B) { delete unwrap(B); }

// Inserts a block after another one, or at the end of the function when `After` is null.
LLVMBasicBlockRef tessera_create_block(LLVMValueRef F, LLVMBasicBlockRef After, const char *Name, size_t Length) {
  auto *Function = cast<llvm::Function>(unwrap(F));
  auto *Block = BasicBlock::Create(Function->getContext(), StringRef(Name, Length));
  if (After)
    Function->insert(std::next(unwrap(After)->getIterator()), Block);
  else
    Function->insert(Function->end(), Block);
  return wrap(Block);
}

void tessera_phi_pop_incoming(LLVMValueRef V) {
  auto *Phi = cast<PHINode>(unwrap(V));
  Phi->removeIncomingValue(Phi->getNumIncomingValues() - 1, /*DeletePHIIfEmpty=*/false);
}
void tessera_phi_set_block(LLVMValueRef V, unsigned Index, LLVMBasicBlockRef B) {
  cast<PHINode>(unwrap(V))->setIncomingBlock(Index, unwrap(B));
}
// Where in its value's use list an operand stands. The order of use lists decides the order of predecessors, among others.
size_t tessera_use_position(LLVMValueRef V, unsigned Index) {
  const Use &Place = cast<User>(unwrap(V))->getOperandUse(Index);
  size_t Position = 0;
  for (const Use &U : Place->uses()) {
    if (&U == &Place)
      break;
    ++Position;
  }
  return Position;
}
// Sets an operand back, at its old place in the use list.
void tessera_restore_operand(LLVMValueRef V, unsigned Index, LLVMValueRef Operand, size_t Position) {
  auto *User = cast<llvm::User>(unwrap(V));
  User->setOperand(Index, unwrap(Operand));
  const Use *Restored = &User->getOperandUse(Index);
  DenseMap<const Use *, size_t> Order;
  size_t Next = 0;
  for (const Use &U : unwrap(Operand)->uses()) {
    if (&U == Restored)
      continue;
    if (Next == Position)
      ++Next;
    Order[&U] = Next++;
  }
  Order[Restored] = Position;
  unwrap(Operand)->sortUseList([&](const Use &A, const Use &B) { return Order.lookup(&A) < Order.lookup(&B); });
}
void tessera_set_operand(LLVMValueRef V, unsigned Index, LLVMValueRef Operand) {
  cast<User>(unwrap(V))->setOperand(Index, unwrap(Operand));
}

LLVMMetadataRef tessera_get_metadata(LLVMValueRef V, unsigned Kind) {
  return wrap(static_cast<Metadata *>(cast<Instruction>(unwrap(V))->getMetadata(Kind)));
}
void tessera_set_metadata(LLVMValueRef V, unsigned Kind, LLVMMetadataRef Node) {
  cast<Instruction>(unwrap(V))->setMetadata(Kind, node(Node));
}
// What has been moved far has no location of its own any more: then the one that the copy was built with stays.
void tessera_copy_debug_location(LLVMValueRef From, LLVMValueRef To) {
  if (const DebugLoc &Location = cast<Instruction>(unwrap(From))->getDebugLoc())
    cast<Instruction>(unwrap(To))->setDebugLoc(Location);
}
// Removes flags and metadata whose violation makes a result poison or undefined; used where an instruction is executed more often.
void tessera_drop_poison_flags(LLVMValueRef V) {
  auto *I = cast<Instruction>(unwrap(V));
  I->dropPoisonGeneratingFlags();
  I->dropUBImplyingAttrsAndMetadata();
}
// LLVMSetFastMathFlags only adds flags.
void tessera_clear_fast_math_flags(LLVMValueRef V) {
  if (auto *I = dyn_cast<Instruction>(unwrap(V)); I && isa<FPMathOperator>(I))
    I->copyFastMathFlags(FastMathFlags());
}
void tessera_set_wrap_flags(LLVMValueRef V, int Unsigned, int Signed) {
  if (auto *I = dyn_cast<Instruction>(unwrap(V)); I && isa<OverflowingBinaryOperator>(I)) {
    I->setHasNoUnsignedWrap(Unsigned);
    I->setHasNoSignedWrap(Signed);
  }
}

LLVMMetadataRef tessera_alias_domain(LLVMContextRef Context, const char *Name, size_t Length) {
  return wrap(static_cast<Metadata *>(MDBuilder(*unwrap(Context)).createAnonymousAliasScopeDomain(StringRef(Name, Length))));
}
LLVMMetadataRef tessera_alias_scope(LLVMContextRef Context, LLVMMetadataRef Domain, const char *Name, size_t Length) {
  return wrap(static_cast<Metadata *>(
      MDBuilder(*unwrap(Context)).createAnonymousAliasScope(node(Domain), StringRef(Name, Length))));
}
LLVMMetadataRef tessera_access_group(LLVMContextRef Context) {
  return wrap(static_cast<Metadata *>(MDNode::getDistinct(*unwrap(Context), {})));
}
// The intrinsic that declares a scope, and whether the module had it before.
LLVMValueRef tessera_scope_declaration(LLVMValueRef F, int *Existed) {
  Module *M = cast<Function>(unwrap(F))->getParent();
  *Existed = M->getFunction("llvm.experimental.noalias.scope.decl") != nullptr;
  return wrap(Intrinsic::getOrInsertDeclaration(M, Intrinsic::experimental_noalias_scope_decl));
}
// Declares a scope at the builder's position: passes that copy the code from here on give the copy a scope of its own.
LLVMValueRef tessera_declare_scope(LLVMBuilderRef B, LLVMValueRef Declaration, LLVMMetadataRef Scope) {
  auto *F = cast<Function>(unwrap(Declaration));
  LLVMContext &C = F->getContext();
  return wrap(unwrap(B)->CreateCall(F, {MetadataAsValue::get(C, MDNode::get(C, {unwrap(Scope)}))}));
}
// Erases a declaration, or a constant of the module, that nothing uses.
void tessera_erase_global(LLVMValueRef V) {
  auto *Global = cast<GlobalObject>(unwrap(V));
  // Constants that were made of it for something that is gone.
  Global->removeDeadConstantUsers();
  if (Global->use_empty() && (Global->isDeclaration() || Global->hasLocalLinkage()))
    Global->eraseFromParent();
}
// Makes a constant of the module a declaration again.
void tessera_forget_initialiser(LLVMValueRef V) {
  auto *Global = cast<GlobalVariable>(unwrap(V));
  Global->setLinkage(GlobalValue::ExternalLinkage);
  Global->setInitializer(nullptr);
}
// How a program writes to standard error: `fwrite` to `stderr` where the C library has both under these names, else `write`.
static bool writesToStream(const Module &M) {
  const Triple &T = M.getTargetTriple();
  return T.isOSLinux() && !T.isAndroid();
}
static FunctionType *writeType(const Module &M) {
  LLVMContext &C = M.getContext();
  Type *Size = M.getDataLayout().getIntPtrType(C), *Pointer = PointerType::getUnqual(C);
  return writesToStream(M) ? FunctionType::get(Size, {Pointer, Size, Size, Pointer}, false)
                           : FunctionType::get(Size, {Type::getInt32Ty(C), Pointer, Size}, false);
}
static const char *writeName(const Module &M) { return writesToStream(M) ? "fwrite" : "write"; }
// Whether the module has nothing else under the names of what writes to standard error.
int tessera_has_text_output(LLVMValueRef F) {
  const Module &M = *cast<Function>(unwrap(F))->getParent();
  if (const GlobalValue *Present = M.getNamedValue(writeName(M))) {
    auto *Declared = dyn_cast<Function>(Present);
    if (!Declared || !Declared->isDeclaration() || Declared->getFunctionType() != writeType(M))
      return false;
  }
  const GlobalValue *Stream = writesToStream(M) ? M.getNamedValue("stderr") : nullptr;
  return !Stream || (isa<GlobalVariable>(Stream) && Stream->isDeclaration() && !Stream->isThreadLocal() &&
                     Stream->getAddressSpace() == 0 && Stream->getValueType()->isPointerTy());
}
// The declarations of what writes to standard error: the function, and the stream where it needs one. `Created` gets those of the
// two that were not there, and null. To be called only if `tessera_has_text_output` says so.
LLVMValueRef tessera_text_output(LLVMValueRef F, LLVMValueRef *Stream, LLVMValueRef *Created) {
  Module *M = cast<Function>(unwrap(F))->getParent();
  bool IsNew = !M->getNamedValue(writeName(*M));
  auto *Write = cast<Function>(M->getOrInsertFunction(writeName(*M), writeType(*M)).getCallee());
  if (IsNew) {
    Write->setDoesNotThrow();
    Created[0] = wrap(Write);
  }
  if (writesToStream(*M)) {
    GlobalValue *Known = M->getNamedValue("stderr");
    if (!Known) {
      Known = new GlobalVariable(*M, PointerType::getUnqual(M->getContext()), false, GlobalValue::ExternalLinkage, nullptr,
                                 "stderr");
      Created[1] = wrap(Known);
    }
    *Stream = wrap(Known);
  }
  return wrap(Write);
}
// A constant text of the module.
LLVMValueRef tessera_create_text(LLVMValueRef F, const char *Text, size_t Length) {
  Module *M = cast<Function>(unwrap(F))->getParent();
  Constant *Bytes = ConstantDataArray::getString(M->getContext(), StringRef(Text, Length), false);
  auto *Global = new GlobalVariable(*M, Bytes->getType(), true, GlobalValue::PrivateLinkage, Bytes, "tessera.text");
  Global->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  return wrap(Global);
}
// Calls `fwrite(Text, 1, Length, Stream)`, or `write(2, Text, Length)` without a stream, at the builder's position.
LLVMValueRef tessera_build_write(LLVMBuilderRef B, LLVMValueRef Declaration, LLVMValueRef Text, size_t Length,
                                 LLVMValueRef Stream) {
  auto *Write = cast<Function>(unwrap(Declaration));
  FunctionType *Type = Write->getFunctionType();
  auto Number = [&](unsigned Parameter, uint64_t Value) { return ConstantInt::get(Type->getParamType(Parameter), Value); };
  if (Stream)
    return wrap(unwrap(B)->CreateCall(Write, {unwrap(Text), Number(1, 1), Number(2, Length), unwrap(Stream)}));
  return wrap(unwrap(B)->CreateCall(Write, {Number(0, 2), unwrap(Text), Number(2, Length)}));
}
// Adds scopes to what the instruction has already.
void tessera_add_alias_scopes(LLVMValueRef V, const LLVMMetadataRef *Scopes, size_t ScopeCount,
                              const LLVMMetadataRef *NoAlias, size_t NoAliasCount) {
  auto *I = cast<Instruction>(unwrap(V));
  LLVMContext &Context = I->getContext();
  if (ScopeCount)
    I->setMetadata(LLVMContext::MD_alias_scope,
                   MDNode::concatenate(I->getMetadata(LLVMContext::MD_alias_scope), lists(Context, Scopes, ScopeCount)));
  if (NoAliasCount)
    I->setMetadata(LLVMContext::MD_noalias,
                   MDNode::concatenate(I->getMetadata(LLVMContext::MD_noalias), lists(Context, NoAlias, NoAliasCount)));
}
void tessera_add_access_group(LLVMValueRef V, LLVMMetadataRef Group) {
  auto *I = cast<Instruction>(unwrap(V));
  MDNode *Present = I->getMetadata(LLVMContext::MD_access_group);
  I->setMetadata(LLVMContext::MD_access_group, Present ? uniteAccessGroups(Present, node(Group)) : node(Group));
}
// One property of a loop: a name with optional integer (Kind 1: i32, Kind 2: i1) or metadata operands (Kind 3).
LLVMMetadataRef tessera_loop_property(LLVMContextRef Context, const char *Name, size_t Length, int Kind, int64_t Value,
                                      const LLVMMetadataRef *Nodes, size_t Count) {
  LLVMContext &C = *unwrap(Context);
  SmallVector<Metadata *, 8> Items{MDString::get(C, StringRef(Name, Length))};
  if (Kind == 1)
    Items.push_back(ConstantAsMetadata::get(ConstantInt::getSigned(Type::getInt32Ty(C), Value)));
  if (Kind == 2)
    Items.push_back(ConstantAsMetadata::get(ConstantInt::getBool(C, Value != 0)));
  if (Kind == 3)
    for (size_t I = 0; I < Count; ++I)
      Items.push_back(unwrap(Nodes[I]));
  return wrap(static_cast<Metadata *>(MDNode::get(C, Items)));
}
// The distinct, self-referential node of a loop with the given properties.
LLVMMetadataRef tessera_loop_id(LLVMContextRef Context, const LLVMMetadataRef *Properties, size_t Count) {
  SmallVector<Metadata *, 8> Items{nullptr};
  for (size_t I = 0; I < Count; ++I)
    Items.push_back(unwrap(Properties[I]));
  MDNode *Id = MDNode::getDistinct(*unwrap(Context), Items);
  Id->replaceOperandWith(0, Id);
  return wrap(static_cast<Metadata *>(Id));
}
LLVMMetadataRef tessera_branch_weights(LLVMContextRef Context, uint32_t True, uint32_t False) {
  return wrap(static_cast<Metadata *>(MDBuilder(*unwrap(Context)).createBranchWeights(True, False)));
}
void tessera_add_function_attribute(LLVMValueRef F, const char *Name, size_t Length) {
  cast<Function>(unwrap(F))->addFnAttr(StringRef(Name, Length));
}
}
