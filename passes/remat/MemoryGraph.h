// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What planning of memory knows of a function: steps with their costs, values
// with their bytes. Plain data without MLIR.

#ifndef ZENITH_PASSES_REMAT_MEMORYGRAPH_H
#define ZENITH_PASSES_REMAT_MEMORYGRAPH_H

#include "llvm/Support/JSON.h"
#include <cstdint>
#include <string>
#include <vector>

namespace zenith::remat {

/// A value that a step reads and a value that it may write over the former's
/// bytes, where the read is the last one.
struct SharedPair {
  unsigned read, written;
};

/// One kernel, or whatever runs at a time.
struct MemoryStep {
  double cost = 0; ///< of one run, in any unit; finite and not negative
  std::vector<unsigned> reads, writes; ///< values, each once
  std::vector<SharedPair> shares;      ///< earlier pairs are preferred
  int64_t scratch = 0;                 ///< bytes that it needs while it runs
  /// Steps whose first run must precede the first run of this one, beyond
  /// those that write what it reads: effects keep their order.
  std::vector<unsigned> after;
  bool repeatable = true; ///< false: it runs exactly once
  std::string kind;       ///< for people; may be empty
};

/// Running a step makes new instances of all that it writes; a read takes the
/// latest instance of the value. An instance lives from the step that makes it
/// to its last read, those of kept values that are made last to the end.
/// Values that no step writes are outside: they are always there and count no
/// bytes. What lies in a buffer of the caller has 0 bytes.
struct MemoryGraph {
  std::string name;
  std::vector<int64_t> values; ///< bytes of each value
  /// In the order of the program: it is the order "given" where each step
  /// comes after those that write what it reads.
  std::vector<MemoryStep> steps;
  std::vector<unsigned> keep; ///< values that are results
};

/// Most bytes of a value, and of all values and scratch of a graph together.
inline constexpr int64_t mostBytes = int64_t(1) << 53;

/// A cost as a number: whole ones without a fraction.
llvm::json::Value costToJSON(double cost);

/// What parseMemoryGraph() reads (ReadMemoryGraph.h), on one line.
std::string toJSON(const MemoryGraph &graph);

} // namespace zenith::remat

#endif // ZENITH_PASSES_REMAT_MEMORYGRAPH_H
