// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Epilogue fusion: elementwise ops on the result of a contraction or window
// join its kernel, also after transposes and reshapes that its stores can
// follow.

#include "ir/matchers/StridedView.h"
#include "passes/fusion/FusionPlan.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::fusion {

/// A value with a reduction and another op as readers is written in any case.
/// Elementwise ops after it are left to the kernels of the reductions: in the
/// epilogue each of them would be one more result to write.
bool FusionPlan::isWrittenForReductions(Operation *member) const {
  SmallPtrSet<Operation *, 4> readers;
  bool reduced = false;
  for (const Read &read : graph.reads(member->getResult(0))) {
    readers.insert(read.reader);
    if (read.asSize || !graph.isWork(read.reader))
      continue;
    reduced |= graph.role(read.reader) == Role::Reduction ||
               (isElementwise(read.reader) &&
                graph.leadsToReductions(read.reader->getResult(0)));
  }
  return reduced && readers.size() > 1;
}

/// Columns are split into several dimensions, of which the last, whole vectors
/// long, stays contiguous: as where the phases of a transposed convolution are
/// interleaved in space.
static bool movesRunsOfColumns(ArrayRef<Operation *> chain,
                               DimAnalysis &analysis) {
  constexpr int64_t vectorLength = 8;
  auto split = dyn_cast<ReshapeOp>(chain.front());
  if (!split || chain.size() < 2)
    return false;
  const DimVector from = analysis.dimsOf(split.getOperand()),
                  to = analysis.dimsOf(split.getResult());
  if (from.empty() || to.size() <= from.size() ||
      !std::equal(from.begin(), from.end() - 1, to.begin()))
    return false;
  auto run = to.back().constant();
  auto strides = writeStrides(chain.drop_front(), analysis);
  return strides && run && *run > 0 && *run % vectorLength == 0 &&
         strides->back().isConstant(1);
}

bool FusionPlan::joinsEpilogue(Operation *op, Group *group) {
  bool isMovement = isa<TransposeOp, ReshapeOp>(op);
  // Epilogues store one scalar per element, complex elements are two.
  if (isa<ComplexOp>(op) || !graph.isSingle(op) ||
      graph.role(op) != Role::Pointwise || (!isMovement && !isElementwise(op)))
    return false;
  std::optional<SmallVector<Operation *>> space;
  for (OpOperand &operand : op->getOpOperands()) {
    SmallVector<Operation *> path;
    Operation *member = traceUp(graph, operand.get(), path).getDefiningOp();
    if (!member || !graph.isWork(member) || graph.group(member) != group)
      continue;
    auto [written, isNew] = writtenForReductions.try_emplace(member, false);
    if (isNew)
      written->second = isWrittenForReductions(member);
    if (!isMovement && written->second) {
      remark(op, remarks::Code::FUS104,
             {"stays out of the epilogue: it reads what is reduced too"});
      return false;
    }
    if (isMovement && operand.getOperandNumber() != 0)
      return false;
    SmallVector<Operation *> here = spaces[member];
    here.append(path);
    if (isMovement)
      here.push_back(op);
    if (!isBijective(path) || (space && *space != here))
      return false;
    // A value that others read unmoved would be a second result of another
    // shape.
    bool moves = isMovement || !path.empty();
    if (moves && group->kind == FusionKind::window)
      return false;
    // Other readers after the same movement may join later; until then the
    // unmoved value is a result.
    auto mayJoin = [&](const Read &read) {
      bool inside =
          graph.isWork(read.reader) && graph.group(read.reader) == group;
      bool samePath =
          !path.empty() && ArrayRef<Operation *>(read.path).take_front(
                               path.size()) == ArrayRef<Operation *>(path);
      return read.reader == op || inside || samePath;
    };
    if (moves && !llvm::all_of(graph.reads(member->getResult(0)), mayJoin))
      return false;
    space = std::move(here);
  }
  if (!space || (!space->empty() && !writeStrides(*space, graph.analysis()) &&
                 !movesRunsOfColumns(*space, graph.analysis())))
    return false;
  if (graph.needsIndirectly(op, group)) {
    remark(op, remarks::Code::FUS101,
           {"stays out of the epilogue",
            "it needs work that needs the contraction"});
    return false;
  }
  spaces[op] = *space;
  return true;
}

void FusionPlan::growEpilogue(Operation *anchor, FusionKind kind) {
  Group *group = graph.start(anchor, kind);
  bool grew = true;
  while (grew && group->members.size() < options.maxMembers) {
    grew = false;
    SmallVector<Operation *> members = group->members;
    for (Operation *member : members)
      for (const Read &read : graph.reads(member->getResult(0)))
        if (!read.asSize && joinsEpilogue(read.reader, group)) {
          graph.add(group, read.reader);
          grew = true;
        }
  }
}

void FusionPlan::growAnchor(Operation *anchor, FusionKind kind) {
  growEpilogue(anchor, kind);
  if (Group *group = graph.group(anchor); !growGates(group)) {
    // Members that joined so far would give results of two shapes.
    graph.dissolve(group);
    growEpilogue(anchor, kind);
  }
  if (resultCount(graph.group(anchor)) > 1)
    remark(anchor, remarks::Code::FUS104,
           {"values of the epilogue have other readers and are written as "
            "results"});
}

} // namespace zenith::fusion
