// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks the interpreter for the results of ops on constants, and writes them
// where they are small.

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

/// Below this a constant is cheaper than the op that makes it, whatever the
/// op's operands take.
static constexpr int64_t alwaysSmall = 1024;
/// How many times the bytes of its operands a constant may have otherwise.
static constexpr int64_t widest = 4;

/// Elements of all operands; nullopt where one isn't a constant.
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

static bool mayReduce(Operation *op, int64_t maxBytes) {
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
    // A table that a formula describes in a few bytes stays a formula; bytes
    // that are made wider are none.
    if (!values.back().isSplat() &&
        result.byteSize() > std::max(alwaysSmall, widest * operandBytes))
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
      if (mayReduce(op, maxResultBytes))
        foldOp(op);
    });
  }
};

} // namespace
} // namespace zenith::simplify
