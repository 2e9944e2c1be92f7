// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums over layers and steps.

#include "tools/search/SearchMetrics.h"

#include "tools/model/PeakMemory.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace zenith;
using namespace zenith::tools;

namespace {

/// Steps, added up.
class Totals {
public:
  /// A layer that is not left has no neighbours; the first one was formed by
  /// nothing.
  void add(int64_t states, int64_t expandedNow, int64_t duplicatesNow) {
    layers.push_back(llvm::json::Object{{"layer", int64_t(layers.size())},
                                        {"states", states},
                                        {"expanded", expandedNow},
                                        {"duplicates", duplicatesNow}});
    expanded += expandedNow;
    duplicates += duplicatesNow;
    iterations += expandedNow > 0;
  }
  void write(llvm::json::Object &report) {
    report["expanded"] = expanded;
    report["duplicates"] = duplicates;
    // Each state that was formed is looked up once; states are compared whole,
    // so that none is taken for another.
    report["hash"] =
        llvm::json::Object{{"lookups", expanded}, {"collisions", 0}};
    report["iterations"] = iterations;
    report["bytes_peak"] = peakBytes();
    report["per_layer"] = std::move(layers);
  }

private:
  llvm::json::Array layers;
  int64_t expanded = 0, duplicates = 0, iterations = 0;
};

} // namespace

/// Adds the layers of one end.
static void addLayers(Totals &totals, llvm::ArrayRef<int64_t> layers,
                      int64_t generators, bool leavesLast) {
  for (auto [number, states] : llvm::enumerate(layers)) {
    bool isLast = number + 1 == layers.size();
    int64_t formed = isLast && !leavesLast ? 0 : states * generators,
            fresh = isLast ? 0 : layers[number + 1];
    totals.add(states, formed, formed - fresh);
  }
}

void zenith::tools::addBfsMetrics(llvm::json::Object &report,
                                  llvm::ArrayRef<int64_t> layers,
                                  size_t generators, bool leavesLast) {
  Totals totals;
  addLayers(totals, layers, int64_t(generators), leavesLast);
  totals.write(report);
}

void zenith::tools::addWalkMetrics(llvm::json::Object &report,
                                   llvm::ArrayRef<int64_t> sizes,
                                   size_t generators) {
  llvm::ArrayRef<int64_t> left = sizes.drop_back(sizes.empty() ? 0 : 1);
  report["expanded"] = std::accumulate(left.begin(), left.end(), int64_t(0)) *
                       int64_t(generators);
  report["iterations"] = int64_t(left.size());
  report["bytes_peak"] = peakBytes();
}

void zenith::tools::addPathMetrics(llvm::json::Object &report,
                                   llvm::ArrayRef<int64_t> forwards,
                                   llvm::ArrayRef<int64_t> backwards,
                                   size_t generators) {
  Totals totals;
  for (llvm::ArrayRef<int64_t> end : {forwards, backwards}) {
    bool ranDry = !end.empty() && end.back() == 0;
    addLayers(totals, ranDry ? end.drop_back() : end, int64_t(generators),
              ranDry);
  }
  totals.write(report);
}

void zenith::tools::addBeamMetrics(llvm::json::Object &report,
                                   llvm::ArrayRef<int64_t> layers,
                                   size_t generators,
                                   const BeamCounts &counts) {
  Totals totals;
  int64_t scored = 0, asked = 0, calls = 0;
  size_t steps = counts.formed.size();
  for (auto [step, states] : llvm::enumerate(layers)) {
    int64_t formed = step < steps ? states * int64_t(generators) : 0;
    totals.add(states, formed, step < steps ? formed - counts.formed[step] : 0);
    if (step >= steps)
      continue;
    scored += counts.scored[step];
    if (counts.modelBlock == 0 || (counts.found && step + 1 == steps))
      continue;
    asked += counts.scored[step];
    calls += int64_t(llvm::divideCeil(uint64_t(counts.scored[step]),
                                      uint64_t(counts.modelBlock)));
  }
  totals.write(report);
  report["scored"] = scored;
  report["predictor_calls"] = calls;
  report["predictor_states"] = asked;
  report["beam_size"] = layers.empty() ? 0 : layers.back();
}
