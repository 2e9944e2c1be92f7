// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a checkpoint says of a training beside its tensors, and whether another
// training may go on from it.

#ifndef ZENITH_FRONTENDS_TRAINING_RUN_TRAININGMANIFEST_H
#define ZENITH_FRONTENDS_TRAINING_RUN_TRAININGMANIFEST_H

#include "frontends/tensors/Checkpoints.h"
#include "frontends/training/StepSession.h"
#include "frontends/training/run/TrainingData.h"

namespace zenith::training {

/// Where a training is: all that its files need beside the state.
struct Position {
  int64_t step = 0; ///< steps that are done
  std::optional<double> bestValue;
  int64_t bestStep = 0;
  std::optional<double> leastValidation; ///< for --patience
  int64_t withoutProgress = 0;
};

using Metrics = std::vector<std::pair<std::string, double>>;

class TrainingManifest {
public:
  /// `digest` is of the model (modelDigest).
  TrainingManifest(const TrainOptions &options, const TrainingData &data,
                   std::string digest)
      : options(options), data(data), digest(std::move(digest)) {}

  /// A checkpoint of the state; `metrics` are the latest, `logBytes` what is in
  /// the log.
  tensors::Checkpoint describe(const Position &position, const Metrics &metrics,
                               int64_t logBytes, const BuiltStep &step,
                               const StateValues &state) const;
  /// Takes the values and, without --resume-params, the place in the training.
  /// Gives the bytes of the log that belong to it. Errors of code Usage say
  /// what is of another training, and what is missing.
  llvm::Expected<int64_t> resume(const tensors::Checkpoint &checkpoint,
                                 const BuiltStep &step, StateValues &state,
                                 Position &position) const;

private:
  llvm::json::Object describeTraining() const;
  llvm::Error checkSame(const tensors::Checkpoint &checkpoint) const;
  llvm::Error takeState(const tensors::Checkpoint &checkpoint,
                        const BuiltStep &step, StateValues &state) const;

  const TrainOptions &options;
  const TrainingData &data;
  std::string digest;
};

} // namespace zenith::training

#endif // ZENITH_FRONTENDS_TRAINING_RUN_TRAININGMANIFEST_H
