// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes memory graphs as JSON.

#include "passes/remat/MemoryGraph.h"

#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace llvm;

namespace zenith::remat {

static json::Array indices(ArrayRef<unsigned> list) {
  json::Array array;
  for (unsigned index : list)
    array.push_back(int64_t(index));
  return array;
}

json::Value costToJSON(double cost) {
  // Whole numbers without a fraction: readers may compare them as integers.
  if (cost == std::floor(cost) && cost < double(mostBytes))
    return int64_t(cost);
  return cost;
}

std::string toJSON(const MemoryGraph &graph) {
  json::Array values, steps;
  for (int64_t bytes : graph.values)
    values.push_back(bytes);
  for (const MemoryStep &step : graph.steps) {
    json::Object object{{"cost", costToJSON(step.cost)},
                        {"reads", indices(step.reads)},
                        {"writes", indices(step.writes)}};
    if (!step.shares.empty()) {
      json::Array shares;
      for (const SharedPair &pair : step.shares)
        shares.push_back(
            json::Array{int64_t(pair.read), int64_t(pair.written)});
      object["shares"] = std::move(shares);
    }
    if (step.scratch)
      object["scratch"] = step.scratch;
    if (!step.after.empty())
      object["after"] = indices(step.after);
    if (!step.repeatable)
      object["repeatable"] = false;
    if (!step.kind.empty())
      object["kind"] = step.kind;
    steps.push_back(std::move(object));
  }
  std::string text;
  raw_string_ostream(text) << json::Value(
      json::Object{{"format", "memory-graph"},
                   {"version", 1},
                   {"name", graph.name},
                   {"values", std::move(values)},
                   {"steps", std::move(steps)},
                   {"keep", indices(graph.keep)}});
  return text;
}

} // namespace zenith::remat
