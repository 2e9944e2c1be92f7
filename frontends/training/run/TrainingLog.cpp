// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a line at a time, so that a process that is killed leaves whole ones.

#include "frontends/training/run/TrainingLog.h"

#include "frontends/tensors/Checkpoints.h"
#include "ir/LLVMError.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <unistd.h>

namespace zenith::training {

double numberOf(const Tensor &scalar) {
  if (scalar.elementType().isF64())
    return *reinterpret_cast<const double *>(scalar.bytes());
  if (scalar.elementType().isInteger(32))
    return *reinterpret_cast<const int32_t *>(scalar.bytes());
  return *reinterpret_cast<const float *>(scalar.bytes());
}

std::string decimalOf(const Tensor &scalar) {
  double value = numberOf(scalar);
  // JSON has neither; readers of Python take these words.
  if (!std::isfinite(value))
    return std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
  return scalar.elementType().isF32() ? tensors::shortestDecimal(float(value))
                                      : tensors::shortestDecimal(value);
}

TrainingLog::~TrainingLog() {
  if (file)
    std::fclose(file);
}

static llvm::Error failure(const char *what, const std::string &path) {
  return makeError(ErrorCode::Run,
                   std::string(what) + ": " + std::strerror(errno), path);
}

llvm::Error TrainingLog::open(const std::string &to, int64_t bytes) {
  path = to;
  if (path.empty())
    return llvm::Error::success();
  file = std::fopen(path.c_str(), "ab");
  if (!file)
    return makeError(ErrorCode::Invalid,
                     std::string("cannot open: ") + std::strerror(errno), path);
  // A log that is shorter than the checkpoint says is not filled with zeros.
  std::fseek(file, 0, SEEK_END);
  written = std::min<int64_t>(bytes, std::ftell(file));
  if (::ftruncate(fileno(file), written) != 0)
    return failure("cannot cut the log", path);
  return llvm::Error::success();
}

llvm::Error TrainingLog::writeLine(const std::string &line) {
  if (!file)
    return llvm::Error::success();
  if (std::fwrite(line.data(), 1, line.size(), file) != line.size() ||
      std::fflush(file) != 0)
    return failure("cannot write the log", path);
  written += int64_t(line.size());
  return llvm::Error::success();
}

llvm::Error TrainingLog::writeStep(const StepFigures &figures) {
  if (!file)
    return llvm::Error::success();
  std::string line = llvm::formatv("{{\"step\":{0},\"epoch\":{1}", figures.step,
                                   figures.epoch);
  for (const auto &[name, value] : figures.values)
    line += ",\"" + name + "\":" + decimalOf(value);
  double rate =
      figures.ms > 0 ? double(figures.examples) * 1e3 / figures.ms : 0;
  line += llvm::formatv(",\"ms\":{0:F3},\"examples_per_s\":{1:F1}}\n",
                        figures.ms, rate)
              .str();
  return writeLine(line);
}

llvm::Error TrainingLog::writeValidation(int64_t step,
                                         const std::string &loss) {
  return writeLine("{\"step\":" + std::to_string(step) +
                   ",\"validation_loss\":" + loss + "}\n");
}

ProgressLine::~ProgressLine() {
  if (wasShown)
    llvm::errs() << "\n";
}

void ProgressLine::show(const StepFigures &figures) {
  using namespace std::chrono;
  if (!isShown)
    return;
  auto now = steady_clock::now();
  if (firstStep < 0) {
    firstStep = figures.step - 1;
    begin = now - duration_cast<steady_clock::duration>(
                      duration<double, std::milli>(figures.ms));
  }
  constexpr milliseconds between(200);
  if (wasShown && now - last < between && figures.step != steps)
    return;
  last = now;
  wasShown = true;
  double seconds = duration<double>(now - begin).count();
  double done = double(figures.step - firstStep);
  double rate = seconds > 0 ? done / seconds : 0;
  double left = rate > 0 ? double(steps - figures.step) / rate : 0;
  llvm::errs() << "\rstep " << figures.step << "/" << steps << ", epoch "
               << figures.epoch << ", loss "
               << decimalOf(figures.values.front().second)
               << llvm::format(", %.0f examples/s, %.0f s left   ",
                               rate * double(figures.examples), left);
}

} // namespace zenith::training
