// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole values cut into the blocks of devices, and blocks joined.

#ifndef ZENITH_IR_INTERPRETER_DEVICES_DEVICEBLOCKS_H
#define ZENITH_IR_INTERPRETER_DEVICES_DEVICEBLOCKS_H

#include "ir/GraphDialect.h"
#include "ir/interpreter/OpEvaluation.h"

namespace zenith::interpreter {

/// A sharding of which only some axes count: all, or those of a manual region.
struct Dealing {
  graph::ShardingAttr sharding;
  graph::MeshAttr mesh;
  /// Empty: all axes of the sharding.
  llvm::SmallVector<llvm::StringRef> manualAxes = {};

  /// The axes of a dimension that count.
  llvm::SmallVector<graph::AxisRefAttr> axesOf(unsigned dim) const;
};

/// The first dimension that blocks of one size don't fill; nothing where there
/// is none.
std::optional<unsigned> unevenDim(llvm::ArrayRef<int64_t> shape,
                                  const Dealing &dealing);

/// The block of ceil(size / shards) that the device at this mesh position has,
/// with zeros where the value ends before it.
Tensor blockOf(const Tensor &whole, const Dealing &dealing, int64_t position);

/// The value of this shape, in which dynamic sizes are those of all blocks,
/// from the blocks of devices at `positions`, which together have all of it; of
/// equal blocks the first counts.
Tensor joinBlocks(mlir::RankedTensorType whole, const Dealing &dealing,
                  llvm::ArrayRef<int64_t> positions,
                  llvm::ArrayRef<Tensor> blocks);

} // namespace zenith::interpreter

#endif // ZENITH_IR_INTERPRETER_DEVICES_DEVICEBLOCKS_H
