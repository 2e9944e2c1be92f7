// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the options of zenith-train and hands them on.

#include "tools/train/TrainCommandLine.h"

#include "frontends/training/predictors/PredictorRun.h"
#include "frontends/training/run/TrainingRun.h"
#include "passes/precision/KeptOps.h"
#include "tools/model/CommandLine.h"
#include "tools/model/CompiledModel.h"
#include "tools/model/Executor.h"
#include "tools/model/OptionEffects.h"
#include "tools/model/TableOptions.h"

#include <csignal>
#include <unistd.h>

using namespace zenith;
using namespace zenith::tools;

static void addTrainOptions(CLI::App &app, ToolSet tool,
                            training::TrainOptions &given) {
#define ZENITH_TRAIN_OPTION ZENITH_ADD_OPTION
#include "lowering/pipeline/CompileOptions.def"
}

static llvm::Error checkOptions(const TrainCommand &command) {
  const RunOptions &run = command.run;
  if (!isTarget(run.compile.target))
    return makeError(ErrorCode::Usage,
                     "'" + run.compile.target +
                         "' is no target; known are cpu, "
                         "cpu:ARCH, opencl, opencl:N, interp");
  for (Report report : run.reports)
    if (report != Report::Memory)
      return makeError(ErrorCode::Usage,
                       "--report: a training has a report of memory alone");
  return llvm::Error::success();
}

static const char *examples = R"(
Examples:
  zenith-train mlp.onnx --data x=images.npy --labels logits=digits.npy \
    --loss=cross_entropy --optimizer='adamw(1e-3, weight_decay=0.01)' \
    --batch-size=32 --epochs=10 -o trained.onnx
  zenith-train --graph=lrx:16 --predictor=resmlp --walks=1000x120 \
    --steps=3000 -o predictor.onnx
  zenith-train mlp.onnx ... --checkpoint-dir=run --checkpoint-every=100 --resume
)";

llvm::Expected<std::optional<TrainCommand>>
zenith::tools::parseTrainOptions(int argc, char **argv, CommonOptions &common) {
  CLI::App app("Trains a model.", "zenith-train");
  TrainCommand command;
  addTrainOptions(app, options::Train, command.train);
  addOptions(app, options::Train, command.run);
  app.footer(examples);
  return finishCommandLine(app, options::Train, argc, argv, common, command,
                           [&](const TrainCommand &given) -> llvm::Error {
                             if (llvm::Error error = checkEffects(
                                     app, options::Train, runFacts(given.run)))
                               return error;
                             return checkOptions(given);
                           });
}

/// A handler of signals may do no more than set this.
static std::atomic<bool> stopRequested = false;

static void requestStop(int) { stopRequested = true; }

llvm::Error zenith::tools::train(const TrainCommand &command,
                                 Diagnostics &diagnostics) {
  training::TrainOptions options = command.train;
  RunOptions run = command.run;
  if (llvm::Error error = measureOffload(run))
    return error;
  options.compile = compileOptions(run, diagnostics);
  options.compile.keptOps = precision::splitPatterns(run.precision.keepF32);
  options.threads = run.threads;
  options.maxMemory = run.maxMemory;
  options.offload = {run.offloadFolder, run.maxSpill.value_or(0)};
  options.dims = run.dims.sizes;
  options.params = run.params;
  options.verifyFiles = !run.noVerify;
  options.memoryTimeline = run.memoryTimeline;
  options.interprets = run.isInterpreted();
  options.reportsMemory = run.wants(Report::Memory);
  options.showsProgress = ::isatty(STDERR_FILENO);
  options.stop = &stopRequested;
  struct sigaction action = {};
  action.sa_handler = requestStop;
  ::sigaction(SIGTERM, &action, nullptr);
  ::sigaction(SIGINT, &action, nullptr);
  return options.graph.empty() ? training::runTraining(options, diagnostics)
                               : training::runPredictor(options, diagnostics);
}
