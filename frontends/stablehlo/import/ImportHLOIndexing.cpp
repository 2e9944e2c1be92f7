// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import of ops that read or write at data-dependent positions.

#include "frontends/stablehlo/import/ShapeReading.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

static graph::GatherDimsAttr gatherDims(OpReading &x) {
  auto dims = x.attr<GatherDimensionNumbersAttr>("dimension_numbers");
  if (!dims)
    return {};
  return graph::GatherDimsAttr::get(
      x.b.getContext(), dims.getOffsetDims(), dims.getCollapsedSliceDims(),
      dims.getOperandBatchingDims(), dims.getStartIndicesBatchingDims(),
      dims.getStartIndexMap(), dims.getIndexVectorDim());
}

static void gatherRule(OpReading &x) {
  graph::GatherDimsAttr dims = gatherDims(x);
  RankedTensorType type = x.type();
  if (!x.failed())
    x.out(x.make<graph::GatherOp>(type, x.in(0), x.in(1), dims,
                                  x.list("slice_sizes")));
}

namespace {
/// Sizes of slices: a constant, -1 for all of a dynamic dimension, or by value.
struct SliceSizes {
  SmallVector<int64_t> extents;
  Values values;
  bool known = true; ///< no size is by value
};
} // namespace

static SliceSizes sliceSizes(OpReading &x, Value operand, Value sizes) {
  graph::DimAnalysis analysis;
  SliceSizes result;
  for (int64_t i = 0; i < rankOf(operand); ++i) {
    Value size = shapeElement(x, sizes, i);
    result.values.push_back(size);
    auto constant = constantInteger(size);
    bool isWhole =
        !constant && analysis.scalar(size) == analysis.dimOf(operand, i);
    result.known &= constant || isWhole;
    result.extents.push_back(
        constant.value_or(isWhole ? -1 : ShapedType::kDynamic));
  }
  return result;
}

// Sizes known from the type of the result.
static void takeSizes(SliceSizes &sizes, graph::GatherDimsAttr dims,
                      RankedTensorType type) {
  ArrayRef<int64_t> offsets = dims.getOffsetDims();
  size_t next = 0;
  sizes.known = true;
  for (auto [i, extent] : llvm::enumerate(sizes.extents)) {
    bool dropped =
        llvm::is_contained(dims.getCollapsedSliceDims(), int64_t(i)) ||
        llvm::is_contained(dims.getOperandBatchingDims(), int64_t(i));
    int64_t told = dropped                  ? 1
                   : next == offsets.size() ? ShapedType::kDynamic
                                            : type.getDimSize(offsets[next++]);
    if (ShapedType::isDynamic(extent))
      extent = told;
    sizes.known &= !ShapedType::isDynamic(extent);
  }
}

// One slice whose sizes are values: its start is clamped so that it lies
// inside.
static void sliceByValue(OpReading &x, graph::GatherDimsAttr dims,
                         const SliceSizes &sizes) {
  Value operand = x.in(0), indices = x.in(1);
  SmallVector<int64_t> starts, shape, rest;
  Values startValues, sizeValues;
  for (int64_t i = 0; i < rankOf(operand); ++i) {
    Value size = sizes.values[i];
    auto constant = constantInteger(size);
    shape.push_back(constant.value_or(ShapedType::kDynamic));
    if (!constant)
      sizeValues.push_back(size);
    if (!llvm::is_contained(dims.getCollapsedSliceDims(), i))
      rest.push_back(shape.back());
    auto found = llvm::find(dims.getStartIndexMap(), i);
    if (found == dims.getStartIndexMap().end()) {
      starts.push_back(0);
      continue;
    }
    Expr start(
        x, shapeElement(x, indices, found - dims.getStartIndexMap().begin()));
    Expr last = Expr(x, x.dim(operand, i)) - start.with(size);
    Expr clamped = start.apply<graph::MinOp>(last);
    clamped = clamped.apply<graph::MaxOp>(clamped.constant(0));
    starts.push_back(ShapedType::kDynamic);
    startValues.push_back(clamped.value);
  }
  SmallVector<int64_t> strides(shape.size(), 1);
  Type element = elementOf(operand);
  Value slice =
      x.make<graph::SliceOp>(RankedTensorType::get(shape, element), operand,
                             startValues, sizeValues, starts, shape, strides);
  x.out(rest.size() == shape.size()
            ? slice
            : x.make<graph::ReshapeOp>(RankedTensorType::get(rest, element),
                                       slice, sizeValues));
}

static void dynamicGatherRule(OpReading &x) {
  graph::GatherDimsAttr dims = gatherDims(x);
  RankedTensorType type = x.type();
  if (x.failed())
    return;
  SliceSizes sizes = sliceSizes(x, x.in(0), x.in(2));
  if (sizes.known)
    return x.out(
        x.make<graph::GatherOp>(type, x.in(0), x.in(1), dims, sizes.extents));
  if (rankOf(x.in(1)) != 1 || dims.getIndexVectorDim() != 0) {
    takeSizes(sizes, dims, type);
    if (sizes.known)
      return x.out(
          x.make<graph::GatherOp>(type, x.in(0), x.in(1), dims, sizes.extents));
    return x.unsupported("of several slices whose sizes are known at run time "
                         "only is not supported");
  }
  sliceByValue(x, dims, sizes);
}

