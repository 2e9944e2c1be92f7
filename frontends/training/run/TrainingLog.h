// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The JSON lines and the progress line of a training.

#ifndef ZENITH_FRONTENDS_TRAINING_RUN_TRAININGLOG_H
#define ZENITH_FRONTENDS_TRAINING_RUN_TRAININGLOG_H

#include "ir/tensor/Tensor.h"
#include "llvm/Support/Error.h"

#include <chrono>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace zenith::training {

/// What one step says.
struct StepFigures {
  int64_t step = 0, epoch = 0; ///< the step from 1 on
  /// Scalars by name, in the order of BuiltStep::figures.
  std::vector<std::pair<std::string, Tensor>> values;
  double ms = 0;
  int64_t examples = 0;
};

/// The shortest decimal that reads back, of a scalar of f32, f64 or i32.
std::string decimalOf(const Tensor &scalar);
/// A scalar of f32, f64 or i32.
double numberOf(const Tensor &scalar);

class TrainingLog {
public:
  TrainingLog() = default;
  ~TrainingLog();
  TrainingLog(const TrainingLog &) = delete;

  /// Opens the file and cuts it to `bytes`, where a resumed training goes on;
  /// an empty path: writes nothing.
  llvm::Error open(const std::string &path, int64_t bytes);
  llvm::Error writeStep(const StepFigures &figures);
  llvm::Error writeValidation(int64_t step, const std::string &loss);
  /// Bytes that are in the file.
  int64_t bytes() const { return written; }

private:
  llvm::Error writeLine(const std::string &line);

  std::string path;
  std::FILE *file = nullptr;
  int64_t written = 0;
};

/// Step, epoch, loss, examples a second and what is left, on standard error;
/// at most a few times a second.
class ProgressLine {
public:
  ProgressLine(bool isShown, int64_t steps) : isShown(isShown), steps(steps) {}
  ~ProgressLine();
  void show(const StepFigures &figures);

private:
  bool isShown, wasShown = false;
  int64_t steps, firstStep = -1;
  std::chrono::steady_clock::time_point begin, last;
};

} // namespace zenith::training

#endif // ZENITH_FRONTENDS_TRAINING_RUN_TRAININGLOG_H
