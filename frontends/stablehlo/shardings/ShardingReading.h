// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Meshes and shardings of a program, written in Shardy's text or in GSPMD's, as
// attributes of GraphIR.

#ifndef ZENITH_FRONTENDS_STABLEHLO_SHARDINGS_SHARDINGREADING_H
#define ZENITH_FRONTENDS_STABLEHLO_SHARDINGS_SHARDINGREADING_H

#include "ir/GraphDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

namespace mlir::func {
class FuncOp;
}

namespace zenith::stablehlo {

/// Errors are LLVMErrors without a location.
class ShardingReading {
public:
  explicit ShardingReading(mlir::ModuleOp source) : source(source) {}

  /// Whether the program is one for several devices: it has a mesh, also inside
  /// a sharding, or GSPMD's annotations.
  bool isSharded() const { return sharded; }
  /// Adds the meshes of the source to `target`.
  llvm::Error begin(mlir::ModuleOp target);

  /// `#sdy.sharding<...>`, also without what comes before the bracket.
  llvm::Expected<graph::ShardingAttr> read(mlir::Attribute text);
  /// `#sdy.sharding_per_value<[<...>, <...>]>`.
  llvm::Expected<llvm::SmallVector<graph::ShardingAttr>>
  readList(mlir::Attribute text);
  /// `#sdy<manual_axes{"x"}>`
  llvm::Expected<mlir::ArrayAttr> readAxes(mlir::Attribute text);
  /// `mhlo.sharding` of a value of `rank` dimensions; null where the string
  /// says nothing.
  llvm::Expected<graph::ShardingAttr> readTiling(llvm::StringRef text,
                                                 int64_t rank);

  /// What `attributes` of an argument or result say; null if nothing.
  llvm::Expected<graph::ShardingAttr>
  ofSignature(mlir::DictionaryAttr attributes, mlir::Type type);

private:
  llvm::Expected<graph::ShardingAttr> readText(llvm::StringRef text);
  llvm::Expected<mlir::Attribute> parse(const llvm::Twine &text);
  llvm::Expected<mlir::FlatSymbolRefAttr> addMesh(llvm::StringRef text);
  llvm::Error addTilingMesh();

  mlir::ModuleOp source, target;
  bool sharded = false;
  llvm::StringMap<mlir::FlatSymbolRefAttr> inlined;
  /// Of GSPMD's mesh: how far apart neighbours along each axis are, from major
  /// to minor; the last is 1.
  llvm::SmallVector<int64_t> strides;
  int64_t devices = 0;
};

} // namespace zenith::stablehlo

#endif // ZENITH_FRONTENDS_STABLEHLO_SHARDINGS_SHARDINGREADING_H
