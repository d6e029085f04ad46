#include "generated.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

MDNode *tessera::pieceOf(MDNode *LoopId) {
  MDNode *Property = LoopId ? findOptionMDForLoopID(LoopId, "tessera.code") : nullptr;
  return Property && Property->getNumOperands() == 2 ? dyn_cast_or_null<MDNode>(Property->getOperand(1)) : nullptr;
}

bool tessera::isOrdinary(const Function &F) {
  switch (F.getCallingConv()) {
  case CallingConv::C:
  case CallingConv::Fast:
  case CallingConv::Cold:
  case CallingConv::X86_64_SysV:
  case CallingConv::Win64:
  case CallingConv::ARM_AAPCS:
  case CallingConv::ARM_AAPCS_VFP:
    break;
  default:
    return false;
  }
  return !F.hasFnAttribute("interrupt") && !F.hasFnAttribute("signal") && !F.hasFnAttribute("cmse_nonsecure_entry");
}

void tessera::keepBeside(Function &Generated, const Function &F) {
  Generated.removeFnAttr(Attribute::AlwaysInline);
  Generated.removeFnAttr(Attribute::InlineHint);
  Generated.addFnAttr(Attribute::NoInline);
  // The linker that drops one of several equal functions drops this one with it.
  if (F.hasComdat() && F.getParent()->getTargetTriple().isOSBinFormatELF())
    Generated.setComdat(const_cast<Comdat *>(F.getComdat()));
}
