// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The certificate of an entry: how many bytes of which class it needs, before
// it runs.

#ifndef ZENITH_LOWERING_MEMORY_MEMORYREPORT_H
#define ZENITH_LOWERING_MEMORY_MEMORYREPORT_H

#include "lowering/memory/BufferNotes.h"
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
  graph::DimExpr resultBuffers;  ///< that the runtime allocates for results
  graph::DimExpr donatedBuffers; ///< of these, in donated arguments if given
  /// What the phases `remat` (MemoryFacts.h) and `plan` (BufferNotes.h) say,
  /// JSON objects; may be empty.
  std::string facts, buffers;

  graph::DimExpr arena() const { return activations + temporaries; }
  /// What a run takes from its budget, where donated arguments are given.
  graph::DimExpr certificate() const {
    return arena() + resultBuffers - donatedBuffers;
  }
  std::vector<MemoryClass> classes() const;
  /// All classes together: the peak of a run without code, the runtime itself,
  /// and values of data-dependent sizes.
  graph::DimExpr peak() const;
};

/// What a report says of one run.
struct MemoryMeasured {
  std::optional<int64_t> peak;   ///< what arena, pool and results took at most
  std::optional<int64_t> budget; ///< that the run was given
};

/// {"entry", "classes": {name: {"formula", "bytes"}}, "arena": {...}, "peak":
/// {...}, "pool": "unused" or "data-dependent", "certificate", "measured",
/// "budget", "lower_bound", "remat", "offload", "order", "largest"}
/// (docs/guides/memory.md); bytes are null where a dimension has no value.
llvm::json::Object reportOf(const MemoryReport &report, const DimValues &values,
                            const MemoryMeasured &measured = {});
/// The same in one line.
std::string toJSON(const MemoryReport &report, const DimValues &values,
                   const MemoryMeasured &measured = {});
/// A report as lines for people.
std::string toText(const llvm::json::Object &report);

/// Why a budget is refused: a sentence, and the same as an object with "code",
/// "budget", "lower_bound", "least_found", "largest".
struct BudgetRefusal {
  std::string text;
  llvm::json::Object object;
};

/// The refusal of a budget in bytes that is below the certificate.
std::optional<BudgetRefusal> refuse(const MemoryReport &report,
                                    const DimValues &values, int64_t budget);

} // namespace zenith::memory

#endif // ZENITH_LOWERING_MEMORY_MEMORYREPORT_H
