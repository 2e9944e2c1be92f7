// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows channels from where they are made to the products that read them, and
// chooses their scales.

#include "passes/quantize/EqualizeChannels.h"

#include "ir/GraphOps.h"
#include "ir/matchers/ParameterDependence.h"
#include "ir/matchers/SplatConstant.h"
#include "ir/matchers/TypeOf.h"
#include "llvm/ADT/SetVector.h"
#include <cmath>

using namespace mlir;
using namespace zenith::graph;

namespace zenith::quantize {

namespace {

/// Where channels of one value are scaled, and who reads them.
struct Place {
  Value made;
  int64_t dim = 0;
  WeightedProduct *source = nullptr; ///< null where a norm makes them
  SmallVector<OpOperand *> sums;     ///< gains and biases
  SetVector<size_t> readers;         ///< indices of products
};

/// Follows a value forward to products.
class ReaderSearch {
public:
  ReaderSearch(ArrayRef<WeightedProduct> products, Place &place)
      : products(products), place(place) {}

  /// False where something else than a product reads the channels, or they go
  /// through an op that scaling does not commute with.
  bool follow(Value value, int64_t dim);

private:
  bool followUse(OpOperand &use, int64_t dim);

  ArrayRef<WeightedProduct> products;
  Place &place;
  DenseSet<Value> followed;
};

} // namespace

/// A value that repeats a vector along dimension `dim` of its reader's shape,
/// and depends on parameters alone.
static bool isChannelVector(Value value, int64_t dim) {
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  return broadcast && broadcast->hasOneUse() &&
         isFixed(broadcast.getOperand()) &&
         broadcast.getMapping() == ArrayRef<int64_t>(dim) &&
         typeOf(broadcast.getOperand()).getDimSize(0) ==
             typeOf(value).getDimSize(dim);
}

static bool isZeroSplat(Value value) { return splatValue(value) == 0.0; }

/// True for one value times constants.
static bool areMultiples(Value x, Value y) {
  auto factor = [](Value value) {
    auto product = value.getDefiningOp<MulOp>();
    if (!product)
      return value;
    return splatValue(product.getRhs())   ? Value(product.getLhs())
           : splatValue(product.getLhs()) ? Value(product.getRhs())
                                          : value;
  };
  return factor(x) == factor(y);
}

/// The dimension that `dim` is in the result of a reshape that neither splits
/// nor joins it; -1 where it is.
static int64_t reshapedDim(ReshapeOp op, int64_t dim) {
  RankedTensorType from = typeOf(op.getOperand()), to = typeOf(op.getResult());
  auto sizesOf = [](ArrayRef<int64_t> shape) {
    SmallVector<int64_t> sizes;
    for (int64_t size : shape)
      if (size != 1)
        sizes.push_back(size);
    return sizes;
  };
  // Only dimensions of size 1 come and go.
  if (from.isDynamicDim(dim) || from.getDimSize(dim) == 1 ||
      sizesOf(from.getShape()) != sizesOf(to.getShape()) ||
      llvm::count(from.getShape(), ShapedType::kDynamic) > 1)
    return -1;
  int64_t before = llvm::count_if(from.getShape().take_front(dim),
                                  [](int64_t size) { return size != 1; });
  for (int64_t d = 0; d < to.getRank(); ++d)
    if (to.getDimSize(d) != 1 && before-- == 0)
      return d;
  return -1;
}

bool ReaderSearch::followUse(OpOperand &use, int64_t dim) {
  Operation *op = use.getOwner();
  for (auto [index, product] : llvm::enumerate(products))
    if (product.op == op) {
      if (use.getOperandNumber() != 0 || product.inputDim != dim)
        return false;
      place.readers.insert(index);
      return true;
    }
  if (isa<DimOp>(op))
    return true;
  unsigned other = 1 - use.getOperandNumber();
  if (isa<AddOp>(op)) {
    if (!isChannelVector(op->getOperand(other), dim))
      return false;
    place.sums.push_back(
        &op->getOperand(other).getDefiningOp()->getOpOperand(0));
    return follow(op->getResult(0), dim);
  }
  // relu and leaky relu, in forms that compare with zero or with a multiple
  if (isa<CompareOp>(op))
    return isZeroSplat(op->getOperand(other));
  if (isa<MaxOp, MinOp>(op) &&
      (isZeroSplat(op->getOperand(other)) ||
       areMultiples(op->getOperand(0), op->getOperand(1))))
    return follow(op->getResult(0), dim);
  if (auto select = dyn_cast<SelectOp>(op)) {
    Value otherwise = use.get() == select.getOnTrue() ? select.getOnFalse()
                                                      : select.getOnTrue();
    return use.getOperandNumber() > 0 &&
           (isZeroSplat(otherwise) || areMultiples(use.get(), otherwise)) &&
           follow(select, dim);
  }
  if (auto pool = dyn_cast<ReduceWindowOp>(op))
    return pool.getWindow()[dim] == 1 && pool.getKind() != ReduceKind::prod &&
           follow(pool, dim);
  if (isa<MulOp>(op) || (isa<DivOp>(op) && other == 1))
    return splatValue(op->getOperand(other)) && follow(op->getResult(0), dim);
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    auto *found = llvm::find(transpose.getPermutation(), dim);
    return follow(transpose, found - transpose.getPermutation().begin());
  }
  if (auto reshape = dyn_cast<ReshapeOp>(op)) {
    int64_t now = reshapedDim(reshape, dim);
    return now >= 0 && follow(reshape, now);
  }
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    bool isLinear = reduce.getKind() == ReduceKind::sum ||
                    reduce.getKind() == ReduceKind::max ||
                    reduce.getKind() == ReduceKind::min;
    if (!isLinear || llvm::is_contained(reduce.getDims(), dim))
      return false;
    int64_t gone =
        llvm::count_if(reduce.getDims(), [&](int64_t d) { return d < dim; });
    return follow(reduce, dim - gone);
  }
  return false;
}

