// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks forward from a value to the ops that index or divide by it.

#include "frontends/models/IntegerUses.h"

#include "ir/GraphOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace zenith::models {

using graph::DimExpr;
using graph::DimVector;

namespace {

class UseWalk {
public:
  explicit UseWalk(graph::DimAnalysis &dims) : dims(dims) {}

  IntegerUses run(Value value) {
    values.insert(value);
    // Values grow while they are visited.
    for (size_t i = 0; i < values.size(); ++i)
      for (OpOperand &use : values[i].getUses())
        visit(use);
    return std::move(uses);
  }

private:
  void visit(OpOperand &use) {
    Operation *op = use.getOwner();
    unsigned operand = use.getOperandNumber();
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](graph::GatherOp gather) {
          if (operand == 0)
            return follow(op);
          DimVector sizes = dims.dimsOf(gather.getOperand());
          for (int64_t dim : gather.getDims().getStartIndexMap())
            limit(sizes[dim],
                  std::max<int64_t>(1, gather.getSliceSizes()[dim]));
        })
        .Case([&](graph::ScatterOp scatter) {
          if (operand == 1)
            limitScatter(scatter.getOperand(), scatter.getDims().getIndexMap());
        })
        .Case([&](graph::ScatterWithOp scatter) {
          if (use.get() == scatter.getIndices())
            limitScatter(scatter.getInputs().front(),
                         scatter.getDims().getIndexMap());
        })
        .Case([&](graph::DynamicSliceOp slice) {
          if (operand == 0)
            return follow(op);
          limitStart(slice.getOperand(), slice.getResult(), operand - 1);
        })
        .Case([&](graph::DynamicUpdateSliceOp slice) {
          if (operand >= 2)
            limitStart(slice.getOperand(), slice.getUpdate(), operand - 2);
        })
        .Case<graph::DivOp, graph::RemOp, graph::FloorModOp>(
            [&](Operation *) { uses.isDivisor |= operand == 1; })
        .Case([&](graph::CompareOp compare) {
          if (compare.getDirection() == graph::CompareDirection::eq)
            limitLabels(op->getOperand(1 - operand));
        })
        .Case([&](graph::SelectOp) {
          if (operand > 0)
            follow(op);
        })
        .Case<graph::ReshapeOp, graph::BroadcastOp, graph::TransposeOp,
              graph::SliceOp, graph::ReverseOp, graph::ConcatOp,
              graph::ConvertOp>([&](Operation *) { follow(op); })
        .Default([](Operation *) {});
  }

  void follow(Operation *op) {
    Type element = getElementTypeOrSelf(op->getResult(0).getType());
    if (isa<IntegerType>(element))
      values.insert(op->getResult(0));
  }
  /// The value starts a window of `window` elements along a dimension.
  void limit(const DimExpr &size, int64_t window) {
    uses.limits.push_back(size - DimExpr(window - 1));
  }
  void limitScatter(Value operand, ArrayRef<int64_t> indexMap) {
    DimVector sizes = dims.dimsOf(operand);
    for (int64_t dim : indexMap)
      limit(sizes[dim], 1);
  }
  void limitStart(Value whole, Value window, unsigned dim) {
    DimVector from = dims.dimsOf(whole), size = dims.dimsOf(window);
    uses.limits.push_back(from[dim] - size[dim] + DimExpr(1));
  }
  /// Labels are compared with an iota along the dimension of classes.
  void limitLabels(Value other) {
    while (Operation *op = other.getDefiningOp()) {
      if (auto iota = dyn_cast<graph::IotaOp>(op)) {
        DimVector sizes = dims.dimsOf(iota.getResult());
        return limit(sizes[iota.getDim()], 1);
      }
      if (!isa<graph::ReshapeOp, graph::BroadcastOp, graph::ConvertOp>(op))
        return;
      other = op->getOperand(0);
    }
  }

  graph::DimAnalysis &dims;
  IntegerUses uses;
  llvm::SetVector<Value> values;
};

} // namespace

IntegerUses integerUses(Value value, graph::DimAnalysis &dims) {
  return UseWalk(dims).run(value);
}

} // namespace zenith::models
