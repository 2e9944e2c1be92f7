// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What samples say of the activations that products read.

#ifndef ZENITH_PASSES_QUANTIZE_CALIBRATE_H
#define ZENITH_PASSES_QUANTIZE_CALIBRATE_H

#include "mlir/IR/OwningOpRef.h"
#include "passes/quantize/QuantizationScheme.h"
#include "passes/quantize/WeightedProducts.h"

namespace zenith::quantize {

/// Runs the entry of a program on each batch of the samples and hands the
/// results of each batch over. Passes do not run programs themselves.
using RunSamples = std::function<llvm::Error(
    mlir::OwningOpRef<mlir::ModuleOp> program,
    llvm::function_ref<llvm::Error(llvm::ArrayRef<Tensor>)> take)>;

/// Counts of values in bins of one size around zero. The outermost bins double
/// in distance when a value lies beyond them.
class Histogram {
public:
  void add(float value);
  bool isEmpty() const { return total == 0; }
  /// Calls fn(middle of a bin, count) for bins with values, in order.
  void forEachBin(llvm::function_ref<void(double, double)> fn) const;
  double binWidth() const { return 2 * limit / bins; }
  double count() const { return total; }

  static constexpr int64_t bins = 4096;

private:
  std::vector<double> counts;
  double limit = 0, total = 0;
};

/// The activation of one product, over all samples.
struct ActivationStatistics {
  std::vector<float> low, high; ///< of each input channel
  std::vector<double> squares;  ///< sums of squares of each input channel
  double rows = 0;              ///< terms of these sums
  Histogram histogram;          ///< of all elements, where asked for
  /// Sums of products of two channels, [inputs, inputs], where asked for.
  std::vector<double> products;

  float largest(int64_t channel) const {
    return std::max(high[channel], -low[channel]);
  }
};

struct Measured {
  bool histograms = false, products = false;
};

/// Statistics of the activation of each product of `function`, in order.
llvm::Expected<std::vector<ActivationStatistics>>
measureActivations(mlir::func::FuncOp function,
                   llvm::ArrayRef<WeightedProduct> products,
                   const RunSamples &runSamples, const Measured &measured);

/// The range that the codes of an activation cover, zero included.
struct ActivationRange {
  double low = 0, high = 0;
};
/// By the scheme's method. Precondition: a histogram, unless that is minmax.
ActivationRange rangeOfActivation(const ActivationStatistics &statistics,
                                  const QuantizationScheme &scheme);

} // namespace zenith::quantize

#endif // ZENITH_PASSES_QUANTIZE_CALIBRATE_H
