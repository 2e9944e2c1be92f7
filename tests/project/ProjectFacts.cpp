// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads pages and tests, and puts single ops through lowering and export.

#include "tests/project/ProjectFacts.h"
#include "frontends/onnx/ExportONNX.h"
#include "ir/GraphDialect.h"
#include "ir/GraphOps.h"
#include "ir/LLVMError.h"
#include "ir/SearchOps.h"
#include "lowering/host/HostDialect.h"
#include "lowering/pipeline/Phases.h"
#include "lowering/pipeline/Pipeline.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Transforms/RegionUtils.h"
#include "passes/fusion/FusionRule.h"
#include <fstream>
#include <sstream>

using namespace mlir;

namespace zenith::project {

static std::string readFile(const std::filesystem::path &path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

static bool endsWith(const std::string &text, StringRef suffix) {
  return StringRef(text).ends_with(suffix);
}

static DialectRegistry registry() {
  DialectRegistry result;
  result
      .insert<graph::GraphDialect, search::SearchDialect, func::FuncDialect>();
  pipeline::registerPhaseDialects(result);
  fusion::registerFusionRules(result);
  return result;
}

ProjectFacts::ProjectFacts(const std::filesystem::path &sourceDir)
    : context(registry()) {
  context.loadDialect<graph::GraphDialect, search::SearchDialect,
                      func::FuncDialect>();
  for (RegisteredOperationName name : context.getRegisteredOperations())
    if (name.getDialectNamespace() == "graph" ||
        name.getDialectNamespace() == "search")
      ops.push_back(name);
  llvm::sort(ops, [](RegisteredOperationName a, RegisteredOperationName b) {
    return a.getStringRef() < b.getStringRef();
  });
  readSections(sourceDir / "docs" / "generated" / "ops.md");
  readRoundTrips(sourceDir / "tests" / "ir");
}

void ProjectFacts::readSections(const std::filesystem::path &page) {
  std::stringstream text(readFile(page));
  std::string line, current;
  while (std::getline(text, line)) {
    if (line.rfind("### ", 0) == 0)
      current = line.substr(line.find('.') + 1);
    else if (line.rfind("## ", 0) == 0)
      current.clear();
    else if (!current.empty())
      sections[current] += line + "\n";
  }
}

void ProjectFacts::readRoundTrips(const std::filesystem::path &folder) {
  std::set<std::filesystem::path>
      files; // in an order that is the same anywhere
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    files.insert(entry.path());
  for (const auto &path : files) {
    std::string name = path.filename().string();
    if (endsWith(name, "-invalid.mlir"))
      invalidTests += readFile(path);
    if (!endsWith(name, ".mlir") || endsWith(name, "-invalid.mlir") ||
        endsWith(name, "-fold.mlir"))
      continue;
    roundTrips.push_back(parseSourceFile<ModuleOp>(path.string(), &context));
    if (!roundTrips.back())
      errors += path.string() + " cannot be read\n";
    else
      roundTrips.back()->walk([&](Operation *op) {
        instances[op->getName().getStringRef().str()].push_back(op);
      });
  }
}

OwningOpRef<ModuleOp> isolate(Operation *op) {
  OpBuilder builder(op->getContext());
  Location loc = UnknownLoc::get(op->getContext());
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(module->getBody());
  if (auto around = op->getParentOfType<ModuleOp>())
    for (auto mesh : around.getOps<graph::MeshOp>())
      builder.clone(*mesh);
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  SmallVector<Value> arguments(op->getOperands());
  arguments.append(captured.begin(), captured.end());
  auto function = builder.create<func::FuncOp>(
      loc, "main",
      builder.getFunctionType(TypeRange(ValueRange(arguments)),
                              op->getResultTypes()));
  Block *block = function.addEntryBlock();
  builder.setInsertionPointToEnd(block);
  IRMapping mapping;
  mapping.map(arguments, block->getArguments());
  // Operands that are one value stay one: `dot %x, %x` reads %x twice.
  Operation *clone = builder.clone(*op, mapping);
  builder.create<func::ReturnOp>(loc, clone->getResults());
  return module;
}

/// Runs `work` and joins the diagnostics that it gives.
static std::string diagnosticsOf(MLIRContext *context,
                                 function_ref<void()> work) {
  std::string text;
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    text += diagnostic.str() + "\n";
    return success();
  });
  work();
  return text;
}

DirectoryAnswer lowered(Operation *op) {
  DirectoryAnswer answer;
  OwningOpRef<ModuleOp> module = isolate(op);
  pipeline::CompileOptions options;
  // Ops that phases before fusion take apart.
  bool comparesComplex =
      isa<graph::CompareOp>(op) &&
      isa<ComplexType>(getElementTypeOrSelf(op->getOperand(0).getType()));
  bool isEarly =
      isa<graph::IfOp, graph::CaseOp, graph::WhileOp, graph::ComplexAbsOp>(
          op) ||
      comparesComplex || graph::familyOf(op) == graph::Family::Random;
  options.fromPhase = isEarly                       ? "clean"
                      : isa<graph::BatchNormOp>(op) ? "layout"
                                                    : "fuse";
  options.toPhase = "fuse";
  std::string undiagnosed;
  answer.error = diagnosticsOf(op->getContext(), [&] {
    llvm::Error error = pipeline::runPhases(*module, options);
    module->walk([&](graph::FusionOp fusion) {
      answer.words.insert(graph::stringifyFusionKind(fusion.getKind()).str());
    });
    if (!error) {
      options.fromPhase = "schedule";
      options.toPhase = "kernels";
      error = pipeline::runPhases(*module, options);
    }
    answer.refused = bool(error);
    if (error)
      undiagnosed = errorOf(std::move(error)).text;
    module->walk([&](Operation *inner) {
      answer.onHost |= inner->hasAttr(host::hostOnlyAttrName);
    });
  });
  if (answer.error.empty())
    answer.error = undiagnosed;
  return answer;
}

DirectoryAnswer exported(Operation *op, int opset) {
  DirectoryAnswer answer;
  OwningOpRef<ModuleOp> module = isolate(op);
  std::string diagnostics = diagnosticsOf(op->getContext(), [&] {
    onnx::ExportOptions options;
    options.opset = opset;
    auto model = onnx::exportONNX(*module, options);
    answer.refused = !model;
    if (!model)
      answer.error = model.error().message();
    else
      for (const onnx::Node &node : model->graph.nodes)
        answer.words.insert(node.op);
  });
  answer.error += diagnostics;
  return answer;
}

} // namespace zenith::project
