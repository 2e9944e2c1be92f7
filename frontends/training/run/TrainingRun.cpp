// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loop around the step.

#include "frontends/training/TrainingRun.h"

#include "frontends/files/ElementNames.h"
#include "frontends/models/Diagnostics.h"
#include "frontends/models/LoadModel.h"
#include "frontends/tensors/Checkpoints.h"
#include "frontends/tensors/Safetensors.h"
#include "frontends/training/ExportStep.h"
#include "frontends/training/StepSession.h"
#include "frontends/training/TrainingLog.h"
#include "frontends/training/TrainingSetup.h"
#include "lowering/pipeline/ModuleKey.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace mlir;

namespace zenith::training {

namespace {
/// Where a training is: all that its files need beside the state.
struct Position {
  int64_t step = 0; ///< steps that are done
  std::optional<double> bestValue;
  int64_t bestStep = 0;
  std::optional<double> leastValidation; ///< for --patience
  int64_t withoutProgress = 0;
};

class TrainingRun {
public:
  TrainingRun(const TrainOptions &options, models::Diagnostics &diagnostics,
              MakeEpoch makeEpoch)
      : options(options), diagnostics(diagnostics),
        makeEpoch(std::move(makeEpoch)), context(models::makeContext()),
        setup(this->options, diagnostics, context.get()) {}

  llvm::Error execute();

private:
  llvm::Error checkOptions() const;
  llvm::Error readData();
  llvm::Error readValidation();
  llvm::Error countSteps();
  llvm::Error startState();
  llvm::Error resume();
  llvm::Error checkManifest(const tensors::Checkpoint &checkpoint) const;
  llvm::Error takeState(const tensors::Checkpoint &checkpoint);
  llvm::Error train();
  llvm::Error enterEpoch(int64_t epoch);
  std::vector<Tensor> batchAt(int64_t index);
  llvm::Error step(ProgressLine &progress);
  llvm::Error explainNonFinite(const std::string &what);
  llvm::Error validate();
  llvm::Error checkpoint(bool isLast);
  tensors::Checkpoint describe() const;
  llvm::Error writeResults();
  std::map<std::string, Tensor> parameterValues(bool withAverages) const;

  int64_t epochOf(int64_t done) const { return done / perEpoch; }
  bool isStopped() const { return options.stop && options.stop->load(); }

