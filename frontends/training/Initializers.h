// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// First values of parameters by the text of --init, and other values that a
// seed decides: the numbers are those of jax.random.

#ifndef ZENITH_FRONTENDS_TRAINING_INITIALIZERS_H
#define ZENITH_FRONTENDS_TRAINING_INITIALIZERS_H

#include "ir/Error.h"
#include "ir/tensor/Tensor.h"
#include "llvm/Support/Error.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace zenith::training {

/// The dimensions of a weight that fans are counted along; negative ones count
/// from the end.
struct FanDims {
  int64_t in = -2, out = -1;
};

/// `GLOB=NAME(...)`, as jax.nn.initializers has it.
class Initializer {
public:
  /// Gives values of a static type by the key fold_in(key(seed), number).
  using Make = std::function<llvm::Expected<Tensor>(mlir::RankedTensorType type,
                                                    FanDims fans, uint64_t seed,
                                                    int64_t number)>;

  /// Errors are of code Usage and say the nearest name.
  static Result<Initializer> read(const std::string &text);

  std::string glob;
  Make make;
};

/// jax.random.permutation(fold_in(key(seed), epoch), count).
llvm::Expected<std::vector<int64_t>> permutation(mlir::MLIRContext *context,
                                                 uint64_t seed, int64_t epoch,
                                                 int64_t count);
/// fold_in(key(seed), number), two words.
llvm::Expected<Tensor> foldedKey(mlir::MLIRContext *context, uint64_t seed,
                                 int64_t number);

} // namespace zenith::training

#endif // ZENITH_FRONTENDS_TRAINING_INITIALIZERS_H
