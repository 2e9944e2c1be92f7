// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The largest set of products that may be narrow under a bound of the error.

#ifndef ZENITH_PASSES_PRECISION_BOUNDDEMOTION_H
#define ZENITH_PASSES_PRECISION_BOUNDDEMOTION_H

#include "llvm/Support/Error.h"
#include <functional>
#include <vector>

namespace zenith::precision {

/// A set of products: element k is true where product k is narrow.
using NarrowSet = std::vector<bool>;

/// Runs the program on all samples with the products of a set narrow: the
/// elements of each f32 result.
using SetRun = std::function<llvm::Expected<std::vector<std::vector<float>>>(
    const NarrowSet &)>;

/// max |y - y32| / max |y32|, the largest over the results; infinity where one
/// of both is not finite.
double resultError(const std::vector<std::vector<float>> &results,
                   const std::vector<std::vector<float>> &inF32);

struct Demotion {
  NarrowSet narrow;
  double error = 0;              ///< of this set, measured
  std::vector<double> ownErrors; ///< of each product alone
  int64_t runs = 0;              ///< of the program
};

/// The set with most multiplications (`work`, of each product) whose error is
/// at most `bound`; empty where no product fits. Up to 16 products the sets are
/// tried from the largest on, those left out whose error, as errors of single
/// products add up, is far above the bound; of more products a set grows by
/// error per multiplication and is improved by swaps. Errors are not monotone,
/// so every set that counts was run. At most `mostRuns` runs.
llvm::Expected<Demotion> boundDemotion(const std::vector<double> &work,
                                       double bound, int64_t mostRuns,
                                       const SetRun &run);

} // namespace zenith::precision

#endif // ZENITH_PASSES_PRECISION_BOUNDDEMOTION_H
