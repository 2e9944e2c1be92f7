// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the model in inference form on parameters and running values.

#include "frontends/training/run/Validation.h"

#include "frontends/tensors/Checkpoints.h"
#include "frontends/training/run/TrainingLog.h"

#include <cmath>

namespace zenith::training {

llvm::Expected<Validation> Validation::create(TrainingSetup &setup,
                                              const TrainOptions &options,
                                              const Dataset &set) {
  Validation made;
  made.set = &set;
  made.rows = std::min(options.batchSize, set.rows);
  auto open = [&](int64_t rows,
                  std::unique_ptr<StepSession> &session) -> llvm::Error {
    auto program = setup.buildValidation(rows);
    if (!program)
      return program.takeError();
    auto opened =
        StepSession::create(std::move(*program), options, setup.frozen());
    if (!opened)
      return opened.takeError();
    session = std::move(*opened);
    return llvm::Error::success();
  };
  if (llvm::Error error = open(made.rows, made.whole))
    return std::move(error);
  if (int64_t left = set.rows % made.rows)
    if (llvm::Error error = open(left, made.rest))
      return std::move(error);
  return made;
}

llvm::Expected<Validation::Figure> Validation::run(const StateValues &state) {
  double sum = 0;
  const BuiltStep &program = whole->step();
  StateValues current;
  for (size_t i = 0; i < program.state.size(); ++i)
    current.add(state[i]);
  std::vector<Tensor> columns = set->columns(program.data, program.labels);
  Tensor last;
  for (int64_t first = 0; first < set->rows; first += rows) {
    int64_t count = std::min(rows, set->rows - first);
    std::vector<Tensor> batch;
    for (const Tensor &column : columns)
      batch.push_back(rowsOf(column, first, count));
    auto figures = (count == rows ? whole : rest)->run(current, batch);
    if (!figures)
      return figures.takeError();
    last = figures->front();
    sum += numberOf(last) * double(count);
  }
  Figure figure;
  figure.mean = sum / double(set->rows);
  if (!std::isfinite(figure.mean))
    figure.text = "NaN";
  else if (last.elementType().isF64())
    figure.text = tensors::shortestDecimal(figure.mean);
  else
    figure.text = tensors::shortestDecimal(float(figure.mean));
  return figure;
}

} // namespace zenith::training
