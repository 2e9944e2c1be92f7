// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes that agree, parts that stay inside, reshapes that keep the number of
// elements: the rules of the verifiers once more, for sizes that types leave
// open.

#include "ir/program/SizeConditions.h"
#include "ir/SearchOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace zenith::graph {

using Relation = SizeCondition::Relation;

bool SizeCondition::isProved() const {
  switch (relation) {
  case Relation::Equal:
    return lhs == rhs;
  case Relation::OneOrEqual:
    return lhs == rhs || lhs.isConstant(1);
  case Relation::AtMost:
    return lhs.provablyAtMost(rhs);
  }
  return false;
}

bool SizeCondition::isRefuted() const {
  return lhs.constant() && rhs.constant() && !isProved();
}

std::string SizeCondition::key() const {
  std::string left = lhs.str(), right = rhs.str();
  if (relation == Relation::Equal && right < left)
    std::swap(left, right);
  const char *words[] = {" == ", " == 1 or ", " <= "};
  return left + words[int(relation)] + right;
}

namespace {
/// Reports the conditions of one op.
class Conditions {
public:
  Conditions(DimAnalysis &dims,
             llvm::function_ref<void(const SizeCondition &)> visit)
      : dims(dims), visit(visit) {}

  DimExpr size(Value value, int64_t dim) {
    int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
    return dims.dimOf(value, dim < 0 ? rank + dim : dim);
  }
  void equal(const DimExpr &lhs, const DimExpr &rhs,
             const Twine &what = "sizes") {
    visit({Relation::Equal, lhs, rhs, what.str()});
  }
  void oneOrEqual(const DimExpr &lhs, const DimExpr &rhs) {
    visit({Relation::OneOrEqual, lhs, rhs, "sizes"});
  }
  void atMost(const DimExpr &lhs, const DimExpr &rhs, const Twine &what) {
    visit({Relation::AtMost, lhs, rhs, what.str()});
  }
  /// All values have one shape, from dimension `first` on.
  void sameShapes(ValueRange values, unsigned first = 0) {
    for (Value value : values.drop_front(values.empty() ? 0 : 1))
      for (auto [lhs, rhs] :
           llvm::zip(ArrayRef(dims.dimsOf(values[0])).drop_front(first),
                     ArrayRef(dims.dimsOf(value)).drop_front(first)))
        equal(lhs, rhs);
  }
  /// `size` if the value has an element, else 0: nothing is read for none.
  DimExpr whereAny(Value value, int64_t size) {
    DimExpr some(size);
    for (const DimExpr &dim : dims.dimsOf(value))
      if (!DimExpr(1).provablyAtMost(dim))
        some = DimExpr::min(some, dim * DimExpr(size));
    return some;
  }
  /// Dimensions of two values agree pair by pair.
  void sameDims(Value lhs, ArrayRef<int64_t> left, Value rhs,
                ArrayRef<int64_t> right) {
    for (auto [l, r] : llvm::zip(left, right))
      equal(size(lhs, l), size(rhs, r));
  }

  /// `scales` have the operand's dimensions from `axis` on.
  void scales(Value operand, ValueRange scales, int64_t axis) {
    for (Value scale : scales)
      for (auto [own, wanted] :
           llvm::zip(dims.dimsOf(scale),
                     ArrayRef(dims.dimsOf(operand)).drop_front(axis)))
        equal(own, wanted);
  }

  DimAnalysis &dims;

private:
  llvm::function_ref<void(const SizeCondition &)> visit;
};
} // namespace

static void visitSlice(SliceOp slice, Conditions &all) {
  const DimVector sizes = all.dims.dimsOf(slice.getResult());
  unsigned dynamic = 0;
  for (auto [axis, fixed] : llvm::enumerate(slice.getStaticStarts())) {
    DimExpr start = ShapedType::isDynamic(fixed)
                        ? all.dims.scalar(slice.getStarts()[dynamic++])
                        : DimExpr(fixed);
    DimExpr stride(slice.getStrides()[axis]);
    DimExpr extent = all.size(slice.getOperand(), axis);
    DimExpr end = start + (sizes[axis] - DimExpr(1)) * stride + DimExpr(1);
    all.atMost(0, start, "the start of a part");
    all.atMost(end, extent, "the end of a part");
    // A part of no elements ends before its start.
    if (stride != DimExpr(1) && !DimExpr(1).provablyAtMost(sizes[axis]))
      all.atMost(start, extent, "the start of a part");
  }
}

