// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the graph of a GAP text: the moves with their inverses, and hints.

#include "frontends/cayley/files/GapFile.h"

#include "frontends/cayley/PermutationFamilies.h"
#include "frontends/cayley/PermutationProducts.h"
#include "frontends/cayley/files/GapValues.h"
#include "ir/LLVMError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <numeric>

using namespace llvm;

namespace zenith::cayley {

namespace {

/// What lines "#@ ..." say.
struct Hints {
  bool addsInverses = true;
  std::optional<State> central;
  const GapToken *centralToken = nullptr; ///< that gives it
};

} // namespace

static Expected<Hints> readHints(StringRef path, ArrayRef<GapToken> tokens) {
  Hints hints;
  for (const GapToken &token : tokens) {
    auto [key, value] = StringRef(token.text).split(' ');
    value = value.trim();
    if (key == "inverses" && value == "no") {
      hints.addsInverses = false;
      continue;
    }
    if (key != "central" || !value.consume_front("[") ||
        !value.consume_back("]"))
      return gapError(path, token,
                      "unknown hint '" + StringRef(token.text).take_front(80) +
                          "'; known are '#@ inverses no' and "
                          "'#@ central [0,1,...]'");
    State &central = hints.central.emplace();
    hints.centralToken = &token;
    for (StringRef part : split(value, ',')) {
      int64_t number;
      if (!to_integer(part.trim(), number, 10) || number < 0 ||
          number > INT32_MAX)
        return gapError(path, token,
                        "'" + part.trim().take_front(20) +
                            "' in the central state is no number from 0 to "
                            "2147483647");
      central.push_back(number);
    }
  }
  return hints;
}

/// The letters that all names begin with are an artefact of their exporter
/// where they are "M_". Its files have no hints; those that have were written
/// with names as they are.
static void dropPrefix(std::vector<GapMove> &moves) {
  while (all_of(moves, [](const GapMove &move) {
    return StringRef(move.name).starts_with("M_");
  }))
    for (GapMove &move : moves)
      move.name.erase(0, 2);
}

static llvm::Error checkSize(StringRef path, const Hints &hints, size_t moved,
                             size_t points, size_t moves) {
  if (moved == 0 && (!hints.central || moves == 0))
    return makeError(ErrorCode::Invalid,
                     "has no permutation that moves a point",
                     (path + ":1:1").str());
  if (hints.central && (points < moved || points > size_t(maxPositions)))
    return gapError(path, *hints.centralToken,
                    "the central state has " + Twine(points) +
                        " numbers, the moves' points need " + Twine(moved) +
                        " to " + Twine(maxPositions));
  if (2 * moves * points > size_t(maxGeneratorEntries))
    return makeError(ErrorCode::Invalid,
                     Twine(moves) + " moves of " + Twine(points) +
                         " points are too large",
                     path);
  return llvm::Error::success();
}

Expected<StateGraph> parseGap(StringRef path, StringRef text) {
  Expected<GapProgram> program = readGapProgram(path, text);
  if (!program)
    return program.takeError();
  Expected<Hints> hints = readHints(path, program->hints);
  if (!hints)
    return hints.takeError();
  std::vector<GapMove> &moves = program->moves;
  size_t moved = 0;
  for (const GapMove &move : moves)
    moved = std::max(moved, move.permutation->size());
  StateGraph graph;
  graph.name = path.str();
  graph.central.resize(moved);
  std::iota(graph.central.begin(), graph.central.end(), 0);
  if (hints->central)
    graph.central = *hints->central;
  size_t points = graph.central.size();
  if (llvm::Error error = checkSize(path, *hints, moved, points, moves.size()))
    return std::move(error);
  if (program->hints.empty())
    dropPrefix(moves);
  for (const GapMove &move : moves) {
    Permutation permutation = *move.permutation;
    for (size_t point = permutation.size(); point < points; ++point)
      permutation.push_back(uint32_t(point));
    Permutation inverse = inverseOf(permutation);
    bool addsInverse = hints->addsInverses && inverse != permutation;
    graph.generatorNames.push_back(move.name);
    graph.permutations.push_back(std::move(permutation));
    if (!addsInverse)
      continue;
    graph.generatorNames.push_back(move.name + "'");
    graph.permutations.push_back(std::move(inverse));
  }
  return graph;
}

} // namespace zenith::cayley
