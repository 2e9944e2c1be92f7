// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of zenith-run.

#include "tools/model/RunCommandLine.h"

#include "frontends/models/Diagnostics.h"
#include "tools/model/CommandLine.h"
#include "tools/model/OptionEffects.h"
#include "tools/model/TableOptions.h"

using namespace zenith;
using namespace zenith::tools;

/// What options demand of each other.
static llvm::Error checkOptions(const RunOptions &options) {
  if (options.precision.maxError) {
    if (!(*options.precision.maxError > 0))
      return makeError(ErrorCode::Usage,
                       "--max-error is a number above 0: the largest "
                       "difference of a result over its largest value");
    if (options.precision.calibration.empty())
      return makeError(ErrorCode::Usage,
                       "--max-error needs samples: --calibrate KEY=FILE.npy");
  }
  if (!options.precision.savePrecision.empty() && !options.precision.maxError)
    return makeError(ErrorCode::Usage,
                     "--save-precision needs a choice: --max-error");
  if (!options.precision.precisionFile.empty() && options.precision.maxError)
    return makeError(ErrorCode::Usage,
                     "--precision-file and --max-error both choose types of "
                     "products: give one of them");
  if (!options.precision.calibration.empty() && !options.precision.maxError &&
      options.precision.quantize.empty())
    return makeError(ErrorCode::Usage, "--calibrate has no effect without "
                                       "--quantize or --max-error");
  if (options.model.empty() && !options.listTargets)
    return makeError(ErrorCode::Usage,
                     "a model is needed: zenith-run MODEL [options]");
  return llvm::Error::success();
}

static llvm::Error checkRunEffects(const CLI::App &app,
                                   const RunOptions &options) {
  using options::Condition;
  bool compares = options.comparison != Comparison::None;
  llvm::SmallVector<Fact> facts = runFacts(options);
  facts.append({{Condition::WritesResults, !options.outDir.empty()},
                {Condition::Compares, compares || !options.expected.empty()},
                {Condition::ComparesOps, compares},
                {Condition::HasBench, options.bench > 0},
                {Condition::HasNoServer, !options.benchServer}});
  return checkEffects(app, options::Run, facts);
}

llvm::Expected<std::optional<RunOptions>>
zenith::tools::parseRunOptions(int argc, char **argv, CommonOptions &common) {
  CLI::App app("Runs a model.", "zenith-run");
  RunOptions run;
  addOptions(app, options::Run, run);
  return finishCommandLine(app, options::Run, argc, argv, common, run,
                           [&](const RunOptions &given) -> llvm::Error {
                             if (llvm::Error error = checkOptions(given))
                               return error;
                             return checkRunEffects(app, given);
                           });
}
