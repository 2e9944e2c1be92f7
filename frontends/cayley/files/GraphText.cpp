// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs as text: JSON with keys in their order, GAP with escaped names and
// permutations as cycles.

#include "frontends/cayley/files/GraphText.h"

#include "frontends/cayley/files/GapTokens.h"
#include "ir/LLVMError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace zenith::cayley {

void makeNamesDistinct(StateGraph &graph) {
  StringSet<> taken;
  for (const std::string &name : graph.generatorNames)
    taken.insert(name);
  StringSet<> seen;
  for (std::string &name : graph.generatorNames) {
    if (seen.insert(name).second)
      continue;
    std::string numbered;
    for (unsigned number = 2;
         numbered.empty() || !taken.insert(numbered).second; ++number)
      numbered = name + "." + std::to_string(number);
    name = std::move(numbered);
    seen.insert(name);
  }
}

template <typename Numbers>
static void writeNumbers(json::OStream &out, const Numbers &numbers) {
  out.array([&] {
    for (auto number : numbers)
      out.value(int64_t(number));
  });
}

static void writeGenerators(json::OStream &out, const StateGraph &graph) {
  out.attributeObject("generators", [&] {
    for (auto [number, name] : enumerate(graph.generatorNames)) {
      out.attributeBegin(name);
      if (!graph.permutations.empty()) {
        writeNumbers(out, graph.permutations[number]);
      } else {
        const Matrix &matrix = graph.matrices[number];
        out.array([&] {
          for (uint32_t row = 0; row < matrix.rows; ++row)
            writeNumbers(
                out,
                ArrayRef(matrix.entries).slice(row * matrix.rows, matrix.rows));
        });
      }
      out.attributeEnd();
    }
  });
}

static void writeNet(json::OStream &out, const Net &net) {
  out.array([&] {
    for (const auto &row : net)
      out.array([&] {
        for (std::optional<int64_t> position : row)
          out.value(position ? json::Value(*position) : json::Value(nullptr));
      });
  });
}

/// A text, or null.
static json::Value textOrNull(const std::optional<std::string> &text) {
  return text ? json::Value(*text) : json::Value(nullptr);
}

static void writeFacts(json::OStream &out, const StateGraph &graph,
                       const GraphFacts &facts) {
  out.attribute("name", graph.name);
  out.attribute("kind",
                graph.permutations.empty() ? "matrices" : "permutations");
  out.attribute("positions", int64_t(graph.central.size()));
  out.attributeArray("generators", [&] {
    for (const std::string &name : graph.generatorNames)
      out.value(name);
  });
  std::vector<size_t> inverses = graph.inverses();
  out.attributeObject("inverses", [&] {
    for (auto [name, inverse] : zip_equal(graph.generatorNames, inverses))
      out.attribute(name, inverse < graph.generators()
                              ? json::Value(graph.generatorNames[inverse])
                              : json::Value(nullptr));
  });
  out.attribute("inverse_closed", !is_contained(inverses, graph.generators()));
  out.attribute("group_order", textOrNull(facts.groupOrder));
  out.attribute("states", textOrNull(facts.states));
  out.attributeBegin("net");
  if (facts.net)
    writeNet(out, *facts.net);
  else
    out.value(nullptr);
  out.attributeEnd();
}

std::string jsonText(const StateGraph &graph, const GraphFacts &facts) {
  std::string text;
  raw_string_ostream stream(text);
  json::OStream out(stream);
  out.object([&] {
    writeGenerators(out, graph);
    out.attributeBegin("central");
    writeNumbers(out, graph.central);
    out.attributeEnd();
    if (graph.modulus)
      out.attribute("modulus", graph.modulus);
    out.attributeObject("info", [&] { writeFacts(out, graph, facts); });
  });
  return text + "\n";
}

/// A name as GAP writes it: characters that identifiers lack, a digit at the
/// beginning and the first letter of a keyword behind backslashes.
static std::string escaped(StringRef name) {
  if (isGapKeyword(name))
    return ("\\" + name).str();
  std::string text;
  for (char c : name) {
    bool isPlain = isAlpha(c) || c == '_' || (isDigit(c) && !text.empty());
    text += isPlain ? std::string(1, c) : std::string("\\") + c;
  }
  return text;
}

/// Disjoint cycles of points from 1 on; "()" where nothing moves.
static std::string cyclesOf(const Permutation &permutation) {
  std::string text;
  std::vector<bool> seen(permutation.size());
  for (size_t first = 0; first < permutation.size(); ++first) {
    if (seen[first] || permutation[first] == first)
      continue;
    text += "(";
    for (size_t at = first; !seen[at]; at = permutation[at]) {
      text += (at == first ? "" : ",") + std::to_string(at + 1);
      seen[at] = true;
    }
    text += ")";
  }
  return text.empty() ? "()" : text;
}

Expected<std::string> gapText(const StateGraph &graph) {
  if (graph.permutations.empty())
    return makeError(ErrorCode::Unsupported,
                     "a .gap file holds permutations, the generators of this "
                     "graph are matrices",
                     graph.name);
  if (is_contained(graph.generatorNames, ""))
    return makeError(ErrorCode::Unsupported,
                     "a .gap file assigns generators to names, one of this "
                     "graph has an empty name",
                     graph.name);
  std::string text = "#@ inverses no\n";
  bool isIdentity = true, lastMoves = false;
  for (auto [position, number] : enumerate(graph.central))
    isIdentity &= number == int64_t(position);
  for (const Permutation &permutation : graph.permutations)
    lastMoves |= permutation.back() + 1 != permutation.size();
  if (!isIdentity || !lastMoves)
    text +=
        "#@ central [" +
        join(map_range(graph.central,
                       [](int64_t number) { return std::to_string(number); }),
             ",") +
        "]\n";
  for (auto [name, permutation] :
       zip_equal(graph.generatorNames, graph.permutations))
    text += escaped(name) + " := " + cyclesOf(permutation) + ";\n";
  return text;
}

} // namespace zenith::cayley
