// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interpreter as an executor.

#include "frontends/models/Diagnostics.h"
#include "frontends/models/EntrySignature.h"
#include "frontends/models/ParamFiles.h"
#include "frontends/models/StateSizes.h"
#include "ir/GraphOps.h"
#include "ir/interpreter/Interpreter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "runtime/SystemResources.h"
#include "tools/model/Executor.h"
#include "tools/model/PeakMemory.h"
#include "tools/model/RunOptions.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::tools;

namespace {
class InterpreterExecutor : public Executor {
public:
  InterpreterExecutor(OwningOpRef<ModuleOp> module, func::FuncOp entry,
                      ParamFiles params, const RunOptions &options)
      : module(std::move(module)), entry(entry), params(std::move(params)) {
    settings.maxTensorBytes = options.maxMemory.value_or(INT64_MAX);
    if (!options.maxMemory)
      settings.availableBytes = runtime::availableMemory;
    settings.loadParam = [this](StringRef name, RankedTensorType type,
                                Attribute source) {
      return this->params.load(name, type, source);
    };
  }

  llvm::Expected<std::vector<Tensor>> run(ArrayRef<Tensor> arguments) override {
    inputBytes = 0;
    for (const Tensor &argument : arguments)
      inputBytes += argument.byteSize();
    return interpreter::run(entry, arguments, settings);
  }

  llvm::Expected<std::vector<Tensor>>
  runEntry(StringRef name, std::vector<Tensor> arguments, bool) override {
    auto other = module->lookupSymbol<func::FuncOp>(name);
    if (!other)
      return makeError(ErrorCode::Internal, "the program lacks @" + name);
    return interpreter::run(other, arguments, settings);
  }

  std::vector<std::string> argumentNames(StringRef name) override {
    std::vector<std::string> names;
    if (auto other = module->lookupSymbol<func::FuncOp>(name))
      for (unsigned number = 0; number < other.getNumArguments(); ++number) {
        auto given =
            other.getArgAttrOfType<StringAttr>(number, graph::nameAttrName);
        names.push_back(given ? given.str() : "");
      }
    return names;
  }

  // The interpreter plans nothing: parameters and inputs are known, and the
  // peak of the process.
  llvm::json::Object
  memoryReport(const std::map<std::string, int64_t> &) override {
    int64_t bytes = 0;
    module->walk([&](graph::ParamOp param) {
      bytes += tensorBytes(cast<RankedTensorType>(param.getType())).value_or(0);
    });
    return llvm::json::Object{{"entry", entry.getSymName()},
                              {"parameters", bytes},
                              {"inputs", inputBytes},
                              {"measured_peak", peakBytes()}};
  }

private:
  OwningOpRef<ModuleOp> module;
  func::FuncOp entry;
  ParamFiles params;
  interpreter::Options settings;
  int64_t inputBytes = 0;
};
} // namespace

llvm::Expected<std::unique_ptr<Executor>> zenith::tools::makeInterpreter(
    OwningOpRef<ModuleOp> module, const std::string &folder,
    const RunOptions &options, Diagnostics *diagnostics) {
  llvm::Expected<func::FuncOp> entry = findFunction(*module, options.entry);
  if (!entry)
    return entry.takeError();
  llvm::Expected<ParamFiles> params =
      ParamFiles::open(folder, options.params, module->getContext());
  if (!params)
    return params.takeError();
  params->expect(*module, !options.noVerify);
  if (llvm::Error error = params->checkReplacements(*module, diagnostics))
    return std::move(error);
  if (llvm::Error error = models::stateSizes(*module))
    return std::move(error);
  return std::make_unique<InterpreterExecutor>(std::move(module), *entry,
                                               std::move(*params), options);
}
