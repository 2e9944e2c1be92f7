// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The certificate of an entry: how many bytes of which class it needs, before
// it runs.

#ifndef ZENITH_LOWERING_MEMORY_MEMORYREPORT_H
#define ZENITH_LOWERING_MEMORY_MEMORYREPORT_H

#include "ir/dims/DimExpr.h"
#include <functional>
#include <string>
#include <vector>

namespace zenith::memory {

/// Bytes of one class.
struct MemoryClass {
  std::string name;
  graph::DimExpr bytes;
};

struct MemoryReport {
  std::string entry;
  graph::DimExpr parameters;  ///< originals that the entry itself reads
  graph::DimExpr derived;     ///< what @prepare computed
  graph::DimExpr inputs;      ///< arguments
  graph::DimExpr results;     ///< in the caller's buffers
  graph::DimExpr activations; ///< part of the arena that values need
  graph::DimExpr temporaries; ///< what the kernels' scratch, and the arenas of
                              ///< branches and loops, add to it
  bool usesPool = false; ///< values of sizes that depend on data come on top

  graph::DimExpr arena() const { return activations + temporaries; }
  std::vector<MemoryClass> classes() const;
  /// All classes together: the most that a run occupies, but for code, the
  /// runtime itself, and what `usesPool` says.
  graph::DimExpr peak() const;
};

/// Value of a named dimension, if it is known.
using DimValues = std::function<std::optional<int64_t>(const std::string &)>;

/// {"entry", "classes": {name: {"formula", "bytes"}}, "arena": {...}, "peak":
/// {...}, "pool": "unused" or "data-dependent"}; bytes are null where a
/// dimension has no value.
std::string toJSON(const MemoryReport &report, const DimValues &values);

} // namespace zenith::memory

#endif // ZENITH_LOWERING_MEMORY_MEMORYREPORT_H
