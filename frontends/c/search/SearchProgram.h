// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A search that hosts take step by step: its graph, states and limits, and the
// program that is cut into steps.

#ifndef ZENITH_FRONTENDS_C_SEARCH_SEARCHPROGRAM_H
#define ZENITH_FRONTENDS_C_SEARCH_SEARCHPROGRAM_H

#include "frontends/c/Module.h"
#include "frontends/cayley/StateGraph.h"
#include "ir/tensor/Tensor.h"

namespace zenith::c {

enum class SearchKind { Bfs, Beam, Path };

/// What zenith-search calls the same.
struct SearchSettings {
  std::vector<std::string> starts;
  std::string target, score = "hamming";
  int64_t width = 1000, history = 0;
  int64_t limit = -1; ///< layers or steps; -1: as many as the tool takes
  std::string compileTarget = "cpu";
  int64_t maxMemory = 0;
};

struct SearchProgram {
  SearchKind kind = SearchKind::Bfs;
  SearchSettings settings;
  cayley::StateGraph graph;
  std::vector<cayley::State> starts;
  cayley::State target;
  std::shared_ptr<Program> program;
  std::string key; ///< of checkpoints

  bool isInterpreted() const { return settings.compileTarget == "interp"; }
  /// The arguments of @init as its types say: states and the limit.
  std::vector<Tensor> arguments() const;
};

/// Reads the settings and builds the program, whose @main is cut into @init,
/// @run and @results, or marked to be cut where it is compiled. Null where all
/// is well.
zenith_status *buildSearch(const char *kind, const char *graph,
                           const char *const *settings, size_t count,
                           SearchProgram &search);

} // namespace zenith::c

#endif // ZENITH_FRONTENDS_C_SEARCH_SEARCHPROGRAM_H
