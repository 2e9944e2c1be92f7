// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The short LLVM pipeline and code generation. Kernels arrive tiled, vectorised
// and unrolled: what remains is memory to registers, common subexpressions and
// loop invariants; O2 and O3 gain nothing and cost three times.

#include "lowering/cpu/EmitObject.h"

#include "ir/target/TargetModel.h"
#include "lowering/cpu/CPUMachine.h"
#include "lowering/cpu/LegalizeHalf.h"
#include "lowering/cpu/LegalizeMasks.h"
#include "lowering/cpu/LegalizeMinMax.h"
#include "lowering/cpu/NonTemporalStores.h"
#include "lowering/cpu/StoreOrder.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils.h"

using namespace llvm;

namespace zenith::cpu {

static void optimizeModule(Module &module, TargetMachine &machine,
                           int64_t lineBytes) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);

  // Of features that another architecture doesn't know, LLVM says that they are
  // there.
  auto has = [&](StringRef features) {
    return machine.getTargetTriple().isX86() &&
           machine.getMCSubtargetInfo()->checkFeatures(features);
  };
  FunctionPassManager passes;
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(InstCombinePass(
      InstCombineOptions().setMaxIterations(1).setVerifyFixpoint(false)));
  passes.addPass(LegalizeMasksPass());
  passes.addPass(LegalizeHalfPass());
  passes.addPass(SimplifyCFGPass());
  passes.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()),
                                                 /*UseMemorySSA=*/true));
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(LegalizeMinMaxPass(has("+avx512dq,+avx512vl")));
  passes.addPass(NonTemporalStoresPass(lineBytes));
  if (has("+avx512f"))
    passes.addPass(StoreOrderPass());
  ModulePassManager all;
  all.addPass(createModuleToFunctionPassAdaptor(std::move(passes)));
  all.run(module, modules);
}

/// Instructions of a function from which on host code is compiled without
/// optimisation. Optimising a longer function takes more than linear time in
/// its length, more than its calls could win back.
static constexpr unsigned longFunction = 1500;

/// Optimisation level of host code. An entry without loops runs each of its
/// instructions once, which takes less time than it takes to optimise them:
/// guards and sizes of kernels whose shapes only a run knows are hundreds. Long
/// entries are nearly straight lines of launches, each of which costs more than
/// the arithmetic around it. Short entries may have loops of host arithmetic.
static CodeGenOptLevel levelOfHostCode(const Module &module) {
  bool anyLoop = false;
  for (const Function &function : module) {
    if (function.getInstructionCount() > longFunction)
      return CodeGenOptLevel::None;
    SmallVector<std::pair<const BasicBlock *, const BasicBlock *>> backEdges;
    if (!function.isDeclaration())
      FindFunctionBackedges(function, backEdges);
    anyLoop |= !backEdges.empty();
  }
  return anyLoop ? CodeGenOptLevel::Less : CodeGenOptLevel::None;
}

namespace {
/// Passes of code generation without loop strength reduction and its
/// preparation. Kernels use few induction variables already, so their code is
/// as fast without; in loops with many addresses (depthwise convolution,
/// pooling) the search for the cheapest set takes most of the compile time.
class CodePasses : public legacy::PassManagerBase {
public:
  void add(Pass *pass) override {
    if (is_contained(unwanted, pass->getPassID()))
      delete pass;
    else
      passes.add(pass);
  }
  void run(Module &module) { passes.run(module); }

private:
  static AnalysisID idOf(Pass *pass) {
    return std::unique_ptr<Pass>(pass)->getPassID();
  }

  legacy::PassManager passes;
  AnalysisID unwanted[2] = {idOf(createLoopStrengthReducePass()),
                            idOf(createCanonicalizeFreezeInLoopsPass())};
};

/// Keeps errors that LLVM would otherwise print before it ends the process.
struct ErrorCollector : DiagnosticHandler {
  explicit ErrorCollector(std::string &text) : text(text) {}
  bool handleDiagnostics(const DiagnosticInfo &info) override {
    if (info.getSeverity() == DS_Error) {
      raw_string_ostream stream(text);
      DiagnosticPrinterRawOStream printer(stream);
      info.print(printer);
    }
    return true;
  }
  std::string &text;
};
} // namespace

Expected<std::string> emitModule(Module &module,
                                 const target::CPUTarget &target, EmitKind kind,
                                 bool optimize) {
  Expected<std::unique_ptr<TargetMachine>> machine = createMachine(target);
  if (!machine)
    return machine.takeError();
  std::string errors;
  std::unique_ptr<DiagnosticHandler> previous =
      module.getContext().getDiagnosticHandler();
  module.getContext().setDiagnosticHandler(
      std::make_unique<ErrorCollector>(errors));
  if (optimize)
    optimizeModule(module, **machine, target.model().lineBytes);
  else
    (*machine)->setOptLevel(levelOfHostCode(module));
  SmallString<0> bytes;
  raw_svector_ostream stream(bytes);
  bool possible = true;
  if (kind == EmitKind::LLVM) {
    module.print(stream, nullptr);
  } else {
    CodePasses passes;
    possible = !(*machine)->addPassesToEmitFile(
        passes, stream, nullptr,
        kind == EmitKind::Object ? CodeGenFileType::ObjectFile
                                 : CodeGenFileType::AssemblyFile,
        /*DisableVerify=*/true);
    if (possible)
      passes.run(module);
  }
  module.getContext().setDiagnosticHandler(std::move(previous));
  if (!possible)
    errors = "the code generator cannot emit this kind of file";
  if (!errors.empty())
    return createStringError(inconvertibleErrorCode(), errors);
  return std::string(bytes);
}

} // namespace zenith::cpu
