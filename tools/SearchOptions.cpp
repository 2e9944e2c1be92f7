// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the options of zenith-search and checks their texts.

#include "tools/SearchOptions.h"

#include "frontends/cayley/StateGraph.h"
#include "tools/CommandLine.h"
#include "tools/Diagnostics.h"
#include "tools/Executor.h"
#include <CLI/CLI.hpp>

using namespace zenith;
using namespace zenith::tools;

namespace {
/// Option values as they were written.
struct Texts {
  std::string maxMemory, emit, explainFormat = "text";
};
} // namespace

static std::string graphHelp() {
  std::string text = "a .gap or .json file of generators, or one of";
  for (const std::string &name : cayley::stateGraphNames())
    text += " " + name;
  return text;
}

static void addGrowthOptions(CLI::App &app, SearchOptions &options,
                             Texts &texts) {
  app.add_option("graph", options.graph, graphHelp())->required();
  addRepeated(app, "--start", options.starts,
              "a state of layer 0: digits, or numbers with commas between; "
              "default: the central state");
  app.add_option("--max-layers", options.maxLayers,
                 "stops after this layer; layer 0 is the start")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--json", options.jsonFile,
                 "file for the result as JSON; - is standard output");
  app.add_option("--target", options.run.target,
                 "cpu, cpu:ARCH, opencl, opencl:N or interp");
  app.add_option("--threads", options.run.threads,
                 "worker threads; default: the cores that the cgroup grants")
      ->check(CLI::Range(1, 4096));
  app.add_option("--max-memory", texts.maxMemory,
                 "cap for arena and pool together, in bytes or with K, M, G");
  app.add_option("--explain", options.run.explain,
                 "remarks: search, fusion, fallback")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"search", "fusion", "fallback"}));
  app.add_option("--explain-format", texts.explainFormat, "text or json")
      ->check(CLI::IsMember({"text", "json"}));
  app.add_option("--emit", texts.emit,
                 "graphir: prints the program instead of running it")
      ->check(CLI::IsMember({"graphir"}));
}

llvm::Expected<std::optional<SearchOptions>>
zenith::tools::parseSearchOptions(int argc, char **argv,
                                  bool &jsonDiagnostics) {
  CLI::App app("Searches graphs of states, such as Cayley graphs and puzzles.",
               "zenith-search");
  SearchOptions options;
  Texts texts;
  CLI::App *bfs = app.add_subcommand(
      "bfs", "breadth-first growth: the number of states in each layer");
  addGrowthOptions(*bfs, options, texts);
  app.require_subcommand(1);
  addCommonOptions(app, jsonDiagnostics);
  llvm::Expected<bool> done = parseCommandLine(app, argc, argv);
  if (!done)
    return done.takeError();
  if (*done)
    return std::nullopt;
  if (!texts.maxMemory.empty() &&
      !(options.run.maxMemory = parseBytes(texts.maxMemory)))
    return failure(
        ExitCode::Usage,
        "--max-memory needs bytes, with or without K, M or G, got '" +
            texts.maxMemory + "'");
  if (!isTarget(options.run.target))
    return failure(ExitCode::Usage, "'" + options.run.target +
                                        "' is no target; known are cpu, "
                                        "cpu:ARCH, opencl, opencl:N, interp");
  options.emitGraphIR = !texts.emit.empty();
  options.run.explainJSON = texts.explainFormat == "json";
  return options;
}
