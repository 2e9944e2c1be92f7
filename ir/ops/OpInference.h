// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every op that infers its result type shares: one checked function gives
// the type to builder and verifier.

#ifndef ZENITH_IR_OPS_OPINFERENCE_H
#define ZENITH_IR_OPS_OPINFERENCE_H

#include "ir/ShapeChecks.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

namespace zenith::graph {

/// Most elements of constants that ops fold themselves; larger ones are the
/// business of constant folding, which knows a budget.
constexpr int64_t foldLimit = 64;

inline bool allRankedTensors(mlir::ValueRange values) {
  return llvm::all_of(values, [](mlir::Value value) {
    return llvm::isa<mlir::RankedTensorType>(value.getType());
  });
}
inline mlir::RankedTensorType tensorType(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}

/// Asks `rule`, which checks operands and attributes of an adaptor and gives
/// the result type, for an op to be built.
template <typename Op, typename Rule>
mlir::LogicalResult
inferWith(Rule rule, std::optional<mlir::Location> location,
          mlir::ValueRange operands, mlir::DictionaryAttr attributes,
          mlir::OpaqueProperties properties, mlir::RegionRange regions,
          llvm::SmallVectorImpl<mlir::Type> &types) {
  ShapeChecks checks(location,
                     Op::getOperationName().drop_front(sizeof("graph.") - 1));
  typename Op::Adaptor adaptor(operands, attributes, properties, regions);
  if (!allRankedTensors(operands))
    return mlir::failure();
  mlir::FailureOr<mlir::RankedTensorType> type = rule(checks, adaptor);
  if (mlir::failed(type))
    return mlir::failure();
  types.push_back(*type);
  return mlir::success();
}

} // namespace zenith::graph

/// Defines the methods of InferTypeOpInterface for `Op` through the generic
/// function `Rule`.
#define ZENITH_INFER_WITH(Op, Rule)                                            \
  llvm::LogicalResult Op::inferReturnTypes(                                    \
      mlir::MLIRContext *, std::optional<mlir::Location> location,             \
      mlir::ValueRange operands, mlir::DictionaryAttr attributes,              \
      mlir::OpaqueProperties properties, mlir::RegionRange regions,            \
      llvm::SmallVectorImpl<mlir::Type> &types) {                              \
    return inferWith<Op>(                                                      \
        [](ShapeChecks &checks, Op::Adaptor &op) { return Rule(checks, op); }, \
        location, operands, attributes, properties, regions, types);           \
  }                                                                            \
  llvm::LogicalResult Op::refineReturnTypes(                                   \
      mlir::MLIRContext *, std::optional<mlir::Location>, mlir::ValueRange,    \
      mlir::DictionaryAttr, mlir::OpaqueProperties, mlir::RegionRange,         \
      llvm::SmallVectorImpl<mlir::Type> &) {                                   \
    return llvm::success();                                                    \
  }

#endif // ZENITH_IR_OPS_OPINFERENCE_H
