// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights that are integers times a scale per block of K, and their integers as
// what they were stored as: codes of 4 bits minus a zero point per block.

#ifndef ZENITH_PASSES_QUANTIZE_BLOCKCODES_H
#define ZENITH_PASSES_QUANTIZE_BLOCKCODES_H

#include "ir/GraphOps.h"
#include <optional>

namespace zenith::quantize {

/// A matrix whose entries are repeated for each block of a dimension, of which
/// the last may be shorter.
struct RepeatedEntries {
  mlir::Value entries; ///< of the matrix's rank, one for each block
  int64_t block;       ///< elements that share an entry
};

/// What `value`, a matrix, repeats along `kDim`; nullopt where it is of another
/// form.
std::optional<RepeatedEntries> matchRepeated(mlir::Value value, int64_t kDim);

/// Weights [K, columns], or transposed if `kDim` is 1.
struct BlockWeights {
  mlir::Value integers; ///< of at most 16 bits
  mlir::Value scales;   ///< [blocks, columns], or transposed
  mlir::Value zeros;    ///< f32 like `scales`, or null where there are none
  int64_t kDim = 0, block = 1;
};

/// The right-hand side of an f32 matmul of two matrices as block-wise quantized
/// parameters; nullopt where it is of another form, or the left-hand side is
/// fixed too.
std::optional<BlockWeights> matchBlockWeights(graph::DotGeneralOp dot);

/// Bits of the codes that such weights are kept as, 4 or 8; nullopt where they
/// take more than a byte.
std::optional<int64_t> bitsOfCodes(const BlockWeights &weights);

/// codes - zeros, or codes - zero where `zeros` is null.
struct CodedIntegers {
  mlir::Value codes; ///< integers of the matrix's shape
  int64_t low = 0;   ///< codes are in [low, low + 15], or are bytes
  mlir::Value zeros; ///< integers, an entry for each block of K
  int64_t zero = 0;
};

/// The codes of 4 bits that `integers`, a matrix with K along `kDim`, are
/// computed from, with zero points per `block` of K; nullopt where they have
/// more bits.
std::optional<CodedIntegers> matchCodedIntegers(mlir::Value integers,
                                                int64_t kDim, int64_t block);
/// The same for codes that are bytes, signed or unsigned, whose zero points fit
/// in such bytes; nullopt without zero points per block.
std::optional<CodedIntegers> matchCodedBytes(mlir::Value integers, int64_t kDim,
                                             int64_t block);

} // namespace zenith::quantize

#endif // ZENITH_PASSES_QUANTIZE_BLOCKCODES_H
