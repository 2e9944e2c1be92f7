// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computing again what is cheap, and the choice of what is stored instead.

#include "passes/autodiff/sweeps/Residuals.h"
#include "ir/GraphOps.h"
#include "ir/matchers/TypeOf.h"
#include "passes/autodiff/Activity.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::autodiff {

/// Regions that are being built have no op around them yet.
static bool isWithin(Region *inner, Region &region) {
  while (inner && inner != &region)
    inner = inner->getParentOp() ? inner->getParentRegion() : nullptr;
  return inner;
}

static bool isWithin(Value value, Region &region) {
  return isWithin(value.getParentRegion(), region);
}

Residuals::Residuals(Region &forward, Block &backward)
    : forward(forward), backward(backward), first(&backward.front()) {}

bool Residuals::isInside(Value value) const { return isWithin(value, forward); }

llvm::SetVector<Value> Residuals::wanted() const {
  llvm::SetVector<Value> values;
  backward.walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (isInside(operand))
        values.insert(operand);
  });
  return values;
}

/// Values that an op reads, those of its regions included.
static SmallVector<Value> readBy(Operation *op) {
  SmallVector<Value> values(op->getOperands());
  for (Region &region : op->getRegions())
    llvm::append_range(values, capturedBy(region));
  return values;
}

Value Residuals::available(Value value) {
  if (!isInside(value))
    return value;
  if (Value found = known.lookupOrNull(value))
    return found;
  Operation *op = value.getDefiningOp();
  assert(op && "carried values are given");
  for (Value read : readBy(op))
    if (isInside(read) && !known.contains(read))
      available(read);
  OpBuilder builder(first);
  builder.clone(*op, known);
  return known.lookup(value);
}

void Residuals::makeAvailable() {
  llvm::SetVector<Value> values = wanted();
  for (Value value : values) {
    Value found = available(value);
    value.replaceUsesWithIf(found, [&](OpOperand &use) {
      return isWithin(use.getOwner()->getParentRegion(), *backward.getParent());
    });
  }
}

/// Ops that cost about as much as reading their operands.
static bool isCheap(Operation *op) {
  std::optional<Family> family = familyOf(op);
  return op->getNumRegions() == 0 &&
         (family == Family::Elementwise || family == Family::Movement ||
          isa<DynamicSliceOp, GatherOp, GetParamOp>(op));
}

static int64_t bytesOf(Value value) {
  RankedTensorType type = typeOf(value);
  constexpr int64_t unknown = int64_t(1) << 40;
  if (!type.hasStaticShape())
    return unknown;
  Type element = type.getElementType();
  int64_t bits = isa<ComplexType>(element)
                     ? 128
                     : int64_t(element.getIntOrFloatBitWidth());
  return type.getNumElements() * ((bits + 7) / 8);
}

namespace {

class Choice {
public:
  Choice(Region &forward, ArrayRef<Value> given) : forward(forward) {
    settled.insert(given.begin(), given.end());
  }

  void need(Value value) {
    if (!isOpen(value))
      return;
    llvm::SetVector<Value> leaves;
    llvm::DenseSet<Value> seen;
    collectLeaves(value, leaves, seen);
    int64_t bytes = 0;
    for (Value leaf : leaves)
      bytes += bytesOf(leaf);
    bool isStored = leaves.contains(value) ||
                    (bytes >= bytesOf(value) && bytes > 0 && isStatic(value));
    if (isStored)
      leaves = {}, leaves.insert(value);
    for (Value leaf : leaves) {
      settled.insert(leaf);
      stored.insert(leaf);
    }
  }

  llvm::SetVector<Value> stored;

private:
  bool isOpen(Value value) const {
    return isWithin(value, forward) && !settled.contains(value);
  }
  static bool isStatic(Value value) { return typeOf(value).hasStaticShape(); }

  /// What must be stored so that `value` can be computed again. Sizes of a
  /// stack are known before its loop, so values of other sizes are not stored.
  void collectLeaves(Value value, llvm::SetVector<Value> &leaves,
                     llvm::DenseSet<Value> &seen) {
    if (!isOpen(value) || !seen.insert(value).second)
      return;
    Operation *op = value.getDefiningOp();
    if (!op || (!isCheap(op) && isStatic(value))) {
      leaves.insert(value);
      return;
    }
    for (Value read : readBy(op))
      collectLeaves(read, leaves, seen);
  }

  Region &forward;
  llvm::DenseSet<Value> settled;
};

} // namespace

llvm::SetVector<Value> chooseStored(Region &forward, ArrayRef<Value> wanted,
                                    ArrayRef<Value> given) {
  Choice choice(forward, given);
  for (Value value : wanted)
    choice.need(value);
  return choice.stored;
}

} // namespace zenith::autodiff
