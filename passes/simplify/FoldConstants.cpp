// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates ops on constants with the interpreter, and replaces them by their
// results where these are small.

#include "ir/GraphOps.h"
#include "ir/interpreter/Interpreter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/GraphPasses.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_FOLDCONSTANTSPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::simplify {

/// Constants up to this many bytes are cheaper than the op that computes them,
/// whatever the size of its operands.
static constexpr int64_t alwaysSmall = 1024;
/// Larger constants may take this many times the bytes of the operands.
static constexpr int64_t mostGrowth = 4;

/// Elements of all operands; nullopt where one is no constant.
static std::optional<SmallVector<DenseElementsAttr>>
constantOperands(Operation *op) {
  SmallVector<DenseElementsAttr> constants;
  for (Value operand : op->getOperands()) {
    auto constant = operand.getDefiningOp<ConstantOp>();
    auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue())
                             : DenseElementsAttr();
    if (!elements)
      return std::nullopt;
    constants.push_back(elements);
  }
  return constants;
}

static bool mayFold(Operation *op, int64_t maxBytes) {
  if (!familyOf(op) || isa<ConstantOp>(op) || familyOf(op) == Family::Control ||
      !isPure(op) || op->getNumRegions())
    return false;
  return llvm::all_of(op->getResultTypes(), [&](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    std::optional<int64_t> bytes =
        tensor && tensor.hasStaticShape() ? tensorBytes(tensor) : std::nullopt;
    return bytes && *bytes <= maxBytes;
  });
}

static void foldOp(Operation *op) {
  std::optional<SmallVector<DenseElementsAttr>> constants =
      constantOperands(op);
  if (!constants)
    return;
  std::vector<Tensor> operands;
  int64_t operandBytes = 0;
  for (DenseElementsAttr elements : *constants) {
    operands.push_back(Tensor::fromElements(elements));
    operandBytes += elements.isSplat() ? elementBytes(elements.getElementType())
                                       : operands.back().byteSize();
  }
  llvm::Expected<std::vector<Tensor>> results =
      interpreter::evaluate(op, operands);
  if (!results)
    return llvm::consumeError(results.takeError());
  SmallVector<DenseElementsAttr> values;
  for (const Tensor &result : *results) {
    values.push_back(result.toElements());
    // A large table that an op computes from a few bytes stays an op. A small
    // factor is allowed for converts to wider types.
    if (!values.back().isSplat() &&
        result.byteSize() > std::max(alwaysSmall, mostGrowth * operandBytes))
      return;
  }
  OpBuilder builder(op);
  for (auto [result, elements] : llvm::zip(op->getResults(), values))
    if (elements.getType() == result.getType())
      result.replaceAllUsesWith(builder.create<ConstantOp>(
          op->getLoc(), cast<ElementsAttr>(elements)));
  if (op->use_empty())
    op->erase();
}

namespace {

struct FoldConstantsPass : impl::FoldConstantsPassBase<FoldConstantsPass> {
  using FoldConstantsPassBase::FoldConstantsPassBase;

  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    getOperation().walk([&](Operation *op) {
      if (mayFold(op, maxResultBytes))
        foldOp(op);
    });
  }
};

} // namespace
} // namespace zenith::simplify
