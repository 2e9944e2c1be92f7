// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loop around the step.

#include "frontends/training/run/TrainingRun.h"

#include "frontends/models/Diagnostics.h"
#include "frontends/models/LoadModel.h"
#include "frontends/models/TimelineFile.h"
#include "frontends/tensors/Checkpoints.h"
#include "frontends/tensors/Safetensors.h"
#include "frontends/training/ExportStep.h"
#include "frontends/training/StepSession.h"
#include "frontends/training/TrainingSetup.h"
#include "frontends/training/run/NonFiniteReplay.h"
#include "frontends/training/run/TrainingChecks.h"
#include "frontends/training/run/TrainingLog.h"
#include "frontends/training/run/TrainingManifest.h"
#include "frontends/training/run/Validation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace mlir;

namespace zenith::training {

/// Steps in a row that are skipped before a warning.
static constexpr int64_t manySkipped = 10;

namespace {
class TrainingRun {
public:
  TrainingRun(const TrainOptions &options, models::Diagnostics &diagnostics,
              MakeEpoch makeEpoch)
      : options(options), diagnostics(diagnostics),
        context(models::makeContext()),
        setup(this->options, diagnostics, context.get()),
        data(this->options, std::move(makeEpoch), context.get()) {}

  llvm::Error execute();

private:
  llvm::Error chooseScale();
  llvm::Error openCheckpoints();
  llvm::Error startState();
  llvm::Error resume();
  llvm::Error train();
  llvm::Error step(ProgressLine &progress);
  const char *nonFinite(ArrayRef<Tensor> figures, bool wasSkipped) const;
  llvm::Expected<std::string> firstNonFiniteOp();
  llvm::Error countSkipped(bool wasSkipped);
  llvm::Error validate();
  llvm::Error checkpoint(bool isLast);
  llvm::Error writeResults();
  std::map<std::string, Tensor> parameterValues(bool withAverages) const;

  bool isStopped() const { return options.stop && options.stop->load(); }
  int64_t skippedSteps() const;

