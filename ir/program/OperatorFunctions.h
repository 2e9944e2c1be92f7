// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private functions whose meaning is one operator of another format: compilers
// inline their bodies, exporters write the operator.

#ifndef ZENITH_IR_PROGRAM_OPERATORFUNCTIONS_H
#define ZENITH_IR_PROGRAM_OPERATORFUNCTIONS_H

#include "llvm/ADT/StringRef.h"

namespace zenith::graph {

/// On a private function: a dictionary with `op`, the name of an ONNX operator,
/// `domain`, and the operator's attributes (`attributes`: integers, floats and
/// lists of integers). Arguments and results are the operator's, in order;
/// `absent` lists inputs that a call leaves out.
inline constexpr llvm::StringLiteral operatorAttrName = "graph.operator";

} // namespace zenith::graph

#endif // ZENITH_IR_PROGRAM_OPERATORFUNCTIONS_H
