// Registers the pass with the host's PassBuilder: by name with parameters, at the VectorizerStart extension point, and for
// `position=early` after a first simplification.
#include "early.h"
#include "idle_passes.h"
#include "original.h"
#include "outline.h"
#include "shim.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include <cstdio>
#include <string>

using namespace llvm;

namespace {

constexpr const char *OptionHelp = "options of the Tessera loop optimizer: key=value;key=value (TESSERA=help lists them)";

bool isSupportedHost() {
  unsigned Major = 0;
  LLVMGetVersion(&Major, nullptr, nullptr);
  return Major == 22;
}

// The command-line option. Another copy of the plugin may have registered it: then that one is used.
cl::opt<std::string> *registerOption() {
  if (!isSupportedHost())
    return nullptr;
  auto &Options = cl::getRegisteredOptions();
  auto Found = Options.find("tessera");
  if (Found != Options.end())
    return Found->second->HelpStr == OptionHelp ? static_cast<cl::opt<std::string> *>(Found->second) : nullptr;
  return new cl::opt<std::string>("tessera", cl::desc(OptionHelp), cl::value_desc("key=value;..."));
}

// Registered while the plugin is loaded: the host reads its command line before it asks for passes.
cl::opt<std::string> *const Option = registerOption();

StringRef commandLine() { return Option ? StringRef(*Option) : StringRef(); }

// Owns one configuration of the Rust side.
class Config {
  void *Handle;

public:
  Config(StringRef Parameters, int Kind) {
    StringRef Line = commandLine();
    Handle = tessera_config_new(Parameters.data(), Parameters.size(), Line.data(), Line.size(), Kind);
  }
  Config(Config &&Other) : Handle(Other.Handle) { Other.Handle = nullptr; }
  Config &operator=(Config &&Other) {
    std::swap(Handle, Other.Handle);
    return *this;
  }
  Config(const Config &) = delete;
  Config &operator=(const Config &) = delete;
  ~Config() {
    if (Handle)
      tessera_config_free(Handle);
  }
  void *get() const { return Handle; }
};

// Remembers that the pass of the default pipeline has seen a function, so that a plugin that was loaded twice works once.
struct Seen : AnalysisInfoMixin<Seen> {
  static AnalysisKey Key;
  struct Result {
    bool invalidate(Function &, const PreservedAnalyses &, FunctionAnalysisManager::Invalidator &) { return false; }
  };
  Result run(Function &, FunctionAnalysisManager &) { return Result(); }
};
AnalysisKey Seen::Key;

// Puts new code into the form that loop passes expect. In the default pipeline the vectoriser is followed by a pass that combines
// instructions; one more of them before it took a tenth of the pass's own time, and the vectoriser did not need it.
void cleanup(Function &F, FunctionAnalysisManager &AM, bool InDefaultPipeline) {
  FunctionPassManager FPM;
  FPM.addPass(SimplifyCFGPass());
  FPM.addPass(EarlyCSEPass());
  if (!InDefaultPipeline)
    FPM.addPass(InstCombinePass());
  FPM.addPass(LoopSimplifyPass());
  FPM.addPass(LCSSAPass());
  FPM.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()), /*UseMemorySSA=*/true));
  FPM.run(F, AM);
}

struct TesseraPass : PassInfoMixin<TesseraPass> {
  Config Settings;
  std::string Parameters;
  int Kind;
  bool InDefaultPipeline;

  TesseraPass(StringRef Parameters, int Kind, bool InDefaultPipeline)
      : Settings(Parameters, Kind), Parameters(Parameters.str()), Kind(Kind), InDefaultPipeline(InDefaultPipeline) {}

