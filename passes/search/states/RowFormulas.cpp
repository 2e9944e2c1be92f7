// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Traces elements through movement and integer arithmetic back to their row.

#include "passes/search/states/RowFormulas.h"
#include "llvm/ADT/TypeSwitch.h"
#include <numeric>

using namespace mlir;
using namespace zenith::graph;

namespace zenith::search {

/// Limits of the elements of a row and of their values.
static constexpr int64_t mostElements = 1 << 20;
/// Limit of the elements of all values between a row and its neighbours: larger
/// graphs would cost more compile time than they save.
static constexpr int64_t mostPlaces = 1 << 22;
static constexpr uint64_t largestNumber = uint64_t(1) << 62;

RowFormulas::RowFormulas(Value rows, uint64_t largest, DimAnalysis &dims)
    : rows(rows), largestElement(largest), dims(dims) {}

RowFormulas::Index RowFormulas::intern(Formula formula) {
  auto [place, isNew] = known.try_emplace(
      std::make_tuple(int(formula.kind), formula.left, formula.right),
      int64_t(formulas.size()));
  if (isNew)
    formulas.push_back(formula);
  return place->second;
}

RowFormulas::Index RowFormulas::number(int64_t value) {
  if (value < 0)
    return std::nullopt;
  return intern({Formula::Number, value, 0, uint64_t(value)});
}

RowFormulas::Index RowFormulas::add(int64_t left, int64_t right) {
  Formula x = (*this)[left], y = (*this)[right];
  if (x.bound == 0)
    return right;
  if (y.bound == 0)
    return left;
  if (x.kind == Formula::Number && y.kind == Formula::Number)
    return number(x.left + y.left);
  if (x.bound + y.bound > largestNumber)
    return std::nullopt;
  return intern({Formula::Add, std::min(left, right), std::max(left, right),
                 x.bound + y.bound});
}

RowFormulas::Index RowFormulas::mul(int64_t left, int64_t right) {
  Formula x = (*this)[left], y = (*this)[right];
  if (x.bound == 0 || y.bound == 0)
    return number(0);
  if (x.kind == Formula::Number && x.left == 1)
    return right;
  if (y.kind == Formula::Number && y.left == 1)
    return left;
  if (x.bound > largestNumber / y.bound)
    return std::nullopt;
  if (x.kind == Formula::Number && y.kind == Formula::Number)
    return number(x.left * y.left);
  return intern({Formula::Mul, std::min(left, right), std::max(left, right),
                 x.bound * y.bound});
}

RowFormulas::Index RowFormulas::remainder(int64_t left, int64_t divisor) {
  Formula x = (*this)[left];
  if (divisor <= 0)
    return std::nullopt;
  if (x.bound < uint64_t(divisor))
    return left;
  if (x.kind == Formula::Number)
    return number(x.left % divisor);
  return intern({Formula::Rem, left, divisor, uint64_t(divisor - 1)});
}

std::optional<SmallVector<int64_t>> RowFormulas::rowShape(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  // Dimension 0 may hold several parts of a row.
  auto perRow = type.getRank() == 0
                    ? std::optional<DimExpr>()
                    : dims.dimOf(value, 0).exactDiv(dims.dimOf(rows, 0));
  if (!perRow || !perRow->constant())
    return std::nullopt;
  SmallVector<int64_t> shape{*perRow->constant()};
  int64_t elements = shape[0];
  for (int64_t size : type.getShape().drop_front()) {
    if (ShapedType::isDynamic(size) || size > mostElements)
      return std::nullopt;
    elements *= size;
    if (elements > mostElements)
      return std::nullopt;
    shape.push_back(size);
  }
  return shape;
}

static int64_t elementsPerRow(ArrayRef<int64_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1),
                         std::multiplies<>());
}

static SmallVector<int64_t> unflatten(int64_t place, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> index(shape.size());
  for (size_t d = shape.size(); d-- > 0; place /= shape[d])
    index[d] = place % shape[d];
  return index;
}

static int64_t flatten(ArrayRef<int64_t> index, ArrayRef<int64_t> shape) {
  int64_t place = 0;
  for (auto [at, size] : llvm::zip(index, shape))
    place = place * size + at;
  return place;
}

