// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a value of one device is a part of a whole value, in parts of axes that
// no sharding of the function cuts further.

#ifndef ZENITH_PASSES_SHARDING_PARTITION_LAYOUT_H
#define ZENITH_PASSES_SHARDING_PARTITION_LAYOUT_H

#include "ir/GraphDialect.h"
#include "ir/LLVMError.h"
#include "ir/devices/DeviceGroups.h"
#include "mlir/IR/BuiltinTypes.h"

namespace zenith::sharding {

/// Parts of axes by number, from major to minor.
using Atoms = llvm::SmallVector<unsigned, 4>;

struct Layout {
  /// Of each dimension: blocks of ceil(size / shards), the last shorter or
  /// empty; a device holds a whole block, whose padding has any elements.
  llvm::SmallVector<Atoms, 4> dims;
  /// Devices along these hold terms that `fold` joins.
  Atoms partial;
  graph::ReduceKind fold = graph::ReduceKind::sum;

  static Layout whole(int64_t rank) {
    Layout layout;
    layout.dims.resize(rank);
    return layout;
  }
  bool isWhole() const;
  /// Whether a dimension or the terms use this part.
  bool uses(unsigned atom) const;
  bool operator==(const Layout &other) const;
  bool operator!=(const Layout &other) const { return !(*this == other); }
};

/// On a collective that the program does not have: which value travels, for
/// which op, as text.
inline constexpr llvm::StringLiteral reasonAttrName = "reason";

/// Bytes of a tensor of static shape; a boolean takes one.
int64_t bytesOf(mlir::Type type);

/// The axes of a mesh as parts.
class DeviceAxes {
public:
  /// Cuts the axes of `mesh` where any of `shardings` does. Fails with code
  /// Unsupported where cuts of one axis don't nest.
  static llvm::Expected<DeviceAxes>
  make(graph::MeshAttr mesh, mlir::FlatSymbolRefAttr name,
       llvm::ArrayRef<graph::ShardingAttr> shardings);

  int64_t devices() const { return mesh.numDevices(); }
  graph::MeshAttr meshAttr() const { return mesh; }
  mlir::FlatSymbolRefAttr meshName() const { return name; }
  int64_t size(unsigned atom) const;
  /// Product of the sizes.
  int64_t size(llvm::ArrayRef<unsigned> atoms) const;
  /// The parts of an axis of a sharding.
  Atoms atomsOf(graph::AxisRefAttr axis) const;
  Layout layoutOf(graph::ShardingAttr sharding) const;
  /// The other way round, without open dimensions.
  graph::ShardingAttr shardingOf(const Layout &layout) const;
  /// Neighbouring parts of one axis are one part.
  llvm::SmallVector<graph::AxisRefAttr>
  refsOf(llvm::ArrayRef<unsigned> atoms) const;
  mlir::ArrayAttr axesAttr(llvm::ArrayRef<unsigned> atoms) const;
  /// Parts from major to minor in the mesh: the order of sums.
  Atoms inMeshOrder(llvm::ArrayRef<unsigned> atoms) const;
  /// Index of the block that a mesh position has, of a dimension with `atoms`.
  int64_t blockAt(llvm::ArrayRef<unsigned> atoms, int64_t position) const;

  int64_t blockSize(int64_t size, llvm::ArrayRef<unsigned> atoms) const {
    return llvm::divideCeil(size, this->size(atoms));
  }
  mlir::RankedTensorType blockType(mlir::RankedTensorType whole,
                                   const Layout &layout) const;

private:
  DeviceAxes(graph::MeshAttr mesh, mlir::FlatSymbolRefAttr name)
      : mesh(mesh), name(name) {}

  graph::MeshAttr mesh;
  mlir::FlatSymbolRefAttr name;
  /// Each with its own size, in mesh order.
  llvm::SmallVector<graph::AxisRefAttr> atoms;
};

} // namespace zenith::sharding

#endif // ZENITH_PASSES_SHARDING_PARTITION_LAYOUT_H