  TrainOptions options;
  models::Diagnostics &diagnostics;
  MakeEpoch makeEpoch;
  std::unique_ptr<MLIRContext> context;
  TrainingSetup setup;
  Dataset set, validationSet;
  std::string digest; ///< of the model
  int64_t steps = 0, perEpoch = 1;
  std::optional<uint64_t> shuffle; ///< seed; none: the data's order
  std::unique_ptr<StepSession> session;
  /// For whole batches, and for the rest of the validation's rows.
  std::unique_ptr<StepSession> validation, validationRest;
  std::vector<Tensor> columns;
  StateValues state;
  Position position;
  int64_t epoch = -1;
  std::vector<int64_t> order; ///< of the epoch's rows; empty: as they are
  TrainingLog log;
  std::unique_ptr<tensors::Checkpoints> checkpoints;
  std::vector<std::pair<std::string, double>> metrics; ///< latest ones
  /// State that a run that fails is repeated from, to find the op.
  std::vector<Tensor> replayState;
  int64_t replayStep = 0;
  bool earlyStop = false;
};
} // namespace

//===----------------------------------------------------------------------===//
// Before the first step
//===----------------------------------------------------------------------===//

llvm::Error TrainingRun::checkOptions() const {
  auto usage = [](const llvm::Twine &text) {
    return makeError(ErrorCode::Usage, text);
  };
  if (options.model.empty())
    return usage("a model is needed: zenith-train MODEL [options]");
  if (options.loss.empty())
    return usage("--loss is needed, such as --loss=mse");
  if (options.optimizer.empty())
    return usage("--optimizer is needed, such as --optimizer='adam(1e-3)'");
  if (options.batchSize < 1)
    return usage("--batch-size is needed");
  bool stepsAlone = !options.exportStep.empty() || options.reportsMemory ||
                    options.printed != TrainedForm::None;
  if ((options.steps < 0) == (options.epochs < 0) &&
      !(stepsAlone && options.steps < 0))
    return usage("one of --steps and --epochs is needed");
  if (options.ema && !(*options.ema >= 0 && *options.ema <= 1))
    return usage("--ema is a decay in [0, 1]");
  if (options.validationSplit &&
      !(*options.validationSplit > 0 && *options.validationSplit < 1))
    return usage("--validation-split is a fraction between 0 and 1");
  if (options.validationSplit && !options.validation.empty())
    return usage("--validation and --validation-split exclude each other");
  bool validates = options.validationSplit || !options.validation.empty();
  if (!validates && (options.validateEvery || options.patience))
    return usage("--validate-every and --patience need --validation or "
                 "--validation-split");
  if (!options.keepBest.empty() && options.keepBest != "loss" &&
      options.keepBest != "validation_loss")
    return usage("--keep-best is loss or validation_loss, got '" +
                 options.keepBest + "'");
  if (options.keepBest == "validation_loss" && !validates)
    return usage("--keep-best=validation_loss needs --validation or "
                 "--validation-split");
  if (options.checkpointDir.empty() &&
      (options.checkpointEvery || !options.keepBest.empty()))
    return usage("--checkpoint-every and --keep-best need --checkpoint-dir");
  if (options.resume == "default" && options.checkpointDir.empty())
    return usage("--resume needs --checkpoint-dir, or --resume=DIR");
  if (options.resumeParams && options.resume.empty())
    return usage("--resume-params needs --resume");
  if (!options.output.empty() &&
      models::formatOf(options.model) != models::ModelFormat::ONNX)
    return usage("-o needs a model that is ONNX; --save-params writes the "
                 "parameters of others");
  return llvm::Error::success();
}

llvm::Error TrainingRun::readData() {
  auto read = makeEpoch ? makeEpoch(0, context.get())
                        : Dataset::read(options.data, options.labels, "--data",
                                        "--labels", context.get());
  if (!read)
    return read.takeError();
  set = std::move(*read);
  if (set.data.empty())
    return makeError(ErrorCode::Usage, "--data KEY=FILE.npy is needed");
  return readValidation();
}

llvm::Error TrainingRun::readValidation() {
  if (options.validationSplit) {
    // A rounding error must not take a row: 0.1 * 30 is 3.
    auto count =
        int64_t(std::floor(double(set.rows) * *options.validationSplit + 1e-9));
    if (count < 1)
      return makeError(ErrorCode::Usage,
                       "--validation-split leaves no example to validate");
    validationSet = set.splitLast(count);
    return llvm::Error::success();
  }
  if (options.validation.empty())
    return llvm::Error::success();
  auto read =
      Dataset::read(options.validation, options.validationLabels,
                    "--validation", "--validation-labels", context.get());
  if (!read)
    return read.takeError();
  validationSet = std::move(*read);
  for (const auto *side : {&set.data, &set.labels}) {
    auto &other = side == &set.data ? validationSet.data : validationSet.labels;
    for (const auto &[key, array] : *side) {
      auto found = other.find(key);
      if (found == other.end())
        return makeError(ErrorCode::Usage,
                         "validation has no array for '" + key + "'");
      if (found->second.shape().drop_front() != array.shape().drop_front() ||
          found->second.elementType() != array.elementType())
        return makeError(ErrorCode::Invalid,
                         "validation of '" + key + "' is " +
                             files::typeText(found->second.type()) +
                             ", the data is " + files::typeText(array.type()));
    }
  }
  return llvm::Error::success();
}

llvm::Error TrainingRun::countSteps() {
  if (options.batchSize > set.rows)
    return makeError(ErrorCode::Usage,
                     "--batch-size=" + std::to_string(options.batchSize) +
                         " is more than the " + std::to_string(set.rows) +
                         " examples");
  perEpoch = set.rows / options.batchSize;
  steps = options.steps >= 0 ? options.steps
                             : std::max<int64_t>(options.epochs, 0) * perEpoch;
  if (options.validateEvery == 0)
    options.validateEvery = perEpoch;
  if (options.shuffle == "none")
    return llvm::Error::success();
  uint64_t seed = options.seed;
  if (!options.shuffle.empty() &&
      StringRef(options.shuffle).getAsInteger(10, seed))
    return makeError(ErrorCode::Usage, "--shuffle is a seed or none, got '" +
                                           options.shuffle + "'");
  shuffle = seed;
  return llvm::Error::success();
}

llvm::Error TrainingRun::startState() {
  auto built = setup.buildStep();
  if (!built)
    return built.takeError();
  if (llvm::Error error = setup.checkLabels(*built, set))
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
  columns = set.columns(session->step().data, session->step().labels);
  if (!validationSet.rows)
    return llvm::Error::success();
  if (llvm::Error error = setup.checkLabels(session->step(), validationSet))
    return error;
  int64_t whole = std::min(options.batchSize, validationSet.rows),
          rest = validationSet.rows % whole;
  for (int64_t rows : {whole, rest}) {
    if (!rows)
      continue;
    auto check = setup.buildValidation(rows);
    if (!check)
      return check.takeError();
    auto opened =
        StepSession::create(std::move(*check), options, setup.frozen());
    if (!opened)
      return opened.takeError();
    (rows == rest && validation ? validationRest : validation) =
        std::move(*opened);
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Checkpoints
//===----------------------------------------------------------------------===//

static std::string checkpointName(const StepState &state) {
  if (state.kind == StateKind::Parameter)
    return "params/" + state.entry.name;
  if (state.kind == StateKind::Running)
    return "state/" + state.entry.name;
  return state.entry.name;
}

static llvm::json::Object describeData(const Dataset &set) {
  llvm::json::Object data;
  for (const auto *side : {&set.data, &set.labels})
    for (const auto &[key, array] : *side) {
      llvm::json::Array shape;
      for (int64_t size : array.shape())
        shape.push_back(size);
      std::string name = side == &set.data ? key : "label/" + key;
      data[name] = llvm::json::Object{
          {"shape", std::move(shape)},
          {"dtype", files::elementName(array.elementType())}};
    }
  return data;
}

tensors::Checkpoint TrainingRun::describe() const {
  tensors::Checkpoint checkpoint;
  checkpoint.step = position.step;
  llvm::json::Object numbers;
  for (const auto &[name, value] : metrics)
    numbers[name] = value;
  checkpoint.manifest = llvm::json::Object{
      {"epoch", epochOf(position.step)},
      {"batch", position.step % perEpoch},
      {"batch_size", options.batchSize},
      {"seed", int64_t(options.seed)},
      {"shuffle", shuffle ? llvm::json::Value(int64_t(*shuffle))
                          : llvm::json::Value("none")},
      {"optimizer", options.optimizer},
      {"loss", options.loss},
      {"model", digest},
      {"data", describeData(set)},
      {"metrics", std::move(numbers)},
      {"log_bytes", log.bytes()},
      {"zenith", pipeline::compilerVersion()}};
  if (position.bestValue)
    checkpoint.manifest["best"] =
        llvm::json::Object{{"metric", options.keepBest},
                           {"value", *position.bestValue},
                           {"step", position.bestStep}};
  if (position.leastValidation)
    checkpoint.manifest["patience"] =
        llvm::json::Object{{"least", *position.leastValidation},
                           {"validations", position.withoutProgress}};
  std::vector<Tensor> values = state.snapshot();
  for (auto [entry, value] : llvm::zip(session->step().state, values))
    checkpoint.tensors[checkpointName(entry)] = value;
  return checkpoint;
}

/// What must be equal for the steps to go on as if they had never ended.
llvm::Error
TrainingRun::checkManifest(const tensors::Checkpoint &checkpoint) const {
  tensors::Checkpoint now = describe();
  for (const char *key :
       {"optimizer", "loss", "model", "data", "batch_size", "shuffle"}) {
    const llvm::json::Value *was = checkpoint.manifest.get(key),
                            *is = now.manifest.get(key);
    if (was && *was == *is)
      continue;
    std::string before = "nothing", after;
    if (was)
      llvm::raw_string_ostream(before = "") << *was;
    llvm::raw_string_ostream(after) << *is;
    return makeError(ErrorCode::Usage,
                     std::string("the checkpoint is of another ") + key + ": " +
                         before + ", not " + after +
                         "; --resume-params takes its parameters alone",
                     checkpoint.folder);
  }
  return llvm::Error::success();
}

llvm::Error TrainingRun::takeState(const tensors::Checkpoint &checkpoint) {
  for (auto [i, entry] : llvm::enumerate(session->step().state)) {
    bool isParameter =
        entry.kind == StateKind::Parameter || entry.kind == StateKind::Running;
    if (options.resumeParams && !isParameter)
      continue;
    std::string name = checkpointName(entry);
    auto found = checkpoint.tensors.find(name);
    if (found == checkpoint.tensors.end() ||
        found->second.type() != entry.entry.type)
      return makeError(ErrorCode::Usage,
                       "the checkpoint has " +
                           (found == checkpoint.tensors.end()
                                ? "no value of '" + name + "'"
                                : "'" + name + "' as " +
                                      files::typeText(found->second.type()) +
                                      ", not " +
                                      files::typeText(entry.entry.type)),
                       checkpoint.folder);
    state.set(i, found->second);
  }
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
      const tensors::Checkpoint &checkpoint = **newest;
      if (!options.resumeParams)
        if (llvm::Error error = checkManifest(checkpoint))
          return error;
      if (llvm::Error error = takeState(checkpoint))
        return error;
      if (!options.resumeParams) {
        const llvm::json::Object &manifest = checkpoint.manifest;
        position.step = checkpoint.step;
        logBytes = manifest.getInteger("log_bytes").value_or(0);
        if (const llvm::json::Object *best = manifest.getObject("best"))
          if (best->getString("metric") == StringRef(options.keepBest)) {
            position.bestValue = best->getNumber("value");
            position.bestStep = best->getInteger("step").value_or(0);
          }
        if (const llvm::json::Object *least = manifest.getObject("patience")) {
          position.leastValidation = least->getNumber("least");
          position.withoutProgress =
              least->getInteger("validations").value_or(0);
        }
      }
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
  return checkpoints->save(describe());
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

llvm::Error TrainingRun::enterEpoch(int64_t next) {
  epoch = next;
  if (makeEpoch && next > 0) {
    auto made = makeEpoch(next, context.get());
    if (!made)
      return made.takeError();
    if (made->rows < perEpoch * options.batchSize)
      return makeError(ErrorCode::Run,
                       "epoch " + std::to_string(next) + " has " +
                           std::to_string(made->rows) +
                           " examples, fewer than its steps take");
    set = std::move(*made);
    columns = set.columns(session->step().data, session->step().labels);
  }
  if (!shuffle)
    return llvm::Error::success();
  auto drawn = permutation(context.get(), *shuffle, epoch, set.rows);
  if (!drawn)
    return drawn.takeError();
  order = std::move(*drawn);
  return llvm::Error::success();
}

std::vector<Tensor> TrainingRun::batchAt(int64_t index) {
  std::vector<Tensor> batch;
  int64_t rows = options.batchSize;
  for (const Tensor &column : columns)
    batch.push_back(order.empty() ? rowsOf(column, index * rows, rows)
                                  : gatherRows(column, ArrayRef(order).slice(
                                                           size_t(index * rows),
                                                           size_t(rows))));
  return batch;
}

/// Steps are functions of their state, so that those since the last copy give
/// the same values again.
llvm::Error TrainingRun::explainNonFinite(const std::string &what) {
  int64_t failed = position.step;
  StateValues again;
  for (const Tensor &value : replayState)
    again.add(value);
  for (int64_t done = replayStep; done < failed; ++done) {
    if (epochOf(done) != epoch)
      if (llvm::Error error = enterEpoch(epochOf(done)))
        return error;
    auto figures = session->run(again, batchAt(done % perEpoch));
    if (!figures)
      return figures.takeError();
  }
  if (epochOf(failed) != epoch)
    if (llvm::Error error = enterEpoch(epochOf(failed)))
      return error;
  std::vector<Tensor> before;
  for (size_t i = 0; i < again.size(); ++i)
    before.push_back(again[i]);
  auto op = session->firstNonFinite(before, batchAt(failed % perEpoch));
  if (!op)
    return op.takeError();
  return makeError(ErrorCode::Run,
                   what + " of step " + std::to_string(failed + 1) +
                       " is not finite" +
                       (op->empty() ? "" : ": first the result of " + *op));
}

llvm::Error TrainingRun::step(ProgressLine &progress) {
  auto begin = std::chrono::steady_clock::now();
  int64_t now = epochOf(position.step);
  if (now != epoch)
    if (llvm::Error error = enterEpoch(now))
      return error;
  auto figures = session->run(state, batchAt(position.step % perEpoch));
  if (!figures)
    return figures.takeError();
  StepFigures line;
  metrics.clear();
  for (auto [name, value] : llvm::zip(session->step().figures, *figures)) {
    if (name != "learning_rate" && !std::isfinite(numberOf(value)) &&
        options.onNaN == NonFinite::Stop)
      return explainNonFinite(name == "loss" ? "the loss" : "the gradient");
    line.values.emplace_back(name, value);
    metrics.emplace_back(name, numberOf(value));
  }
  line.step = ++position.step;
  line.epoch = now;
  line.examples = options.batchSize;
  std::chrono::duration<double, std::milli> ms =
      std::chrono::steady_clock::now() - begin;
  line.ms = ms.count();
  progress.show(line);
  // loss, learning_rate, grad_norm
  if (line.values.size() == 3)
    std::swap(line.values[1], line.values[2]);
  return log.writeStep(line);
}

llvm::Error TrainingRun::validate() {
  double sum = 0;
  StateValues current;
  const BuiltStep &check = validation->step();
  // Parameters, then running values, as in the step.
  for (size_t i = 0; i < check.state.size(); ++i)
    current.add(state[i]);
  std::vector<Tensor> all = validationSet.columns(check.data, check.labels);
  int64_t rows = std::min(options.batchSize, validationSet.rows);
  Tensor last;
  for (int64_t first = 0; first < validationSet.rows; first += rows) {
    int64_t count = std::min(rows, validationSet.rows - first);
    std::vector<Tensor> batch;
    for (const Tensor &column : all)
      batch.push_back(rowsOf(column, first, count));
    StepSession &runs = count == rows ? *validation : *validationRest;
    auto figures = runs.run(current, batch);
    if (!figures)
      return figures.takeError();
    last = figures->front();
    sum += numberOf(last) * double(count);
  }
  double mean = sum / double(validationSet.rows);
  metrics.emplace_back("validation_loss", mean);
  std::string text = last.elementType().isF64()
                         ? tensors::shortestDecimal(mean)
                         : tensors::shortestDecimal(float(mean));
  if (!std::isfinite(mean))
    text = "NaN";
  if (llvm::Error error = log.writeValidation(position.step, text))
    return error;
  if (!position.leastValidation || mean < *position.leastValidation) {
    position.leastValidation = mean;
    position.withoutProgress = 0;
  } else {
    ++position.withoutProgress;
  }
  earlyStop = options.patience && position.withoutProgress >= options.patience;
  return llvm::Error::success();
}

llvm::Error TrainingRun::train() {
  ProgressLine progress(options.showsProgress, steps);
  replayState = state.snapshot();
  replayStep = position.step;
  earlyStop = options.patience && position.withoutProgress >= options.patience;
  bool isSaved = true;
  while (position.step < steps && !isStopped() && !earlyStop) {
    if (llvm::Error error = step(progress))
      return error;
    isSaved = false;
    if (validation && position.step % options.validateEvery == 0)
      if (llvm::Error error = validate())
        return error;
    bool isDue =
        options.checkpointEvery && position.step % options.checkpointEvery == 0;
    if (llvm::Error error = checkpoint(/*isLast=*/false))
      return error;
    if (checkpoints && isDue) {
      isSaved = true;
      replayState = state.snapshot();
      replayStep = position.step;
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
  if (llvm::Error error = checkOptions())
    return error;
  // Mistakes in texts come before those in files.
  auto texts = TrainingTexts::read(options);
  if (!texts)
    return texts.takeError();
  auto hashed = modelDigest(options.model);
  if (!hashed)
    return hashed.takeError();
  digest = std::move(*hashed);
  for (auto part : {&TrainingRun::readData, &TrainingRun::countSteps})
    if (llvm::Error error = (this->*part)())
      return error;
  if (llvm::Error error = setup.prepare(set))
    return error;
  if (!options.exportStep.empty())
    return exportStep(setup, options, diagnostics);
  if (options.printed == TrainedForm::GraphIR) {
    auto step = setup.buildStep();
    if (!step)
      return step.takeError();
    llvm::outs() << *step->module << "\n";
    return llvm::Error::success();
  }
  if (!options.checkpointDir.empty() && !options.reportsMemory) {
    auto opened = tensors::Checkpoints::open(options.checkpointDir,
                                             {options.keep, options.keepBest});
    if (!opened)
      return opened.takeError();
    checkpoints = std::move(*opened);
    // Mixed with others, they would be taken for this training's.
    if (options.resume.empty() &&
        tensors::hasCheckpoints(options.checkpointDir))
      return makeError(ErrorCode::Usage,
                       "the folder has checkpoints: --resume goes on from them",
                       options.checkpointDir);
  }
  if (llvm::Error error = startState())
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
