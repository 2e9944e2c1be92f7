// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options that a checkpoint depends on, as JSON.

#include "tools/search/CheckpointKey.h"

#include "frontends/models/SearchCheckpoint.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace zenith;
using namespace zenith::tools;

cayley::BeamOptions zenith::tools::linkOptions(const SearchOptions &options,
                                               int64_t steps) {
  cayley::BeamOptions beam;
  beam.width = options.width;
  beam.maxSteps = std::max(steps, options.maxSteps < 0 ? defaultBeamSteps
                                                       : options.maxSteps);
  beam.memoryBytes = options.run.maxMemory.value_or(0);
  return beam;
}

std::string zenith::tools::checkpointKey(const SearchOptions &options,
                                         const cayley::StateGraph &graph,
                                         llvm::ArrayRef<cayley::State> states) {
  llvm::json::Object key{
      {"graph", options.graph},
      {"command", int64_t(options.command)},
      {"digest", digestOf(graph, states)},
      {"target", options.run.compile.target},
      {"max_memory", options.run.maxMemory.value_or(0)},
      {"spills", !options.run.spillFolder.empty()},
      {"metrics", options.metrics},
      {"stores", !options.layersFile.empty() || !options.adjacencyFile.empty()},
      {"layers", options.storedLayers}};
  llvm::json::Array without;
  for (pipeline::SearchForm form : options.run.compile.without)
    without.push_back(zenith::options::wordOf(form));
  key["without"] = std::move(without);
  if (options.command == SearchCommand::Beam) {
    key["width"] = options.width;
    key["score"] = options.score;
    key["history"] = options.history;
    key["links_in_place"] =
        cayley::linksInPlace(graph, linkOptions(options)).has_value();
  }
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(key));
  return text;
}

std::string zenith::tools::checkpointFile(llvm::StringRef folder) {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, "search.safetensors");
  return path.str().str();
}