  TrainOptions options;
  models::Diagnostics &diagnostics;
  std::unique_ptr<MLIRContext> context;
  TrainingSetup setup;
  TrainingData data;
  int64_t steps = 0;
  std::unique_ptr<StepSession> session;
  std::optional<Validation> validation;
  StateValues state;
  Position position;
  TrainingLog log;
  std::optional<TrainingManifest> manifest;
  std::unique_ptr<tensors::Checkpoints> checkpoints;
  Metrics metrics; ///< latest ones
  NonFiniteReplay replay;
  int64_t skippedInARow = 0;
  bool earlyStop = false;
};
} // namespace

//===----------------------------------------------------------------------===//
// Before the first step
//===----------------------------------------------------------------------===//

/// --loss-scale=auto measures the gradients of the first batch.
llvm::Error TrainingRun::chooseScale() {
  if (!setup.measuresScale())
    return llvm::Error::success();
  auto built = setup.buildGradientProbe();
  if (!built)
    return built.takeError();
  auto first = setup.firstValues(*built);
  if (!first)
    return first.takeError();
  auto probe = StepSession::create(std::move(*built), options, setup.frozen());
  if (!probe)
    return probe.takeError();
  auto batch = data.batch(0, (*probe)->step());
  if (!batch)
    return batch.takeError();
  StateValues values;
  for (const Tensor &value : *first)
    values.add(value);
  auto figures = (*probe)->run(values, *batch);
  if (!figures)
    return figures.takeError();
  setup.setFirstScale(LossScaling::scaleFor(numberOf(figures->front())));
  return llvm::Error::success();
}

llvm::Error TrainingRun::startState() {
  auto built = setup.buildStep();
  if (!built)
    return built.takeError();
  if (llvm::Error error = setup.checkLabels(*built, data.examples()))
    return error;
  auto first = setup.firstValues(*built);
  if (!first)
    return first.takeError();
  for (const Tensor &value : *first)
    state.add(value);
  auto started =
      StepSession::create(std::move(*built), options, setup.frozen());
  if (!started)
    return started.takeError();
  session = std::move(*started);
  if (!data.validation().rows)
    return llvm::Error::success();
  if (llvm::Error error = setup.checkLabels(session->step(), data.validation()))
    return error;
  auto created = Validation::create(setup, options, data.validation());
  if (!created)
    return created.takeError();
  validation = std::move(*created);
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Checkpoints
//===----------------------------------------------------------------------===//

llvm::Error TrainingRun::openCheckpoints() {
  if (options.checkpointDir.empty() || options.reportsMemory)
    return llvm::Error::success();
  auto opened = tensors::Checkpoints::open(options.checkpointDir,
                                           {options.keep, options.keepBest});
  if (!opened)
    return opened.takeError();
  checkpoints = std::move(*opened);
  // Mixed with others, they would be taken for this training's.
  if (options.resume.empty() && tensors::hasCheckpoints(options.checkpointDir))
    return makeError(ErrorCode::Usage,
                     "the folder has checkpoints: --resume goes on from them",
                     options.checkpointDir);
  return llvm::Error::success();
}

llvm::Error TrainingRun::resume() {
  std::string folder =
      options.resume == "default" ? options.checkpointDir : options.resume;
  int64_t logBytes = 0;
  if (!folder.empty()) {
    auto newest = tensors::readNewestCheckpoint(
        folder, context.get(),
        [&](const std::string &text) { diagnostics.warning(text, folder); });
    if (!newest)
      return newest.takeError();
    if (*newest) {
      auto bytes = manifest->resume(**newest, session->step(), state, position);
      if (!bytes)
        return bytes.takeError();
      logBytes = *bytes;
    }
  }
  return log.open(options.log, logBytes);
}

llvm::Error TrainingRun::checkpoint(bool isLast) {
  if (!checkpoints)
    return llvm::Error::success();
  if (checkpoints->hasFailed())
    return checkpoints->finish();
  bool isDue =
      options.checkpointEvery && position.step % options.checkpointEvery == 0;
  if (!isDue && !isLast)
    return llvm::Error::success();
  for (const auto &[name, value] : metrics)
    if (name == options.keepBest &&
        (!position.bestValue || value < *position.bestValue)) {
      position.bestValue = value;
      position.bestStep = position.step;
    }
  return checkpoints->save(manifest->describe(position, metrics, log.bytes(),
                                              session->step(), state));
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// Steps so far that a scaled loss left out; 0 without a scale.
int64_t TrainingRun::skippedSteps() const {
  for (auto [i, entry] : llvm::enumerate(session->step().state))
    if (entry.entry.name == skippedStepsName)
      return int64_t(numberOf(state[i]));
  return 0;
}

/// What ends the run: "the loss" or "the gradient"; null where nothing does. Of
/// steps that were skipped the scale takes care.
const char *TrainingRun::nonFinite(ArrayRef<Tensor> figures,
                                   bool wasSkipped) const {
  if (wasSkipped || options.onNaN != NonFinite::Stop)
    return nullptr;
  for (auto [name, value] : llvm::zip(session->step().figures, figures)) {
    bool isLoss = name == "loss";
    if ((isLoss || name == "grad_norm") && !std::isfinite(numberOf(value)))
      return isLoss ? "the loss" : "the gradient";
  }
  return nullptr;
}

/// ": first the result of OP" of the step that has just run; empty where there
/// is none.
llvm::Expected<std::string> TrainingRun::firstNonFiniteOp() {
  auto op = replay.firstOp(*session, data, position.step);
  if (!op || op->empty())
    return op;
  return ": first the result of " + *op;
}

/// A scale that no longer helps is worth a word.
llvm::Error TrainingRun::countSkipped(bool wasSkipped) {
  skippedInARow = wasSkipped ? skippedInARow + 1 : 0;
  if (!wasSkipped || skippedInARow % manySkipped)
    return llvm::Error::success();
  auto op = firstNonFiniteOp();
  if (!op)
    return op.takeError();
  diagnostics.warning(std::to_string(skippedInARow) +
                          " steps in a row were skipped up to step " +
                          std::to_string(position.step + 1) +
                          ", whose gradients are not finite" + *op,
                      options.model);
  return llvm::Error::success();
}

llvm::Error TrainingRun::step(ProgressLine &progress) {
  auto begin = std::chrono::steady_clock::now();
  auto batch = data.batch(position.step, session->step());
  if (!batch)
    return batch.takeError();
  // What is told of many skipped steps is found from here.
  if (skippedInARow % manySkipped == manySkipped - 1)
    replay.keep(state, position.step);
  int64_t skippedBefore = skippedSteps();
  auto figures = session->run(state, *batch);
  if (!figures)
    return figures.takeError();
  bool wasSkipped = skippedSteps() != skippedBefore;
  if (const char *what = nonFinite(*figures, wasSkipped)) {
    auto op = firstNonFiniteOp();
    if (!op)
      return op.takeError();
    return makeError(ErrorCode::Run, what + std::string(" of step ") +
                                         std::to_string(position.step + 1) +
                                         " is not finite" + *op);
  }
  if (llvm::Error error = countSkipped(wasSkipped))
    return error;
  StepFigures line;
  metrics.clear();
  for (auto [name, value] : llvm::zip(session->step().figures, *figures)) {
    line.values.emplace_back(name, value);
    metrics.emplace_back(name, numberOf(value));
  }
  line.epoch = data.epochOf(position.step);
  line.step = ++position.step;
  line.examples = options.batchSize;
  std::chrono::duration<double, std::milli> ms =
      std::chrono::steady_clock::now() - begin;
  line.ms = ms.count();
  progress.show(line);
  return log.writeStep(line);
}

llvm::Error TrainingRun::validate() {
  auto figure = validation->run(state);
  if (!figure)
    return figure.takeError();
  metrics.emplace_back("validation_loss", figure->mean);
  if (llvm::Error error = log.writeValidation(position.step, figure->text))
    return error;
  if (!position.leastValidation || figure->mean < *position.leastValidation) {
    position.leastValidation = figure->mean;
    position.withoutProgress = 0;
  } else {
    ++position.withoutProgress;
  }
  earlyStop = options.patience && position.withoutProgress >= options.patience;
  return llvm::Error::success();
}

llvm::Error TrainingRun::train() {
  ProgressLine progress(options.showsProgress, steps);
  replay.keep(state, position.step);
  int64_t validateEvery =
      options.validateEvery ? options.validateEvery : data.perEpoch();
  earlyStop = options.patience && position.withoutProgress >= options.patience;
  bool isSaved = true;
  while (position.step < steps && !isStopped() && !earlyStop) {
    if (llvm::Error error = step(progress))
      return error;
    isSaved = false;
    if (validation && position.step % validateEvery == 0)
      if (llvm::Error error = validate())
        return error;
    bool isDue =
        options.checkpointEvery && position.step % options.checkpointEvery == 0;
    if (llvm::Error error = checkpoint(/*isLast=*/false))
      return error;
    if (checkpoints && isDue) {
      isSaved = true;
      replay.keep(state, position.step);
    }
  }
  if (!isSaved)
    if (llvm::Error error = checkpoint(/*isLast=*/true))
      return error;
  if (checkpoints)
    if (llvm::Error error = checkpoints->finish())
      return error;
  if (isStopped() && position.step < steps)
    return makeError(ErrorCode::Run,
                     "stopped by a signal after step " +
                         std::to_string(position.step) +
                         (checkpoints ? ", which is saved" : ""));
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

std::map<std::string, Tensor>
TrainingRun::parameterValues(bool withAverages) const {
  std::map<std::string, Tensor> values = setup.frozen();
  for (auto [i, entry] : llvm::enumerate(session->step().state)) {
    bool isWanted = entry.kind == StateKind::Parameter ||
                    entry.kind == StateKind::Running ||
                    (withAverages && entry.kind == StateKind::Average);
    if (isWanted)
      values[entry.entry.name] = state[i];
  }
  return values;
}

llvm::Error TrainingRun::writeResults() {
  if (!options.saveParams.empty())
    if (llvm::Error error = tensors::writeSafetensors(
            options.saveParams, parameterValues(/*withAverages=*/true)))
      return error;
  if (options.output.empty())
    return llvm::Error::success();
  return writeTrained(options.model, options.output,
                      parameterValues(/*withAverages=*/false));
}

llvm::Error TrainingRun::execute() {
  if (llvm::Error error = checkTraining(options))
    return error;
  // Mistakes in texts come before those in files.
  auto texts = TrainingTexts::read(options, context.get());
  if (!texts)
    return texts.takeError();
  auto digest = modelDigest(options.model);
  if (!digest)
    return digest.takeError();
  if (llvm::Error error = data.read())
    return error;
  manifest.emplace(options, data, std::move(*digest));
  steps = options.steps >= 0
              ? options.steps
              : std::max<int64_t>(options.epochs, 0) * data.perEpoch();
  if (llvm::Error error = setup.prepare(data.examples()))
    return error;
  if (options.printed == TrainedForm::GraphIR) {
    auto step = setup.buildStep();
    if (!step)
      return step.takeError();
    llvm::outs() << *step->module << "\n";
    return llvm::Error::success();
  }
  if (llvm::Error error = chooseScale())
    return error;
  if (!options.exportStep.empty())
    return exportStep(setup, options, diagnostics);
  for (auto part : {&TrainingRun::openCheckpoints, &TrainingRun::startState})
    if (llvm::Error error = (this->*part)())
      return error;
  if (!options.memoryTimeline.empty())
    if (llvm::Error error = models::writeTimeline(options.memoryTimeline,
                                                  session->memoryTimeline()))
      return error;
  if (options.reportsMemory) {
    llvm::outs() << session->memoryReport() << "\n";
    return llvm::Error::success();
  }
  for (auto part :
       {&TrainingRun::resume, &TrainingRun::train, &TrainingRun::writeResults})
    if (llvm::Error error = (this->*part)())
      return error;
  return llvm::Error::success();
}

llvm::Error runTraining(const TrainOptions &options,
                        models::Diagnostics &diagnostics, MakeEpoch makeEpoch) {
  return TrainingRun(options, diagnostics, std::move(makeEpoch)).execute();
}

} // namespace zenith::training
