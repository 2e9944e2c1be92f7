// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factors of ops that move elements by shapes alone.

#include "passes/sharding/ShardingRule.h"

#include <numeric>

using namespace mlir;
using namespace zenith::graph;

namespace zenith::sharding {
namespace {

/// Constants, iotas and sizes: their results follow from no value.
template <typename Op>
struct SourceSharding : RefusedSharding<SourceSharding<Op>, Op> {
  StringRef refusal(Operation *) const {
    return "takes no dimension of another value";
  }
};

struct BroadcastSharding
    : ShardingRule::ExternalModel<BroadcastSharding, BroadcastOp> {
  FactorMapping factorMapping(Operation *op, bool) const {
    auto broadcast = cast<BroadcastOp>(op);
    ArrayRef<int64_t> from = shapeOf(broadcast.getOperand()),
                      to = shapeOf(broadcast.getResult());
    ArrayRef<int64_t> mapping = broadcast.getMapping();
    MappingBuilder builder(op);
    for (auto [dim, size] : llvm::enumerate(to)) {
      builder.factor(size).result(0, dim);
      const int64_t *source = llvm::find(mapping, int64_t(dim));
      if (source != mapping.end() && from[source - mapping.begin()] == size)
        builder.operand(0, source - mapping.begin());
    }
    return builder.take();
  }
};

struct ExpandSharding : ShardingRule::ExternalModel<ExpandSharding, ExpandOp> {
  FactorMapping factorMapping(Operation *op, bool) const {
    auto expand = cast<ExpandOp>(op);
    ArrayRef<int64_t> from = shapeOf(expand.getOperand()),
                      to = shapeOf(expand.getResult());
    MappingBuilder builder(op);
    for (auto [dim, sizes] : llvm::enumerate(llvm::zip_equal(from, to))) {
      auto [own, size] = sizes;
      builder.factor(size).result(0, dim);
      if (own == size && !ShapedType::isDynamic(size))
        builder.operand(0, dim);
    }
    return builder.take();
  }
};

/// Walks both shapes of a reshape at once, each dimension from major to minor.
class ReshapeFactors {
public:
  ReshapeFactors(Operation *op, ArrayRef<int64_t> from, ArrayRef<int64_t> to)
      : builder(op), from{from}, to{to} {}

  FactorMapping run() {
    while (!from.done() || !to.done()) {
      if (from.product == to.product)
        matched();
      else
        catchUp(from.product < to.product);
    }
    return builder.take();
  }

private:
  struct Side {
    ArrayRef<int64_t> shape;
    size_t dim = 0;
    int64_t left = 0;    ///< of this dimension; 0 before it is begun
    int64_t product = 1; ///< of the factors that the other side lacks
    bool done() const { return dim == shape.size(); }
    int64_t remaining() const { return left ? left : shape[dim]; }
    void use(int64_t size) {
      left = remaining() / size;
      if (left == 1)
        ++dim, left = 0;
    }
  };

  void ownFactor(Side &side, int64_t size) {
    builder.factor(size);
    place(side);
    side.product *= size;
    side.use(size);
  }
  void place(Side &side) {
    if (&side == &from)
      builder.operand(0, side.dim);
    else
      builder.result(0, side.dim);
  }

  // Both sides have seen the same factors.
  void matched() {
    from.product = to.product = 1;
    bool fromOne = !from.done() && from.remaining() == 1;
    bool toOne = !to.done() && to.remaining() == 1;
    // A dimension of size 1 stands for itself, or for one of the other side.
    if (from.done() || to.done() || fromOne || toOne) {
      if (!from.done() && (fromOne || to.done()) && !(fromOne && toOne))
        return ownOne(from);
      if (!to.done() && !(fromOne && toOne))
        return ownOne(to);
      return shared(1);
    }
    int64_t common = std::gcd(from.remaining(), to.remaining());
    if (common > 1)
      return shared(common);
    ownFactor(from, from.remaining());
    ownFactor(to, to.remaining());
  }
  void ownOne(Side &side) {
    builder.factor(1);
    place(side);
    ++side.dim;
  }
  void shared(int64_t size) {
    builder.factor(size);
    place(from);
    place(to);
    from.use(size);
    to.use(size);
  }

  // The side with the smaller product takes factors until both agree.
  void catchUp(bool fromIsSmaller) {
    Side &side = fromIsSmaller ? from : to, &other = fromIsSmaller ? to : from;
    if (side.remaining() == 1)
      return ownOne(side);
    int64_t needed = std::lcm(side.product, other.product) / side.product;
    int64_t size = std::gcd(side.remaining(), needed);
    ownFactor(side, size == 1 ? side.remaining() : size);
  }

