// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What --metrics adds to the JSON of a search.

#ifndef ZENITH_TOOLS_SEARCH_SEARCHMETRICS_H
#define ZENITH_TOOLS_SEARCH_SEARCHMETRICS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/JSON.h"

namespace zenith::tools {

/// Counts by the meaning of the search, whatever form it has: states that were
/// left, times generators, and those of them that a layer had already.
/// `leavesLast` says that the last layer was expanded too, to no new state.
void addBfsMetrics(llvm::json::Object &report, llvm::ArrayRef<int64_t> layers,
                   size_t generators, bool leavesLast);

/// Of a beam: `formed` are the different states of each step, `scored` those of
/// them that no excluded layer has. `modelBlock` is how many states a call of
/// the model takes; 0: there is none. A step that finds the target asks no
/// model.
struct BeamCounts {
  std::vector<int64_t> formed, scored;
  int64_t modelBlock = 0;
  bool found = false;
};
void addBeamMetrics(llvm::json::Object &report, llvm::ArrayRef<int64_t> layers,
                    size_t generators, const BeamCounts &counts);

/// Of walks, whose steps look for no duplicates: expanded and iterations.
void addWalkMetrics(llvm::json::Object &report, llvm::ArrayRef<int64_t> sizes,
                    size_t generators);

/// Of a search from both ends.
void addPathMetrics(llvm::json::Object &report,
                    llvm::ArrayRef<int64_t> forwards,
                    llvm::ArrayRef<int64_t> backwards, size_t generators);

} // namespace zenith::tools

#endif // ZENITH_TOOLS_SEARCH_SEARCHMETRICS_H
