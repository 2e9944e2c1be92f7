// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program of one graph.hash.

#include "frontends/cayley/BuildHashes.h"

#include "frontends/cayley/StateOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace zenith::cayley {

OwningOpRef<ModuleOp> buildHashes(int64_t width, Type element,
                                  const HashOptions &options,
                                  MLIRContext *context) {
  OpBuilder builder(context);
  Location location = NameLoc::get(builder.getStringAttr("hash"));
  OwningOpRef<ModuleOp> module = ModuleOp::create(location);
  builder.setInsertionPointToEnd(module->getBody());
  bool isMatrix = options.kind == HashKind::Matrix;
  auto type = isMatrix ? RankedTensorType::get({anySize, options.lanes},
                                               builder.getI64Type())
                       : RankedTensorType::get(
                             {anySize, 1}, builder.getIntegerType(32, false));
  auto function = builder.create<func::FuncOp>(
      location, "main",
      builder.getFunctionType(RankedTensorType::get({anySize, width}, element),
                              type));
  nameArguments(function, {"states"});
  nameResults(function, {"hashes"});
  builder.setInsertionPointToStart(function.addEntryBlock());
  Value hashes = builder.create<graph::HashOp>(
      location, type,
      isMatrix ? graph::HashKind::matrix : graph::HashKind::poly32,
      function.getArgument(0),
      isMatrix ? builder.getI64IntegerAttr(int64_t(options.seed))
               : IntegerAttr());
  builder.create<func::ReturnOp>(location, hashes);
  return module;
}

} // namespace zenith::cayley
