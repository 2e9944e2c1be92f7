// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which examples a step takes: data from files or made anew for each epoch, in
// an order that each epoch draws.

#ifndef ZENITH_FRONTENDS_TRAINING_RUN_TRAININGDATA_H
#define ZENITH_FRONTENDS_TRAINING_RUN_TRAININGDATA_H

#include "frontends/training/Dataset.h"
#include "frontends/training/StepDescription.h"
#include "frontends/training/TrainOptions.h"

#include <functional>

namespace zenith::training {

/// Examples that are made anew for each epoch, instead of files; their types
/// are made in `context`.
using MakeEpoch = std::function<llvm::Expected<Dataset>(
    int64_t epoch, mlir::MLIRContext *context)>;

class TrainingData {
public:
  TrainingData(const TrainOptions &options, MakeEpoch makeEpoch,
               mlir::MLIRContext *context)
      : options(options), makeEpoch(std::move(makeEpoch)), context(context) {}

  /// Reads data and validation, and counts batches. Errors: Usage for options,
  /// Invalid for arrays that do not fit each other.
  llvm::Error read();

  const Dataset &examples() const { return set; }
  /// Without rows where there is none.
  const Dataset &validation() const { return validationSet; }
  int64_t perEpoch() const { return batches; }
  int64_t epochOf(int64_t step) const { return step / batches; }
  /// The seed of the order; nothing: the data's own.
  std::optional<uint64_t> shuffleSeed() const { return shuffle; }

  /// The arrays that a step takes in its place of the training (0-based), in
  /// the order of its arguments.
  llvm::Expected<std::vector<Tensor>> batch(int64_t step,
                                            const BuiltStep &program);

private:
  llvm::Error readValidation();
  llvm::Error count();
  llvm::Error enterEpoch(int64_t next);

  const TrainOptions &options;
  MakeEpoch makeEpoch;
  mlir::MLIRContext *context;
  Dataset set, validationSet;
  int64_t batches = 1; ///< of an epoch
  std::optional<uint64_t> shuffle;
  int64_t epoch = -1;
  int64_t made = 0;           ///< the epoch whose examples `set` has
  std::vector<int64_t> order; ///< of the epoch's rows; empty: as they are
};

} // namespace zenith::training

#endif // ZENITH_FRONTENDS_TRAINING_RUN_TRAININGDATA_H
