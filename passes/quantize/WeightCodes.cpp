// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses scales and rounds weights.

#include "passes/quantize/WeightCodes.h"

#include "ir/tensor/Scalar.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;

namespace zenith::quantize {

//===----------------------------------------------------------------------===//
// A scale for each output
//===----------------------------------------------------------------------===//

/// max|w| of each output; of all in each entry, unless `perChannel`.
static std::vector<float> largestOf(WeightedProduct &product, bool perChannel) {
  std::vector<float> largest(product.outputs, 0);
  product.forEachWeight([&](float &weight, int64_t output, int64_t) {
    largest[output] = std::max(largest[output], std::abs(weight));
  });
  if (!perChannel && !largest.empty())
    std::fill(largest.begin(), largest.end(),
              *std::max_element(largest.begin(), largest.end()));
  return largest;
}

static Tensor tensorOf(ArrayRef<float> values, MLIRContext *context,
                       ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, Float32Type::get(context));
  return Tensor(type, ArrayRef(reinterpret_cast<const char *>(values.data()),
                               values.size() * sizeof(float)));
}

/// Scales that map the largest weight to `most`; an output of zeros has 1.
static std::vector<float> scalesFor(ArrayRef<float> largest, float most) {
  std::vector<float> scales;
  for (float value : largest)
    scales.push_back(value > 0 ? value / most : 1);
  return scales;
}

static Tensor scaleTensorOf(ArrayRef<float> scales, bool perChannel,
                            MLIRContext *context) {
  return perChannel ? tensorOf(scales, context, int64_t(scales.size()))
                    : tensorOf(scales.take_front(1), context, {});
}

ChannelCodes byteCodes(WeightedProduct &product,
                       const QuantizationScheme &scheme) {
  MLIRContext *context = product.op->getContext();
  float most = scheme.reduceRange ? 63 : 127;
  std::vector<float> scales =
      scalesFor(largestOf(product, scheme.perChannel), most);
  ChannelCodes made;
  made.codes =
      Tensor(product.weights.type().clone(IntegerType::get(context, 8)));
  auto *codes = reinterpret_cast<int8_t *>(made.codes.writable());
  product.forEachWeight([&](float &weight, int64_t output, int64_t) {
    float code = std::nearbyint(weight / scales[output]);
    *codes++ = int8_t(std::min(std::max(code, -most), most));
  });
  made.scales = scaleTensorOf(scales, scheme.perChannel, context);
  return made;
}

ChannelCodes floatCodes(WeightedProduct &product) {
  MLIRContext *context = product.op->getContext();
  constexpr float largestFloat8 = 448;
  std::vector<float> scales =
      scalesFor(largestOf(product, /*perChannel=*/true), largestFloat8);
  Type element = Float8E4M3FNType::get(context);
  ChannelCodes made;
  made.codes = Tensor(product.weights.type().clone(element));
  interpreter::ElementAccess access(element);
  char *codes = made.codes.writable();
  product.forEachWeight([&](float &weight, int64_t output, int64_t) {
    access.store(codes, interpreter::Scalar::ofFloat(weight / scales[output]),
                 /*saturate=*/true);
    codes += access.bytes();
  });
  made.scales = scaleTensorOf(scales, /*perChannel=*/true, context);
  return made;
}

//===----------------------------------------------------------------------===//
// A scale for each block
//===----------------------------------------------------------------------===//

namespace {

/// The scale and zero point of one block.
struct Grid {
  float scale = 1;
  int zero = 0;
  int most = 0; ///< the largest code

  uint8_t code(float weight) const {
    float level = std::nearbyint(weight / scale) + float(zero);
    return uint8_t(std::min(std::max(level, 0.0f), float(most)));
  }
  float value(uint8_t code) const { return float(int(code) - zero) * scale; }
};

} // namespace

static double errorOf(const Grid &grid, ArrayRef<float> weights,
                      ArrayRef<double> importance) {
  double sum = 0;
  for (auto [weight, factor] : llvm::zip(weights, importance)) {
    double error = double(weight) - grid.value(grid.code(weight));
    sum += factor * error * error;
  }
  return sum;
}

