// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a program whose results are the activations, and sums up what it gives.

#include "passes/quantize/Calibrate.h"

#include "ir/GraphOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseMap.h"
#include <cmath>
#include <map>
#include <tuple>

using namespace mlir;

namespace zenith::quantize {

//===----------------------------------------------------------------------===//
// Histogram
//===----------------------------------------------------------------------===//

void Histogram::add(float value) {
  double magnitude = std::abs(double(value));
  if (counts.empty()) {
    counts.assign(bins, 0);
    limit = magnitude > 0 ? magnitude : 1;
  }
  while (magnitude > limit) {
    std::vector<double> wider(bins, 0);
    for (int64_t i = 0; i < bins; ++i)
      wider[bins / 4 + i / 2] += counts[i];
    counts = std::move(wider);
    limit *= 2;
  }
  auto bin = int64_t((double(value) + limit) / binWidth());
  ++counts[std::min(bin, bins - 1)];
  ++total;
}

void Histogram::forEachBin(llvm::function_ref<void(double, double)> fn) const {
  for (auto [bin, count] : llvm::enumerate(counts))
    if (count > 0)
      fn((double(bin) + 0.5) * binWidth() - limit, count);
}

//===----------------------------------------------------------------------===//
// Measurement
//===----------------------------------------------------------------------===//

/// A copy of the module whose function gives these values instead of its own.
static OwningOpRef<ModuleOp> programFor(func::FuncOp function,
                                        ArrayRef<Value> values) {
  IRMapping mapping;
  auto module = function->getParentOfType<ModuleOp>();
  OwningOpRef<ModuleOp> copy(cast<ModuleOp>(module->clone(mapping)));
  auto probe = copy->lookupSymbol<func::FuncOp>(function.getSymName());
  Operation *end = probe.getBody().front().getTerminator();
  SmallVector<Value> results = llvm::map_to_vector(
      values, [&](Value value) { return mapping.lookup(value); });
  end->setOperands(results);
  while (probe.getNumResults() > 0)
    probe.eraseResult(probe.getNumResults() - 1);
  for (Value value : results)
    probe.insertResult(probe.getNumResults(), value.getType(), {});
  return copy;
}

/// Sums of products of channels take inputs^2 numbers, and as many steps for
/// each row of the samples; so many rows say how channels go together.
static constexpr int64_t mostPairedInputs = 1024, mostPairedRows = 8192;

static void addProducts(ArrayRef<float> row, std::vector<double> &products) {
  size_t size = row.size();
  for (size_t i = 0; i < size; ++i) {
    double factor = row[i];
    if (factor == 0)
      continue;
    for (size_t j = 0; j < size; ++j)
      products[i * size + j] += factor * double(row[j]);
  }
}

static void addValues(const Tensor &value, const WeightedProduct &product,
                      const Measured &measured,
                      ActivationStatistics &statistics) {
  ArrayRef<float> elements(reinterpret_cast<const float *>(value.bytes()),
                           size_t(value.size()));
  size_t inner = 1, channels = size_t(product.inputs);
  for (int64_t size : value.shape().drop_front(product.inputDim + 1))
    inner *= size_t(size);
  bool takesPairs =
      !statistics.products.empty() && statistics.rows < mostPairedRows;
  statistics.rows += channels ? double(elements.size()) / channels : 0;
  float *low = statistics.low.data(), *high = statistics.high.data();
  double *squares = statistics.squares.data();
  auto add = [&](size_t channel, float element) {
    low[channel] = std::min(low[channel], element);
    high[channel] = std::max(high[channel], element);
    squares[channel] += double(element) * element;
  };
  for (const float *row = elements.begin(); row != elements.end();
       row += channels * inner)
    if (inner == 1)
      for (size_t channel = 0; channel < channels; ++channel)
        add(channel, row[channel]);
    else
      for (size_t i = 0; i < channels * inner; ++i)
        add(i / inner, row[i]);
  if (measured.histograms)
    for (float element : elements)
      statistics.histogram.add(element);
  if (takesPairs)
    for (size_t row = 0; row < elements.size(); row += channels)
      addProducts(elements.slice(row, channels), statistics.products);
}

llvm::Expected<std::vector<ActivationStatistics>>
measureActivations(func::FuncOp function, ArrayRef<WeightedProduct> products,
                   const RunSamples &runSamples, const Measured &measured) {
  // Several products may read one value, and mostly in the same way: its
  // statistics are those of the first of them.
  SmallVector<Value> values;
  DenseMap<Value, size_t> placeOf;
  std::map<std::tuple<const void *, int64_t, bool>, size_t> readers;
  SmallVector<size_t> firsts, places;
  for (auto [index, product] : llvm::enumerate(products)) {
    Value value = product.activation();
    auto [place, isNew] = placeOf.try_emplace(value, values.size());
    if (isNew)
      values.push_back(value);
    places.push_back(place->second);
    auto reader = std::make_tuple(value.getAsOpaquePointer(), product.inputDim,
                                  product.isMatmul());
    firsts.push_back(readers.try_emplace(reader, index).first->second);
  }
  std::vector<ActivationStatistics> all(products.size());
  for (auto [product, statistics] : llvm::zip(products, all)) {
    statistics.low.assign(product.inputs, INFINITY);
    statistics.high.assign(product.inputs, -INFINITY);
    statistics.squares.assign(product.inputs, 0);
    if (measured.products && product.isMatmul() &&
        product.inputs <= mostPairedInputs)
      statistics.products.assign(product.inputs * product.inputs, 0);
  }
  if (products.empty())
    return all;
  if (llvm::Error error =
          runSamples(programFor(function, values),
                     [&](ArrayRef<Tensor> results) -> llvm::Error {
                       for (auto [index, product] : llvm::enumerate(products))
                         if (firsts[index] == index)
                           addValues(results[places[index]], product, measured,
                                     all[index]);
                       return llvm::Error::success();
                     }))
    return std::move(error);
  for (auto [statistics, first] : llvm::zip(all, firsts))
    if (&statistics != &all[first])
      statistics = all[first];
  return all;
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

/// Sum of squared errors of codes with 255 steps over the range.
static double errorOf(const Histogram &histogram, ActivationRange range) {
  double step = (range.high - range.low) / 255, sum = 0;
  histogram.forEachBin([&](double value, double count) {
    double kept = std::min(std::max(value, range.low), range.high);
    double error = value - std::nearbyint(kept / step) * step;
    // Values inside of a bin differ by more than codes where steps are small.
    sum += count * error * error;
  });
  return sum;
}

static ActivationRange leastSquares(const Histogram &histogram,
                                    ActivationRange whole) {
  ActivationRange best = whole;
  double least = errorOf(histogram, whole);
  for (int step = 1; step < 80; ++step) {
    double share = 1 - step / 100.0;
    ActivationRange tried{whole.low * share, whole.high * share};
    double error = errorOf(histogram, tried);
    if (error < least) {
      least = error;
      best = tried;
    }
  }
  return best;
}

static ActivationRange percentileRange(const Histogram &histogram,
                                       ActivationRange whole, double percent) {
  double outside = histogram.count() * (100 - percent) / 200, below = 0;
  ActivationRange range{0, 0};
  bool hasLow = false;
  histogram.forEachBin([&](double value, double count) {
    double until = below + count;
    if (!hasLow && until > outside) {
      range.low = value;
      hasLow = true;
    }
    if (below < histogram.count() - outside)
      range.high = value;
    below = until;
  });
  return {std::max(whole.low, std::min(range.low, 0.0)),
          std::min(whole.high, std::max(range.high, 0.0))};
}

/// Divergence of the distribution of magnitudes up to `kept` bins from what so
/// many codes make of it. What lies beyond is in the last bin.
static double divergence(ArrayRef<double> magnitudes, size_t kept,
                         size_t codes) {
  std::vector<double> reference(magnitudes.begin(), magnitudes.begin() + kept);
  for (double count : magnitudes.drop_front(kept))
    reference.back() += count;
  double total = 0, coded = 0;
  std::vector<double> quantized(kept, 0);
  for (size_t code = 0; code < codes; ++code) {
    size_t begin = code * kept / codes, end = (code + 1) * kept / codes;
    double sum = 0, filled = 0;
    for (size_t i = begin; i < end; ++i) {
      sum += magnitudes[i];
      filled += magnitudes[i] > 0;
    }
    for (size_t i = begin; i < end; ++i)
      if (magnitudes[i] > 0)
        quantized[i] = sum / filled;
  }
  for (size_t i = 0; i < kept; ++i) {
    total += reference[i];
    coded += quantized[i];
  }
  double sum = 0;
  for (size_t i = 0; i < kept; ++i)
    if (reference[i] > 0)
      sum += reference[i] / total *
             std::log((reference[i] / total) /
                      std::max(quantized[i] / std::max(coded, 1.0), 1e-12));
  return sum;
}

static ActivationRange leastDivergence(const Histogram &histogram,
                                       ActivationRange whole) {
  std::vector<double> magnitudes(Histogram::bins / 2, 0);
  histogram.forEachBin([&](double value, double count) {
    magnitudes[size_t(std::abs(value) / histogram.binWidth())] += count;
  });
  // Zeros, which relu makes many of, have a code in any range.
  magnitudes[0] = magnitudes[1];
  size_t codes = whole.low < 0 ? 128 : 256;
  size_t best = magnitudes.size();
  double least = INFINITY;
  for (size_t kept = codes; kept <= magnitudes.size(); kept += 16)
    if (double found = divergence(magnitudes, kept, codes); found < least) {
      least = found;
      best = kept;
    }
  double limit = double(best) * histogram.binWidth();
  return {std::max(whole.low, -limit), std::min(whole.high, limit)};
}

ActivationRange rangeOfActivation(const ActivationStatistics &statistics,
                                  const QuantizationScheme &scheme) {
  ActivationRange whole;
  for (float low : statistics.low)
    whole.low = std::min(whole.low, double(low));
  for (float high : statistics.high)
    whole.high = std::max(whole.high, double(high));
  if (whole.low == whole.high)
    return whole;
  using Range = QuantizationScheme::Range;
  switch (scheme.range) {
  case Range::Percentile:
    return percentileRange(statistics.histogram, whole, scheme.percentile);
  case Range::Entropy:
    return leastDivergence(statistics.histogram, whole);
  case Range::MeanSquare:
    return leastSquares(statistics.histogram, whole);
  case Range::MinMax:
    break;
  }
  return whole;
}

} // namespace zenith::quantize
