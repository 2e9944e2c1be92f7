// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What follows a GEMM inside of its kernel: where elements of its result lie in
// the results of the fusion, and in which order they are stored.

#ifndef ZENITH_LOWERING_SCHEDULE_EPILOGUEFORM_H
#define ZENITH_LOWERING_SCHEDULE_EPILOGUEFORM_H

#include "lowering/schedule/ContractionSpace.h"

namespace zenith::kernels {

struct EpilogueForm {
  /// Per dimension of a value: where its elements lie in a result.
  using Digits = llvm::SmallVector<StridedDim>;

  /// A result of the fusion.
  struct Output {
    mlir::Value yielded;
    /// The value that is computed per element: `yielded`, or the value that
    /// only movement separates from it.
    mlir::Value computed;
    bool sameDims = false; ///< `computed` has the shape and order of the GEMM's
                           ///< result
    Digits dims;           ///< of the GEMM's result
    StridedDim rows, columns;
    /// Locations in the result of all values between the GEMM and it.
    llvm::DenseMap<mlir::Value, Digits> locations;
  };

  mlir::Value result;   ///< of the GEMM
  mlir::Type element;   ///< of `result`
  unsigned nr = 1;      ///< columns of a tile; 1 where the GEMM has one column
  unsigned vectorWidth; ///< columns per step of the epilogue, at most `nr`
  std::vector<Output> outputs;
  /// The accumulators are the only result: micro-kernels may store them there.
  bool storesDirectly = false;
  /// Rows of the GEMM that are contiguous in each result where its columns are
  /// not: the epilogue then stores column by column.
  std::optional<graph::DimExpr> rowRun;

  /// Relates each result of the fusion to the result of the GEMM. Failure, for
  /// what no epilogue can compute, has been reported at the op.
  static mlir::FailureOr<EpilogueForm> make(graph::FusionOp fusion,
                                            graph::DimAnalysis &dims,
                                            const ContractionSpace &space,
                                            const TargetModel &target);
};

/// Whether result `result` may take over the bytes of operand `operand`: the
/// epilogue alone reads the operand, at the elements that it then writes.
bool contractionMayShareBytes(graph::FusionOp fusion, unsigned operand,
                              unsigned result);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_SCHEDULE_EPILOGUEFORM_H
