// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Marks with host_read the integer scalars that kernels compute and the host
// needs.

#include "ir/DimAnalysis.h"
#include "ir/GraphOps.h"
#include "ir/matchers/HostScalars.h"
#include "ir/program/SizeChecks.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/GraphPasses.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallPtrSet.h"
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
  void noteRest(Operation *op);
  void noteSizeChecks();
  bool isComputable(Value value) const;
  Value fetched(Value value);
  void demand(OpOperand &use);

  func::FuncOp function;
  HostScalars host;
  DimAnalysis dims;
  llvm::DenseSet<Value> restingOnHost, ofSizeChecks;
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

/// Remembers an op where the host has a part of its operands already, constants
/// aside. What becomes the host's later rests on the host before.
void Fetcher::noteRest(Operation *op) {
  if (isHostArithmetic(op) &&
      llvm::any_of(op->getOperands(), [&](Value operand) {
        return (host.contains(operand) &&
                !operand.getDefiningOp<ConstantOp>()) ||
               restingOnHost.contains(operand);
      }))
    restingOnHost.insert(op->getResult(0));
}

/// What the conditions of size checks are computed from needs no kernel, which
/// might come after what they check.
void Fetcher::noteSizeChecks() {
  auto isOfCheck = [&](Operation *user) {
    return user->hasAttr(sizeCheckAttrName) ||
           (user->getNumResults() == 1 &&
            ofSizeChecks.contains(user->getResult(0)));
  };
  for (Operation &op : llvm::reverse(function.getBody().front()))
    if (isHostArithmetic(&op) && llvm::any_of(op.getUsers(), isOfCheck))
      ofSizeChecks.insert(op.getResult(0));
}

/// Whether the host computes the value, once it has its operands.
bool Fetcher::isComputable(Value value) const {
  return (restingOnHost.contains(value) || ofSizeChecks.contains(value)) &&
         llvm::all_of(value.getDefiningOp()->getOperands(), [](Value operand) {
           return isHostScalarType(operand.getType());
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

/// Has the host compute or fetch the value of `use`, operands first; programs
/// are deeper than the machine's stack.
void Fetcher::demand(OpOperand &demanded) {
  SmallVector<OpOperand *> stack{&demanded};
  llvm::SmallPtrSet<Operation *, 8> opened;
  while (!stack.empty()) {
    OpOperand &use = *stack.back();
    Value value = use.get();
    bool isComputed = isHostScalarType(value.getType()) && !isKnown(value) &&
                      isComputable(value);
    if (isComputed && opened.insert(value.getDefiningOp()).second) {
      for (OpOperand &operand :
           llvm::reverse(value.getDefiningOp()->getOpOperands()))
        stack.push_back(&operand);
      continue;
    }
    if (isComputed)
      host.visit(value.getDefiningOp());
    if (isHostScalarType(value.getType()) && !isKnown(value))
      use.set(fetched(value));
    stack.pop_back();
  }
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
  if (isa<BroadcastOp, ExpandOp, ReshapeOp, SliceOp, TopKOp>(op))
    return number > 0;
  return isa<PadOp>(op) && number > 1;
}

void Fetcher::run() {
  noteSizeChecks();
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
    noteRest(&op);
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
