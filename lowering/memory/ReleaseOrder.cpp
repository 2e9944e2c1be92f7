// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// List scheduling that prefers ops which free memory and defers ops which
// allocate it, and the peak of memory of an order, to compare two orders by.

#include "lowering/memory/ReleaseOrder.h"

#include "ir/liveness/Liveness.h"
#include "lowering/memory/PlanBuffers.h"
#include "lowering/schedule/ContractionSpace.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace zenith::memory {

namespace {
class Scheduler {
public:
  Scheduler(func::FuncOp function, graph::DimAnalysis &dims);
  /// Peak of bytes of an order.
  double peak(ArrayRef<Operation *> order);
  std::vector<Operation *> eager();
  const std::vector<Operation *> &given() const { return ops; }

private:
  using Roots = llvm::SmallSetVector<Value, 8>;
  Value rootOf(Value value) const;
  Roots read(Operation *op) const;
  double allocated(Operation *op) const;
  bool isReady(Operation *op) const;
  bool isEager(Operation *op) const;
  bool mayDefer(Operation *op) const;
  void reset();
  void run(Operation *op);

  std::vector<Operation *> ops;
  llvm::DenseMap<Value, double> bytes; ///< of roots in the arena
  llvm::DenseMap<Value, SmallVector<Operation *>> readers; ///< of roots
  llvm::DenseMap<Value, unsigned> remaining;
  llvm::DenseSet<Operation *> done;
  /// Ops that do not move keep their order: the predecessor of each.
  llvm::DenseMap<Operation *, Operation *> before;
};
} // namespace

static bool isMovable(Operation *op) {
  return isa<graph::FusionOp>(op) && isMemoryEffectFree(op);
}

/// The value whose bytes `value` is.
Value Scheduler::rootOf(Value value) const {
  while (Operation *op = value.getDefiningOp()) {
    unsigned index = cast<OpResult>(value).getResultNumber();
    auto fusion = dyn_cast<graph::FusionOp>(op);
    if (isa<graph::BarrierOp>(op))
      value = op->getOperand(index);
    else if (fusion && liveness::isReshapeOnly(fusion))
      value = fusion.getInputs()[liveness::reshapedOperand(fusion, index)];
    else
      break;
  }
  return value;
}

Scheduler::Scheduler(func::FuncOp function, graph::DimAnalysis &dims) {
  Operation *last = nullptr;
  for (Operation &op : function.getBody().front()) {
    ops.push_back(&op);
    for (Value root : read(&op))
      readers[root].push_back(&op);
    if (isMovable(&op)) {
      for (Value result : op.getResults())
        if (rootOf(result) == result)
          bytes[result] = kernels::estimate(bytesOf(result, dims));
      continue;
    }
    before[&op] = last;
    last = &op;
  }
  // Results of the function lie in the caller's memory.
  for (Value value : ops.back()->getOperands())
    bytes.erase(rootOf(value));
}

Scheduler::Roots Scheduler::read(Operation *op) const {
  Roots roots;
  for (Value operand : op->getOperands())
    roots.insert(rootOf(operand));
  return roots;
}

double Scheduler::allocated(Operation *op) const {
  double sum = 0;
  for (Value result : op->getResults())
    sum += bytes.lookup(result);
  return sum;
}

bool Scheduler::isReady(Operation *op) const {
  auto ran = [&](Operation *other) { return !other || done.contains(other); };
  return ran(before.lookup(op)) &&
         llvm::all_of(op->getOperands(),
                      [&](Value v) { return ran(v.getDefiningOp()); });
}

/// Allocates less than it frees, or less than 1/64 of its largest operand.
bool Scheduler::isEager(Operation *op) const {
  constexpr double small = 1.0 / 64;
  double freed = 0, most = 0;
  for (Value root : read(op)) {
    double size = bytes.lookup(root);
    most = std::max(most, size);
    if (remaining.lookup(root) == 1)
      freed += size;
  }
  return allocated(op) < freed || allocated(op) < most * small;
}

/// Allocates more than it frees: its result is better computed right before its
/// first reader.
bool Scheduler::mayDefer(Operation *op) const {
  if (!isMovable(op) || op->use_empty())
    return false;
  double freed = 0;
  for (Value root : read(op))
    if (readers.lookup(root).back() == op)
      freed += bytes.lookup(root);
  return allocated(op) > freed;
}

void Scheduler::reset() {
  done.clear();
  for (auto &[root, all] : readers)
    remaining[root] = all.size();
}

void Scheduler::run(Operation *op) {
  done.insert(op);
  for (Value root : read(op))
    --remaining[root];
}

double Scheduler::peak(ArrayRef<Operation *> order) {
  reset();
  double now = 0, most = 0;
  for (Operation *op : order) {
    now += allocated(op);
    most = std::max(most, now);
    run(op);
    for (Value root : read(op))
      if (remaining.lookup(root) == 0)
        now -= bytes.lookup(root);
  }
  return most;
}

std::vector<Operation *> Scheduler::eager() {
  reset();
  std::vector<Operation *> order;
  auto take = [&](Operation *op) {
    run(op);
    order.push_back(op);
  };
  // The last reader of an op's operand, and readers of its results, may be
  // eager now.
  auto follow = [&](Operation *op) {
    llvm::SmallSetVector<Operation *, 16> candidates;
    auto consider = [&](Value root) {
      for (Operation *reader : readers.lookup(root))
        candidates.insert(reader);
    };
    for (Value root : read(op))
      if (bytes.contains(root) && remaining.lookup(root) == 1)
        consider(root);
    for (Value result : op->getResults())
      consider(rootOf(result));
    for (Operation *next : candidates)
      if (!done.contains(next) && isMovable(next) && isReady(next) &&
          isEager(next)) {
        take(next);
        return next;
      }
    return static_cast<Operation *>(nullptr);
  };
  auto takeAll = [&](Operation *op) {
    take(op);
    for (unsigned at = order.size() - 1; at < order.size(); ++at)
      while (follow(order[at]))
        ;
  };
  for (Operation *op : ops) {
    if (done.contains(op) || mayDefer(op))
      continue;
    // Deferred ops whose results this op reads run first, operands before
    // their readers.
    SmallVector<Operation *> pending = {op};
    while (!pending.empty()) {
      Operation *next = pending.back();
      for (Value operand : next->getOperands())
        if (Operation *maker = operand.getDefiningOp();
            maker && !done.contains(maker))
          pending.push_back(maker);
      if (pending.back() != next)
        continue;
      pending.pop_back();
      if (!done.contains(next))
        takeAll(next);
    }
  }
  return order;
}

std::vector<Operation *> releaseOrder(func::FuncOp function,
                                      graph::DimAnalysis &dims) {
  constexpr double worthwhile = 0.97;
  Scheduler scheduler(function, dims);
  std::vector<Operation *> order = scheduler.eager();
  if (scheduler.peak(order) >= worthwhile * scheduler.peak(scheduler.given()))
    return {};
  return order;
}

void applyOrder(ArrayRef<Operation *> order) {
  Block *block = order.front()->getBlock();
  for (Operation *op : order)
    op->moveBefore(block, block->end());
}

} // namespace zenith::memory
