// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pixels to values at points and back, on vectors of channels.

#ifndef ZENITH_LOWERING_MICROKERNELS_WINOGRADTRANSFORMS_H
#define ZENITH_LOWERING_MICROKERNELS_WINOGRADTRANSFORMS_H

#include "ir/encodings/Winograd.h"
#include "lowering/builder/KernelBuilder.h"

namespace zenith::kernels {

using Vectors = llvm::SmallVector<mlir::Value>;

/// The transforms along one dimension, as vector instructions; pairs of points
/// share the even and the odd half of their sums.
class WinogradTileTransform {
public:
  WinogradTileTransform(mlir::OpBuilder &b, mlir::Location loc, bool fma,
                        const graph::WinogradTransform &transform,
                        mlir::VectorType type)
      : b(b), loc(loc), fma(fma), transform(transform), type(type) {}

  /// `size` pixels to as many values.
  Vectors evaluate(llvm::ArrayRef<mlir::Value> pixels) const;
  /// `size` products to `tile` results.
  Vectors interpolate(llvm::ArrayRef<mlir::Value> products) const;

private:
  mlir::Value constant(double value) const;
  mlir::Value add(mlir::Value x, mlir::Value y) const;
  mlir::Value sub(mlir::Value x, mlir::Value y) const;
  mlir::Value scaled(double factor, mlir::Value x) const;
  mlir::Value addScaled(double factor, mlir::Value x, mlir::Value sum) const;
  mlir::Value polynomial(llvm::ArrayRef<double> factors,
                         llvm::ArrayRef<mlir::Value> pixels,
                         unsigned first) const;

  mlir::OpBuilder &b;
  mlir::Location loc;
  bool fma;
  const graph::WinogradTransform &transform;
  mlir::VectorType type;
};

/// Where a square of vectors lies, of pixels, values or results: element
/// offsets.
struct SquarePlace {
  mlir::Value memory, offset, line, pixel;
};

/// Calls the function that evaluates a square of pixels, for all channels;
/// values of neighbouring points are `to.pixel` apart, those of the next line
/// of points `to.line`.
void callEvaluate(KernelBuilder &kernel, const graph::WinogradFilter &window,
                  unsigned lanes, const SquarePlace &from,
                  const SquarePlace &to, mlir::Value channels);
/// Calls the function that interpolates a square of results from products, laid
/// out as values are. Lines of results are written one after the other.
void callInterpolate(KernelBuilder &kernel, const graph::WinogradFilter &window,
                     unsigned lanes, const SquarePlace &from,
                     const SquarePlace &to, mlir::Value channels);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_MICROKERNELS_WINOGRADTRANSFORMS_H