bool ReaderSearch::follow(Value value, int64_t dim) {
  if (!followed.insert(value).second)
    return true;
  return llvm::all_of(value.getUses(),
                      [&](OpOperand &use) { return followUse(use, dim); });
}

/// The places in the program's order.
static std::vector<Place> findPlaces(func::FuncOp function,
                                     std::vector<WeightedProduct> &products) {
  std::vector<Place> places;
  auto consider = [&](Place place) {
    if (ReaderSearch(products, place).follow(place.made, place.dim) &&
        !place.readers.empty())
      places.push_back(std::move(place));
  };
  for (Operation &op : function.getBody().front()) {
    int64_t last = op.getNumResults() == 1 &&
                           isa<RankedTensorType>(op.getResult(0).getType())
                       ? typeOf(op.getResult(0)).getRank() - 1
                       : -1;
    Place place;
    if (auto norm = dyn_cast<LayerNormOp>(op)) {
      if (int64_t(norm.getAxis()) != last || !norm.getScale())
        continue;
      place.made = norm;
      place.dim = last;
      place.sums.push_back(&op.getOpOperand(1));
      if (norm.getBias())
        place.sums.push_back(&op.getOpOperand(2));
    } else if (auto norm = dyn_cast<RmsNormOp>(op)) {
      if (int64_t(norm.getAxis()) != last || !norm.getScale())
        continue;
      place.made = norm;
      place.dim = last;
      place.sums.push_back(&op.getOpOperand(1));
    } else {
      auto product = llvm::find_if(
          products, [&](WeightedProduct &p) { return p.op == &op; });
      if (product == products.end())
        continue;
      place.made = op.getResult(0);
      place.dim = product->dims.resultDim;
      place.source = &*product;
    }
    consider(std::move(place));
  }
  return places;
}

/// max|W_j| of the weights that read each channel.
static std::vector<float> rowRanges(std::vector<WeightedProduct> &products,
                                    const Place &place) {
  std::vector<float> ranges(products[place.readers.front()].inputs, 0);
  for (size_t reader : place.readers)
    products[reader].forEachWeight([&](float &weight, int64_t, int64_t input) {
      ranges[input] = std::max(ranges[input], std::abs(weight));
    });
  return ranges;
}

