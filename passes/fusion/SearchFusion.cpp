// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fusion of the ops of breadth-first search: each calls a routine on plain
// memory. Set operations compute their candidates themselves, chunk by chunk.

#include "ir/SearchOps.h"
#include "passes/fusion/FusionRule.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::fusion {
namespace {

/// Operands that are computed in chunks.
template <typename Op> bool isChunk(Operation *op, unsigned operand) {
  if constexpr (std::is_same_v<Op, search::DedupOp>)
    return operand < cast<search::DedupOp>(op).getCandidates().size();
  return (std::is_same_v<Op, search::BitsetDifferenceOp> ||
          std::is_same_v<Op, search::TestAndSetOp>) &&
         operand > 0;
}

/// Counts and a number, which the host passes to the kernel.
template <typename Op> bool isScalar(Operation *op, unsigned operand) {
  constexpr unsigned scalars = std::is_same_v<Op, search::AppendNewOp>  ? 3
                               : std::is_same_v<Op, search::NoteBitsOp> ? 1
                                                                        : 0;
  return operand + scalars >= op->getNumOperands();
}

template <typename Op>
struct SearchFusion : FusionRule::ExternalModel<SearchFusion<Op>, Op> {
  Role role(Operation *, DimAnalysis &) const { return Role::Opaque; }
  std::optional<FusionKind> kernelKind(Operation *) const {
    return FusionKind::routine;
  }
  SmallVector<Value> memoryOperands(Operation *op, DimAnalysis &) const {
    return operandsInMemory(op, [&](unsigned operand) {
      return isChunk<Op>(op, operand) || isScalar<Op>(op, operand);
    });
  }
  bool readsChunks(Operation *op, unsigned operand) const {
    return isChunk<Op>(op, operand);
  }
};

} // namespace

void attachSearchFusion(MLIRContext *context) {
  attachAll<SearchFusion,
#define GET_OP_LIST
#include "ir/Search.cpp.inc"
            >(context);
}

} // namespace zenith::fusion
