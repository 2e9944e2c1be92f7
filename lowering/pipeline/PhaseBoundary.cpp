// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attributes graph.target and graph.phase, and the passes at the end of
// each phase.

#include "lowering/pipeline/PhaseBoundary.h"

#include "ir/GraphOps.h"
#include "ir/LLVMError.h"
#include "ir/program/ParameterFiles.h"
#include "ir/target/TargetModel.h"
#include "lowering/decisions/Schedules.h"
#include "lowering/host/HostDialect.h"
#include "lowering/kernels/EmitKernels.h"
#include "lowering/pipeline/PhaseContracts.h"
#include "lowering/pipeline/Phases.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

namespace zenith::pipeline {

llvm::Expected<int> findPhase(StringRef name, int otherwise) {
  if (name.empty())
    return otherwise;
  int index = phaseIndex(name);
  if (index >= 0)
    return index;
  std::string known;
  for (const Phase &phase : phases())
    known += (known.empty() ? "" : ", ") + phase.name.str();
  return makeError(ErrorCode::Usage,
                   "unknown phase '" + name + "'; there are " + known);
}

/// True where the ops of the whole module keep the contract of a phase, and one
/// of them is `made` by it.
static bool isAfter(ModuleOp module, bool (*allows)(Operation *),
                    function_ref<bool(Operation *)> made) {
  bool found = false;
  WalkResult result = module.walk([&](Operation *op) {
    found |= made(op);
    return allows(op) ? WalkResult::advance() : WalkResult::interrupt();
  });
  return found && !result.wasInterrupted();
}

llvm::Expected<int> phaseLeft(ModuleOp module) {
  if (auto name = module->getAttrOfType<StringAttr>(phaseAttrName)) {
    int index = phaseIndex(name);
    if (index >= 0)
      return index;
    return makeError(ErrorCode::Invalid, phaseAttrName + ": got \"" +
                                             name.getValue() +
                                             "\", expected a phase");
  }
  if (!module.getOps<host::ProgramOp>().empty())
    return phaseIndex(
        isAfter(module, allowsLLVM, [](Operation *) { return true; })
            ? "cpu"
            : "kernels");
  auto hasArena = [](Operation *op) {
    return op->hasAttr(host::arenaAttrName);
  };
  if (isAfter(module, allowsPlanned, hasArena))
    return phaseIndex("plan");
  auto isFusion = [](Operation *op) { return isa<graph::FusionOp>(op); };
  if (isAfter(module, allowsScheduled, isFusion))
    return phaseIndex("schedule");
  if (isAfter(module, allowsFused, isFusion))
    return phaseIndex("fuse");
  auto isControl = [](Operation *op) {
    return isa<host::BranchOp, host::LoopOp>(op);
  };
  return phaseIndex(isAfter(module, allowsOutlined, isControl) ? "outline"
                                                               : "");
}

llvm::Expected<int> firstPhase(ModuleOp module, StringRef from) {
  if (!from.empty())
    return findPhase(from, 0);
  llvm::Expected<int> left = phaseLeft(module);
  return left ? llvm::Expected<int>(*left + 1) : left.takeError();
}

llvm::Error settleTarget(ModuleOp module, StringRef text,
                         const target::TargetModel &model) {
  auto recorded =
      module->getAttrOfType<graph::TargetAttr>(target::targetAttrName);
  llvm::Expected<int> left = phaseLeft(module);
  if (!left)
    return left.takeError();
  // Layouts, and all that follows them, are chosen for one target.
  bool isLaidOut = *left >= phaseIndex("layout");
  if (!recorded || (recorded.getText() != text && !isLaidOut)) {
    module->setAttr(target::targetAttrName,
                    graph::TargetAttr::get(module.getContext(), text, model));
    return llvm::Error::success();
  }
  if (recorded.getModel().device != model.device)
    return makeError(ErrorCode::Unsupported,
                     "the module was laid out for target '" +
                         recorded.getText() + "', not for '" + text + "'");
  StringRef missing = target::missingFrom(model, recorded.getModel());
  if (missing.empty())
    return llvm::Error::success();
  return makeError(ErrorCode::Unsupported,
                   target::targetAttrName + " '" + recorded.getText() +
                       "' counts on '" + missing + "', which target '" + text +
                       "' lacks");
}

namespace {

class SettleTargetPass
    : public PassWrapper<SettleTargetPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SettleTargetPass)
  SettleTargetPass(std::string text, const target::TargetModel &model)
      : text(std::move(text)), model(model) {}
  void getDependentDialects(DialectRegistry &registry) const override {
    registerPhaseDialects(registry);
  }
  void runOnOperation() override {
    markAllAnalysesPreserved();
    llvm::Error error = settleTarget(getOperation(), text, model);
    if (!error)
      return;
    getOperation().emitError() << llvm::toString(std::move(error));
    signalPassFailure();
  }

private:
  std::string text;
  target::TargetModel model;
};

