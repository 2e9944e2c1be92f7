// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The innermost loops of GEMMs: a tile of accumulators in registers, summed
// over K.

#ifndef ZENITH_LOWERING_MICROKERNELS_MICROKERNEL_H
#define ZENITH_LOWERING_MICROKERNELS_MICROKERNEL_H

#include "lowering/builder/KernelBuilder.h"
#include <optional>
#include <variant>

namespace zenith::kernels {

/// Strides that are known when a micro-kernel is emitted, in elements: what
/// neighbouring k read then lies at known distances.
struct KnownStrides {
  unsigned a, b; ///< kStrideA and kStrideB
  /// Not 0: rowStrideA, so that all rows are read relative to one address.
  unsigned rows = 0;
};

/// At each k, an element of each row of A times the columns of B.
struct OuterProduct {
  /// How the columns of one k are read from B.
  struct WholeVectors {};
  /// Only the first MicroKernelArgs::columns columns exist.
  struct Masked {};
  /// B is bf16, two vectors of which are loaded as one of 32-bit words: a shift
  /// widens the even columns, a mask the odd ones.
  struct SplitWords {};
  /// After `vectors` vectors of a k, the others are panelStride elements
  /// further on, in the next panel.
  struct HalfPanels {
    unsigned vectors;
  };
  std::variant<WholeVectors, Masked, SplitWords, HalfPanels> columns;
  std::optional<KnownStrides> strides;
};

/// Multiplies two neighbouring k at a time, from two rows of B that are
/// interleaved in registers: A is i16 with kStrideA 1, B i16 or narrower, sums
/// are i32; or A and B are bf16, sums f32, and the target has AVX512-BF16.
struct PairedK {
  bool masked = false; ///< only the first `columns` columns of B exist
};

/// The same with a B in which neighbouring k of a column lie side by side (VNNI
/// layout).
struct InterleavedK {
  enum Group : unsigned {
    Pairs = 2, ///< types as above; an odd K is padded with a zero in B
    Quads = 4  ///< A is u8, B i8, sums are i32; K is a multiple of 4
  } group;
  /// Sums of a register to which one instruction adds such groups; 0: none
  /// does.
  unsigned vnni = 0;
  /// Groups of a round for each set of accumulators. One set leaves room to
  /// save loop control instead. Without VNNI, LLVM adds the products of both
  /// groups first, which takes registers that such a tile does not have.
  unsigned groupsPerSet(unsigned sets) const {
    return sets == 1 && vnni ? 2 : 1;
  }
};

/// Lanes run along K: `vectors` counts columns instead, each contiguous along K
/// in B and kStrideB apart. One element is stored per row and column.
struct AlongK {};

/// Loads nothing in advance: hardware prefetchers do.
struct NoPrefetch {};
/// Software prefetch of B some cache lines ahead, where widening leaves too few
/// loads in flight; by tiles of at least `fewestRows` rows.
struct PrefetchB {
  static constexpr unsigned usualBytes = 2048;
  unsigned fewestRows = 1;
  unsigned bytesAhead = usualBytes;
};
/// Each round of k prefetches `lines` cache lines, `ahead` elements after those
/// of B that it reads: of the panel that is read after this tile and its
/// neighbours. Needs known strides.
struct PrefetchNextPanel {
  unsigned lines = 1;
};
/// Prefetches the rows of A that lie `ahead` elements after those of the tile,
/// which are contiguous, as fast as it reads these. Needs known strides.
struct PrefetchNextRows {};

/// What distinguishes one micro-kernel from another; sizes and strides are
/// run-time arguments.
struct MicroKernel {
  enum class Loops {
    K,          ///< one loop over K
    Taps,       ///< three loops over filter taps around it
    ClippedTaps ///< the innermost tap loop moves along a dimension that rows
                ///< may leave: those read zeros
  };
  Loops loops = Loops::K;
  unsigned mr = 1;      ///< rows of the tile
  unsigned vectors = 1; ///< vectors of columns of the tile: NR / lanes
  unsigned lanes = 8;
  std::variant<OuterProduct, PairedK, InterleavedK, AlongK> form;
  std::variant<NoPrefetch, PrefetchB, PrefetchNextPanel, PrefetchNextRows>
      prefetch;
  bool accumulates = false; ///< adds to the sums in memory at `c`
  bool fma = true;
  /// Sets of accumulators, to which k are added in turn: 1, 2 or 4. Tiles of
  /// one product have the same number, so that equal rows are rounded alike;
  /// one set rounds as a plain loop does. Of AlongK there is one; those of dot
  /// products are vectors of K.
  unsigned sets = 1;
  /// The tile may have so many rows less: of its last rows, those behind
  /// MicroKernelArgs::lastRow are that row, which is then computed again.
  unsigned repeatedRows = 0;
  /// Those rows, where there are any, are skipped at each k instead. Outer
  /// products only.
  bool skipsRows = false;
  /// At each k, the second half of the vectors is skipped where all columns are
  /// in the first one. Masked outer products only.
  bool skipsVectors = false;
  /// Each sum has a multiple of so many k: whole rounds leave nothing over.
  unsigned kMultiple = 1;
  mlir::Type a, b; ///< element types of the graph
  mlir::Type sum;  ///< type of the accumulators

