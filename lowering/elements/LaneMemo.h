// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Remembers the lanes of values that a scope has computed already.

#ifndef ZENITH_LOWERING_ELEMENTS_LANEMEMO_H
#define ZENITH_LOWERING_ELEMENTS_LANEMEMO_H

#include "lowering/builder/IndexMath.h"
#include "llvm/ADT/DenseMap.h"

namespace zenith::kernels {

class LaneMemo {
public:
  /// A group of lanes: the indices of its elements, which of them are active,
  /// and the row of the tile.
  struct Group {
    llvm::ArrayRef<LaneIndex> index;
    mlir::Value mask;
    int64_t tileRow;

    static Group of(llvm::ArrayRef<LaneIndex> index, mlir::Value mask,
                    IndexMath &indices) {
      bool tiled = llvm::any_of(index, [&](const LaneIndex &x) {
        return !indices.tileStride(x).isConstant(0);
      });
      return {index, mask, tiled ? indices.tileRow : 0};
    }
  };

  /// Null where they are not known.
  mlir::Value find(mlir::Value value, const Group &group) const {
    auto entries = known.find(value);
    if (entries == known.end())
      return {};
    for (const Entry &entry : entries->second)
      if (entry.mask == group.mask && entry.tileRow == group.tileRow &&
          llvm::ArrayRef(entry.index) == group.index)
        return entry.lanes;
    return {};
  }
  void keep(mlir::Value value, const Group &group, mlir::Value lanes) {
    known[value].push_back({llvm::SmallVector<LaneIndex, 4>(group.index),
                            group.mask, group.tileRow, lanes});
  }

private:
  struct Entry {
    llvm::SmallVector<LaneIndex, 4> index;
    mlir::Value mask;
    int64_t tileRow;
    mlir::Value lanes;
  };
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Entry, 1>> known;
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_ELEMENTS_LANEMEMO_H
