// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `graph.block` on arguments and results of a program of one device: which part
// of a whole value it takes or gives.

#ifndef ZENITH_IR_DEVICES_BLOCKATTR_H
#define ZENITH_IR_DEVICES_BLOCKATTR_H

#include "ir/GraphDialect.h"
#include "mlir/IR/BuiltinTypes.h"

namespace zenith::graph {

inline constexpr llvm::StringLiteral blockAttrName = "graph.block";

/// `{sharding = #graph.sharding<...>, whole = tensor<...>}`.
inline mlir::DictionaryAttr blockAttr(ShardingAttr sharding, mlir::Type whole) {
  mlir::MLIRContext *context = whole.getContext();
  auto named = [&](llvm::StringRef name, mlir::Attribute value) {
    return mlir::NamedAttribute(mlir::StringAttr::get(context, name), value);
  };
  return mlir::DictionaryAttr::get(
      context, {named("sharding", sharding),
                named("whole", mlir::TypeAttr::get(whole))});
}

} // namespace zenith::graph

#endif // ZENITH_IR_DEVICES_BLOCKATTR_H
