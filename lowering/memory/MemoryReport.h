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
  graph::DimExpr temporaries; ///< part of the arena for scratch of kernels and
                              ///< for arenas of branches and loops
  bool usesPool = false;      ///< values of data-dependent sizes need more

  graph::DimExpr arena() const { return activations + temporaries; }
  std::vector<MemoryClass> classes() const;
  /// All classes together: the peak of a run without code, the runtime itself,
  /// and values of data-dependent sizes.
  graph::DimExpr peak() const;
};

/// Value of a named dimension, if it is known.
using DimValues = std::function<std::optional<int64_t>(const std::string &)>;

/// {"entry", "classes": {name: {"formula", "bytes"}}, "arena": {...}, "peak":
/// {...}, "pool": "unused" or "data-dependent"} in one line; bytes are null
/// where a dimension has no value. After a run "measured_peak" is what arena,
/// pool and results took at most.
std::string toJSON(const MemoryReport &report, const DimValues &values,
                   std::optional<int64_t> measuredPeak = std::nullopt);

} // namespace zenith::memory

#endif // ZENITH_LOWERING_MEMORY_MEMORYREPORT_H