class FinishPhasePass
    : public PassWrapper<FinishPhasePass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FinishPhasePass)
  explicit FinishPhasePass(const Phase &phase) : phase(phase) {}
  void runOnOperation() override {
    markAllAnalysesPreserved();
    getOperation()->walk([&](Operation *op) {
      if (phase.allows(op))
        return WalkResult::advance();
      const Phase *owing = owedBy(op);
      op->emitOpError("is left after phase '")
          << phase.name << "'; phase '" << (owing ? owing->name : phase.name)
          << "' owed its removal";
      signalPassFailure();
      return WalkResult::interrupt();
    });
    getOperation()->setAttr(phaseAttrName,
                            StringAttr::get(&getContext(), phase.name));
  }

private:
  const Phase &phase;
};

class DumpPhasePass
    : public PassWrapper<DumpPhasePass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DumpPhasePass)
  DumpPhasePass(std::string path, std::string folder)
      : path(std::move(path)), folder(std::move(folder)) {}
  void runOnOperation() override;

private:
  std::error_code write(ModuleOp module) const;

  std::string path, folder;
};

} // namespace

/// A name that a location gives an argument becomes its public name.
static void nameArguments(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    auto name = dyn_cast<NameLoc>(argument.getLoc());
    auto isTaken = [&](unsigned other) {
      return function.getArgAttr(other, graph::nameAttrName) == name.getName();
    };
    if (name && !function.getArgAttr(index, graph::nameAttrName) &&
        llvm::none_of(llvm::seq(function.getNumArguments()), isTaken))
      function.setArgAttr(index, graph::nameAttrName, name.getName());
  }
}

std::error_code DumpPhasePass::write(ModuleOp module) const {
  StringRef to = llvm::sys::path::parent_path(path);
  if (std::error_code error = llvm::sys::fs::create_directories(to))
    return error;
  graph::relocateFiles(module, folder, to);
  for (auto function : module.getOps<func::FuncOp>())
    nameArguments(function);
  std::error_code error;
  llvm::ToolOutputFile file(path, error, llvm::sys::fs::OF_None);
  if (error)
    return error;
  module.print(file.os());
  file.os() << "\n";
  file.keep();
  return error;
}

void DumpPhasePass::runOnOperation() {
  markAllAnalysesPreserved();
  // Records stay, so that each file is read once.
  graph::recordFiles(getOperation(), folder);
  OwningOpRef<ModuleOp> copy = getOperation().clone();
  if (std::error_code error = write(*copy)) {
    getOperation()->emitError("cannot write ")
        << path << ": " << error.message();
    signalPassFailure();
  }
}

/// The tasks of what emission makes, in a module that is thrown away.
static std::optional<graph::DimExpr>
tasksOfEmission(graph::FusionOp fusion, graph::DimAnalysis &dims,
                const target::TargetModel &model) {
  OwningOpRef<ModuleOp> kernels = ModuleOp::create(fusion.getLoc());
  FailureOr<kernels::KernelPlan> plan =
      kernels::emitKernels(fusion, dims, model, *kernels, "k");
  if (failed(plan))
    return std::nullopt;
  return kernels::largestTasks(*plan);
}

namespace {
class DumpSchedulesPass
    : public PassWrapper<DumpSchedulesPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DumpSchedulesPass)
  explicit DumpSchedulesPass(std::string path) : path(std::move(path)) {}
  void runOnOperation() override {
    markAllAnalysesPreserved();
    std::error_code error;
    llvm::ToolOutputFile file(path, error, llvm::sys::fs::OF_None);
    if (error) {
      getOperation()->emitError("cannot write ")
          << path << ": " << error.message();
      return signalPassFailure();
    }
    file.os() << decisions::schedulesAsJSON(getOperation(), tasksOfEmission);
    file.keep();
  }

private:
  std::string path;
};
} // namespace

std::unique_ptr<Pass> createDumpSchedulesPass(std::string path) {
  return std::make_unique<DumpSchedulesPass>(std::move(path));
}

std::unique_ptr<Pass> createSettleTargetPass(std::string text,
                                             const target::TargetModel &model) {
  return std::make_unique<SettleTargetPass>(std::move(text), model);
}

std::unique_ptr<Pass> createFinishPhasePass(const Phase &phase) {
  return std::make_unique<FinishPhasePass>(phase);
}

std::unique_ptr<Pass> createDumpPhasePass(std::string path,
                                          std::string folder) {
  return std::make_unique<DumpPhasePass>(std::move(path), std::move(folder));
}

} // namespace zenith::pipeline
