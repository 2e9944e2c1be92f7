// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of reduce_window and convolution by the taps of their windows, of
// one position or of several ones together.

#ifndef ZENITH_LOWERING_ELEMENTS_WINDOWELEMENTS_H
#define ZENITH_LOWERING_ELEMENTS_WINDOWELEMENTS_H

#include "lowering/elements/ElementEmitter.h"

namespace zenith::kernels {

/// Emits through an ElementEmitter, whose mask and scopes it respects.
class WindowElements {
public:
  explicit WindowElements(ElementEmitter &emitter)
      : emitter(emitter), kernel(emitter.kernel), indices(emitter.indices) {}

  /// Up to this many taps are accumulated in order and without FMA, so results
  /// match the interpreter bit for bit. Another order would gain little there.
  static constexpr int64_t tapsInOrder = 9;

  /// The element of a reduce_window or convolution at `index`; null after an
  /// unsupported op, which has been reported.
  mlir::Value emit(mlir::Operation *op, llvm::ArrayRef<LaneIndex> index);
  /// Elements at several positions. Taps are interleaved, so that shared
  /// operands are read once and used soon.
  llvm::SmallVector<mlir::Value>
  emitAll(mlir::Operation *op,
          llvm::ArrayRef<llvm::SmallVector<LaneIndex>> positions);

private:
  struct WindowSpan {
    LaneIndex first; ///< operand position of the window's first element
    int64_t count;   ///< elements of the window
    int64_t dilation, baseDilation;
    int64_t low;         ///< how far below 0 positions reach
    graph::DimExpr size; ///< of the operand
  };
  using WindowStep = std::function<mlir::Value(
      llvm::ArrayRef<LaneIndex> window, llvm::ArrayRef<LaneIndex> operand,
      mlir::Value sum)>;
  /// One element as a reduction over the taps of its window.
  struct WindowReduce {
    mlir::Type element; ///< of the result
    llvm::SmallVector<WindowSpan, 4> spans;
    mlir::Value start;
    WindowStep step;
  };
  std::optional<WindowReduce> describe(mlir::Operation *op,
                                       llvm::ArrayRef<LaneIndex> index);
  WindowReduce describeWindow(graph::ReduceWindowOp op,
                              llvm::ArrayRef<LaneIndex> index);
  WindowReduce describeConvolution(graph::ConvolutionOp op,
                                   llvm::ArrayRef<LaneIndex> index);
  mlir::Value multiplyAdd(mlir::Value x, mlir::Value y, mlir::Value sum,
                          bool roundsOnce);
  /// First tap that reads an element of the operand, and one past the last such
  /// tap, of a window whose span is uniform and whose base is undilated.
  std::pair<mlir::Value, mlir::Value> tapsInside(const WindowSpan &span);
  /// Operand position of such a tap.
  LaneIndex tapAt(const WindowSpan &span, mlir::Value number);
  /// Applies `step` to each position of a window in order, unrolled where these
  /// are few.
  mlir::Value reduceWindow(llvm::ArrayRef<WindowSpan> spans, mlir::Value start,
                           const WindowStep &step);

  ElementEmitter &emitter;
  KernelBuilder &kernel;
  IndexMath &indices;
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_ELEMENTS_WINDOWELEMENTS_H