  bool isAlongK() const { return std::holds_alternative<AlongK>(form); }
  bool isMasked() const;
  /// Known strides, where there are any.
  const KnownStrides *strides() const;
  /// Whether the columns of B are read in this way.
  template <typename Columns> const Columns *columnsAs() const {
    auto *outer = std::get_if<OuterProduct>(&form);
    return outer ? std::get_if<Columns>(&outer->columns) : nullptr;
  }
  template <typename Policy> const Policy *prefetchAs() const {
    return std::get_if<Policy>(&prefetch);
  }
  /// Accumulators of one set.
  unsigned tileVectors() const { return mr * vectors; }
  /// Whether rounds of the innermost loop leave no k over.
  bool sumsWholeRounds() const;
};

/// Arguments of a micro-kernel; offsets and strides in elements. `c` is a tile
/// in memory, or the result itself.
struct MicroKernelArgs {
  mlir::Value a, b, c;
  mlir::Value aOffset, rowStride, kStrideA;
  mlir::Value bOffset, kStrideB;
  mlir::Value kSize; ///< K, without taps
  mlir::Value cOffset, rowStrideC;
  mlir::Value columns;     ///< masked forms only
  mlir::Value ahead;       ///< PrefetchNextPanel and PrefetchNextRows only
  mlir::Value panelStride; ///< HalfPanels only
  mlir::Value lastRow;     ///< repeatedRows only
  struct Tap {
    mlir::Value count, strideA, strideB;
  };
  Tap taps[3]; ///< outer to inner; not for Loops::K
  // ClippedTaps only: memory of at least kSize zeros; the position of row 0 at
  // tap 0 along the clipped dimension, its step per row and per tap, and the
  // extent of the input.
  mlir::Value zeros, position, rowStep, tapStep, extent;
};

/// Type in which elements of type `element` are summed for a result of type
/// `result`.
mlir::Type sumType(mlir::Type element, mlir::Type result);
/// Lanes of a native vector of `sum`.
unsigned sumLanes(mlir::Type sum, const TargetModel &target);

/// Iterations over K per round of the innermost loop, where strides are known.
unsigned kUnroll(const MicroKernel &kernel);

/// Number of k that a round of the innermost loop sums.
unsigned kOfRound(const MicroKernel &kernel);

/// Sets of accumulators that a tile of `vectors` of them gains from: with few
/// per set, multiply-adds would wait for each other's results.
unsigned accumulatorSets(int64_t vectors);

/// The same for dot products of rows with `columns` columns, if they are known.
unsigned dotSets(std::optional<int64_t> columns);
/// Columns of a row whose dot products are computed together.
inline constexpr unsigned dotsAtOnce = 4;

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_MICROKERNELS_MICROKERNEL_H
