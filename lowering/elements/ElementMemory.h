// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and stores of groups of lanes, by the stride between lanes.

#ifndef ZENITH_LOWERING_ELEMENTS_ELEMENTMEMORY_H
#define ZENITH_LOWERING_ELEMENTS_ELEMENTMEMORY_H

#include "lowering/builder/IndexMath.h"
#include "lowering/builder/KernelBuilder.h"

namespace zenith::kernels {

/// The lanes of a group that exist.
struct ActiveLanes {
  mlir::Value mask; ///< null = all; loads and stores are masked by it
  /// Of partial tiles: mask of the active tile rows (as lanes), and the count
  /// of active lanes.
  mlir::Value tileMask, count;
};

/// Row-major position of an index in a shape.
LaneIndex linearize(IndexMath &indices, llvm::ArrayRef<graph::DimExpr> dims,
                    llvm::ArrayRef<LaneIndex> index);

/// Elements are in memory as memoryType says, in registers as registerType
/// does; linear indices count elements of the memory.
class ElementMemory {
public:
  ElementMemory(KernelBuilder &kernel, IndexMath &indices,
                const ActiveLanes &active)
      : kernel(kernel), indices(indices), active(active), tiles(1) {}

  mlir::Value load(mlir::Value memory, mlir::Type element,
                   const LaneIndex &linear);
  /// Rounds to the element type, where the register type is wider, and stores:
  /// a scalar where the index is uniform, else a vector, a strided or a
  /// per-lane store.
  void store(mlir::Value memory, mlir::Type element, mlir::Value lanes,
             const LaneIndex &linear);
  /// Interleaved store: lanes of each value lie values.size() elements apart,
  /// the first value at `linear`, each other one element after the one before.
  /// Whole vectors of the interleaved values are stored.
  void storeInterleaved(mlir::Value memory, mlir::Type element,
                        llvm::ArrayRef<mlir::Value> values,
                        const LaneIndex &linear);

  /// One part of complex elements, which are (real, imaginary) pairs in
  /// memory; `linear` counts pairs.
  mlir::Value loadPart(mlir::Value memory, bool imaginary,
                       const LaneIndex &linear);
  void storePairs(mlir::Value memory, mlir::Value real, mlir::Value imaginary,
                  const LaneIndex &linear);

  /// Memory on the stack with the elements of a constant op, filled once per
  /// call of the kernel.
  mlir::Value constants(mlir::Operation *op, mlir::Type stored,
                        llvm::function_ref<mlir::Attribute(int64_t)> valueAt,
                        int64_t count);

  /// Tiles that a loop body transposes must not be reused after it.
  void enterScope() { tiles.emplace_back(); }
  void leaveScope() { tiles.pop_back(); }

private:
  /// Rows of a transposed square of elements.
  struct Tile {
    mlir::Value memory;
    LaneIndex linear;
    llvm::SmallVector<mlir::Value> rows;
  };
  mlir::Value loadTile(mlir::Value memory, mlir::Type element,
                       const LaneIndex &linear);
  mlir::Value loadReversed(mlir::Value memory, mlir::VectorType type,
                           const LaneIndex &linear);
  mlir::Value loadEveryNth(mlir::Value memory, mlir::VectorType type,
                           const LaneIndex &linear);
  mlir::Value gatherLanes(mlir::Value memory, mlir::Type element,
                          const LaneIndex &linear);
  /// Whether neighbouring lanes are neighbouring elements.
  bool isContiguous(const LaneIndex &linear);
  mlir::Value maskOfPairs();

  KernelBuilder &kernel;
  IndexMath &indices;
  const ActiveLanes &active;
  std::vector<llvm::SmallVector<Tile, 0>> tiles;
  llvm::DenseMap<mlir::Operation *, mlir::Value> constantBuffers;
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_ELEMENTS_ELEMENTMEMORY_H
