// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Input and output transforms of Winograd convolutions, on vectors of channels.

#ifndef ZENITH_LOWERING_MICROKERNELS_WINOGRADTRANSFORMS_H
#define ZENITH_LOWERING_MICROKERNELS_WINOGRADTRANSFORMS_H

#include "ir/encodings/Winograd.h"
#include "lowering/builder/KernelBuilder.h"

namespace zenith::kernels {

using Vectors = llvm::SmallVector<mlir::Value>;

/// The transforms along one dimension, as vector instructions. Points come in
/// pairs p and -p, which share the even and the odd half of their sums.
class WinogradTileTransform {
public:
  WinogradTileTransform(mlir::OpBuilder &b, mlir::Location loc, bool fma,
                        const graph::WinogradTransform &transform,
                        mlir::VectorType type)
      : b(b), loc(loc), fma(fma), transform(transform), type(type) {}

  /// From `size` positions to their values at as many points.
  Vectors input(llvm::ArrayRef<mlir::Value> positions) const;
  /// From values at `size` points to `tile` results.
  Vectors output(llvm::ArrayRef<mlir::Value> points) const;

private:
  mlir::Value constant(double value) const;
  mlir::Value add(mlir::Value x, mlir::Value y) const;
  mlir::Value sub(mlir::Value x, mlir::Value y) const;
  mlir::Value scaled(double factor, mlir::Value x) const;
  mlir::Value addScaled(double factor, mlir::Value x, mlir::Value sum) const;
  mlir::Value polynomial(llvm::ArrayRef<double> factors,
                         llvm::ArrayRef<mlir::Value> positions,
                         unsigned first) const;

  mlir::OpBuilder &b;
  mlir::Location loc;
  bool fma;
  const graph::WinogradTransform &transform;
  mlir::VectorType type;
};

/// A two-dimensional tile of vectors in memory, before or after a transform:
/// offset of the first one and strides, in elements.
struct TileView {
  mlir::Value memory, offset, strideY, strideX;
};

/// Calls the function that transforms an input tile, for all channels.
void callInputTransform(KernelBuilder &kernel,
                        const graph::WinogradFilter &filter, unsigned lanes,
                        const TileView &from, const TileView &to,
                        mlir::Value channels);
/// Calls the function that transforms a tile of GEMM results into an output
/// tile, whose rows are written one after the other.
void callOutputTransform(KernelBuilder &kernel,
                         const graph::WinogradFilter &filter, unsigned lanes,
                         const TileView &from, const TileView &to,
                         mlir::Value channels);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_MICROKERNELS_WINOGRADTRANSFORMS_H