// Starts of one type.
static Values startsFrom(OpReading &x, unsigned first) {
  Values starts = x.ins(first, x.inputs() - first);
  bool same = llvm::all_of(starts, [&](Value start) {
    return elementOf(start) == elementOf(starts[0]);
  });
  if (!same)
    for (Value &start : starts)
      start = x.convert(start, x.b.getI64Type());
  return starts;
}

static void dynamicSliceRule(OpReading &x) {
  Value value = x.in();
  auto type = RankedTensorType::get(x.list("slice_sizes"), elementOf(value));
  x.out(x.make<graph::DynamicSliceOp>(type, value, startsFrom(x, 1)));
}

static void dynamicUpdateSliceRule(OpReading &x) {
  Value value = x.in();
  x.out(x.make<graph::DynamicUpdateSliceOp>(value.getType(), value, x.in(1),
                                            startsFrom(x, 2)));
}

static std::optional<graph::ScatterKind> scatterKind(Region &body,
                                                     Type element) {
  std::optional<StringRef> name = joiningOp(body);
  if (!name)
    return std::nullopt;
  bool boolean = element.isInteger(1), complex = isa<ComplexType>(element);
  if (*name == "second")
    return graph::ScatterKind::set;
  if (*name == "stablehlo.add")
    return boolean ? graph::ScatterKind::max : graph::ScatterKind::sum;
  if (*name == "stablehlo.multiply")
    return boolean ? graph::ScatterKind::min : graph::ScatterKind::prod;
  if (complex)
    return std::nullopt;
  if (*name == "stablehlo.maximum" || (boolean && *name == "stablehlo.or"))
    return graph::ScatterKind::max;
  if (*name == "stablehlo.minimum" || (boolean && *name == "stablehlo.and"))
    return graph::ScatterKind::min;
  return std::nullopt;
}

static void scatterRule(OpReading &x) {
  auto hloDims =
      x.attr<ScatterDimensionNumbersAttr>("scatter_dimension_numbers");
  if (x.failed())
    return;
  if (x.inputs() % 2 == 0)
    return x.invalid("has an even number of operands");
  auto dims = graph::ScatterDimsAttr::get(
      x.b.getContext(), hloDims.getUpdateWindowDims(),
      hloDims.getInsertedWindowDims(), hloDims.getInputBatchingDims(),
      hloDims.getScatterIndicesBatchingDims(),
      hloDims.getScatterDimsToOperandDims(), hloDims.getIndexVectorDim());
  unsigned count = x.inputs() / 2;
  Values operands = x.ins(0, count), updates = x.ins(count + 1, count);
  Value indices = x.in(count);
  Region &body = x.op->getRegion(0);
  // Elements and updates are converted to the region's types.
  SmallVector<Type> scalars =
      x.program.typesOf(body.front().getArgumentTypes(), x.loc);
  if (x.failed())
    return;
  if (scalars.size() != 2 * count)
    return x.invalid("has a region with an unexpected number of arguments");
  for (unsigned i = 0; i < count; ++i) {
    operands[i] = x.convert(operands[i], getElementTypeOrSelf(scalars[i]));
    updates[i] =
        x.convert(updates[i], getElementTypeOrSelf(scalars[count + i]));
  }
  bool unique = x.flag("unique_indices");
  if (count == 1)
    if (auto kind = scatterKind(body, elementOf(operands[0])))
      return x.out(x.make<graph::ScatterOp>(operands[0].getType(), *kind,
                                            operands[0], indices, updates[0],
                                            dims, unique));
  auto scatter =
      x.create<graph::ScatterWithOp>(ValueRange(operands).getTypes(), operands,
                                     indices, updates, dims, unique);
  x.program.importRegion(body, scatter.getBody(), scalars);
  x.out(scatter.getResults());
}

// Rows of the operand's dimension `dim` that an index tensor selects, within
// batches.
static void torchIndexSelectRule(OpReading &x) {
  Value operand = x.in(0), index = x.in(1);
  int64_t dim = x.intAttribute("dim"), batches = x.intAttribute("batch_dims");
  RankedTensorType type = x.type();
  if (x.failed())
    return;
  int64_t indexRank = rankOf(index);
  SmallVector<int64_t> offset, batching,
      sizes(tensorTypeOf(operand).getShape());
  for (int64_t i = 0; i < rankOf(operand); ++i) {
    if (i < batches)
      batching.push_back(i);
    else if (i < dim)
      offset.push_back(i);
    else if (i > dim)
      offset.push_back(i - 1 + indexRank - batches);
    if (i < batches || i == dim)
      sizes[i] = 1;
  }
  auto dims = graph::GatherDimsAttr::get(x.b.getContext(), offset, {dim},
                                         batching, batching, {dim}, indexRank);
  x.out(x.make<graph::GatherOp>(type, operand, index, dims, sizes));
}

void stablehlo::addIndexingRules(RuleTable &rules) {
  rules["stablehlo.gather"] = gatherRule;
  rules["stablehlo.dynamic_gather"] = dynamicGatherRule;
  rules["stablehlo.dynamic_slice"] = dynamicSliceRule;
  rules["stablehlo.dynamic_update_slice"] = dynamicUpdateSliceRule;
  rules["stablehlo.scatter"] = scatterRule;
  rules["stablehlo.torch_index_select"] = torchIndexSelectRule;
}
