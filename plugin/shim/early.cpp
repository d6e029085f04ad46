// What must run before the pass where it stands early in the pipeline: inlining, and the form of loops that detection needs. The
// default position gets all this, and much that makes loops harder to read, from the passes before it.
#include "early.h"
#include "llvm/Analysis/InlineCost.h"
#include "llvm/Transforms/IPO/FunctionAttrs.h"
#include "llvm/Transforms/IPO/Inliner.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

using namespace llvm;

void tessera::addInlining(ModulePassManager &MPM, OptimizationLevel Level, ThinOrFullLTOPhase Phase) {
  ModuleInlinerWrapperPass Inliner(getInlineParams(Level.getSpeedupLevel(), Level.getSizeLevel()),
                                   /*MandatoryFirst=*/true, InlineContext{Phase, InlinePass::CGSCCInliner});
  // Callees are small, and their effects known, before their callers are looked at.
  Inliner.getPM().addPass(PostOrderFunctionAttrsPass());
  FunctionPassManager FPM;
  FPM.addPass(SROAPass(SROAOptions::ModifyCFG));
  FPM.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  FPM.addPass(SimplifyCFGPass());
  FPM.addPass(InstCombinePass());
  Inliner.getPM().addPass(createCGSCCToFunctionPassAdaptor(std::move(FPM), /*EagerlyInvalidate=*/true));
  MPM.addPass(std::move(Inliner));
}

void tessera::addLoopForm(FunctionPassManager &FPM, OptimizationLevel Level) {
  FPM.addPass(LoopSimplifyPass());
  FPM.addPass(LCSSAPass());
  FPM.addPass(createFunctionToLoopPassAdaptor(LoopRotatePass(/*EnableHeaderDuplication=*/Level != OptimizationLevel::Oz)));
  FPM.addPass(SimplifyCFGPass());
  FPM.addPass(InstCombinePass());
  FPM.addPass(LoopSimplifyPass());
  FPM.addPass(LCSSAPass());
  FPM.addPass(createFunctionToLoopPassAdaptor(IndVarSimplifyPass()));
  FPM.addPass(LoopSimplifyPass());
  FPM.addPass(LCSSAPass());
}
