// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes all values of the entry its results and compares two executors on it.

#include "tools/run/CompareOps.h"

#include "frontends/models/Diagnostics.h"
#include "frontends/models/EntrySignature.h"
#include "ir/GraphOps.h"
#include "ir/LocationText.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tools/model/CompareResults.h"
#include "tools/model/Executor.h"
#include "tools/model/RunOptions.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::tools;

/// The interpreter on what the policy of the options makes of the module.
static llvm::Expected<std::unique_ptr<Executor>>
interpretPolicy(OwningOpRef<ModuleOp> module, const std::string &folder,
                const RunOptions &options) {
  if (llvm::Error error = applyPolicy(*module, folder, options, nullptr))
    return std::move(error);
  return makeInterpreter(std::move(module), folder, options);
}

llvm::Error zenith::tools::compareWithInterpreter(ModuleOp module,
                                                  const std::string &folder,
                                                  const RunOptions &options,
                                                  ArrayRef<Tensor> inputs,
                                                  ArrayRef<Tensor> results,
                                                  ComparedTensors &compared) {
  auto interpreter =
      interpretPolicy(OwningOpRef<ModuleOp>(module.clone()), folder, options);
  if (!interpreter)
    return interpreter.takeError();
  llvm::Expected<std::vector<Tensor>> expected = (*interpreter)->run(inputs);
  if (!expected)
    return expected.takeError();
  llvm::Error all = llvm::Error::success();
  for (auto [i, result] : llvm::enumerate(results)) {
    compared.add("result " + std::to_string(i), result, (*expected)[i]);
    if (auto difference =
            compareTensors(result, (*expected)[i], options.tolerance))
      all = llvm::joinErrors(
          std::move(all),
          makeError(ErrorCode::Differs,
                    "result " + std::to_string(i) +
                        " differs from the interpreter's: " + *difference));
  }
  return all;
}

// Values that ops of the entry compute, in program order.
static SmallVector<Value> computedValues(func::FuncOp entry) {
  SmallVector<Value> values;
  for (Operation &op : entry.getBody().front())
    if (!isa<graph::ConstantOp, graph::GetParamOp>(op))
      llvm::append_range(values, op.getResults());
  return values;
}

void zenith::tools::returnValues(func::FuncOp entry, ArrayRef<Value> values) {
  Operation *end = entry.getBody().front().getTerminator();
  end->setOperands(values);
  SmallVector<Type> types;
  for (Value value : values)
    types.push_back(value.getType());
  entry.setAllResultAttrs(SmallVector<DictionaryAttr>(entry.getNumResults()));
  entry.setFunctionType(
      FunctionType::get(entry.getContext(), entry.getArgumentTypes(), types));
}

llvm::Error zenith::tools::compareEachOp(ModuleOp module,
                                         const std::string &folder,
                                         const RunOptions &options,
                                         ArrayRef<Tensor> inputs,
                                         Diagnostics &diagnostics,
                                         ComparedTensors &compared) {
  OwningOpRef<ModuleOp> all(module.clone());
  llvm::Expected<func::FuncOp> entry = findFunction(*all, options.entry);
  if (!entry)
    return entry.takeError();
  SmallVector<Value> values = computedValues(*entry);
  std::vector<std::string> names;
  for (Value value : values) {
    std::string place = graph::placeOf(value.getLoc());
    names.push_back("'" +
                    value.getDefiningOp()->getName().getStringRef().str() +
                    "' op" + (place.empty() ? "" : " at " + place));
  }
  returnValues(*entry, values);
  auto interpreter =
      interpretPolicy(OwningOpRef<ModuleOp>(all->clone()), folder, options);
  if (!interpreter)
    return interpreter.takeError();
  llvm::Expected<std::vector<Tensor>> expected = (*interpreter)->run(inputs);
  if (!expected)
    return expected.takeError();
  // Remarks are about the program as it is, not about this one.
  RunOptions quiet = options;
  quiet.explain.clear();
  auto compiled = makeExecutor(std::move(all), folder, quiet, diagnostics);
  if (!compiled)
    return compiled.takeError();
  llvm::Expected<std::vector<Tensor>> got = (*compiled)->run(inputs);
  if (!got)
    return got.takeError();
  for (auto [i, value] : llvm::enumerate(*got)) {
    compared.add(names[i], value, (*expected)[i]);
    if (auto difference =
            compareTensors(value, (*expected)[i], options.tolerance))
      return makeError(
          ErrorCode::Differs,
          "op " + std::to_string(i) +
              " is the first that differs from the interpreter's: " + names[i] +
              ": " + *difference);
  }
  return llvm::Error::success();
}