static std::vector<float> columnRanges(WeightedProduct &product) {
  std::vector<float> ranges(product.outputs, 0);
  product.forEachWeight([&](float &weight, int64_t output, int64_t) {
    ranges[output] = std::max(ranges[output], std::abs(weight));
  });
  return ranges;
}

/// What each channel is divided by; 1 where a channel is always zero.
static std::vector<float>
chooseScales(const Place &place, std::vector<WeightedProduct> &products,
             ArrayRef<ActivationStatistics> statistics) {
  std::vector<float> rows = rowRanges(products, place), scales(rows.size(), 1),
                     made;
  if (place.source) {
    made = columnRanges(*place.source);
  } else {
    const ActivationStatistics &known = statistics[place.readers.front()];
    for (size_t j = 0; j < rows.size(); ++j)
      made.push_back(known.largest(j));
  }
  double logarithms = 0;
  for (auto [j, scale] : llvm::enumerate(scales)) {
    if (made[j] > 0 && rows[j] > 0 && std::isfinite(made[j]))
      scale = std::sqrt(made[j] / rows[j]);
    logarithms += std::log(double(scale));
  }
  if (!place.source)
    for (float &scale : scales)
      scale /= float(std::exp(logarithms / double(scales.size())));
  return scales;
}

/// Divides the channels that a product or norm makes and multiplies the weights
/// that read them. `sums` are the values of the place's gains and biases.
static void scaleChannels(const Place &place, ArrayRef<float> scales,
                          std::vector<WeightedProduct> &products,
                          std::vector<ActivationStatistics> &statistics,
                          DenseMap<OpOperand *, Tensor> &sums) {
  if (place.source)
    place.source->forEachWeight([&](float &weight, int64_t output, int64_t) {
      weight /= scales[output];
    });
  for (OpOperand *operand : place.sums) {
    auto *elements = reinterpret_cast<float *>(sums[operand].writable());
    for (auto [j, scale] : llvm::enumerate(scales))
      elements[j] /= scale;
  }
  for (size_t reader : place.readers) {
    products[reader].forEachWeight([&](float &weight, int64_t, int64_t input) {
      weight *= scales[input];
    });
    if (statistics.empty())
      continue;
    ActivationStatistics &known = statistics[reader];
    for (auto [j, scale] : llvm::enumerate(scales)) {
      known.low[j] /= scale;
      known.high[j] /= scale;
      known.squares[j] /= double(scale) * scale;
    }
  }
}

llvm::Expected<int64_t>
equalizeChannels(func::FuncOp function, std::vector<WeightedProduct> &products,
                 std::vector<ActivationStatistics> &statistics,
                 ParameterValues &parameters) {
  std::vector<Place> places = findPlaces(function, products);
  // Without samples nothing is known of what a norm makes.
  if (statistics.empty())
    llvm::erase_if(places, [](const Place &place) { return !place.source; });
  SmallVector<OpOperand *> operands;
  SmallVector<Value> values;
  for (const Place &place : places)
    for (OpOperand *operand : place.sums) {
      operands.push_back(operand);
      values.push_back(operand->get());
    }
  llvm::Expected<std::vector<Tensor>> evaluated = parameters.evaluate(values);
  if (!evaluated)
    return evaluated.takeError();
  DenseMap<OpOperand *, Tensor> sums;
  for (auto [operand, value] : llvm::zip(operands, *evaluated))
    sums[operand] = value;
  // The scales of a layer change the ranges of the next one: they settle after
  // a few rounds. Samples say the ranges behind norms once and for all.
  constexpr int rounds = 12;
  for (int round = 0; round < rounds; ++round)
    for (const Place &place : places)
      if (place.source || round == 0)
        scaleChannels(place, chooseScales(place, products, statistics),
                      products, statistics, sums);
  for (OpOperand *operand : operands) {
    OpBuilder builder(operand->getOwner());
    operand->set(parameters.create(builder, operand->getOwner()->getLoc(),
                                   sums[operand], "equalized"));
  }
  return int64_t(places.size());
}

} // namespace zenith::quantize
