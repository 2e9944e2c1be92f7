// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function that scores states: its signature, and calls of it.

#ifndef ZENITH_FRONTENDS_CAYLEY_BEAMMODEL_H
#define ZENITH_FRONTENDS_CAYLEY_BEAMMODEL_H

#include "ir/matchers/RowBuilder.h"
#include "llvm/Support/Error.h"

namespace mlir::func {
class FuncOp;
}

namespace zenith::cayley {

/// How many states a call of the model takes: enough for matmuls to run at full
/// speed on some threads and to amortise the reads of tables, few enough for
/// the operands and results of a layer to stay in a second-level cache.
int64_t rowsOfBlock(mlir::Operation *function);

class BeamModel {
public:
  /// `numbers`: states contain 0 to numbers - 1. An error where the function's
  /// signature does not take states and give scores.
  /// `name` is what messages call it.
  static llvm::Expected<BeamModel> create(mlir::func::FuncOp function,
                                          llvm::StringRef name,
                                          int64_t positions, int64_t numbers);

  /// Scores of rows of states, a list of floats. The function is called on
  /// blocks of rows, so that its intermediate values stay small.
  mlir::Value score(graph::RowBuilder &ops, mlir::OpBuilder &builder,
                    mlir::Value rows) const;

private:
  enum class Form { Numbers, FlatOneHot, OneHot };

  mlir::Value call(graph::RowBuilder &ops, mlir::OpBuilder &builder,
                   mlir::Value rows) const;

  mlir::Operation *function = nullptr;
  Form form = Form::Numbers;
  int64_t positions = 0,
          numbers = 0; ///< values of a position in the model's one-hot form
};

} // namespace zenith::cayley

#endif // ZENITH_FRONTENDS_CAYLEY_BEAMMODEL_H
