// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The buffers of an entry's arena, written down for reports of its memory.

#ifndef ZENITH_LOWERING_MEMORY_BUFFERNOTES_H
#define ZENITH_LOWERING_MEMORY_BUFFERNOTES_H

#include "ir/dims/DimExpr.h"
#include "llvm/Support/JSON.h"
#include <functional>
#include <optional>

namespace mlir::func {
class FuncOp;
}

namespace zenith::memory {

struct BufferPlan;

/// Value of a named dimension, if it is known.
using DimValues = std::function<std::optional<int64_t>(const std::string &)>;

/// On functions, and programs made of them: the text of notesOf().
inline constexpr llvm::StringLiteral buffersAttrName = "graph.memory_buffers";

/// The steps of a function and what lies in its arena, as JSON: {"steps":
/// [[kind, location, step that is computed again or ""]], "buffers": [[value,
/// type, class, bytes, offset, begin, end]]}. Bytes and offsets are expressions
/// over dimensions; begin and end are steps, both included.
std::string notesOf(mlir::func::FuncOp function, const BufferPlan &plan);

/// {"arena", "steps": [{"name", "kind", "location", "live", "recomputes"}],
/// "buffers": [{"value", "type", "bytes", "class", "begin", "end", "offset",
/// "location"}]} with numbers for expressions; nullopt where a dimension is
/// unknown or there are no notes.
std::optional<llvm::json::Object> timelineOf(const std::string &notes,
                                             const graph::DimExpr &arena,
                                             const DimValues &values);

/// The `count` largest buffers of a timeline: {"bytes", "type", "class",
/// "step", "location", "begin", "end"}.
llvm::json::Array largestOf(const llvm::json::Object &timeline, size_t count);

/// A picture of a timeline: steps from left to right, offsets upwards. Buffers
/// that are computed again are hatched.
std::string drawTimeline(const llvm::json::Object &timeline);

} // namespace zenith::memory

#endif // ZENITH_LOWERING_MEMORY_BUFFERNOTES_H
