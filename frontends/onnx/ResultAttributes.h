// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the import leaves on results of @main besides names and dimensions.
#ifndef ZENITH_FRONTENDS_ONNX_RESULTATTRIBUTES_H
#define ZENITH_FRONTENDS_ONNX_RESULTATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace zenith::onnx {

/// On a result whose elements store a type that GraphIR lacks: the name that
/// dataTypeName gives.
inline constexpr llvm::StringLiteral storedTypeAttrName = "graph.stored_type";

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_ONNX_RESULTATTRIBUTES_H