/// A part whose start is clamped fits into the operand.
static void visitPart(Value operand, Value part, Conditions &all) {
  for (auto [size, extent] :
       llvm::zip(all.dims.dimsOf(part), all.dims.dimsOf(operand)))
    all.atMost(size, extent, "the size of a part");
}

static void visitConvolution(ConvolutionOp op, Conditions &all) {
  ConvDimsAttr numbers = op.getDims();
  DimExpr features = all.size(op.getInput(), numbers.getInputFeature()),
          taken = all.size(op.getKernel(), numbers.getKernelInput()),
          outputs = all.size(op.getKernel(), numbers.getKernelOutput());
  DimExpr groups(int64_t(op.getGroups()));
  all.equal(features, taken * groups, "features and those of the kernel");
  all.equal(DimExpr::mod(outputs, groups), 0,
            "the remainder of outputs by groups");
  for (auto [i, dim] : llvm::enumerate(numbers.getInputSpatial())) {
    DimExpr reach = (all.size(op.getInput(), dim) - DimExpr(1)) *
                        DimExpr(op.getInputDilation()[i]) +
                    DimExpr(1);
    all.atMost(0,
               DimExpr::max(reach, DimExpr(0)) +
                   DimExpr(op.getLow()[i] + op.getHigh()[i]),
               "a padded size");
  }
}

static void visitFourier(FourierOp op, Conditions &all) {
  int64_t count = op.getLength().size();
  for (auto [d, length] : llvm::enumerate(op.getLength())) {
    bool half = op.getKind() == FourierKind::c2r && int64_t(d) + 1 == count;
    all.equal(all.size(op.getOperand(), int64_t(d) - count),
              half ? length / 2 + 1 : length);
  }
}

static void visitSolve(TriangularSolveOp op, Conditions &all) {
  Value a = op.getA(), b = op.getB();
  all.equal(all.size(a, -2), all.size(a, -1));
  all.equal(all.size(a, -1), all.size(b, op.getLeft() ? -2 : -1));
  for (int64_t d = 0; d + 2 < cast<RankedTensorType>(a.getType()).getRank();
       ++d)
    all.equal(all.size(a, d), all.size(b, d));
}

static void visitBoxes(NonMaxSuppressionOp op, Conditions &all) {
  all.equal(all.size(op.getBoxes(), 0), all.size(op.getScores(), 0), "batches");
  all.equal(all.size(op.getBoxes(), 1), all.size(op.getScores(), 2),
            "numbers of boxes");
  all.equal(all.size(op.getBoxes(), 2), 4, "numbers of a box");
}

static void visitConcat(ConcatOp op, Conditions &all) {
  for (Value operand : op.getOperands().drop_front())
    for (auto [d, size] : llvm::enumerate(all.dims.dimsOf(operand)))
      if (d != op.getDim())
        all.equal(all.size(op.getOperands()[0], d), size);
}

/// The analysis lets a result's dimension follow from the operand's; what the
/// program says that it is has to agree.
static void visitBroadcast(BroadcastOp op, Conditions &all) {
  auto from = cast<RankedTensorType>(op.getOperand().getType());
  DimVector declared = dimsFromOperands(op.getType(), op.getDims(), all.dims);
  for (auto [d, to] : llvm::enumerate(op.getMapping()))
    if (from.getDimSize(d) != 1)
      all.equal(all.size(op.getOperand(), d), declared[to]);
}

static void visitReshape(ReshapeOp op, Conditions &all) {
  DimExpr count(1);
  for (const DimExpr &size :
       dimsFromOperands(op.getType(), op.getDims(), all.dims))
    count = count * size;
  all.equal(all.dims.elementCount(op.getOperand()), count,
            "numbers of elements");
}

static void visitGather(GatherOp op, Conditions &all) {
  GatherDimsAttr numbers = op.getDims();
  all.sameDims(op.getOperand(), numbers.getOperandBatchingDims(),
               op.getStartIndices(), numbers.getStartIndicesBatchingDims());
  for (auto [d, size] : llvm::enumerate(op.getSliceSizes()))
    if (size > 0)
      all.atMost(all.whereAny(op.getResult(), size),
                 all.size(op.getOperand(), d), "the size of a slice");
}