  PreservedAnalyses run(Function &F, FunctionAnalysisManager &AM) {
    if (F.isDeclaration() || F.hasOptNone() || F.hasFnAttribute("tessera-generated") ||
        F.hasFnAttribute("tessera-done"))
      return PreservedAnalyses::all();
    LoopInfo &LI = AM.getResult<LoopAnalysis>(F);
    if (LI.empty())
      return PreservedAnalyses::all();
    if (InDefaultPipeline && AM.isPassRegistered<Seen>()) {
      if (AM.getCachedResult<Seen>(F))
        return PreservedAnalyses::all();
      AM.getResult<Seen>(F);
    }
    // In a pipeline of the user's own the pass may stand where functions cannot be added, as in one over a call graph.
    tessera::Context C{&F,
                       &LI,
                       &AM.getResult<DominatorTreeAnalysis>(F),
                       &AM.getResult<ScalarEvolutionAnalysis>(F),
                       &AM.getResult<AAManager>(F),
                       &AM.getResult<TargetIRAnalysis>(F),
                       &AM.getResult<TargetLibraryAnalysis>(F),
                       &AM.getResult<AssumptionAnalysis>(F),
                       &AM.getResult<OptimizationRemarkEmitterAnalysis>(F),
                       InDefaultPipeline};
    int Outcome = tessera_run_on_function(&C, Settings.get());
    if (!(Outcome & TesseraChanged)) {
      // What scalar evolution was asked changes what it later answers about flags. The code of a function that is left alone should not
      // depend on that.
      PreservedAnalyses Kept = PreservedAnalyses::all();
      Kept.abandon<ScalarEvolutionAnalysis>();
      return Kept;
    }
    // Before the inliner, a caller of a template would come to call the copy, of which the linker keeps only one.
    bool IsShared = F.hasComdat() && tessera_config_position(Settings.get()) == TesseraEarly;
    tessera::keepOriginal(F, /*MayAdd=*/C.MayAddFunctions && !IsShared, LI, *C.SE);
    AM.invalidate(F, PreservedAnalyses::none());
    if (Outcome & TesseraCleanup)
      cleanup(F, AM, InDefaultPipeline);
    return PreservedAnalyses::none();
  }

  void printPipeline(raw_ostream &OS, function_ref<StringRef(StringRef)>) {
    OS << (Kind ? "print<tessera" : "tessera");
    if (!Parameters.empty())
      OS << '<' << Parameters << '>';
    if (Kind)
      OS << '>';
  }
};

// Reads `tessera`, `tessera<...>`, `print<tessera>` and `print<tessera<...>>`.
bool splitName(StringRef Name, StringRef &Parameters, int &Kind) {
  Kind = 0;
  if (Name.consume_front("print<")) {
    if (!Name.consume_back(">"))
      return false;
    Kind = 1;
  }
  if (!Name.consume_front("tessera"))
    return false;
  if (Name.empty()) {
    Parameters = StringRef();
    return true;
  }
  if (!Name.consume_front("<") || !Name.consume_back(">"))
    return false;
  Parameters = Name;
  return true;
}

bool parsePass(StringRef Name, FunctionPassManager &FPM, ArrayRef<PassBuilder::PipelineElement>) {
  StringRef Parameters;
  int Kind;
  if (!splitName(Name, Parameters, Kind))
    return false;
  char Complaint[1024];
  size_t Length = tessera_config_check(Parameters.data(), Parameters.size(), Complaint, sizeof Complaint);
  if (Length) {
    // The host asks several times what kind of pass a name is; the complaint is printed once.
    static thread_local std::string Last;
    StringRef Text(Complaint, std::min(Length, sizeof Complaint));
    if (Last != Text) {
      Last = Text.str();
      errs() << "tessera: " << Text << '\n';
    }
    return false;
  }
  FPM.addPass(TesseraPass(Parameters, Kind, /*InDefaultPipeline=*/false));
  return true;
}

void atVectorizerStart(FunctionPassManager &FPM, OptimizationLevel Level) {
  if (Level == OptimizationLevel::O0)
    return;
  TesseraPass Pass(StringRef(), 0, /*InDefaultPipeline=*/true);
  if (tessera_config_position(Pass.Settings.get()) != TesseraAtVectorizer)
    return;
  FPM.addPass(LoopSimplifyPass());
  FPM.addPass(LCSSAPass());
  FPM.addPass(std::move(Pass));
}

// Before ThinLTO's link another crate or file may still be inlined; the same callback runs again after it.
void atEarlySimplification(ModulePassManager &MPM, OptimizationLevel Level, ThinOrFullLTOPhase Phase) {
  if (Level == OptimizationLevel::O0 || Phase == ThinOrFullLTOPhase::ThinLTOPreLink)
    return;
  TesseraPass Pass(StringRef(), 0, /*InDefaultPipeline=*/true);
  if (tessera_config_position(Pass.Settings.get()) != TesseraEarly)
    return;
  tessera::addInlining(MPM, Level, Phase);
  FunctionPassManager FPM;
  tessera::addLoopForm(FPM, Level);
  FPM.addPass(std::move(Pass));
  MPM.addPass(createModuleToFunctionPassAdaptor(std::move(FPM), /*EagerlyInvalidate=*/true));
}

