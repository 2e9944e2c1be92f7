// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a graph as the .json and .gap texts that read back as the same graph.

#ifndef ZENITH_FRONTENDS_CAYLEY_FILES_GRAPHTEXT_H
#define ZENITH_FRONTENDS_CAYLEY_FILES_GRAPHTEXT_H

#include "frontends/cayley/Puzzles.h"
#include "llvm/Support/Error.h"

namespace zenith::cayley {

/// What is known of a graph beside its generators.
struct GraphFacts {
  std::optional<std::string> groupOrder; ///< in decimal
  std::optional<std::string> states;     ///< in decimal
  std::optional<Net> net;
};

/// {"generators": {...}, "central": [...], "modulus": N, "info": {...}} on one
/// line, generators in their order; the modulus of matrices only.
/// Names as those of a file's generators must be, each once: what has a name of
/// one before it gets the next free number behind it.
void makeNamesDistinct(StateGraph &graph);

std::string jsonText(const StateGraph &graph, const GraphFacts &facts);

/// An assignment per generator in order, with the lines "#@ inverses no" and,
/// where the text would mean another one, "#@ central [...]". Matrices are
/// unsupported.
llvm::Expected<std::string> gapText(const StateGraph &graph);

} // namespace zenith::cayley

#endif // ZENITH_FRONTENDS_CAYLEY_FILES_GRAPHTEXT_H
