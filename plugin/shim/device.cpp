// The code generator for devices, if the host's LLVM has one. The references are weak, so that the plugin also loads where it does not.
extern "C" {
__attribute__((weak)) void LLVMInitializeNVPTXTargetInfo(void);
__attribute__((weak)) void LLVMInitializeNVPTXTarget(void);
__attribute__((weak)) void LLVMInitializeNVPTXTargetMC(void);
__attribute__((weak)) void LLVMInitializeNVPTXAsmPrinter(void);

int tessera_has_device() {
  return LLVMInitializeNVPTXTargetInfo && LLVMInitializeNVPTXTarget && LLVMInitializeNVPTXTargetMC &&
         LLVMInitializeNVPTXAsmPrinter;
}
// To be called once.
void tessera_initialise_device() {
  if (!tessera_has_device())
    return;
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
}
}
