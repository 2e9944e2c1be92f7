// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gated epilogue fusion: a matmul whose columns are the gates of an LSTM or GRU
// takes what is computed from them, so that a time step is one kernel.

#include "ir/encodings/CodedPanels.h"
#include "ir/encodings/PackedPanels.h"
#include "ir/matchers/ColumnSlices.h"
#include "passes/fusion/FusionPlan.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::fusion {

/// A matmul of few rows whose result `wide` is sliced into gates.
struct FusionPlan::Gates {
  Operation *wide = nullptr; ///< the value that all gates are slices of
  ArrayRef<int64_t> shape;   ///< of a gate
  int64_t panel = 0;         ///< columns of a panel of the weights
};

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

static bool takesGate(ArrayRef<Operation *> path, DimAnalysis &dims) {
  auto slice = path.size() == 1 ? dyn_cast<SliceOp>(path[0]) : SliceOp();
  return slice && isColumnSlice(slice, dims);
}

/// Elementwise ops of the gates' shape, on gates or on members of the group.
bool FusionPlan::joinsGates(Operation *op, Group *group, const Gates &gates) {
  if (isa<ComplexOp>(op) || !graph.isSingle(op) ||
      graph.role(op) != Role::Pointwise || !isElementwise(op) ||
      shapeOf(op->getResult(0)) != gates.shape)
    return false;
  for (Value operand : op->getOperands()) {
    SmallVector<Operation *> path;
    Operation *member = traceUp(graph, operand, path).getDefiningOp();
    if (!member || !graph.isWork(member) || graph.group(member) != group)
      continue;
    bool isGate = member == gates.wide && takesGate(path, graph.analysis()) &&
                  shapeOf(operand) == gates.shape;
    if (!isGate && (member == gates.wide || !path.empty() ||
                    shapeOf(operand) != gates.shape))
      return false;
  }
  return !graph.needsIndirectly(op, group);
}

/// The slice of an input that was computed for all time steps is read where it
/// lies, unless the matmul itself multiplies it.
void FusionPlan::absorbStepInputs(Group *group) {
  SmallVector<Operation *> members = group->members;
  for (Operation *member : members)
    for (Value source : graph.sources(member)) {
      auto input = source.getDefiningOp<DynamicSliceOp>();
      auto isInside = [&](const Read &read) {
        return !read.asSize && read.reader != group->anchor &&
               graph.isWork(read.reader) && graph.group(read.reader) == group;
      };
      if (input && graph.isSingle(input) &&
          llvm::all_of(graph.reads(source), isInside))
        graph.add(group, input);
    }
}

/// The panels of a matmul whose columns are the last dimension of its weights;
/// what is contracted there is no column, whatever it looks like.
static std::optional<PackedPanels> columnPanels(DotGeneralOp matmul) {
  int64_t last = shapeOf(matmul.getRhs()).size() - 1;
  return llvm::is_contained(matmul.getDims().getRhsContracting(), last)
             ? std::nullopt
             : matchUnpackedPanels(matmul.getRhs());
}

/// False where a reader of some gate cannot join: then no gate may have joined.
bool FusionPlan::growGates(Group *group) {
  constexpr int64_t maxRows = 512, maxGates = 8;
  auto matmul = dyn_cast<DotGeneralOp>(group->anchor);
  auto type = matmul ? matmul.getType() : RankedTensorType();
  auto panels = matmul ? columnPanels(matmul) : std::nullopt;
  if (!panels || matchCodedPanels(panels->packed) || type.getRank() != 2 ||
      type.isDynamicDim(1) || type.getDimSize(0) > maxRows ||
      type.getDimSize(0) == 0 || !isa<FloatType>(type.getElementType()) ||
      resultCount(group) != 1)
    return true;
  Gates gates;
  auto isOutside = [&](const Read &read) {
    return read.asSize || !graph.isWork(read.reader) ||
           graph.group(read.reader) != group;
  };
  SmallVector<Read> reads;
  for (Operation *member : group->members)
    if (SmallVector<Read> all = graph.reads(member->getResult(0));
        llvm::any_of(all, isOutside)) {
      gates.wide = member;
      reads = std::move(all);
    }
  if (!gates.wide || !spaces.lookup(gates.wide).empty() ||
      shapeOf(gates.wide->getResult(0)) != type.getShape() ||
      !llvm::all_of(reads, [&](const Read &read) {
        return !read.asSize && takesGate(read.path, graph.analysis());
      }))
    return true;
  gates.shape = shapeOf(reads.front().path.back()->getResult(0));
  int64_t count = type.getDimSize(1) / gates.shape[1];
  if (count < 2 || count > maxGates || gates.shape[1] % panels->panel != 0)
    return true;
  SmallVector<Operation *> joined{gates.wide};
  for (unsigned next = 0; next < joined.size(); ++next)
    for (const Read &read : graph.reads(joined[next]->getResult(0)))
      if (!read.asSize && group->members.size() < options.maxMembers &&
          joinsGates(read.reader, group, gates)) {
        graph.add(group, read.reader);
        joined.push_back(read.reader);
        // Readers that also needed this operand may join now.
        next = unsigned(-1);
        break;
      }
  if (llvm::any_of(graph.reads(gates.wide->getResult(0)), isOutside) ||
      resultCount(group) > options.maxResults)
    return false;
  absorbStepInputs(group);
  return true;
}

} // namespace zenith::fusion
