// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates ops on constants with the interpreter, and replaces them by their
// results where these are small.

#include "ir/GraphOps.h"
#include "ir/interpreter/Interpreter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/GraphPasses.h"
#include <limits>

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

static bool mayFold(Operation *op) {
  return familyOf(op) && !isa<ConstantOp>(op) &&
         familyOf(op) != Family::Control && isPure(op) && !op->getNumRegions();
}

static bool isAtMost(Type type, int64_t bytes) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  std::optional<int64_t> own =
      tensor && tensor.hasStaticShape() ? tensorBytes(tensor) : std::nullopt;
  return own && *own <= bytes;
}

/// The same type with one element.
static RankedTensorType ofOneElement(ShapedType type) {
  return RankedTensorType::get(SmallVector<int64_t>(type.getRank(), 1),
                               type.getElementType());
}

/// Results of an elementwise op on splats of any size: those of one element.
static SmallVector<DenseElementsAttr>
evaluateSplats(Operation *op, ArrayRef<DenseElementsAttr> constants) {
  std::vector<Tensor> operands;
  for (DenseElementsAttr elements : constants)
    operands.push_back(Tensor::fromElements(
        elements.resizeSplat(ofOneElement(elements.getType()))));
  OwningOpRef<Operation *> one = op->clone();
  for (Value result : (*one)->getResults())
    result.setType(ofOneElement(cast<ShapedType>(result.getType())));
  llvm::Expected<std::vector<Tensor>> results =
      interpreter::evaluate(*one, operands);
  if (!results) {
    llvm::consumeError(results.takeError());
    return {};
  }
  SmallVector<DenseElementsAttr> values;
  for (auto [result, value] : llvm::zip(*results, op->getResults()))
    values.push_back(
        result.toElements().resizeSplat(cast<ShapedType>(value.getType())));
  return values;
}

static SmallVector<DenseElementsAttr>
evaluateSmall(Operation *op, ArrayRef<DenseElementsAttr> constants) {
  std::vector<Tensor> operands;
  int64_t operandBytes = 0;
  for (DenseElementsAttr elements : constants) {
    operands.push_back(Tensor::fromElements(elements));
    operandBytes += elements.isSplat() ? elementBytes(elements.getElementType())
                                       : operands.back().byteSize();
  }
  llvm::Expected<std::vector<Tensor>> results =
      interpreter::evaluate(op, operands);
  if (!results) {
    llvm::consumeError(results.takeError());
    return {};
  }
  SmallVector<DenseElementsAttr> values;
  for (const Tensor &result : *results) {
    values.push_back(result.toElements());
    // A large table that an op computes from a few bytes stays an op. A small
    // factor is allowed for converts to wider types.
    if (!values.back().isSplat() &&
        result.byteSize() > std::max(alwaysSmall, mostGrowth * operandBytes))
      return {};
  }
  return values;
}

static void foldOp(Operation *op, int64_t maxBytes) {
  std::optional<SmallVector<DenseElementsAttr>> constants =
      constantOperands(op);
  if (!constants)
    return;
  auto haveAtMost = [&](int64_t bytes) {
    return llvm::all_of(op->getResultTypes(),
                        [&](Type type) { return isAtMost(type, bytes); });
  };
  bool areSplats = llvm::all_of(*constants, [](DenseElementsAttr elements) {
    return elements.isSplat();
  });
  SmallVector<DenseElementsAttr> values;
  if (haveAtMost(maxBytes))
    values = evaluateSmall(op, *constants);
  else if (areSplats && familyOf(op) == Family::Elementwise &&
           haveAtMost(std::numeric_limits<int64_t>::max()))
    values = evaluateSplats(op, *constants);
  if (values.empty())
    return;
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
      if (mayFold(op))
        foldOp(op, maxResultBytes);
    });
  }
};

} // namespace
} // namespace zenith::simplify
