// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the program once, in order: conditions that are neither proved nor
// asserted before become assertions.

#include "ir/DimScalars.h"
#include "ir/GraphOps.h"
#include "ir/program/SizeChecks.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/GraphPasses.h"
#include "llvm/ADT/ScopedHashTable.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_INSERTSIZECHECKSPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::simplify {

namespace {
class CheckInserter {
public:
  explicit CheckInserter(func::FuncOp function) {
    for (BlockArgument argument : function.getArguments())
      bind(argument);
    visit(function.getBody().front());
  }

private:
  void visit(Block &block);
  void bind(Value value);
  void insert(Operation *op, const SizeCondition &condition);
  void state(const SizeCondition &condition);

  /// Keeps what the walk learns inside of a region from what follows it.
  class Scope;

  DimAnalysis dims;
  DimScalars::Sources sources;
  /// Conditions that hold where the walk is, as text.
  llvm::StringSet<> stated;
  /// What was added to each of them, in order.
  std::vector<std::string> newDims, newScalars, newConditions;
};
} // namespace

class CheckInserter::Scope {
public:
  explicit Scope(CheckInserter &walk)
      : walk(walk), dims(walk.newDims.size()), scalars(walk.newScalars.size()),
        conditions(walk.newConditions.size()) {}
  ~Scope() {
    leave(walk.newDims, dims, walk.sources.dims);
    leave(walk.newScalars, scalars, walk.sources.scalars);
    leave(walk.newConditions, conditions, walk.stated);
  }

private:
  template <typename Known>
  static void leave(std::vector<std::string> &added, size_t before,
                    Known &known) {
    for (; added.size() > before; added.pop_back())
      known.erase(added.back());
  }

  CheckInserter &walk;
  size_t dims, scalars, conditions;
};

/// Symbols of the analysis that a value's dimensions, or a scalar's value, are.
void CheckInserter::bind(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (type.isDynamicDim(d))
      if (auto name = dims.dimOf(value, d).asSymbol())
        if (sources.dims.try_emplace(*name, value, d).second)
          newDims.push_back(*name);
  if (type.getRank() == 0 && type.getElementType().isSignlessInteger(64))
    if (auto name = dims.scalar(value).asSymbol();
        name && !sources.dims.count(*name))
      if (sources.scalars.try_emplace(*name, value).second)
        newScalars.push_back(*name);
}

void CheckInserter::insert(Operation *op, const SizeCondition &condition) {
  if (condition.isProved() || stated.contains(condition.key()))
    return;
  SizeCheckSubject subject{op->getName().getStringRef().str(), {}};
  for (Value operand : op->getOperands())
    if (auto type = cast<RankedTensorType>(operand.getType()); type.getRank())
      subject.operands.push_back(dims.dimsOf(operand));
  DimScalars scalars(op, sources);
  OpBuilder builder(op);
  AssertOp check = createSizeCheck(
      builder, op->getLoc(), condition, subject,
      [&](const DimExpr &expr) { return scalars.materialize(expr); });
  if (check)
    state(condition);
}

void CheckInserter::state(const SizeCondition &condition) {
  if (stated.insert(condition.key()).second)
    newConditions.push_back(condition.key());
}

void CheckInserter::visit(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (auto check = dyn_cast<AssertOp>(op))
      if (auto condition = statedBy(check, dims))
        state(*condition);
    SmallVector<SizeCondition> conditions;
    forEachSizeCondition(&op, dims, [&](const SizeCondition &condition) {
      conditions.push_back(condition);
    });
    for (const SizeCondition &condition : conditions)
      insert(&op, condition);
    for (Region &region : op.getRegions())
      for (Block &inner : region) {
        Scope scope(*this);
        for (BlockArgument argument : inner.getArguments())
          bind(argument);
        visit(inner);
      }
    for (Value result : op.getResults())
      bind(result);
  }
}

namespace {
struct InsertSizeChecksPass
    : impl::InsertSizeChecksPassBase<InsertSizeChecksPass> {
  using InsertSizeChecksPassBase::InsertSizeChecksPassBase;

  void runOnOperation() override {
    if (!getOperation().isExternal())
      CheckInserter inserter(getOperation());
  }
};
} // namespace

} // namespace zenith::simplify
