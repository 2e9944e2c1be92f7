// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds inputs by key and replaces bound arguments by constants.

#include "frontends/models/BindInputs.h"

#include "frontends/files/ElementNames.h"
#include "frontends/models/Diagnostics.h"
#include "frontends/models/EntrySignature.h"
#include "frontends/tensors/TensorIO.h"
#include "ir/GraphOps.h"
#include "ir/attributes/DimBoundsAttr.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::models;

llvm::Expected<unsigned> zenith::models::inputIndex(StringRef key,
                                                    ArrayRef<std::string> names,
                                                    StringRef option) {
  unsigned index;
  if (!key.getAsInteger(10, index) && index < names.size())
    return index;
  for (auto [i, name] : llvm::enumerate(names))
    if (key == name)
      return unsigned(i);
  StringRef number = key;
  if (number.consume_front("arg") && !number.getAsInteger(10, index) &&
      index < names.size())
    return index;
  std::string known;
  for (auto [i, name] : llvm::enumerate(names))
    known += (i ? ", " : "") + std::to_string(i) + " = '" + name + "'";
  return makeError(ErrorCode::Usage,
                   option.str() + ": the program has no input '" + key.str() +
                       "'; it has " + (known.empty() ? "none" : known));
}

llvm::Expected<Tensor> zenith::models::readKeyedFile(const KeyedFile &file,
                                                     Type element,
                                                     MLIRContext *context) {
  if (file.value)
    return *file.value;
  std::optional<RankedTensorType> wanted;
  if (!file.typeText.empty()) {
    wanted = files::parseTypeText(file.typeText, context);
    if (!wanted)
      return makeError(ErrorCode::Usage,
                       "'" + file.typeText +
                           "' is no tensor type; one is f32[2x3]");
  } else if (element && !StringRef(file.file).ends_with(".raw")) {
    wanted = RankedTensorType::get({}, element);
  }
  return tensors::readTensor(file.file, wanted, context);
}

static llvm::Error bindArgument(func::FuncOp function, unsigned index,
                                const Tensor &value, const std::string &name) {
  BlockArgument argument = function.getArgument(index);
  auto type = cast<RankedTensorType>(argument.getType());
  if (!type.hasStaticShape())
    return makeError(ErrorCode::Unsupported,
                     "--bind: input '" + name + "' has dynamic dimensions");
  if (value.type() !=
      RankedTensorType::get(type.getShape(), type.getElementType()))
    return makeError(ErrorCode::Invalid, "--bind: input '" + name + "' is " +
                                             files::typeText(type) +
                                             ", the file has " +
                                             files::typeText(value.type()));
  OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
  Value constant =
      builder.create<graph::ConstantOp>(function.getLoc(), value.toElements());
  argument.replaceAllUsesWith(constant);
  return llvm::Error::success();
}

llvm::Error zenith::models::bindArguments(ModuleOp module, StringRef entry,
                                          ArrayRef<KeyedFile> files,
                                          std::vector<std::string> &names) {
  llvm::Expected<Operation *> found = findEntry(module, entry);
  if (!found)
    return found.takeError();
  for (const ArgumentInfo &argument : argumentsOf(*found))
    names.push_back(argument.name);
  if (files.empty())
    return llvm::Error::success();
  llvm::Expected<func::FuncOp> function = findFunction(module, entry);
  if (!function)
    return function.takeError();
  BitVector bound(names.size());
  for (const KeyedFile &file : files) {
    llvm::Expected<unsigned> index = inputIndex(file.key, names, "--bind");
    if (!index)
      return index.takeError();
    Type element =
        cast<RankedTensorType>(function->getArgument(*index).getType())
            .getElementType();
    llvm::Expected<Tensor> value =
        readKeyedFile(file, element, module.getContext());
    if (!value)
      return value.takeError();
    if (llvm::Error error =
            bindArgument(*function, *index, *value, names[*index]))
      return error;
    bound.set(*index);
  }
  // The remaining arguments keep the names that indices gave them.
  if (bound.any()) {
    for (auto [i, name] : llvm::enumerate(names))
      function->setArgAttr(i, graph::nameAttrName,
                           StringAttr::get(module.getContext(), name));
    function->eraseArguments(bound);
    graph::keepNamedBounds(*function);
  }
  return llvm::Error::success();
}
