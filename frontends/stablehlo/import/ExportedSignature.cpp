// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads names of dimensions from the metadata that jax.export writes.

#include "frontends/stablehlo/import/ExportedSignature.h"

#include "ir/dims/DimExpr.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

static constexpr StringLiteral globalConstant = "jax.global_constant";

bool stablehlo::isPlatformIndex(func::FuncOp function, unsigned argument) {
  auto name = function.getArgAttrOfType<StringAttr>(argument, globalConstant);
  return name && name.getValue() == "_platform_index";
}

// A name, an integer or a product such as 2*a.
static bool isPlainDim(StringRef text) {
  return !text.empty() && llvm::all_of(text, [](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '*';
  }) && graph::DimExpr::parse(text.str()).has_value();
}

static void setNames(RankedTensorType type, StringRef shape, DimNames &names) {
  SmallVector<StringRef> texts;
  shape.split(texts, ',', -1, /*KeepEmpty=*/false);
  if (int64_t(texts.size()) != type.getRank())
    return;
  for (auto [text, size, name] : llvm::zip_equal(texts, type.getShape(), names))
    if (ShapedType::isDynamic(size) && isPlainDim(text.trim()))
      name = text.trim().str();
}

// `args[0].shape = (b, 4), args[1].shape = (4, 5)`
static void readMessage(StringRef message, func::FuncOp function,
                        ArrayRef<unsigned> inputs,
                        std::vector<DimNames> &names) {
  for (auto [position, argument] : llvm::enumerate(inputs)) {
    auto type =
        dyn_cast<RankedTensorType>(function.getArgument(argument).getType());
    std::string key = "args[" + std::to_string(position) + "].shape = (";
    size_t at = message.find(key);
    if (!type || at == StringRef::npos)
      continue;
    StringRef shape = message.drop_front(at + key.size());
    setNames(type, shape.take_until([](char c) { return c == ')'; }),
             names[argument]);
  }
}

// A callee's constant named n that gets the size of an argument's dimension.
static void readCall(func::CallOp call, std::vector<DimNames> &names) {
  auto callee = dyn_cast_or_null<func::FuncOp>(
      SymbolTable::lookupNearestSymbolFrom(call, call.getCalleeAttr()));
  if (!callee || callee.getNumArguments() != call.getNumOperands())
    return;
  for (unsigned i = 0; i < call.getNumOperands(); ++i) {
    auto name = callee.getArgAttrOfType<StringAttr>(i, globalConstant);
    Operation *size = call.getOperand(i).getDefiningOp();
    if (!name || !isPlainDim(name) || !size ||
        size->getName().getStringRef() != "stablehlo.get_dimension_size")
      continue;
    auto argument = dyn_cast<BlockArgument>(size->getOperand(0));
    auto dim = size->getAttrOfType<IntegerAttr>("dimension");
    if (!argument || !dim || argument.getArgNumber() >= names.size() ||
        argument.getOwner() != call->getBlock())
      continue;
    DimNames &own = names[argument.getArgNumber()];
    uint64_t at = dim.getInt();
    if (at < own.size() && own[at].empty())
      own[at] = name.str();
  }
}

std::vector<DimNames> stablehlo::exportedDimNames(func::FuncOp function) {
  std::vector<DimNames> names;
  SmallVector<unsigned> inputs;
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    names.emplace_back(type ? type.getRank() : 0);
    if (!isPlatformIndex(function, argument.getArgNumber()))
      inputs.push_back(argument.getArgNumber());
  }
  for (Operation &op : function.getBody().front()) {
    if (op.getName().getStringRef() == "stablehlo.custom_call")
      if (auto message = op.getAttrOfType<StringAttr>("error_message"))
        readMessage(message, function, inputs, names);
    if (auto call = dyn_cast<func::CallOp>(op))
      readCall(call, names);
  }
  return names;
}