static std::optional<int64_t> constantElement(Value value, int64_t place) {
  auto constant = value.getDefiningOp<ConstantOp>();
  auto elements = constant ? dyn_cast<DenseIntElementsAttr>(constant.getValue())
                           : DenseIntElementsAttr();
  if (!elements)
    return std::nullopt;
  APInt bits = elements.isSplat() ? elements.getSplatValue<APInt>()
                                  : *(elements.value_begin<APInt>() + place);
  bool isUnsigned = elements.getElementType().isUnsignedInteger();
  if (isUnsigned && bits.getActiveBits() > 62)
    return std::nullopt;
  return isUnsigned ? int64_t(bits.getZExtValue()) : bits.getSExtValue();
}

std::optional<std::vector<int64_t>> RowFormulas::columnsOf(GatherOp op) {
  auto how = op.getDims();
  auto from = row(op.getOperand()).shape, to = rowShape(op.getResult());
  auto starts = cast<RankedTensorType>(op.getStartIndices().getType());
  auto constant = op.getStartIndices().getDefiningOp<ConstantOp>();
  auto numbers = constant ? dyn_cast<DenseIntElementsAttr>(constant.getValue())
                          : DenseIntElementsAttr();
  if (!from || !to || !numbers || from->size() != 2 || to->size() != 2 ||
      (*from)[0] != 1 || (*to)[0] != 1 || starts.getRank() != 2 ||
      starts.getDimSize(1) != 1 || how.getIndexVectorDim() != 1 ||
      how.getStartIndexMap() != ArrayRef<int64_t>{1} ||
      how.getCollapsedSliceDims() != ArrayRef<int64_t>{1} ||
      how.getOffsetDims() != ArrayRef<int64_t>{0} ||
      !how.getOperandBatchingDims().empty())
    return std::nullopt;
  bool isUnsigned = numbers.getElementType().isUnsignedInteger();
  int64_t last = (*from)[1] - 1;
  std::vector<int64_t> columns;
  columns.reserve(size_t(numbers.size()));
  for (const APInt &number : numbers) {
    bool isBeyond = isUnsigned && number.getActiveBits() > 62;
    int64_t column = isBeyond     ? last
                     : isUnsigned ? int64_t(number.getZExtValue())
                                  : number.getSExtValue();
    columns.push_back(std::clamp<int64_t>(column, 0, last));
  }
  return columns;
}

RowFormulas::Index RowFormulas::gathered(GatherOp op, int64_t place) {
  const auto &columns = row(op.getResult()).columns;
  return columns ? element(op.getOperand(), (*columns)[size_t(place)])
                 : Index();
}

RowFormulas::Index RowFormulas::sliced(SliceOp op, int64_t place) {
  const auto &from = row(op.getOperand()).shape,
             &to = row(op.getResult()).shape;
  if (!from || !to || (*from)[0] != (*to)[0] || op.getStaticStarts()[0] != 0 ||
      op.getStrides()[0] != 1)
    return std::nullopt;
  SmallVector<int64_t> index = unflatten(place, *to);
  for (size_t d = 1; d < index.size(); ++d) {
    if (ShapedType::isDynamic(op.getStaticStarts()[d]))
      return std::nullopt;
    index[d] = op.getStaticStarts()[d] + index[d] * op.getStrides()[d];
  }
  return element(op.getOperand(), flatten(index, *from));
}

RowFormulas::Index RowFormulas::broadcasted(BroadcastOp op, int64_t place) {
  const auto &to = row(op.getResult()).shape;
  if (!to || (*to)[0] != 1)
    return std::nullopt;
  SmallVector<int64_t> index = unflatten(place, *to);
  auto type = cast<RankedTensorType>(op.getOperand().getType());
  ArrayRef<int64_t> mapping = op.getMapping();
  bool hasRows = !mapping.empty() && mapping[0] == 0;
  std::optional<SmallVector<int64_t>> from;
  if (hasRows)
    from = row(op.getOperand()).shape;
  else if (type.hasStaticShape() && !llvm::is_contained(mapping, 0))
    from = SmallVector<int64_t>(type.getShape());
  if (!from || (hasRows && (*from)[0] != 1))
    return std::nullopt;
  SmallVector<int64_t> source;
  for (auto [d, target] : llvm::enumerate(mapping))
    source.push_back((*from)[d] == 1 ? 0 : index[target]);
  if (hasRows)
    return element(op.getOperand(), flatten(source, *from));
  auto value = constantElement(op.getOperand(), flatten(source, *from));
  return value ? number(*value) : std::nullopt;
}

