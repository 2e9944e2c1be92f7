// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A location as the text that messages begin with.

#ifndef ZENITH_IR_LOCATIONTEXT_H
#define ZENITH_IR_LOCATIONTEXT_H

#include "mlir/IR/Location.h"
#include <string>

namespace zenith::graph {

/// `FILE:LINE:COL`, else the name that the location has, else "".
std::string placeOf(mlir::Location location);

} // namespace zenith::graph

#endif // ZENITH_IR_LOCATIONTEXT_H
