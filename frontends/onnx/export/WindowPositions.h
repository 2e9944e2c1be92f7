// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows at data-dependent corners, as positions in the flat operand: the form
// of gathers and scatters that no ONNX operator takes unchanged.
#ifndef ZENITH_FRONTENDS_ONNX_EXPORT_WINDOWPOSITIONS_H
#define ZENITH_FRONTENDS_ONNX_EXPORT_WINDOWPOSITIONS_H

#include "frontends/onnx/export/ExportBuilder.h"

namespace zenith::onnx {

/// The windows of a gather's operand or a scatter's.
struct WindowPositions {
  Value indices;
  int64_t vectorDim; ///< of the indices: holds a corner's coordinates
  llvm::ArrayRef<int64_t> indexMap; ///< operand dimension of each coordinate
  llvm::ArrayRef<int64_t> operandBatching, indicesBatching;
  llvm::ArrayRef<int64_t> shape; ///< of the operand, static
  /// Size of a window along each dimension of the operand.
  llvm::SmallVector<int64_t> window;
  /// Dimensions of the values (a gather's result, a scatter's updates) that run
  /// through a window, and the corresponding dimensions of the operand.
  llvm::ArrayRef<int64_t> windowDims;
  llvm::SmallVector<int64_t> operandDims;
  int64_t rank; ///< of the values
};

/// Corners as 64-bit integers, with the coordinates in the last dimension.
std::string corners(ExportBuilder &b, const WindowPositions &windows);

/// The largest corner of a window inside of the operand, by coordinate.
llvm::SmallVector<int64_t> lastCorner(const WindowPositions &windows);

/// Positions in the flat operand of all elements of the values; `corners` must
/// lie inside for the positions to be in range.
std::string flatPositions(ExportBuilder &b, const WindowPositions &windows,
                          const std::string &corners);

/// True if each entry of the constant `indices` is a position: not negative and
/// below the size of its dimension. False for values that are not constant.
bool areKnownPositions(Value indices, int64_t vectorDim,
                       llvm::ArrayRef<int64_t> indexMap,
                       llvm::ArrayRef<int64_t> shape);

/// The x of `x < 0 ? x + size : x`, which brings negative indices into range as
/// ONNX defines them; `indices` if it is no such select.
Value withoutWrap(Value indices);

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_ONNX_EXPORT_WINDOWPOSITIONS_H
