// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the places between layers, and cuts regions there.

#include "passes/autodiff/sweeps/CheckpointSegments.h"

#include "ir/GraphOps.h"
#include "ir/tensor/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::autodiff {

static int64_t bytesOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  int64_t bytes = elementBytes(type.getElementType());
  for (int64_t size : type.getShape())
    bytes *= ShapedType::isDynamic(size) ? 1 : size;
  return bytes;
}

namespace {

/// The region of a checkpoint as a sequence of ops.
class Chain {
public:
  explicit Chain(CheckpointOp checkpoint);

  /// Positions of the ops that begin a segment, but for the first.
  SmallVector<size_t> cuts() const;
  /// Puts the segments before the checkpoint and replaces it.
  void split(ArrayRef<size_t> cuts);

private:
  SmallVector<size_t> spread(size_t segments) const;
  int64_t costOf(ArrayRef<size_t> cuts) const;
  SmallVector<Value> crossing(size_t position) const;
  void addSegment(OpBuilder &builder, size_t from, size_t to,
                  IRMapping &outside);

  CheckpointOp checkpoint;
  size_t wanted; ///< segments; 0: auto
  Block &body;
  SmallVector<Operation *> ops; ///< without constants
  llvm::DenseMap<Operation *, size_t> positions;
  std::vector<int64_t> made;  ///< bytes of all ops before each position
  SmallVector<size_t> places; ///< where a segment may begin
};

} // namespace

Chain::Chain(CheckpointOp checkpoint)
    : checkpoint(checkpoint), wanted(checkpoint.getSegments()),
      body(checkpoint.getBody().front()) {
  made.push_back(0);
  for (Operation &op : body.without_terminator()) {
    if (isa<ConstantOp>(op))
      continue;
    positions[&op] = ops.size();
    ops.push_back(&op);
    int64_t bytes = made.back();
    for (Value result : op.getResults())
      bytes += bytesOf(result);
    made.push_back(bytes);
  }
  std::vector<int64_t> bytes(ops.size());
  int64_t least = INT64_MAX;
  for (size_t position = 1; position < ops.size(); ++position) {
    for (Value value : crossing(position))
      bytes[position] += bytesOf(value);
    least = std::min(least, bytes[position]);
  }
  // Of neighbours between which nothing but views changes, one is enough.
  for (size_t position = 1; position < ops.size(); ++position)
    if (bytes[position] <= least + least / 4 &&
        (places.empty() || made[position] - made[places.back()] > least))
      places.push_back(position);
}

/// Values that ops before a position make, and later ones or the results read.
SmallVector<Value> Chain::crossing(size_t position) const {
  SmallVector<Value> values;
  for (Operation *op : ArrayRef(ops).take_front(position))
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            Operation *own = body.findAncestorOpInBlock(*user);
            auto found = positions.find(own);
            return found == positions.end() || found->second >= position;
          }))
        values.push_back(result);
  return values;
}

/// Cuts into segments of about equal bytes.
SmallVector<size_t> Chain::spread(size_t segments) const {
  SmallVector<size_t> cuts;
  for (size_t k = 1; k < segments; ++k) {
    double ideal = double(made.back()) * double(k) / double(segments);
    const size_t *best = nullptr;
    for (const size_t &place : places)
      if ((cuts.empty() || place > cuts.back()) &&
          (!best || std::abs(double(made[place]) - ideal) <
                        std::abs(double(made[*best]) - ideal)))
        best = &place;
    if (best)
      cuts.push_back(*best);
  }
  return cuts;
}

int64_t Chain::costOf(ArrayRef<size_t> cuts) const {
  int64_t kept = 0, most = 0;
  size_t begin = 0;
  for (size_t cut : cuts) {
    for (Value value : crossing(cut))
      kept += bytesOf(value);
    most = std::max(most, made[cut] - made[begin]);
    begin = cut;
  }
  return kept + std::max(most, made.back() - made[begin]);
}

SmallVector<size_t> Chain::cuts() const {
  if (wanted > 0)
    return spread(std::min(wanted, places.size() + 1));
  SmallVector<size_t> best;
  int64_t least = costOf(best);
  for (size_t segments = 2; segments <= places.size() + 1; ++segments) {
    SmallVector<size_t> cuts = spread(segments);
    int64_t cost = costOf(cuts);
    if (cost < least) {
      least = cost;
      best = std::move(cuts);
    }
  }
  return best;
}

/// A checkpoint of the ops [from, to); `outside` has what stands for values
/// outside of it.
void Chain::addSegment(OpBuilder &builder, size_t from, size_t to,
                       IRMapping &outside) {
  ArrayRef<Operation *> own = ArrayRef(ops).slice(from, to - from);
  llvm::SetVector<Value> inputs, constants, results;
  auto isOwn = [&](Operation *op) {
    auto found = positions.find(op);
    return found != positions.end() && found->second >= from &&
           found->second < to;
  };
  for (Operation *op : own) {
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        Operation *source = operand.getDefiningOp();
        if (operand.getParentBlock() != &body || (source && isOwn(source)))
          continue;
        (isa_and_nonnull<ConstantOp>(source) ? constants : inputs)
            .insert(operand);
      }
    });
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            return !isOwn(body.findAncestorOpInBlock(*user));
          }))
        results.insert(result);
  }
  OperationState state(checkpoint.getLoc(), CheckpointOp::getOperationName());
  state.addAttributes(checkpoint->getAttrs());
  state.attributes.set(checkpoint.getSegmentsAttrName(),
                       builder.getI64IntegerAttr(1));
  for (Value input : inputs)
    state.operands.push_back(outside.lookup(input));
  for (Value result : results)
    state.types.push_back(result.getType());
  Block &block = state.addRegion()->emplaceBlock();
  IRMapping inside;
  for (Value input : inputs)
    inside.map(input, block.addArgument(input.getType(), input.getLoc()));
  OpBuilder inner(checkpoint.getContext()); // the block is in no op yet
  inner.setInsertionPointToEnd(&block);
  for (Value constant : constants)
    inner.clone(*constant.getDefiningOp(), inside);
  for (Operation *op : own)
    inner.clone(*op, inside);
  SmallVector<Value> yielded;
  for (Value result : results)
    yielded.push_back(inside.lookup(result));
  inner.create<YieldOp>(checkpoint.getLoc(), yielded);
  Operation *segment = builder.create(state);
  for (auto [result, value] : llvm::zip(results, segment->getResults()))
    outside.map(result, value);
}

void Chain::split(ArrayRef<size_t> cuts) {
  OpBuilder builder(checkpoint);
  IRMapping outside;
  outside.map(body.getArguments(), checkpoint.getInputs());
  size_t begin = 0;
  for (size_t cut : cuts) {
    addSegment(builder, begin, cut, outside);
    begin = cut;
  }
  addSegment(builder, begin, ops.size(), outside);
  SmallVector<Value> results;
  for (Value yielded : body.getTerminator()->getOperands()) {
    if (auto constant = yielded.getDefiningOp<ConstantOp>())
      builder.clone(*constant, outside);
    results.push_back(outside.lookup(yielded));
  }
  checkpoint->replaceAllUsesWith(results);
  checkpoint.erase();
}

void splitCheckpoints(Operation *root) {
  SmallVector<CheckpointOp> found;
  root->walk([&](CheckpointOp op) {
    if (op.getSegments() != 1)
      found.push_back(op);
  });
  for (CheckpointOp checkpoint : found) {
    Chain chain(checkpoint);
    if (SmallVector<size_t> cuts = chain.cuts(); !cuts.empty())
      chain.split(cuts);
  }
}

} // namespace zenith::autodiff
