// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Few rows times panels of integers that are decoded in registers: the time is
// that of reading the integers, which memory holds at their bits.

#ifndef ZENITH_LOWERING_GEMM_GEMMCODEDROWS_H
#define ZENITH_LOWERING_GEMM_GEMMCODEDROWS_H

#include "lowering/gemm/GemmTiles.h"

namespace zenith::kernels {

/// Only where the space has codes and the schedule widens no panels. Each block
/// of K is summed as rows times integers, then multiplied by its scale.
class GemmCodedRows {
public:
  explicit GemmCodedRows(const GemmContext &gemm)
      : GemmCodedRows(gemm, /*mayLookUp=*/true) {}

  /// Sums a tile of a panel over all of K; `full`: all columns exist.
  void sum(const GemmTile &tile, mlir::Value panel, bool full) const;

private:
  using Values = llvm::SmallVector<mlir::Value>;
  /// Some rows of a tile, and what lies where.
  struct Pass {
    const GemmTile &tile;
    mlir::Value panel;
    unsigned firstRow, rows;
  };
  /// Sums of a block, a vector of columns after the other for each row; beside
  /// them those of the row's own elements, where zero points need them.
  struct Sums {
    Values products, rows;
  };

  GemmCodedRows(const GemmContext &gemm, bool mayLookUp);

  void rowsOf(const GemmTile &tile, mlir::Value panel, unsigned rows,
              unsigned stored) const;
  void sumPass(const Pass &pass, unsigned stored) const;
  void store(const Pass &pass, mlir::ValueRange totals, unsigned stored) const;
  mlir::Value areFinite(mlir::ValueRange rowSums) const;
  Values addBlock(const Pass &pass, mlir::Value block, int64_t size,
                  mlir::ValueRange totals) const;
  void addBytes(const Pass &pass, mlir::Value bytesRow, mlir::Value firstK,
                unsigned fields, mlir::ValueRange zeros, Sums &sums) const;
  void lookUp(const Pass &pass, mlir::Value bytes, mlir::Value firstK,
              unsigned fields, Sums &sums) const;
  Values entries(mlir::Value operand, mlir::Value panel,
                 mlir::Value block) const;
  mlir::Value differences(mlir::Value bytes, unsigned field,
                          mlir::Value zeros) const;
  mlir::Value element(const Pass &pass, unsigned row, mlir::Value at) const;
  mlir::Value pairOfElements(const Pass &pass, unsigned row, mlir::Value at,
                             bool half) const;
  mlir::Value load(mlir::VectorType type, mlir::Value operand,
                   mlir::Value index) const;
  mlir::Value multiplyAdd(mlir::Value x, mlir::Value y, mlir::Value sum) const;
  /// Lanes of one vector of columns in memory order to those of a dword's
  /// bytes, and back.
  Values byBytes(Values columns) const;
  Values inOrder(Values columns) const;

  const GemmContext &gemm;
  KernelBuilder &k;
  const graph::CodedPanels &codes;
  int64_t lanes;
  unsigned vectors;
  bool looksUp;   ///< codes of 4 bits are positions in a table of 16 floats
  bool hasPairs;  ///< which are bf16, for products of pairs
  bool isShifted; ///< whether a block's sums still have its zero points in them
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_GEMM_GEMMCODEDROWS_H
