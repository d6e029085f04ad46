// Puts the functions of rows.ll into a module.
#include "shim.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using tessera::Context;

// Reads a module; null if it cannot be read.
static std::unique_ptr<Module> read(StringRef Text, LLVMContext &C) {
  // Texts have names, which compilers throw away.
  bool DiscardsNames = C.shouldDiscardValueNames();
  C.setDiscardValueNames(false);
  SMDiagnostic Error;
  std::unique_ptr<Module> Read = parseAssemblyString(Text, Error, C);
  C.setDiscardValueNames(DiscardsNames);
  return Read;
}

// Compiles a function for the processor that another one is for.
static void compileLike(Function &Added, const Function &F) {
  for (Attribute A : F.getAttributes().getFnAttrs())
    if (A.isStringAttribute() && !A.getKindAsString().starts_with("tessera"))
      Added.addFnAttr(A);
  if (F.hasUWTable())
    Added.setUWTableKind(F.getUWTableKind());
}

extern "C" {

// Whether functions can be added to the module now: not where a pass goes through a call graph.
int tessera_may_add_functions(Context *C) { return C->MayAddFunctions; }

// A function of the module that has the name and the body of one of the text, which calls functions that the module has; it is made if it is not there.
// Null if the text cannot be read. `Text` ends with a zero.
LLVMValueRef tessera_function_of_text(LLVMValueRef User, const char *Text, size_t Length, const char *Name, size_t NameLength,
                                      int *Existed) {
  auto &F = *cast<Function>(unwrap(User));
  Module &M = *F.getParent();
  Function *Present = M.getFunction(StringRef(Name, NameLength));
  *Existed = Present && Present->hasLocalLinkage() && Present->hasFnAttribute("tessera-generated");
  if (*Existed)
    return wrap(Present);
  std::unique_ptr<Module> Read = read(StringRef(Text, Length), M.getContext());
  Function *Wanted = Read ? Read->getFunction(StringRef(Name, NameLength)) : nullptr;
  if (!Wanted)
    return nullptr;
  ValueToValueMapTy Map;
  for (Function &Declared : *Read)
    if (Declared.isDeclaration()) {
      Function *Own = M.getFunction(Declared.getName());
      if (!Own || Own->getFunctionType() != Declared.getFunctionType())
        return nullptr;
      Map[&Declared] = Own;
    }
  auto *Added = Function::Create(Wanted->getFunctionType(), GlobalValue::InternalLinkage, Wanted->getAddressSpace(), Wanted->getName(), &M);
  for (auto [From, To] : zip(Wanted->args(), Added->args()))
    Map[&From] = &To;
  SmallVector<ReturnInst *, 2> Returns;
  CloneFunctionInto(Added, Wanted, Map, CloneFunctionChangeType::DifferentModule, Returns);
  compileLike(*Added, F);
  return wrap(Added);
}
}
