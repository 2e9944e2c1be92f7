// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why a formula that is nearly a known composite stays spelled out.

#ifndef ZENITH_PASSES_RAISE_NEARMISS_H
#define ZENITH_PASSES_RAISE_NEARMISS_H

#include "ir/remarks/Remark.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"
#include <string>

namespace zenith::raise {

/// The first condition that failed after the formula was recognised. A match
/// that fails earlier leaves it empty.
class NearMiss {
public:
  /// Always failure. `op` is the one that breaks the formula.
  mlir::LogicalResult at(mlir::Operation *op, const llvm::Twine &text) {
    if (!place) {
      place = op;
      condition = text.str();
    }
    return mlir::failure();
  }
  /// Emits the remark at the op, if a condition failed.
  void report(remarks::Code code) const {
    if (place)
      remarks::emit(place, code, {condition});
  }

private:
  mlir::Operation *place = nullptr;
  std::string condition;
};

} // namespace zenith::raise

#endif // ZENITH_PASSES_RAISE_NEARMISS_H
