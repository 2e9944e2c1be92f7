// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Losses by the text of --loss: what a prediction and its label make.

#ifndef ZENITH_FRONTENDS_TRAINING_LOSSES_H
#define ZENITH_FRONTENDS_TRAINING_LOSSES_H

#include "frontends/training/StepBuilder.h"
#include "ir/Error.h"
#include "ir/tensor/Tensor.h"

#include <functional>
#include <optional>

namespace zenith::training {

/// The mean over all elements, or over all positions of labels.
class Loss {
public:
  using Value = mlir::Value;
  using Build = std::function<Value(StepBuilder &, Value prediction, Value)>;

  /// Errors are of code Usage and say the nearest name.
  static Result<Loss> read(const std::string &text);

  /// The result that is the loss itself, with output(NAME); else empty.
  const std::string &output() const { return result; }
  /// Whether integer labels are classes along the prediction's last dimension.
  bool hasClasses() const { return isCrossEntropy; }
  std::optional<int64_t> ignored() const { return ignoreIndex; }

  /// An error of code Invalid, which names `key`, where labels of this type
  /// cannot be compared with predictions of that type.
  Status check(mlir::RankedTensorType prediction, mlir::RankedTensorType label,
               const std::string &key) const;
  /// A scalar of f32, of f64 where predictions are; both were checked.
  Value build(StepBuilder &b, Value prediction, Value label) const;
  /// An error of code Invalid where a class of `labels` is out of [0, classes),
  /// with class and position.
  Status checkClasses(const Tensor &labels, int64_t classes,
                      const std::string &key) const;

private:
  bool isCrossEntropy = false;
  std::optional<int64_t> ignoreIndex;
  std::string result;
  Build formula;
};

} // namespace zenith::training

#endif // ZENITH_FRONTENDS_TRAINING_LOSSES_H
