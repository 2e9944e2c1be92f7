// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The innermost loops of products: a tile of accumulators in registers, summed
// over the whole depth.

#ifndef ZENITH_LOWERING_MICROKERNELS_MICROKERNEL_H
#define ZENITH_LOWERING_MICROKERNELS_MICROKERNEL_H

#include "lowering/builder/KernelBuilder.h"

namespace zenith::kernels {

/// What distinguishes one micro-kernel from another; sizes and strides are
/// run-time arguments.
struct MicroKernel {
  enum Form {
    Product, ///< one loop over the depth
    Window,  ///< three loops over taps around it
    Edge     ///< the innermost tap loop moves along a dimension that rows may
             ///< leave: those read zeros
  };
  Form form = Product;
  unsigned height = 1;  ///< rows of the tile
  unsigned vectors = 1; ///< vectors of columns of the tile
  unsigned lanes = 8;
  bool continues = false; ///< adds to the sums that the tile holds
  bool masked = false;    ///< reads only the first `columns` columns of B
  bool fma = true;
  /// Adds one depth after the other, as few of them are added by hand: several
  /// sums side by side would be rounded otherwise and gain nothing.
  bool inOrder = false;
  /// Lanes run along the depth: `vectors` columns, each a run of its own in B,
  /// depthStrideB apart, times `height` rows; of sums a number each is stored.
  bool alongDepth = false;
  /// Sums 16-bit products of two neighbouring depths at a time: A is i16 with
  /// depthStrideA 1, B i16 or narrower, sums are i32; or A and B are bf16, sums
  /// f32, and the target has AVX512-BF16.
  bool pairs = false;
  /// Of pairs: how many depths of a column lie side by side in B. 4: A is u8, B
  /// i8, sums are i32, depths a multiple of 4.
  unsigned group = 1;
  /// B is bf16, two vectors of which come as one of words: a shift widens the
  /// even columns, a mask the odd ones. Chosen by who calls the micro-kernel.
  bool splitsWords = false;
  bool vnni = false; ///< the target adds products of four bytes at once
  /// Asks for B some cache lines ahead: where widening leaves too few loads
  /// under way at once. Of tiles at least so high.
  bool prefetches = false;
  unsigned fewestRowsAhead = 1;
  /// Not 0: depthStrideA and depthStrideB, so that what neighbouring depths
  /// read lies at known distances.
  unsigned knownStride = 0, knownStrideB = 0;
  /// Not 0: rowStride, so that all rows are read past one address.
  unsigned knownRows = 0;
  /// Not 0: vectors of a depth that lie side by side in B; the others lie
  /// `panelStride` elements behind those, in the next panel.
  unsigned vectorsOfPanel = 0;
  /// Asks for some cache lines in each round of depths, `ahead` elements behind
  /// those of B: what is read after this tile and its neighbours.
  bool looksAhead = false;
  unsigned linesAhead = 1;
  /// Asks for rows `ahead` elements behind those of the tile, which lie one
  /// behind the other, as fast as it reads these.
  bool fetchesRows = false;
  mlir::Type a, b; ///< element types of the graph
  mlir::Type sum;  ///< type of the accumulators
};

/// Arguments of a micro-kernel; offsets and strides in elements. `c` is a tile,
/// or the result itself.
struct MicroKernelArgs {
  mlir::Value a, b, c;
  mlir::Value aOffset, rowStride, depthStrideA;
  mlir::Value bOffset, depthStrideB;
  mlir::Value depth;
  mlir::Value cOffset, rowStrideC;
  mlir::Value columns;     ///< masked only
  mlir::Value ahead;       ///< looksAhead and fetchesRows only
  mlir::Value panelStride; ///< vectorsOfPanel only
  struct Tap {
    mlir::Value count, strideA, strideB;
  };
  Tap taps[3]; ///< outer to inner; not in Product
  // Edge only: memory of zeros that holds a depth of them; position of row 0 at
  // tap 0 along the edge dimension, its step per row and per tap, and the
  // extent of the input.
  mlir::Value zeros, position, rowStep, tapStep, extent;
};

/// Type in which products of `element` are summed for a result of type
/// `result`.
mlir::Type sumType(mlir::Type element, mlir::Type result);
/// Lanes of a native vector of `sum`.
unsigned sumLanes(mlir::Type sum, const TargetModel &target);

/// Depths that one round of the innermost loop adds, where strides are known.
unsigned depthsOfRound(const MicroKernel &shape);

/// Sets of sums side by side that few accumulators are multiplied by, so that
/// multipliers don't wait for each other's results.
unsigned setsOfSums(const MicroKernel &shape);

/// Calls the micro-kernel, which is emitted once per module; in place where the
/// target has no calls.
void callMicroKernel(KernelBuilder &kernel, const MicroKernel &shape,
                     const MicroKernelArgs &args);
/// Calls that of `height` rows, which is one of `possible`; none where there
/// are no rows.
void callMicroKernelOfHeight(KernelBuilder &kernel, const MicroKernel &shape,
                             const MicroKernelArgs &args, mlir::Value height,
                             llvm::ArrayRef<unsigned> possible);

/// Sums products of rows that both run along the depth (B is transposed): for r
/// < rows, n < columns, c[cOffset + r * rowStrideC + n] = sum over k of
/// a[aOffset + r * rowStride + k] * b[bOffset + n * columnStride + k].
void callDotKernel(KernelBuilder &kernel, const MicroKernel &shape,
                   const MicroKernelArgs &args, mlir::Value rows,
                   mlir::Value columnStride);

/// A memref of known size seen as memory of unknown size, as kernel arguments
/// are.
mlir::Value asMemory(mlir::OpBuilder &b, mlir::Location loc,
                     mlir::Value buffer);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_MICROKERNELS_MICROKERNEL_H
