// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints what matters of a module and digests it.

#include "lowering/pipeline/ModuleKey.h"

#include "ir/GraphOps.h"
#include "ir/LocationText.h"
#include "ir/target/CPUTarget.h"
#include "lowering/pipeline/Compile.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace zenith::pipeline {

/// The operation as text, and what the text only names: elements that lie
/// beside the module.
static std::string printed(Operation *op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  op->print(stream, OpPrintingFlags().useLocalScope().assumeVerified());
  op->walk([&](Operation *inner) {
    inner->getAttrDictionary().walk([&](DenseResourceElementsAttr elements) {
      AsmResourceBlob *blob = elements.getRawHandle().getBlob();
      ArrayRef<char> bytes = blob ? blob->getData() : ArrayRef<char>();
      stream << "\n" << digestOf(StringRef(bytes.data(), bytes.size()));
    });
  });
  return text;
}

/// The function as text, and the places that its code names at run time.
static std::string printedWithPlaces(func::FuncOp function) {
  std::string text = printed(function);
  function.walk(
      [&](graph::AssertOp op) { text += "\n" + graph::placeOf(op.getLoc()); });
  return text;
}

CacheKey keyOf(ModuleOp module, const CompileOptions &options,
               const target::CPUTarget &target) {
  CacheKey key;
  key.parts.push_back({"compiler", compilerVersion()});
  key.parts.push_back({"target", target.triple + " " + target.cpu + " " +
                                     target.features + " " +
                                     std::to_string(target.vectorBits)});
  key.parts.push_back(
      {"options",
       "mixed-precision=" + options.mixedPrecision +
           " dense-index-bytes=" + std::to_string(options.denseIndexBytes) +
           " memory-bytes=" + std::to_string(options.memoryBytes) +
           " without=" + llvm::join(options.withoutSearchForms, ",")});
  std::string parameters, others, attributes;
  std::vector<std::pair<std::string, std::string>> functions;
  llvm::raw_string_ostream stream(parameters);
  for (Operation &op : *module.getBody())
    if (auto param = dyn_cast<graph::ParamOp>(op))
      stream << param.getSymName() << " : " << param.getType()
             << (param.getSourceAttr() ? "" : " unbound") << "\n";
    else if (auto function = dyn_cast<func::FuncOp>(op))
      functions.push_back({"function @" + function.getSymName().str(),
                           digestOf(printedWithPlaces(function))});
    else
      others += printed(&op) + "\n";
  llvm::raw_string_ostream(attributes) << module->getAttrDictionary();
  key.parts.push_back({"parameters", digestOf(parameters)});
  key.parts.push_back({"module", digestOf(attributes + "\n" + others)});
  llvm::append_range(key.parts, functions);
  return key;
}

} // namespace zenith::pipeline
