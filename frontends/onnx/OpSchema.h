// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks a node against the operator specification: how many inputs and
// outputs, which attributes of which kinds and words, which types of inputs.
#ifndef ZENITH_FRONTENDS_ONNX_OPSCHEMA_H
#define ZENITH_FRONTENDS_ONNX_OPSCHEMA_H

#include "frontends/onnx/model/ONNXModel.h"

#include "llvm/ADT/ArrayRef.h"

namespace zenith::onnx {

/// A version of an operator, valid until the next row of the same operator.
struct OpSchema {
  std::string_view domain; // "": the default one
  std::string_view op;
  int since;
  int leastInputs, mostInputs, mostOutputs; // INT_MAX: any number
  /// NAME:KIND or NAME!:KIND, separated by spaces (OpSchemas.def).
  std::string_view attributes;
};

/// Newest opset of a domain ("" is the default one); 0 for unknown domains.
int64_t newestOpset(std::string_view domain);

/// The row for an operator at an opset version; null if there is none.
const OpSchema *findSchema(std::string_view domain, std::string_view op,
                           int64_t version);

/// Invalid if the node breaks the specification of its operator, Unsupported
/// for opsets newer than the newest known one. Operators without a row pass:
/// the table of import rules knows them, or nobody does.
Status checkNode(const Node &node, std::string_view domain, int64_t version);

/// Invalid where an input is of an element type that the operator does not
/// take, or not of that of an input which it must agree with. `types` has one
/// per input: Undefined for those that are absent or no tensors. Operators
/// without a row in OpTypes.def pass.
Status checkInputTypes(const Node &node, std::string_view domain,
                       int64_t version, llvm::ArrayRef<DataType> types);

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_ONNX_OPSCHEMA_H