  MappingBuilder builder;
  Side from, to;
};

/// The equal dimensions at both ends of two shapes, which have a dynamic
/// dimension or no element.
static FactorMapping outerDims(Operation *op, ArrayRef<int64_t> from,
                               ArrayRef<int64_t> to) {
  MappingBuilder builder(op);
  auto isEqual = [&](size_t own, size_t other) {
    return from[own] == to[other] && !ShapedType::isDynamic(from[own]);
  };
  size_t shared = std::min(from.size(), to.size()), front = 0, back = 0;
  for (; front < shared && isEqual(front, front); ++front)
    builder.factor(from[front]).operand(0, front).result(0, front);
  for (; back + front < shared &&
         isEqual(from.size() - 1 - back, to.size() - 1 - back);
       ++back)
    builder.factor(from[from.size() - 1 - back])
        .operand(0, from.size() - 1 - back)
        .result(0, to.size() - 1 - back);
  return builder.take();
}

struct ReshapeSharding
    : ShardingRule::ExternalModel<ReshapeSharding, ReshapeOp> {
  FactorMapping factorMapping(Operation *op, bool) const {
    ArrayRef<int64_t> from = shapeOf(op->getOperand(0)),
                      to = shapeOf(op->getResult(0));
    auto isPlain = [](int64_t size) { return size > 0; };
    // Sizes whose product overflows belong to no value that exists.
    int64_t elements = 1;
    for (int64_t size : from)
      if (!isPlain(size) || __builtin_mul_overflow(elements, size, &elements))
        return outerDims(op, from, to);
    if (!llvm::all_of(to, isPlain))
      return outerDims(op, from, to);
    return ReshapeFactors(op, from, to).run();
  }
  StringRef refusal(Operation *op) const {
    if (shapeOf(op->getResult(0)).empty() || !factorMapping(op, false).empty())
      return "";
    return "sizes that are 0 or unknown do not say which dimensions correspond";
  }
};

struct TransposeSharding
    : ShardingRule::ExternalModel<TransposeSharding, TransposeOp> {
  FactorMapping factorMapping(Operation *op, bool) const {
    MappingBuilder builder(op);
    for (auto [dim, source] :
         llvm::enumerate(cast<TransposeOp>(op).getPermutation()))
      builder.factor(shapeOf(op->getResult(0))[dim])
          .operand(0, source)
          .result(0, dim);
    return builder.take();
  }
};

// Dimensions that stay where they are, whole or in part: along a part, blocks
// of the result are elsewhere than those of the operand.
FactorMapping partialDims(Operation *op, bool conservative,
                          llvm::function_ref<bool(size_t, int64_t)> isWhole) {
  MappingBuilder builder(op);
  for (auto [dim, size] : llvm::enumerate(shapeOf(op->getOperand(0)))) {
    bool whole = isWhole(dim, size);
    builder
        .factor(size, whole ? FactorKind::PassThrough : FactorKind::Permutation,
                !whole && conservative)
        .operand(0, dim)
        .result(0, dim);
  }
  return builder.take();
}

struct SliceSharding : ShardingRule::ExternalModel<SliceSharding, SliceOp> {
  FactorMapping factorMapping(Operation *op, bool conservative) const {
    ArrayRef<int64_t> to = shapeOf(op->getResult(0));
    return partialDims(op, conservative, [&](size_t dim, int64_t size) {
      return size == to[dim] && !ShapedType::isDynamic(size);
    });
  }
};

struct PadSharding : ShardingRule::ExternalModel<PadSharding, PadOp> {
  FactorMapping factorMapping(Operation *op, bool conservative) const {
    auto pad = cast<PadOp>(op);
    return partialDims(op, conservative, [&](size_t dim, int64_t) {
      return pad.getStaticLow()[dim] == 0 && pad.getStaticHigh()[dim] == 0 &&
             pad.getInterior()[dim] == 0;
    });
  }
};

struct ConcatSharding : ShardingRule::ExternalModel<ConcatSharding, ConcatOp> {
  FactorMapping factorMapping(Operation *op, bool conservative) const {
    int64_t joined = cast<ConcatOp>(op).getDim();
    MappingBuilder builder(op);
    ArrayRef<int64_t> shape = shapeOf(op->getResult(0));
    for (auto [dim, size] : llvm::enumerate(shape)) {
      bool isJoined = int64_t(dim) == joined;
      if (isJoined && conservative)
        continue;
      builder
          .factor(size, isJoined ? FactorKind::NeedReplication
                                 : FactorKind::PassThrough)
          .operandsOfRank(shape.size(), dim)
          .result(0, dim);
    }
    return builder.take();
  }
};

struct ReverseSharding
    : ShardingRule::ExternalModel<ReverseSharding, ReverseOp> {
  FactorMapping factorMapping(Operation *op, bool) const {
    MappingBuilder builder(op);
    for (auto [dim, size] : llvm::enumerate(shapeOf(op->getResult(0))))
      builder
          .factor(size, llvm::is_contained(cast<ReverseOp>(op).getDims(),
                                           int64_t(dim))
                            ? FactorKind::Permutation
                            : FactorKind::PassThrough)
          .operand(0, dim)
          .result(0, dim);
    return builder.take();
  }
};

} // namespace

void attachMovementShardings(MLIRContext *context) {
  attachAll<SourceSharding, ConstantOp, DimOp, IotaOp>(context);
  BroadcastOp::attachInterface<BroadcastSharding>(*context);
  ExpandOp::attachInterface<ExpandSharding>(*context);
  ReshapeOp::attachInterface<ReshapeSharding>(*context);
  TransposeOp::attachInterface<TransposeSharding>(*context);
  SliceOp::attachInterface<SliceSharding>(*context);
  PadOp::attachInterface<PadSharding>(*context);
  ConcatOp::attachInterface<ConcatSharding>(*context);
  ReverseOp::attachInterface<ReverseSharding>(*context);
}

} // namespace zenith::sharding