/// Dimensions of the updates are those of the windows, which fit into the
/// operand, and those of the indices.
static void visitScatterShapes(ScatterDimsAttr numbers, Value input,
                               Value indices, Value updates, Conditions &all) {
  auto rankOf = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getRank();
  };
  all.sameDims(input, numbers.getInputBatchingDims(), indices,
               numbers.getIndicesBatchingDims());
  const auto *window = numbers.getUpdateWindowDims().begin();
  for (int64_t d = 0; d < rankOf(input); ++d)
    if (!llvm::is_contained(numbers.getInsertedWindowDims(), d) &&
        !llvm::is_contained(numbers.getInputBatchingDims(), d))
      all.atMost(all.size(updates, *window++), all.size(input, d),
                 "the size of a window");
  int64_t update = 0;
  for (int64_t d = 0; d < rankOf(indices); ++d) {
    if (d == numbers.getIndexVectorDim())
      continue;
    while (llvm::is_contained(numbers.getUpdateWindowDims(), update))
      ++update;
    if (update < rankOf(updates))
      all.equal(all.size(updates, update++), all.size(indices, d));
  }
  if (numbers.getIndexVectorDim() < rankOf(indices))
    all.equal(all.size(indices, numbers.getIndexVectorDim()),
              DimExpr(int64_t(numbers.getIndexMap().size())),
              "numbers of coordinates");
}

static void visitBatchNorm(BatchNormOp op, Conditions &all) {
  DimExpr features = all.size(op.getOperand(), op.getDim());
  for (Value vector : op->getOperands().drop_front())
    all.equal(all.size(vector, 0), features);
}

static void visitAttention(AttentionOp op, Conditions &all) {
  Value query = op.getQuery(), key = op.getKey(), value = op.getValue();
  int64_t lead = cast<RankedTensorType>(query.getType()).getRank() - 2;
  for (Value operand : op->getOperands().drop_front())
    for (int64_t d = 0; d < lead; ++d)
      all.equal(all.size(query, d), all.size(operand, d));
  all.equal(all.size(query, -1), all.size(key, -1));
  all.equal(all.size(key, -2), all.size(value, -2));
  if (Value mask = op.getMask()) {
    all.equal(all.size(mask, -2), all.size(query, -2));
    all.equal(all.size(mask, -1), all.size(key, -2));
  }
}

/// Keys are several lists of words side by side.
static void visitKeys(ValueRange lists, unsigned words, Conditions &all) {
  for (size_t first = 0; first < lists.size(); first += words)
    all.sameShapes(lists.slice(first, words));
}

static void visitCosetRows(search::CosetBitRowsOp op, Conditions &all) {
  all.sameShapes({op.getKnown(), op.getLayer()});
  all.sameShapes({op.getSources(), op.getMoves()});
  all.equal(all.size(op.getSources(), 0), all.size(op.getKnown(), 0),
            "numbers of rows");
}

static void visitExpand(ExpandOp op, Conditions &all) {
  for (auto [from, to] : llvm::zip(all.dims.dimsOf(op.getOperand()),
                                   all.dims.dimsOf(op.getResult())))
    all.oneOrEqual(from, to);
}

/// Sizes that the types of results state, though operands leave them open: a
/// convolution by a kernel of any length, to 8 positions.
static void visitStatedSizes(Operation *op, Conditions &all) {
  auto rule = dyn_cast<ShapeRule>(op);
  // These have rules of their own.
  if (!rule || isa<ReshapeOp, BroadcastOp>(op))
    return;
  for (OpResult result : op->getResults()) {
    auto type = cast<RankedTensorType>(result.getType());
    DimVector computed = rule.resultDims(result.getResultNumber(), all.dims);
    if (int64_t(computed.size()) != type.getRank())
      continue;
    for (auto [stated, size] : llvm::zip(type.getShape(), computed))
      if (!ShapedType::isDynamic(stated) && !size.constant())
        all.equal(size, stated, "the size of a result and that in its type");
  }
}

