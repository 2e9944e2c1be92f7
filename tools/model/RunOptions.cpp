// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the options of zenith-run and checks their texts.

#include "tools/model/RunOptions.h"

#include "tools/model/CommandLine.h"
#include "tools/model/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include <CLI/CLI.hpp>

using namespace zenith;
using namespace zenith::tools;

namespace {
/// Option values as they were written.
struct Texts {
  std::vector<std::string> in, bind, expect;
  std::string randomSeed, compare;
};
} // namespace

static void addInputOptions(CLI::App &app, RunOptions &options, Texts &texts) {
  app.add_option(
      "model", options.model,
      "a .onnx, .mlir, .mlirbc, .mlir.bc or .bc file; - reads standard input");
  app.add_option("--entry", options.entry,
                 "function to run; default: the only public one, else main");
  addRepeated(app, "--in", texts.in,
              "KEY=FILE or KEY=f32[2x3]:FILE.raw, the value of an input; KEY "
              "is its index or name");
  addRepeated(app, "--bind", texts.bind,
              "KEY=FILE, the same, known at compile time");
  addDimOption(app, options.dims);
  app.add_flag("--random-inputs{0}", texts.randomSeed,
               "fills inputs that no --in names; an optional seed");
  app.add_option(
      "--params", options.params,
      "a .safetensors file with other values for parameters, by name");
}

static void addTargetOptions(CLI::App &app, RunOptions &options) {
  app.add_option("--target", options.target,
                 "cpu, cpu:ARCH, opencl, opencl:N or interp");
  app.add_flag("--list-targets", options.listTargets,
               "prints the targets of this machine");
  addThreadsOption(app, options.threads, workerThreads);
  addCacheOption(app, options.cache);
  addMaxMemoryOption(app, options.maxMemory);
  addMixedPrecisionOption(app, options.mixedPrecision);
  app.add_option("--mesh-devices", options.meshDevices,
                 "logical devices of a program with shardings; only 1 so far");
}

static void addOutputOptions(CLI::App &app, RunOptions &options, Texts &texts) {
  app.add_option("--out-dir", options.outDir, "writes result K to DIR/K.npy");
  app.add_option("--out-format", options.outFormat, "npy or pb")
      ->check(CLI::IsMember({"npy", "pb"}));
  addRepeated(app, "--expect", texts.expect,
              "KEY=FILE, compares a result; exit 7 where they differ");
  app.add_option("--rtol", options.tolerance.relative,
                 "relative difference that is taken as equal");
  app.add_option("--atol", options.tolerance.absolute,
                 "absolute difference that is taken as equal");
  app.add_option("--max-ulp", options.tolerance.ulps,
                 "units in the last place that are taken as equal");
  app.add_option("--compare", texts.compare,
                 "interp: runs the interpreter too and compares")
      ->check(CLI::IsMember({"interp"}));
  app.add_flag("--per-op", options.perOp,
               "with --compare: names the first op that differs");
  app.add_option("--print", options.printElements,
                 "prints each result; =N: its first N elements (default 64)")
      ->expected(0, 1)
      ->default_str("64")
      ->check(CLI::NonNegativeNumber);
  addReportOptions(app, options.reports, options.reportText,
                   {"memory", "time", "roofline"});
  app.add_option("--bench", options.bench, "timed runs after warm-up")
      ->check(CLI::Range(1, 1 << 30));
  app.add_option("--bench-json", options.benchJSON,
                 "file for the figures of --bench");
  app.add_flag("--bench-server", options.benchServer,
               "runs N times for each line 'run N' on standard input");
  addExplainOption(app, options.explain, modelRemarks());
  addExplainFormatOption(app, options.explainJSON);
}

static llvm::Error parseKeyedFiles(llvm::StringRef option,
                                   llvm::ArrayRef<std::string> texts,
                                   std::vector<KeyedFile> &files) {
  for (llvm::StringRef text : texts) {
    auto split = splitKey(option, text);
    if (!split)
      return split.takeError();
    KeyedFile file{split->first, "", split->second};
    // A type in front of the file's name: f32[2x3]:FILE.
    size_t colon = split->second.find("]:");
    if (colon != std::string::npos) {
      file.typeText = split->second.substr(0, colon + 1);
      file.file = split->second.substr(colon + 2);
    }
    files.push_back(std::move(file));
  }
  return llvm::Error::success();
}

static llvm::Error checkOptions(const CLI::App &app, RunOptions &options,
                                const Texts &texts) {
  if (llvm::Error error = parseKeyedFiles("--in", texts.in, options.inputs))
    return error;
  if (llvm::Error error =
          parseKeyedFiles("--bind", texts.bind, options.bindings))
    return error;
  if (llvm::Error error =
          parseKeyedFiles("--expect", texts.expect, options.expected))
    return error;
  if (app.count("--random-inputs")) {
    uint64_t seed;
    if (llvm::StringRef(texts.randomSeed).getAsInteger(10, seed))
      return makeError(ErrorCode::Usage,
                       "--random-inputs needs a number as seed, got '" +
                           texts.randomSeed + "'");
    options.randomSeed = seed;
  }
  options.compareInterp = !texts.compare.empty();
  if (options.perOp && !options.compareInterp)
    return makeError(ErrorCode::Usage, "--per-op needs --compare=interp");
  if (!options.mixedPrecision.empty() && options.target == "interp")
    return makeError(ErrorCode::Usage,
                     "--mixed-precision needs a target that compiles: the "
                     "interpreter runs the model as it is written");
  if (!options.benchJSON.empty() && !options.bench)
    return makeError(ErrorCode::Usage, "--bench-json needs --bench=N");
  if (options.model.empty() && !options.listTargets)
    return makeError(ErrorCode::Usage,
                     "a model is needed: zenith-run MODEL [options]");
  return llvm::Error::success();
}

llvm::Expected<std::optional<RunOptions>>
zenith::tools::parseRunOptions(int argc, char **argv, bool &jsonDiagnostics) {
  CLI::App app("Runs a model.", "zenith-run");
  RunOptions options;
  Texts texts;
  addInputOptions(app, options, texts);
  addTargetOptions(app, options);
  addOutputOptions(app, options, texts);
  addCommonOptions(app, jsonDiagnostics);
  llvm::Expected<bool> done = parseCommandLine(app, argc, argv);
  if (!done)
    return done.takeError();
  if (*done)
    return std::nullopt;
  if (llvm::Error error = checkOptions(app, options, texts))
    return std::move(error);
  return options;
}