/// Weights of least and largest value at the ends of the codes, or somewhat
/// inside of them: the grid of least error.
static Grid chooseGrid(ArrayRef<float> weights, ArrayRef<double> importance,
                       const QuantizationScheme &scheme) {
  int most = (1 << scheme.blockBits()) - 1;
  float low = 0, high = 0;
  for (float weight : weights) {
    low = std::min(low, weight);
    high = std::max(high, weight);
  }
  Grid best{1, scheme.zeroPoints ? 0 : (most + 1) / 2, most};
  if (low == high)
    return best;
  double least = INFINITY;
  constexpr int steps = 25;
  for (int step = 0; step < steps; ++step) {
    float share = 1 - float(step) * 0.02f;
    Grid tried{1, best.zero, most};
    if (scheme.zeroPoints) {
      tried.scale = (high - low) * share / float(most);
      tried.zero = int(
          std::min(std::max(std::nearbyint(-low * share / tried.scale), 0.0f),
                   float(most)));
    } else {
      tried.scale = std::max(high, -low) * share / float(most / 2);
    }
    if (!(tried.scale > 0) || !std::isfinite(1 / tried.scale))
      continue;
    double error = errorOf(tried, weights, importance);
    if (error < least) {
      least = error;
      best = tried;
    }
  }
  return best;
}

/// The upper triangular U with U^T U = H^-1, for H = `products` plus a
/// hundredth of its mean diagonal; empty where that is not positive definite.
static std::vector<double> inverseFactor(std::vector<double> h, int64_t k) {
  double mean = 0;
  for (int64_t i = 0; i < k; ++i)
    mean += h[i * k + i] / double(k);
  for (int64_t i = 0; i < k; ++i)
    h[i * k + i] += 0.01 * mean;
  // H = L L^T, in place.
  for (int64_t i = 0; i < k; ++i)
    for (int64_t j = 0; j <= i; ++j) {
      double sum = h[i * k + j];
      for (int64_t m = 0; m < j; ++m)
        sum -= h[i * k + m] * h[j * k + m];
      if (i == j && !(sum > 0))
        return {};
      h[i * k + j] = i == j ? std::sqrt(sum) : sum / h[j * k + j];
    }
  // L^-1, then H^-1 = L^-T L^-1.
  std::vector<double> inverse(k * k, 0), whole(k * k, 0);
  for (int64_t j = 0; j < k; ++j) {
    inverse[j * k + j] = 1 / h[j * k + j];
    for (int64_t i = j + 1; i < k; ++i) {
      double sum = 0;
      for (int64_t m = j; m < i; ++m)
        sum -= h[i * k + m] * inverse[m * k + j];
      inverse[i * k + j] = sum / h[i * k + i];
    }
  }
  for (int64_t m = 0; m < k; ++m)
    for (int64_t i = 0; i <= m; ++i)
      for (int64_t j = 0; j <= m; ++j)
        whole[i * k + j] += inverse[m * k + i] * inverse[m * k + j];
  // H^-1 = U^T U
  std::vector<double> factor(k * k, 0);
  for (int64_t i = 0; i < k; ++i) {
    double diagonal = whole[i * k + i];
    for (int64_t m = 0; m < i; ++m)
      diagonal -= factor[m * k + i] * factor[m * k + i];
    if (!(diagonal > 0))
      return {};
    factor[i * k + i] = std::sqrt(diagonal);
    for (int64_t j = i + 1; j < k; ++j) {
      double sum = whole[i * k + j];
      for (int64_t m = 0; m < i; ++m)
        sum -= factor[m * k + i] * factor[m * k + j];
      factor[i * k + j] = sum / factor[i * k + i];
    }
  }
  return factor;
}