bool parseModulePass(StringRef Name, ModulePassManager &MPM, ArrayRef<PassBuilder::PipelineElement>) {
  if (Name != tessera::OutlinePass::Name)
    return false;
  MPM.addPass(tessera::OutlinePass());
  return true;
}

void atEnd(ModulePassManager &MPM, OptimizationLevel Level) {
  if (Level != OptimizationLevel::O0)
    MPM.addPass(tessera::OutlinePass());
}

} // namespace

extern "C" void tessera_register(PassBuilder &PB) {
  if (!isSupportedHost()) {
    unsigned Major = 0, Minor = 0, Patch = 0;
    LLVMGetVersion(&Major, &Minor, &Patch);
    // errs() may have another layout in another LLVM, so this is plain C.
    std::fprintf(stderr, "tessera: this plugin is for LLVM 22, the compiler is LLVM %u.%u.%u; nothing is optimized\n",
                 Major, Minor, Patch);
    return;
  }
  PB.registerAnalysisRegistrationCallback([](FunctionAnalysisManager &AM) { AM.registerPass([] { return Seen(); }); });
  tessera::leaveOutIdlePasses(PB);
  PB.registerPipelineParsingCallback(parsePass);
  PB.registerPipelineParsingCallback(parseModulePass);
  PB.registerVectorizerStartEPCallback(atVectorizerStart);
  PB.registerPipelineEarlySimplificationEPCallback(atEarlySimplification);
  PB.registerOptimizerLastEPCallback(
      [](ModulePassManager &MPM, OptimizationLevel Level, ThinOrFullLTOPhase) { atEnd(MPM, Level); });
  PB.registerFullLinkTimeOptimizationLastEPCallback(atEnd);
}

extern "C" size_t tessera_demangle(const char *Name, size_t Length, char *Buffer, size_t Capacity) {
  return tessera::fillText(demangle(std::string_view(Name, Length)), Buffer, Capacity);
}

extern "C" void tessera_emit_error(tessera::Context *C, const char *Text, size_t Length) {
  C->F->getContext().emitError(Twine("tessera: ") + StringRef(Text, Length));
}

extern "C" void tessera_print_error(const char *Text, size_t Length) { errs() << StringRef(Text, Length); }

// Whether anybody sees remarks that are analyses.
extern "C" int tessera_shows_analyses(tessera::Context *C) {
  LLVMContext &Context = C->F->getContext();
  return Context.getDiagHandlerPtr()->isAnalysisRemarkEnabled("tessera") || Context.getLLVMRemarkStreamer() != nullptr;
}

// Kind: 0 = passed, 1 = missed, 2 = analysis. Where the user only asks for analyses, all are. `LoopHandle` and `Instruction` may be null.
extern "C" void tessera_remark(tessera::Context *C, int Kind, const char *Name, size_t NameLength, const char *Text,
                               size_t TextLength, void *LoopHandle, LLVMValueRef InstructionHandle) {
  DebugLoc Location;
  const BasicBlock *Block = &C->F->getEntryBlock();
  if (LoopHandle) {
    auto *L = static_cast<Loop *>(LoopHandle);
    Location = tessera::loopLocation(*L);
    Block = L->getHeader();
  }
  if (InstructionHandle) {
    if (auto *I = dyn_cast<Instruction>(unwrap(InstructionHandle))) {
      if (I->getDebugLoc() && I->getDebugLoc().getLine() != 0)
        Location = I->getDebugLoc();
      if (I->getParent())
        Block = I->getParent();
    }
  }
  DILocation *Place = tessera::userLocation(Location.get());
  DiagnosticLocation Where = Place ? DiagnosticLocation(DebugLoc(Place)) : DiagnosticLocation(C->F->getSubprogram());
  StringRef RemarkName(NameLength ? StringRef(Name, NameLength) : "Tessera"), Message(Text, TextLength);
  const DiagnosticHandler *Handler = C->F->getContext().getDiagHandlerPtr();
  bool IsShown = Kind == 0 ? Handler->isPassedOptRemarkEnabled("tessera") : Handler->isMissedOptRemarkEnabled("tessera");
  if (Kind == 2 || (!IsShown && Handler->isAnalysisRemarkEnabled("tessera")))
    C->ORE->emit(OptimizationRemarkAnalysis("tessera", RemarkName, Where, Block) << Message);
  else if (Kind == 0)
    C->ORE->emit(OptimizationRemark("tessera", RemarkName, Where, Block) << Message);
  else
    C->ORE->emit(OptimizationRemarkMissed("tessera", RemarkName, Where, Block) << Message);
}
