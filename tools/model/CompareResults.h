// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether two tensors are equal within a tolerance, and where they differ most.

#ifndef ZENITH_TOOLS_MODEL_COMPARERESULTS_H
#define ZENITH_TOOLS_MODEL_COMPARERESULTS_H

#include "ir/tensor/Tensor.h"
#include "tools/model/RunOptions.h"
#include <optional>

namespace zenith::tools {

/// The tolerance where the user gives none: integers and booleans must be
/// equal, floats agree to the precision of their type.
Tolerance defaultTolerance(mlir::Type element);

/// Nothing where the tensors are equal: same type and shape; each element equal
/// or within one of the given limits (|got - expected| <= atol + rtol *
/// |expected|, or at most so many units in the last place), NaN equal to NaN.
/// Else a sentence that names the worst element.
std::optional<std::string> compareTensors(const Tensor &got,
                                          const Tensor &expected,
                                          const Tolerance &tolerance);

/// What a comparison of several tensors covered, and where it was worst.
class ComparedTensors {
public:
  /// `name` is how messages call the tensor.
  void add(const std::string &name, const Tensor &got, const Tensor &expected);
  /// "2 results, 1234 elements: the largest difference is 1e-06, at [0, 3] of
  /// 'y'".
  std::string summary() const;

private:
  int64_t tensors = 0, elements = 0;
  double largest = 0;
  std::string place;
};

} // namespace zenith::tools

#endif // ZENITH_TOOLS_MODEL_COMPARERESULTS_H
