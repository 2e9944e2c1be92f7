// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of movement ops: index maps, and selects where an index may be out
// of bounds.

#include "lowering/elements/BoundsGuard.h"
#include "lowering/elements/ElementConversions.h"
#include "lowering/elements/ElementRule.h"
#include "lowering/elements/IndexingElements.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

// Splats and known positions are constants; the rest goes to a buffer on the
// stack, filled once per call.
static Value constantElement(graph::ConstantOp op, ElementEmitter &emitter,
                             ArrayRef<LaneIndex> index) {
  KernelBuilder &kernel = emitter.kernel;
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!elements)
    return emitter.unsupported(op, "a constant that isn't inline");
  Type element = elements.getElementType();
  Type stored = memoryType(element);
  auto attributeOf = [&](int64_t position) -> TypedAttr {
    if (isa<FloatType>(element)) {
      APFloat value = elements.getValues<APFloat>()[position];
      if (isa<IntegerType>(stored))
        return IntegerAttr::get(stored, value.bitcastToAPInt());
      return FloatAttr::get(element, value);
    }
    APInt value = elements.getValues<APInt>()[position];
    unsigned width = stored.getIntOrFloatBitWidth();
    bool zero = element.isUnsignedInteger() || element.isInteger(1);
    return IntegerAttr::get(stored, zero ? value.zextOrTrunc(width)
                                         : value.sextOrTrunc(width));
  };
  LaneIndex linear = emitter.linearize(op.getResult(), index);
  bool known =
      linear.terms.empty() && linear.offset.constant() && !linear.perLane;
  if (elements.isSplat() || known)
    return toRegister(kernel, element,
                      kernel.constant(attributeOf(
                          elements.isSplat() ? 0 : *linear.offset.constant())));
  Value buffer = emitter.memory.constants(op, stored, attributeOf,
                                          elements.getNumElements());
  return emitter.memory.load(buffer, element, linear);
}

static Value iotaElement(graph::IotaOp op, ElementEmitter &emitter,
                         ArrayRef<LaneIndex> index) {
  KernelBuilder &kernel = emitter.kernel;
  Type element = getElementTypeOrSelf(op.getResult().getType());
  Value position = emitter.indices.value(index[op.getDim()]);
  Type i64 = typeLike(kernel.b.getI64Type(), position.getType());
  Value wide = kernel.b.create<arith::IndexCastOp>(kernel.loc, i64, position);
  return convertElement(kernel, wide, kernel.b.getI64Type(), element);
}

static Value padElement(graph::PadOp op, ElementEmitter &emitter,
                        ArrayRef<LaneIndex> index) {
  IndexMath &indices = emitter.indices;
  auto low = mixedEntries(emitter.kernel.dims, op.getStaticLow(), op.getLow());
  const graph::DimVector dims = emitter.dimsOf(op.getOperand()),
                         resultDims = emitter.dimsOf(op.getResult());
  auto padding = [&] { return emitter.emit(op.getValue(), {}); };
  SmallVector<LaneIndex> inner;
  BoundsGuard guard(emitter);
  for (auto [d, x] : llvm::enumerate(index)) {
    LaneIndex shifted = indices.shift(x, DimExpr(0) - low[d]);
    int64_t step = op.getInterior()[d] + 1;
    // No offset is added: x may stand for several collapsed dimensions.
    if (step == 1 && low[d].isConstant(0) && dims[d] == resultDims[d]) {
      inner.push_back(x);
      continue;
    }
    if (step > 1) {
      auto fixed = low[d].constant();
      if (!fixed)
        return emitter.unsupported(op,
                                   "dynamic low padding with interior padding");
      int64_t turns = std::max<int64_t>(0, (*fixed + step - 1) / step);
      auto [quotient, remainder] =
          indices.divide(indices.shift(shifted, turns * step), step);
      if (!guard.add(remainder, 0, 1))
        return padding();
      shifted = indices.shift(quotient, -turns);
    }
    if (!guard.add(shifted, 0, dims[d]))
      return padding();
    inner.push_back(shifted);
  }
  return guard.emit(
      emitter.anyLanes(index),
      [&] { return emitter.emit(op.getOperand(), inner); }, padding);
}

namespace {
/// An element of a value.
struct Element {
  Value value;
  SmallVector<LaneIndex> index;
};
} // namespace

/// The same element, of what slices, transpositions and gathers from one
/// position are made from.
static Element sourceOf(ElementEmitter &emitter, Element element) {
  while (Operation *op = element.value.getDefiningOp()) {
    std::optional<SmallVector<LaneIndex>> inner;
    if (auto gather = dyn_cast<graph::GatherOp>(op)) {
      auto type = cast<RankedTensorType>(gather.getStartIndices().getType());
      if (type.hasStaticShape() && type.getNumElements() == 1)
        inner = gatheredIndex(gather, emitter, element.index);
    } else if (isa<graph::SliceOp, graph::ReverseOp, graph::TransposeOp>(op)) {
      inner =
          operandIndex(emitter.indices, emitter.kernel.dims, op, element.index);
    }
    if (!inner)
      break;
    element = {op->getOperand(0), std::move(*inner)};
  }
  return element;
}

