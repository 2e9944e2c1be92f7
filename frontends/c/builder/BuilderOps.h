// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ops that builders take by name, with their attributes as JSON.

#ifndef ZENITH_FRONTENDS_C_BUILDER_BUILDEROPS_H
#define ZENITH_FRONTENDS_C_BUILDER_BUILDEROPS_H

#include "frontends/c/CallStatus.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OperationSupport.h"
#include <optional>
#include <string>

namespace zenith::c {

/// "graph.add" for "add", and other names as they are.
std::string fullName(const char *op);
/// The op that "add" or "graph.add" names; nothing where there is none, or none
/// that programs may have.
std::optional<mlir::OperationName> findOp(const char *name,
                                          mlir::MLIRContext *context);
/// Names of all ops, sorted, without "graph.".
std::vector<std::string> opNames(mlir::MLIRContext *context);

/// Reads a JSON object (null = none) as attributes of `op`; an error names the
/// key.
zenith_status *readAttributes(mlir::OperationName op, const char *json,
                              size_t operandCount,
                              mlir::NamedAttrList &attributes);
/// Names of the attributes that JSON can give, with their kinds.
std::vector<std::pair<std::string, std::string>>
attributeKinds(mlir::OperationName op);

/// Numbers of segments that operands of `op` are divided into; 0 where they
/// are not.
size_t operandGroups(mlir::OperationName op);

/// Null where there are about as many operands as the op can have: what asks
/// for types must not meet fewer.
zenith_status *checkOperands(const mlir::OperationState &state);

/// What an op's verifier says first; empty where the op is valid.
std::string complaintOf(mlir::Operation *op);

/// Adds the types of results where operands and attributes tell, or drafts of
/// them for shapeResults(); none where the op does not tell. `builder` stands
/// where the op will.
zenith_status *inferResults(mlir::OperationState &state,
                            mlir::OpBuilder &builder);
/// Gives the results of the op that `state` became, with inferred types, their
/// dimensions. Returns what is wrong with its operands or attributes.
std::string shapeResults(mlir::OperationState &state, mlir::Operation *op);
/// True for ops whose results' types follow from operands and attributes.
bool canInfer(mlir::OperationName op);

/// JSON of all ops: operands, attributes, results, regions.
std::string opsJSON();

} // namespace zenith::c

#endif // ZENITH_FRONTENDS_C_BUILDER_BUILDEROPS_H
