// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives the ops of a family their answers to a question (an op interface).

#ifndef ZENITH_IR_ATTACHRULES_H
#define ZENITH_IR_ATTACHRULES_H

#include "mlir/IR/MLIRContext.h"

namespace zenith::graph {

/// Gives each op of `Ops` the answers of `Model<Op>`, an external model of the
/// interface. The list of a family is
///   #define GET_OP_LIST
///   #include "ir/<Family>.cpp.inc"
template <template <typename> class Model, typename... Ops>
void attachAll(mlir::MLIRContext *context) {
  (Ops::template attachInterface<Model<Ops>>(*context), ...);
}

} // namespace zenith::graph

#endif // ZENITH_IR_ATTACHRULES_H