RowFormulas::Index RowFormulas::moved(Operation *op, int64_t place) {
  return llvm::TypeSwitch<Operation *, Index>(op)
      .Case([&](GatherOp op) { return gathered(op, place); })
      .Case([&](SliceOp op) { return sliced(op, place); })
      .Case([&](BroadcastOp op) { return broadcasted(op, place); })
      .Case([&](ReshapeOp op) -> Index {
        // Row-major order keeps the elements of a row together.
        return row(op.getOperand()).shape ? element(op.getOperand(), place)
                                          : Index();
      })
      .Default([](Operation *) { return Index(); });
}

RowFormulas::Index RowFormulas::computed(Operation *op, int64_t place) {
  if (auto convert = dyn_cast<ConvertOp>(op)) {
    auto from = dyn_cast<IntegerType>(
             getElementTypeOrSelf(convert.getOperand().getType())),
         to = dyn_cast<IntegerType>(getElementTypeOrSelf(convert.getType()));
    Index value;
    if (from && to)
      value = element(convert.getOperand(), place);
    unsigned bits = !to ? 0 : to.getWidth() - (to.isUnsigned() ? 0 : 1);
    if (!value || (bits < 64 && (*this)[*value].bound >> bits))
      return std::nullopt;
    return value;
  }
  if (!isa<AddOp, MulOp, FloorModOp, RemOp>(op) ||
      !isa<IntegerType>(getElementTypeOrSelf(op->getResult(0).getType())))
    return std::nullopt;
  Index left = element(op->getOperand(0), place),
        right = element(op->getOperand(1), place);
  if (!left || !right)
    return std::nullopt;
  Index result;
  if (isa<AddOp>(op))
    result = add(*left, *right);
  else if (isa<MulOp>(op))
    result = mul(*left, *right);
  else if ((*this)[*right].kind == Formula::Number)
    result = remainder(*left, (*this)[*right].left);
  // The program's own arithmetic must not wrap where the formula does not.
  auto type =
      cast<IntegerType>(getElementTypeOrSelf(op->getResult(0).getType()));
  unsigned bits = type.getWidth() - (type.isUnsigned() ? 0 : 1);
  if (!result || (bits < 64 && (*this)[*result].bound >> bits))
    return std::nullopt;
  return result;
}

RowFormulas::Row &RowFormulas::row(Value value) {
  if (std::unique_ptr<Row> &known = memo[value])
    return *known;
  auto made = std::make_unique<Row>();
  made->shape = rowShape(value);
  if (made->shape && value != rows)
    places += elementsPerRow(*made->shape);
  if (places > mostPlaces)
    made->shape.reset();
  if (Operation *op = value.getDefiningOp(); op && made->shape) {
    made->isElementwise = familyOf(op) == Family::Elementwise;
    made->answers.resize(size_t(elementsPerRow(*made->shape)), Index(-1));
    if (auto gather = dyn_cast<GatherOp>(op))
      made->columns = columnsOf(gather);
  }
  return *(memo[value] = std::move(made));
}

RowFormulas::Index RowFormulas::element(Value value, int64_t place) {
  if (value == rows) {
    if (elements.size() <= size_t(place))
      elements.resize(size_t(place) + 1);
    Index &formula = elements[size_t(place)];
    if (!formula)
      formula = intern({Formula::Element, place, 0, largestElement});
    return formula;
  }
  Row &known = row(value);
  if (size_t(place) >= known.answers.size())
    return std::nullopt;
  Index &answer = known.answers[size_t(place)];
  if (answer && *answer < 0)
    answer = known.isElementwise ? computed(value.getDefiningOp(), place)
                                 : moved(value.getDefiningOp(), place);
  return answer;
}

std::optional<std::vector<int64_t>> RowFormulas::elementsOf(Value value) {
  const auto &shape = row(value).shape;
  if (!shape)
    return std::nullopt;
  std::vector<int64_t> result;
  for (int64_t place = 0; place < elementsPerRow(*shape); ++place) {
    Index formula = element(value, place);
    if (!formula)
      return std::nullopt;
    result.push_back(*formula);
  }
  return result;
}

} // namespace zenith::search