BlockCodes blockCodes(WeightedProduct &product,
                      const QuantizationScheme &scheme,
                      const ActivationStatistics *statistics) {
  BlockCodes made;
  made.n = product.outputs;
  made.k = product.inputs;
  made.block = scheme.block;
  made.bits = scheme.blockBits();
  std::vector<double> importance(made.k, 1), factor;
  if (statistics) {
    for (auto [j, squares] : llvm::enumerate(statistics->squares))
      importance[j] = squares / std::max(statistics->rows, 1.0) + 1e-12;
    if (!statistics->products.empty())
      factor = inverseFactor(statistics->products, made.k);
  }
  std::vector<float> columns = product.asColumns();
  made.codes.resize(columns.size());
  for (int64_t n = 0; n < made.n; ++n) {
    MutableArrayRef<float> weights(columns.data() + n * made.k, made.k);
    for (int64_t begin = 0; begin < made.k; begin += made.block) {
      int64_t size = std::min(made.block, made.k - begin);
      Grid grid = chooseGrid(weights.slice(begin, size),
                             ArrayRef(importance).slice(begin, size), scheme);
      made.scales.push_back(grid.scale);
      made.zeros.push_back(uint8_t(grid.zero));
      for (int64_t k = begin; k < begin + size; ++k) {
        uint8_t code = grid.code(weights[k]);
        made.codes[n * made.k + k] = code;
        if (factor.empty())
          continue;
        const double *row = &factor[k * made.k];
        double error = (double(weights[k]) - grid.value(code)) / row[k];
        for (int64_t j = k + 1; j < made.k; ++j)
          weights[j] -= float(error * row[j]);
      }
    }
  }
  return made;
}

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

/// Rows of codes of `bits`, each from a new byte on.
static std::vector<char> packedRows(ArrayRef<uint8_t> codes, int64_t columns,
                                    unsigned bits, int64_t bytesPerRow) {
  int64_t rows = columns ? int64_t(codes.size()) / columns : 0;
  std::vector<char> bytes(rows * bytesPerRow, 0);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t i = 0; i < columns; ++i)
      bytes[row * bytesPerRow + i * bits / 8] |=
          char(codes[row * columns + i] << (i * bits % 8));
  return bytes;
}

static Tensor bytesOf(ArrayRef<char> bytes, ArrayRef<int64_t> shape,
                      MLIRContext *context) {
  auto element = IntegerType::get(context, 8, IntegerType::Unsigned);
  return Tensor(RankedTensorType::get(shape, element), bytes);
}

Tensor BlockCodes::packedCodes(MLIRContext *context) const {
  int64_t perBlock = block * bits / 8;
  return bytesOf(packedRows(codes, k, bits, blocks() * perBlock),
                 {n, blocks(), perBlock}, context);
}

Tensor BlockCodes::packedZeros(MLIRContext *context) const {
  int64_t perRow = llvm::divideCeil(blocks() * bits, 8);
  return bytesOf(packedRows(zeros, blocks(), bits, perRow), {n, perRow},
                 context);
}

Tensor BlockCodes::scaleTensor(MLIRContext *context) const {
  return tensorOf(scales, context, {n, blocks()});
}

template <typename Element>
static Tensor transposedTensor(ArrayRef<Element> elements, int64_t n,
                               Type element) {
  int64_t columns = n ? int64_t(elements.size()) / n : 0;
  std::vector<Element> turned(elements.size());
  for (int64_t row = 0; row < n; ++row)
    for (int64_t i = 0; i < columns; ++i)
      turned[i * n + row] = elements[row * columns + i];
  return Tensor(RankedTensorType::get({columns, n}, element),
                ArrayRef(reinterpret_cast<const char *>(turned.data()),
                         turned.size() * sizeof(Element)));
}

Tensor BlockCodes::turned(ArrayRef<uint8_t> elements, int64_t n, Type element) {
  return transposedTensor(elements, n, element);
}

Tensor BlockCodes::turned(ArrayRef<float> elements, int64_t n, Type element) {
  return transposedTensor(elements, n, element);
}

} // namespace zenith::quantize