/// Ops that other rules than those of sizes and families speak of.
static void visitOwnRule(Operation *op, Conditions &all) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](SliceOp slice) { visitSlice(slice, all); })
      .Case([&](DynamicSliceOp slice) {
        visitPart(slice.getOperand(), slice.getResult(), all);
      })
      .Case([&](DynamicUpdateSliceOp update) {
        visitPart(update.getOperand(), update.getUpdate(), all);
      })
      .Case([&](ReshapeOp reshape) { visitReshape(reshape, all); })
      .Case([&](BroadcastOp broadcast) { visitBroadcast(broadcast, all); })
      .Case([&](ExpandOp expand) { visitExpand(expand, all); })
      .Case([&](ConcatOp concat) { visitConcat(concat, all); })
      .Case([&](DotGeneralOp product) {
        auto pairs = product.getDims();
        all.sameDims(product.getLhs(), pairs.getLhsBatching(), product.getRhs(),
                     pairs.getRhsBatching());
        all.sameDims(product.getLhs(), pairs.getLhsContracting(),
                     product.getRhs(), pairs.getRhsContracting());
      })
      .Case([&](ConvolutionOp product) { visitConvolution(product, all); })
      .Case([&](GatherOp gather) { visitGather(gather, all); })
      .Case([&](ScatterOp scatter) {
        visitScatterShapes(scatter.getDims(), scatter.getOperand(),
                           scatter.getIndices(), scatter.getUpdates(), all);
      })
      .Case<LayerNormOp, RmsNormOp>([&](auto norm) {
        all.scales(norm.getOperand(), op->getOperands().drop_front(),
                   norm.getAxis());
      })
      .Case([&](BatchNormOp norm) { visitBatchNorm(norm, all); })
      .Case([&](AttentionOp attention) { visitAttention(attention, all); })
      .Case([&](TopKOp largest) {
        all.atMost(all.size(largest.getValues(), largest.getDim()),
                   all.size(largest.getOperand(), largest.getDim()), "k");
      })
      .Case([&](CompactOp rows) {
        for (Value input : rows.getInputs())
          all.equal(all.size(rows.getMask(), 0), all.size(input, 0),
                    "numbers of rows");
      })
      .Case<SortOp, SortWithOp>(
          [&](auto) { all.sameShapes(op->getOperands()); })
      .Case<ReduceWithOp, ReduceWindowWithOp>([&](auto) {
        all.sameShapes(op->getOperands().take_front(op->getNumOperands() / 2));
      })
      .Case([&](ScatterWithOp scatter) {
        all.sameShapes(scatter.getInputs());
        all.sameShapes(scatter.getUpdates());
        visitScatterShapes(scatter.getDims(), scatter.getInputs()[0],
                           scatter.getIndices(), scatter.getUpdates()[0], all);
      })
      .Case([&](ArgReduceOp reduce) {
        all.atMost(all.whereAny(reduce.getResult(), 1),
                   all.size(reduce.getOperand(), reduce.getDim()),
                   "the least size of a reduced dimension");
      })
      .Case([&](RandomCategoricalOp draw) {
        all.atMost(1, all.size(draw.getLogits(), draw.getAxis()),
                   "the least number of categories");
      })
      .Case([&](search::DedupOp keys) {
        visitKeys(keys.getCandidates(), keys.getCandidates().size(), all);
        visitKeys(keys.getKnown(), keys.words(), all);
      })
      .Case([&](search::CosetBitRowsOp rows) { visitCosetRows(rows, all); })
      .Case([&](IsInOp) { all.sameShapes(op->getOperands(), 1); })
      .Case([&](NonMaxSuppressionOp boxes) { visitBoxes(boxes, all); })
      .Case([&](CholeskyOp) {
        all.equal(all.size(op->getOperand(0), -2),
                  all.size(op->getOperand(0), -1));
      })
      .Case([&](TriangularSolveOp solve) { visitSolve(solve, all); })
      .Case([&](FourierOp fourier) { visitFourier(fourier, all); });
}

void forEachSizeCondition(
    Operation *op, DimAnalysis &dims,
    llvm::function_ref<void(const SizeCondition &)> visit) {
  // Verifiers have checked what types state; starts may be data all the same.
  auto isKnown = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return !tensor || tensor.hasStaticShape();
  };
  if (!familyOf(op) ||
      (!isa<SliceOp>(op) && llvm::all_of(op->getOperandTypes(), isKnown) &&
       llvm::all_of(op->getResultTypes(), isKnown)))
    return;
  Conditions all(dims, visit);
  visitOwnRule(op, all);
  if (familyOf(op) == Family::Elementwise)
    all.sameShapes(op->getOperands());
  visitStatedSizes(op, all);
  for (Value result : op->getResults())
    for (const DimExpr &size : dims.dimsOf(result))
      all.atMost(0, size, "a size of the result");
}

} // namespace zenith::graph
