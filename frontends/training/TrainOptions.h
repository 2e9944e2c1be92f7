// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a training depends on: the rows of zenith-train in CompileOptions.def,
// and what the caller provides.

#ifndef ZENITH_FRONTENDS_TRAINING_TRAINOPTIONS_H
#define ZENITH_FRONTENDS_TRAINING_TRAINOPTIONS_H

#include "frontends/models/BindInputs.h"
#include "lowering/pipeline/CompileOptions.h"
#include "runtime/SpillSpace.h"

#include <atomic>
#include <map>

namespace zenith::models {
class Diagnostics;
}

namespace zenith::training {

using models::KeyedFile;

/// What a loss or gradient that is not finite does.
enum class NonFinite { Stop, Skip };
/// What is printed instead of training.
enum class TrainedForm { None, GraphIR };

struct TrainOptions {
#define ZENITH_TRAIN_OPTION(field, type, initial, ...) type field = initial;
#include "lowering/pipeline/CompileOptions.def"

  pipeline::CompileOptions compile;
  unsigned threads = 0; ///< 0: as many as there are cores
  std::optional<int64_t> maxMemory;
  runtime::SpillOptions offload; ///< where values wait that a step offloads
  std::map<std::string, int64_t> dims; ///< sizes of named dimensions
  std::string params;                  ///< .safetensors of first values
  bool verifyFiles = true;
  bool interprets = false;    ///< runs the reference interpreter
  bool reportsMemory = false; ///< prints the planned peak and stops
  std::string memoryTimeline; ///< file for the arena of a step; empty: none
  bool showsProgress = false; ///< a line on standard error, for terminals
  /// Set from outside: finishes the step, saves and ends.
  const std::atomic<bool> *stop = nullptr;
};

} // namespace zenith::training

namespace zenith::options {

template <> struct Words<training::NonFinite> {
  static constexpr Word<training::NonFinite> all[] = {
      {"stop", training::NonFinite::Stop}, {"skip", training::NonFinite::Skip}};
};

template <> struct Words<training::TrainedForm> {
  static constexpr Word<training::TrainedForm> all[] = {
      {"graphir", training::TrainedForm::GraphIR}};
};

} // namespace zenith::options

#endif // ZENITH_FRONTENDS_TRAINING_TRAINOPTIONS_H
