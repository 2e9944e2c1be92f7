// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model as a function of its parameters that gives its loss.

#ifndef ZENITH_FRONTENDS_TRAINING_OBJECTIVE_H
#define ZENITH_FRONTENDS_TRAINING_OBJECTIVE_H

#include "frontends/training/StepDescription.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace zenith::training {

/// In order of declaration. `trainable` are arguments, by name; Usage where
/// there is no such argument of floats.
llvm::Expected<std::vector<Parameter>>
parametersOf(const TrainedModel &model, llvm::ArrayRef<std::string> trainable);

/// Whether the elements are those of a mask that is added to scores: each of
/// them zero or very negative. Masks are written as initializers of floats, and
/// nobody trains them.
bool isAdditiveMask(const Tensor &value);

/// Arguments: trained parameters, running values, data, labels, a key per
/// dropout. Results: the loss, then the running values after the batch.
struct Objective {
  mlir::func::FuncOp function;
  std::vector<std::string> data;
  std::vector<mlir::RankedTensorType> dataTypes;
  std::vector<int64_t> classes;
  /// Of each dropout, with StepOptions::drawsMasks: the type of its mask, which
  /// is an argument in the place of the key.
  std::vector<mlir::RankedTensorType> masks;
};

/// Makes it of the model's entry, in place. In inference form running values
/// are arguments, and no results.
llvm::Expected<Objective> makeObjective(TrainedModel &model,
                                        const StepOptions &options);

} // namespace zenith::training

#endif // ZENITH_FRONTENDS_TRAINING_OBJECTIVE_H
