// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the code of one micro-kernel, in a function of its own or in place.

#ifndef ZENITH_LOWERING_MICROKERNELS_MICROKERNELWRITER_H
#define ZENITH_LOWERING_MICROKERNELS_MICROKERNELWRITER_H

#include "lowering/microkernels/MicroKernel.h"

namespace zenith::kernels {

/// One SSA value per accumulator, so that each stays in its register.
class MicroKernelWriter {
public:
  MicroKernelWriter(mlir::OpBuilder &b, mlir::Location loc,
                    const MicroKernel &shape, const TargetModel &target)
      : b(b), loc(loc), shape(shape), target(target) {
    indexType = b.getIndexType();
    vectorType = mlir::VectorType::get({int64_t(shape.lanes)}, shape.sum);
    depthsAtOnce = setsOfSums(shape);
  }

  void tile(const MicroKernelArgs &args);
  void dots(const MicroKernelArgs &args, mlir::Value rows,
            mlir::Value columnStride);

private:
  using Values = llvm::SmallVector<mlir::Value>;
  using Body =
      llvm::function_ref<Values(mlir::Value iv, mlir::ValueRange carried)>;

  mlir::Value index(int64_t value);
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value sub(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, mlir::Value y);
  mlir::Value zero();
  Values loop(mlir::Value high, mlir::Value step, mlir::ValueRange init,
              Body body, mlir::Value low = {});

  mlir::Value toSum(mlir::Value x, mlir::Type element);
  mlir::Value multiplyAdd(mlir::Value x, mlir::Value y, mlir::Value sum);
  mlir::Value loadVector(mlir::Value memory, mlir::Value offset,
                         mlir::Type element, mlir::Value mask);
  /// The same as it lies in memory.
  mlir::Value loadRaw(mlir::Value memory, mlir::Value offset,
                      mlir::Type element, mlir::Value mask);
  /// One or several depths: `next` holds the sums of each set, then the offsets
  /// of A and B, which move on.
  void depthStep(const MicroKernelArgs &args, mlir::ValueRange aMemory,
                 mlir::ValueRange aRows, unsigned sets, Values &next);
  /// Where a vector of columns lies, given where its depth begins.
  mlir::Value vectorOfDepth(const MicroKernelArgs &args, mlir::Value bk,
                            unsigned number);
  /// Adds the products of one depth to one set of sums.
  void addDepth(const MicroKernelArgs &args, mlir::ValueRange aMemory,
                mlir::ValueRange aRows, mlir::Value ak, mlir::Value bk,
                llvm::MutableArrayRef<mlir::Value> sums);
  /// The depth loop where strides are known.
  Values roundLoop(const MicroKernelArgs &args, mlir::ValueRange aMemory,
                   mlir::ValueRange aRows, mlir::Value bOffset, Values sums);
  /// The depth loop where lanes run along it.
  Values laneLoop(const MicroKernelArgs &args, mlir::ValueRange aMemory,
                  mlir::ValueRange aRows, mlir::Value bOffset, Values sums);
  void fetch(mlir::Value memory, mlir::Value offset, bool soon);
  void fetchAhead(mlir::Value from, mlir::Value memory);
  void fetchRows(const MicroKernelArgs &args, mlir::Value from,
                 unsigned depths);
  void prefetch(mlir::Value memory, mlir::Value offset, unsigned set);
  /// One or several pairs or groups of depths from `ak` on: `next` holds the
  /// sums of each set and, last, the offset of B, which moves on.
  void pairStep(const MicroKernelArgs &args, mlir::ValueRange aMemory,
                mlir::ValueRange aRows, mlir::Value ak, unsigned sets,
                Values &next, bool half = false);
  mlir::Value groupOfDepths(const MicroKernelArgs &args, mlir::Value offset,
                            unsigned vector);
  mlir::Value groupOfRow(mlir::Value memory, mlir::Value offset, bool half);
  /// The depth loop where depths lie in groups.
  Values groupLoop(const MicroKernelArgs &args, mlir::ValueRange aMemory,
                   mlir::ValueRange aRows, mlir::Value bOffset, Values sums);
  mlir::Value shuffled(mlir::Value x, mlir::Value y, int64_t count,
                       llvm::function_ref<int64_t(int64_t lane)> source);
  Values columnsOfWords(const MicroKernelArgs &args, mlir::Value offset);
  void partColumns(llvm::MutableArrayRef<mlir::Value> sums);
  void joinColumns(llvm::MutableArrayRef<mlir::Value> sums);
  mlir::Value pairOfRows(mlir::Value low, mlir::Value high);
  mlir::Value sumOfPairs(mlir::Value x, mlir::Value y);
  mlir::Value addPairs(mlir::Value sum, mlir::Value x, mlir::Value y);
  Values depthLoop(const MicroKernelArgs &args, mlir::ValueRange aMemory,
                   mlir::ValueRange aRows, mlir::Value bOffset, Values sums);
  Values tapLoops(const MicroKernelArgs &args, unsigned level,
                  mlir::ValueRange aRows, mlir::Value bOffset,
                  mlir::Value position, Values sums);
  Values edgeTap(const MicroKernelArgs &args, mlir::ValueRange aRows,
                 mlir::Value bOffset, mlir::Value position, Values sums);
  mlir::Value addSums(mlir::Value x, mlir::Value y);
  mlir::Value sumOfLanes(mlir::Value x);
  void dotsOfColumns(const MicroKernelArgs &args, mlir::Value row,
                     mlir::Value column, unsigned count,
                     mlir::Value columnStride);

  mlir::OpBuilder &b;
  mlir::Location loc;
  const MicroKernel &shape;
  const TargetModel &target;
  mlir::Type indexType;
  mlir::VectorType vectorType;
  unsigned depthsAtOnce = 1;
  Values masks;
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_MICROKERNELS_MICROKERNELWRITER_H
