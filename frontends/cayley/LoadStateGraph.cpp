// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds a graph among families, puzzles and files by its name.

#include "frontends/cayley/LoadStateGraph.h"

#include "frontends/cayley/Dodecahedra.h"
#include "frontends/cayley/MatrixFamilies.h"
#include "frontends/cayley/PermutationFamilies.h"
#include "frontends/cayley/Puzzles.h"
#include "frontends/cayley/files/StateGraphFiles.h"
#include "ir/LLVMError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace zenith::cayley {

std::vector<std::string> stateGraphNames() {
  std::vector<std::string> names;
  for (const PermutationFamily &family : permutationFamilies())
    names.push_back((family.name + ":" + family.sizes).str());
  for (const char *name :
       {"heisenberg:n,modulus", "sl_<n>_fund_roots:modulus",
        "sl_<n>_root_weyl:modulus", "hungarian_rings:left,index,right,index",
        "cube_<nnn>_qtm", "cube_<nnn>_htm", "cube_<nnn>_qstm",
        "cube_222_fixed_qtm", "cube_222_fixed_htm", "starminx_2"})
    names.push_back(name);
  return names;
}

/// The names that a name without its sizes may be a misspelling of: those of
/// families, and of cubes with as many layers.
static std::vector<std::string> namesLike(StringRef family) {
  std::vector<std::string> names{"heisenberg", "hungarian_rings", "starminx_2"};
  for (const PermutationFamily &known : permutationFamilies())
    names.push_back(known.name.str());
  StringRef digits = family.drop_until(isDigit).take_while(isDigit);
  if (digits.empty())
    digits = "3";
  const std::string size(3, digits.front() >= '2' ? digits.front() : '3');
  for (const char *metric : {"_qtm", "_htm", "_qstm"})
    names.push_back("cube_" + size + metric);
  for (const char *metric : {"_qtm", "_htm"})
    names.push_back(std::string("cube_222_fixed") + metric);
  for (const char *kind : {"_fund_roots", "_root_weyl"})
    names.push_back(("sl_" + digits + kind).str());
  return names;
}

/// "lrx:5" for "lrxx:5"; empty where no name is near.
static std::string nearestName(StringRef name) {
  auto [family, sizes] = name.split(':');
  std::string nearest;
  // A third of the letters may be wrong.
  unsigned best = unsigned(family.size()) / 3 + 1;
  for (const std::string &known : namesLike(family)) {
    unsigned distance =
        family.edit_distance(known, /*AllowReplacements=*/true, best);
    if (distance < best) {
      best = distance;
      nearest = known;
    }
  }
  return nearest.empty() || sizes.empty() ? nearest
                                          : nearest + ":" + sizes.str();
}

static llvm::Error unknownName(StringRef name) {
  std::string nearest = nearestName(name);
  return makeError(ErrorCode::Invalid,
                   "no graph of this name" +
                       (nearest.empty() ? std::string()
                                        : ", did you mean '" + nearest + "'?") +
                       "; known are " + join(stateGraphNames(), ", ") +
                       ", .gap and .json files",
                   name);
}
static llvm::Error badSizes(StringRef name, StringRef expected) {
  return makeError(ErrorCode::Invalid,
                   "sizes don't fit this family; it takes " + expected, name);
}

/// "lrx:0011": the family at n = 4, from a central state.
static Expected<StateGraph> cosetGraph(const PermutationFamily &family,
                                       StringRef digits, StateGraph graph) {
  Expected<State> central = parseState(digits);
  if (!central)
    return central.takeError();
  if (family.leastSizes != 1 ||
      !family.build({int64_t(central->size())}, graph) ||
      graph.central.size() != central->size())
    return makeError(ErrorCode::Invalid,
                     "this family has no central states of " +
                         std::to_string(central->size()) + " numbers",
                     graph.name);
  graph.central = *central;
  return graph;
}

static Expected<StateGraph> namedGraph(StringRef name) {
  StateGraph graph;
  graph.name = name.str();
  auto [family, sizeText] = name.split(':');
  if (sizeText.empty()) {
    if (!buildCube(name, graph) && !buildStarminx(name, graph))
      return unknownName(name);
    return graph;
  }
  const auto *found =
      find_if(permutationFamilies(), [family = family](const auto &entry) {
        return entry.name == family;
      });
  bool known = found != permutationFamilies().end();
  if (known && sizeText.starts_with("0"))
    return cosetGraph(*found, sizeText, std::move(graph));
  std::vector<int64_t> sizes;
  for (StringRef part : split(sizeText, ',')) {
    uint32_t size;
    if (!to_integer(part.trim(), size, 10) || size > INT32_MAX)
      return badSizes(name, "numbers with commas between");
    sizes.push_back(size);
  }
  if (known) {
    if (sizes.size() < found->leastSizes || sizes.size() > found->mostSizes ||
        sizes[0] > maxPositions || !found->build(sizes, graph))
      return badSizes(name, found->sizes);
    return graph;
  }
  bool valid = true;
  if (family == "hungarian_rings")
    valid = buildHungarianRings(sizes, graph);
  else if (!buildMatrixFamily(family, sizes, graph, valid))
    return unknownName(name);
  if (!valid)
    return badSizes(name, family == "hungarian_rings"
                              ? "left size, left index, right size, right index"
                          : family == "heisenberg" ? "n,modulus"
                                                   : "modulus");
  return graph;
}

Expected<StateGraph> loadStateGraph(StringRef name) {
  if (name.ends_with(".gap"))
    return readGapFile(name);
  if (name.ends_with(".json"))
    return readGeneratorFile(name);
  return namedGraph(name);
}

} // namespace zenith::cayley
