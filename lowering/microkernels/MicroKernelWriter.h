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
                    const MicroKernel &kernel, const TargetModel &target)
      : b(b), loc(loc), kernel(kernel), target(target) {
    indexType = b.getIndexType();
    vectorType = mlir::VectorType::get({int64_t(kernel.lanes)}, kernel.sum);
    sets = accumulatorSets(kernel);
  }

  void tile(const MicroKernelArgs &args);
  void dots(const MicroKernelArgs &args, mlir::Value rows,
            mlir::Value columnStride);

private:
  using Values = llvm::SmallVector<mlir::Value>;
  using Body =
      llvm::function_ref<Values(mlir::Value iv, mlir::ValueRange iterArgs)>;

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
  /// The same without widening.
  mlir::Value loadRaw(mlir::Value memory, mlir::Value offset,
                      mlir::Type element, mlir::Value mask);
  /// Adds `count` k, one per set: `next` holds the accumulators of each set,
  /// then the offsets of A and B, which it advances.
  void kStep(const MicroKernelArgs &args, mlir::ValueRange aMemory,
             mlir::ValueRange aRows, unsigned count, Values &next);
  /// Offset in B of a vector of columns, given that of its k.
  mlir::Value vectorOfK(const MicroKernelArgs &args, mlir::Value bk,
                        unsigned number);
  /// Multiplies and adds one k to one set of accumulators.
  void addK(const MicroKernelArgs &args, mlir::ValueRange aMemory,
            mlir::ValueRange aRows, mlir::Value ak, mlir::Value bk,
            llvm::MutableArrayRef<mlir::Value> sums);
  /// The loop over K where strides are known.
  Values roundLoop(const MicroKernelArgs &args, mlir::ValueRange aMemory,
                   mlir::ValueRange aRows, mlir::Value bOffset, Values sums);
  /// The loop over K where lanes run along it.
  Values alongKLoop(const MicroKernelArgs &args, mlir::ValueRange aMemory,
                    mlir::ValueRange aRows, mlir::Value bOffset, Values sums);
  void prefetch(mlir::Value memory, mlir::Value offset, bool soon);
  void prefetchNextPanel(const PrefetchNextPanel &next, mlir::Value from,
                         mlir::Value memory);
  void prefetchNextRows(const MicroKernelArgs &args, mlir::Value from,
                        unsigned unroll);
  void prefetchB(mlir::Value memory, mlir::Value offset, unsigned set);
  /// Adds `count` pairs or groups of k from `ak` on, one per set: `next` holds
  /// the accumulators of each set and, last, the offset of B, which it
  /// advances.
  void groupStep(const MicroKernelArgs &args, mlir::ValueRange aMemory,
                 mlir::ValueRange aRows, mlir::Value ak, unsigned sets,
                 Values &next, bool half = false);
  mlir::Value groupOfColumns(const MicroKernelArgs &args, mlir::Value offset,
                             unsigned vector);
  mlir::Value groupOfRow(mlir::Value memory, mlir::Value offset, bool half);
  /// The loop over K where B is K-interleaved.
  Values interleavedLoop(const MicroKernelArgs &args, mlir::ValueRange aMemory,
                         mlir::ValueRange aRows, mlir::Value bOffset,
                         Values sums);
  /// Neighbouring k that are multiplied at a time.
  unsigned groupSize() const;
  mlir::Value shuffled(mlir::Value x, mlir::Value y, int64_t count,
                       llvm::function_ref<int64_t(int64_t lane)> source);
  Values columnsOfSplitWords(const MicroKernelArgs &args, mlir::Value offset);
  void deinterleaveColumns(llvm::MutableArrayRef<mlir::Value> sums);
  void interleaveColumns(llvm::MutableArrayRef<mlir::Value> sums);
  mlir::Value interleavedRows(mlir::Value low, mlir::Value high);
  mlir::Value sumOfProducts(mlir::Value x, mlir::Value y);
  mlir::Value addPairs(mlir::Value sum, mlir::Value x, mlir::Value y);
  void makeMasks(mlir::Value columns);
  Values kLoop(const MicroKernelArgs &args, mlir::ValueRange aMemory,
               mlir::ValueRange aRows, mlir::Value bOffset, Values sums);
  Values tapLoops(const MicroKernelArgs &args, unsigned level,
                  mlir::ValueRange aRows, mlir::Value bOffset,
                  mlir::Value position, Values sums);
  Values clippedTap(const MicroKernelArgs &args, mlir::ValueRange aRows,
                    mlir::Value bOffset, mlir::Value position, Values sums);
  mlir::Value addSums(mlir::Value x, mlir::Value y);
  mlir::Value sumOfLanes(mlir::Value x);
  void dotsOfColumns(const MicroKernelArgs &args, mlir::Value row,
                     mlir::Value column, unsigned count,
                     mlir::Value columnStride);

  mlir::OpBuilder &b;
  mlir::Location loc;
  const MicroKernel &kernel;
  const TargetModel &target;
  mlir::Type indexType;
  mlir::VectorType vectorType;
  unsigned sets = 1;
  Values masks;
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_MICROKERNELS_MICROKERNELWRITER_H
