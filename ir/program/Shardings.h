// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the shardings of values are written, and what a sharding means on the
// mesh that it names.

#ifndef ZENITH_IR_PROGRAM_SHARDINGS_H
#define ZENITH_IR_PROGRAM_SHARDINGS_H

#include "ir/GraphDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Value.h"

namespace zenith::graph {

/// The mesh of this name in the module around `op`; null if there is none.
MeshAttr meshOf(mlir::Operation *op, mlir::FlatSymbolRefAttr name);
inline MeshAttr meshOf(mlir::Operation *op, ShardingAttr sharding) {
  return sharding ? meshOf(op, sharding.getMesh()) : MeshAttr();
}
/// Whether a module has a mesh of several devices.
bool hasMesh(mlir::ModuleOp module);

/// Number of positions along an axis or factor, which the mesh must have.
int64_t axisSize(AxisRefAttr axis, MeshAttr mesh);
/// The product of the sizes of several.
int64_t axisSizes(llvm::ArrayRef<AxisRefAttr> axes, MeshAttr mesh);
/// Number of blocks of a dimension.
int64_t shardCount(DimShardingAttr dim, MeshAttr mesh);
/// Shape of the largest block of a value of `type`: ceil(size / shards) in each
/// dimension, dynamic where the value is.
mlir::RankedTensorType blockType(mlir::RankedTensorType type,
                                 ShardingAttr sharding, MeshAttr mesh);
/// As blockType, over the axes of `axes` only.
mlir::RankedTensorType blockTypeOver(mlir::RankedTensorType type,
                                     ShardingAttr sharding, MeshAttr mesh,
                                     llvm::ArrayRef<llvm::StringRef> axes);

/// What `graph.sharding` says of a value: on the function of an argument of its
/// entry block, on the op of a result. Null where nothing is said, and for
/// arguments of other blocks.
ShardingAttr shardingOf(mlir::Value value);
/// Writes it, or removes it where `sharding` is null. The value is an argument
/// of a function or a result.
void setSharding(mlir::Value value, ShardingAttr sharding);
/// What `graph.sharding` says of a result of a function; `function` implements
/// FunctionOpInterface.
ShardingAttr resultSharding(mlir::Operation *function, unsigned result);
void setResultSharding(mlir::Operation *function, unsigned result,
                       ShardingAttr sharding);

/// sharding_c2 and sharding_c3 for a value of `type`: nullopt, or what is wrong
/// with its label.
std::optional<std::string>
shardingMistake(mlir::Operation *user, ShardingAttr sharding, mlir::Type type);
/// Form of `graph.sharding` on an op.
llvm::LogicalResult verifyShardingAttribute(mlir::Operation *op,
                                            mlir::Attribute value);

} // namespace zenith::graph

#endif // ZENITH_IR_PROGRAM_SHARDINGS_H
