// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// zenith-search info: what a graph is, as text and as files that read back.

#include "frontends/cayley/files/GraphText.h"
#include "frontends/models/WriteModel.h"
#include "passes/search/groups/PermutationGroup.h"
#include "tools/search/SearchCommands.h"
#include "tools/search/SearchRun.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <set>

using namespace zenith;
using namespace zenith::tools;

static cayley::GraphFacts factsOf(const cayley::StateGraph &graph) {
  cayley::GraphFacts facts;
  facts.net = cayley::netOf(graph);
  if (graph.permutations.empty())
    return facts;
  auto group = search::PermutationGroup::build(graph.permutations);
  if (!group)
    return facts;
  facts.groupOrder = llvm::toString(group->order(), 10, /*Signed=*/false);
  std::set<int64_t> numbers(graph.central.begin(), graph.central.end());
  // Where numbers come twice, elements of the group may keep the state.
  if (numbers.size() == graph.central.size())
    facts.states = facts.groupOrder;
  return facts;
}

static void printNet(llvm::raw_ostream &out, const cayley::Net &net,
                     size_t positions) {
  unsigned width = unsigned(std::to_string(positions - 1).size()) + 1;
  for (const auto &row : net) {
    std::string line;
    for (std::optional<int64_t> position : row) {
      std::string text = position ? std::to_string(*position) : "";
      line += std::string(width - text.size(), ' ') + text;
    }
    out << llvm::StringRef(line).rtrim() << "\n";
  }
}

static void print(llvm::raw_ostream &out, const cayley::StateGraph &graph,
                  const cayley::GraphFacts &facts) {
  bool moves = !graph.permutations.empty();
  out << "graph: " << graph.name << "\npositions: " << graph.central.size()
      << "\nkind: "
      << (moves ? std::string("permutations")
                : "matrices modulo " + std::to_string(graph.modulus))
      << "\ngenerators: " << graph.generators() << "\n";
  std::vector<size_t> inverses = graph.inverses();
  for (auto [number, name] : llvm::enumerate(graph.generatorNames)) {
    out << "  " << name << "  inverse: "
        << (inverses[number] < graph.generators()
                ? graph.generatorNames[inverses[number]]
                : "none")
        << "\n";
  }
  out << "inverse closed: " << (graph.isInverseClosed() ? "yes" : "no")
      << "\ncentral: " << cayley::stateText(graph.central)
      << "\ngroup order: " << facts.groupOrder.value_or("not known")
      << "\nstates: " << facts.states.value_or("not known") << "\n";
  if (facts.net) {
    out << "net:\n";
    printNet(out, *facts.net, graph.central.size());
  }
}

llvm::Error zenith::tools::runInfo(SearchRun &search) {
  const SearchOptions &options = search.options;
  auto graph = search.graph();
  if (!graph)
    return graph.takeError();
  cayley::makeNamesDistinct(*graph);
  // What cannot be written is said before the group's order is computed.
  std::string gap;
  if (!options.gapFile.empty()) {
    auto text = cayley::gapText(*graph);
    if (!text)
      return text.takeError();
    gap = std::move(*text);
  }
  cayley::GraphFacts facts = factsOf(*graph);
  if (options.graphFile != "-")
    print(llvm::outs(), *graph, facts);
  if (!options.gapFile.empty())
    if (llvm::Error error = writeFile(options.gapFile, gap))
      return error;
  if (options.graphFile.empty())
    return llvm::Error::success();
  return writeFile(options.graphFile, cayley::jsonText(*graph, facts));
}
