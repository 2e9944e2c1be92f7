// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the parts of a module that an executable depends on, and digests them.

#include "lowering/pipeline/ModuleKey.h"

#include "ir/GraphOps.h"
#include "ir/LocationText.h"
#include "ir/target/NamedModels.h"
#include "lowering/pipeline/CompileOptions.h"
#include "lowering/pipeline/OptionText.h"
#include "lowering/pipeline/TargetChoice.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace zenith::pipeline {

/// The operation as text, with digests of the elements that the text only
/// names: those of resources.
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

/// The function as text, and the locations that its code names at run time.
static std::string printedWithLocations(func::FuncOp function) {
  std::string text = printed(function);
  function.walk(
      [&](graph::AssertOp op) { text += "\n" + graph::placeOf(op.getLoc()); });
  return text;
}

/// The options on which an executable depends, as "name=value name=value".
static std::string keyedOptions(const CompileOptions &options) {
  using zenith::options::CacheUse;
  std::string text;
#define ZENITH_COMPILE_OPTION(field, type, initial, spelling, unit, tools,     \
                              cache, help)                                     \
  if (CacheUse::cache == CacheUse::InKey)                                      \
    text += (text.empty() ? "" : " ") +                                        \
            llvm::StringRef(spelling).ltrim('-').str() + "=" +                 \
            zenith::options::optionText(options.field);
#include "lowering/pipeline/CompileOptions.def"
  return text;
}

CacheKey keyOf(ModuleOp module, const CompileOptions &options,
               const TargetChoice &target) {
  const target::CPUTarget &processor = target.processor;
  CacheKey key;
  key.parts.push_back({"compiler", compilerVersion()});
  key.parts.push_back({"target", processor.triple + " " + processor.cpu + " " +
                                     processor.features + " " +
                                     std::to_string(processor.vectorBits)});
  key.parts.push_back({"target model", target::differencesOf(target.model)});
  key.parts.push_back({"options", keyedOptions(options)});
  std::string parameters, others, attributes;
  std::vector<std::pair<std::string, std::string>> functions;
  llvm::raw_string_ostream stream(parameters);
  for (Operation &op : *module.getBody())
    if (auto param = dyn_cast<graph::ParamOp>(op))
      stream << param.getSymName() << " : " << param.getType()
             << (param.getSourceAttr() ? "" : " unbound") << "\n";
    else if (auto function = dyn_cast<func::FuncOp>(op))
      functions.push_back({"function @" + function.getSymName().str(),
                           digestOf(printedWithLocations(function))});
    else
      others += printed(&op) + "\n";
  llvm::raw_string_ostream(attributes) << module->getAttrDictionary();
  key.parts.push_back({"parameters", digestOf(parameters)});
  key.parts.push_back({"module", digestOf(attributes + "\n" + others)});
  llvm::append_range(key.parts, functions);
  return key;
}

} // namespace zenith::pipeline