/// The element of the part of a concatenation that ends behind `x`, where all
/// `parts` are made from one value and a scalar tells them apart: it is read at
/// a chosen index. Branches with a read each would take longer in kernels that
/// read many elements of a row. Null otherwise.
static Value elementOfOneSource(ElementEmitter &emitter, const LaneIndex &x,
                                ArrayRef<Element> parts,
                                ArrayRef<DimExpr> ends) {
  KernelBuilder &kernel = emitter.kernel;
  IndexMath &indices = emitter.indices;
  auto isScalar = [&](const LaneIndex &at) {
    return indices.uniform(at) && indices.tileStride(at).isConstant(0);
  };
  if (parts.size() < 2 || !isScalar(x))
    return {};
  Element chosen = sourceOf(emitter, parts.back());
  std::vector<Element> others;
  for (const Element &part : parts.drop_back()) {
    others.push_back(sourceOf(emitter, part));
    if (others.back().value != chosen.value)
      return {};
  }
  SmallVector<unsigned> differing;
  for (unsigned d = 0; d < chosen.index.size(); ++d) {
    bool isShared = true, allScalar = isScalar(chosen.index[d]);
    for (const Element &other : others) {
      isShared &= other.index[d] == chosen.index[d];
      allScalar &= isScalar(other.index[d]);
    }
    if (!isShared && !allScalar)
      return {};
    if (!isShared)
      differing.push_back(d);
  }
  const graph::DimVector dims = emitter.dimsOf(chosen.value);
  for (unsigned d : differing) {
    Value scalar = indices.value(chosen.index[d]);
    for (size_t part = others.size(); part-- > 0;) {
      Value isBefore = kernel.b.create<arith::CmpIOp>(
          kernel.loc, arith::CmpIPredicate::slt, indices.value(x),
          kernel.size(ends[part]));
      scalar = kernel.b.create<arith::SelectOp>(
          kernel.loc, isBefore, indices.value(others[part].index[d]), scalar);
    }
    chosen.index[d] = indices.scalar(scalar, dims[d]);
  }
  return emitter.emit(chosen.value, chosen.index);
}

static Value concatElement(graph::ConcatOp op, ElementEmitter &emitter,
                           ArrayRef<LaneIndex> index) {
  KernelBuilder &kernel = emitter.kernel;
  int64_t dim = op.getDim();
  DimExpr begin = 0;
  SmallVector<DimExpr> begins;
  for (Value piece : op.getOperands()) {
    begins.push_back(begin);
    begin = begin + kernel.dims.dimOf(piece, dim);
  }
  std::vector<Element> possible;
  SmallVector<DimExpr> ends;
  for (auto [piece, begin] : llvm::zip_equal(op.getOperands(), begins)) {
    Element element{piece, SmallVector<LaneIndex>(index)};
    LaneIndex &x = element.index[dim];
    x = emitter.indices.shift(x, DimExpr(0) - begin);
    DimExpr size = kernel.dims.dimOf(piece, dim);
    if (emitter.indices.provablyOutside(x, 0, size))
      continue;
    possible.push_back(std::move(element));
    ends.push_back(begin + size);
  }
  if (Value element = elementOfOneSource(emitter, index[dim], possible, ends))
    return element;
  std::function<Value(unsigned)> from = [&](unsigned number) -> Value {
    Value piece = op.getOperands()[number];
    SmallVector<LaneIndex> inner(index);
    inner[dim] = emitter.indices.shift(index[dim], DimExpr(0) - begins[number]);
    DimExpr size = kernel.dims.dimOf(piece, dim);
    bool last = number + 1 == op.getOperands().size();
    BoundsGuard guard(emitter);
    bool possible = guard.add(inner[dim], 0, size);
    if (!possible)
      return last ? emitter.emit(piece, inner) : from(number + 1);
    if (last) {
      // Lanes of earlier operands are here too; they must not be read.
      if (!guard.differsByLane())
        return emitter.emit(piece, inner);
      ElementEmitter::Scope scope(emitter);
      guard.maskLanes();
      return emitter.emit(piece, inner);
    }
    return guard.emit(
        emitter.anyLanes(index), [&] { return emitter.emit(piece, inner); },
        [&] { return from(number + 1); });
  };
  return from(0);
}

namespace {

/// Ops whose elements are elements of the operand at another index.
template <typename Op>
struct IndexMapElement : ElementRule::ExternalModel<IndexMapElement<Op>, Op> {
  Value emitElement(Operation *op, ElementEmitter &emitter,
                    ArrayRef<LaneIndex> index) const {
    auto operand =
        operandIndex(emitter.indices, emitter.kernel.dims, op, index);
    return operand ? emitter.emit(op->getOperand(0), *operand)
                   : emitter.unsupported(op);
  }
};

struct DimElement : ElementRule::ExternalModel<DimElement, graph::DimOp> {
  Value emitElement(Operation *op, ElementEmitter &emitter,
                    ArrayRef<LaneIndex>) const {
    auto dim = cast<graph::DimOp>(op);
    KernelBuilder &kernel = emitter.kernel;
    Value size = kernel.size(kernel.dims.dimOf(dim.getOperand(), dim.getDim()));
    return kernel.b.create<arith::IndexCastOp>(kernel.loc,
                                               kernel.b.getI64Type(), size);
  }
};

} // namespace

void attachMovementElements(MLIRContext *context) {
  using namespace graph;
  attachAll<IndexMapElement, BroadcastOp, ExpandOp, TransposeOp, ReshapeOp,
            ReverseOp, SliceOp>(context);
  DimOp::attachInterface<DimElement>(*context);
  ConstantOp::attachInterface<FunctionElement<constantElement>>(*context);
  IotaOp::attachInterface<FunctionElement<iotaElement>>(*context);
  PadOp::attachInterface<FunctionElement<padElement>>(*context);
  ConcatOp::attachInterface<FunctionElement<concatElement>>(*context);
}

} // namespace zenith::kernels
