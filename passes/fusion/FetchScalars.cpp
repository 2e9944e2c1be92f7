// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Marks with host_read the integer scalars that kernels compute and the host
// needs.

#include "ir/DimAnalysis.h"
#include "ir/GraphOps.h"
#include "ir/matchers/HostScalars.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/GraphPasses.h"
#include <map>

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_FETCHSCALARSPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::fusion {

namespace {

class Fetcher {
public:
  explicit Fetcher(func::FuncOp function)
      : function(function), host(function.getBody().front()) {}
  void run();

private:
  bool isKnown(Value value);
  bool restsOnHost(Value value);
  Value fetched(Value value);
  void demand(OpOperand &use);

  func::FuncOp function;
  HostScalars host;
  DimAnalysis dims;
  /// By type and number: equal sizes keep one symbol.
  std::map<std::pair<const void *, DimExpr>, Value> reads;
};

} // namespace

/// True where the host has the value without memory: its own, or a size that
/// shape vectors carry.
bool Fetcher::isKnown(Value value) {
  if (host.contains(value))
    return true;
  if (!cast<RankedTensorType>(value.getType())
           .getElementType()
           .isSignlessInteger(64))
    return false;
  bool known = true;
  dims.scalar(value).forEachSymbol([&](const std::string &name) {
    known &= !StringRef(name).starts_with("%i");
  });
  return known;
}

/// Arithmetic of which the host has a part already, constants aside.
bool Fetcher::restsOnHost(Value value) {
  Operation *op = value.getDefiningOp();
  return op && isHostArithmetic(op) &&
         llvm::any_of(op->getOperands(), [&](Value operand) {
           return (host.contains(operand) &&
                   !operand.getDefiningOp<ConstantOp>()) ||
                  restsOnHost(operand);
         });
}

Value Fetcher::fetched(Value value) {
  Value &read =
      reads[{value.getType().getAsOpaquePointer(), dims.scalar(value)}];
  if (!read) {
    OpBuilder builder(function.getContext());
    builder.setInsertionPointAfterValue(value);
    read = builder.create<HostReadOp>(value.getLoc(), value.getType(), value);
    host.insert(read);
  }
  return read;
}

void Fetcher::demand(OpOperand &use) {
  Value value = use.get();
  if (!isHostScalarType(value.getType()) || isKnown(value))
    return;
  Operation *op = value.getDefiningOp();
  if (!restsOnHost(value) ||
      !llvm::all_of(op->getOperands(), [](Value operand) {
        return isHostScalarType(operand.getType());
      })) {
    use.set(fetched(value));
    return;
  }
  for (OpOperand &operand : op->getOpOperands())
    demand(operand);
  host.visit(op);
  if (!host.contains(value))
    use.set(fetched(value));
}

/// Operands that say how large something is or where it starts, and all that
/// control is made of.
static bool isDemanded(OpOperand &use) {
  Operation *op = use.getOwner();
  unsigned number = use.getOperandNumber();
  if (!familyOf(op) || isa<AssertOp>(op))
    return true;
  if (isa<IotaOp>(op))
    return true;
  if (isa<BroadcastOp, ReshapeOp, SliceOp, TopKOp>(op))
    return number > 0;
  return isa<PadOp>(op) && number > 1;
}

void Fetcher::run() {
  bool isEntry =
      function.isPublic() || function.getName() == graph::prepareFunctionName;
  for (Operation &op : llvm::make_early_inc_range(function.getBody().front())) {
    // What an entry returns stays in memory.
    if (isa<func::ReturnOp>(op) && isEntry)
      continue;
    for (OpOperand &use : op.getOpOperands())
      if (isDemanded(use))
        demand(use);
    host.visit(&op);
  }
}

namespace {

struct FetchScalarsPass : impl::FetchScalarsPassBase<FetchScalarsPass> {
  using FetchScalarsPassBase::FetchScalarsPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!function.isExternal() && function.getBody().hasOneBlock())
      Fetcher(function).run();
  }
};

} // namespace
} // namespace zenith::fusion
