// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The GEMM loop nest of a matmul or convolution: its axes, their strides in
// both operands, and the copies that run before it.

#ifndef ZENITH_LOWERING_SCHEDULE_CONTRACTIONSPACE_H
#define ZENITH_LOWERING_SCHEDULE_CONTRACTIONSPACE_H

#include "ir/encodings/Winograd.h"
#include "lowering/builder/KernelPlan.h"
#include "lowering/schedule/Axis.h"
#include "lowering/schedule/Preparation.h"
#include "lowering/schedule/Schedule.h"
#include <optional>
#include <vector>

namespace zenith::kernels {

/// C[outer][row][column] = sum over taps and k of A[outer][row][tap][k] *
/// B[outer][tap][k][column]. A convolution is such a GEMM whose rows are output
/// positions and whose taps are those of the filter.
struct ContractionSpace {
  mlir::Operation *op = nullptr; ///< the dot_general or convolution
  mlir::Type sum;                ///< type of the accumulators
  OperandSource a, b;
  /// How A comes: Widened, Padded or Transposed where a launch of its own
  /// copies it so.
  sched::Operand::Form formOfA = sched::Operand::Rows;
  llvm::SmallVector<OuterAxis> outer;
  llvm::SmallVector<Axis> outerRows; ///< outer digits of the rows
  Axis rowAxis;                      ///< innermost digit of the rows: tiled
  /// The row axis is the outermost digit of the rows instead: neighbouring rows
  /// of a tile are outerRowCount() rows of the result apart.
  bool rowAxisIsOutermost = false;
  Axis columns;
  llvm::SmallVector<TapAxis> taps; ///< outer to inner, at most 3; the clipped
                                   ///< one of the row axis comes last
  Axis kAxis;                      ///< innermost loop of the sum
  enum Form {
    Panels,   ///< B in panels of `panel` columns: [panel][k][column]
    Direct,   ///< B row-major
    Copied,   ///< each task copies blocks of panels of B, then multiplies them
    Dots,     ///< both operands are contiguous along K: dot products
    TiledDots ///< the same in tiles of several rows by all columns, of which
              ///< there are few
  } form = Direct;
  unsigned panel = 0;
  /// K of a panel in memory, where it has rows before those of the sum.
  std::optional<graph::DimExpr> panelK;
  unsigned kInterleave =
      1;             ///< neighbouring k of a column that lie side by side
  mlir::Type copied; ///< Copied: elements of the panels
  /// Panels that tasks decode, a block at a time; `b` is their integers.
  std::optional<graph::CodedPanels> codes;
  /// Result dimensions of the flat row and column index, outer to inner.
  llvm::SmallVector<unsigned> rowDims, columnDims;
  std::vector<Preparation> preparations;
  /// Slices of the result that divide its columns into gates of equal width,
  /// which the epilogue combines; empty where the columns are one run.
  llvm::SmallVector<graph::SliceOp> gateSlices;
  int64_t gateColumns = 0; ///< columns of a gate
  unsigned gates = 1;
  /// Both operands are the same matrix and the fusion is this matmul alone
  /// (syrk): the kernel computes the upper triangle, which is mirrored.
  bool symmetric = false;
  /// What a run's sizes say where it takes this variant: rows from here on.
  int64_t fewestRows = 1;
  /// Sizes for which nothing else is faster are few: short code matters more
  /// than fast code.
  bool isSeldom = false;

  /// K including all taps.
  graph::DimExpr totalK() const;
  graph::DimExpr outerRowCount() const;
  /// Distance of neighbouring rows of a tile, in rows of the result.
  graph::DimExpr rowStep() const {
    return rowAxisIsOutermost ? outerRowCount() : graph::DimExpr(1);
  }
  graph::DimExpr outerCount() const;
  /// Elements of a panel of B in memory; Panels only.
  graph::DimExpr panelElements() const;
  /// Lanes run along K instead of along the columns.
  bool isAlongK() const { return form == Dots || form == TiledDots; }
  /// Element type of B as micro-kernels read it.
  mlir::Type elementOfB() const { return form == Copied ? copied : b.element; }
};

/// The least multiple of `group` that `k` are no more than.
graph::DimExpr paddedK(const graph::DimExpr &k, unsigned group);

/// Bytes that an element takes in memory, at least 1.
unsigned elementSize(mlir::Type element);

/// NR: the columns of a register tile whose accumulators have type `sum`.
unsigned nrOf(mlir::Type sum, const TargetModel &target);

/// MR: the rows of a register tile.
unsigned mrOf(const ContractionSpace &space, const TargetModel &target);

/// Whether the target multiplies pairs of such elements of the operands as the
/// graph has them: all it takes then is that pairs of A lie side by side.
bool hasBF16Pairs(mlir::Type a, mlir::Type b, mlir::Type sum,
                  const TargetModel &target);

/// Whether micro-kernels multiply two or four neighbouring k at a time: 16-bit
/// integers on all targets, bf16 where the target has an instruction for it.
bool multipliesKPairs(const ContractionSpace &space, const TargetModel &target);

/// The value of a size, with 64 for each symbol; 1e6 where it has none. Only
/// for heuristics: correctness must not depend on it.
double estimate(const graph::DimExpr &expr);

/// The op that anchors the fusion; null if there is none or more than one.
mlir::Operation *contractionAnchor(graph::FusionOp fusion);

/// The loop nest of the fusion's contraction, with operands as they are
/// `wanted`, or, for Open, as shapes and target choose. Reports failure at the
/// op.
mlir::FailureOr<ContractionSpace>
contractionSpace(graph::FusionOp fusion, graph::DimAnalysis &dims,
                 const TargetModel &target, const sched::Operands &wanted = {});

// The same per kind of anchor.
mlir::FailureOr<ContractionSpace> dotSpace(graph::DotGeneralOp op,
                                           graph::DimAnalysis &dims,
                                           const TargetModel &target,
                                           const sched::Operands &wanted);
mlir::FailureOr<ContractionSpace>
convolutionSpace(graph::ConvolutionOp op, graph::DimAnalysis &dims,
                 const TargetModel &target, const sched::Operands &wanted);

/// The operand of a contraction's fusion that B is read from, as the fusion's
/// encodings say.
struct EncodedB {
  mlir::BlockArgument argument;
  int64_t width = 0; ///< of panels; 0: a row-major matrix
  int64_t group = 1; ///< K that lie side by side
  /// Of a Winograd-transformed filter, which is followed by the filter itself.
  std::optional<graph::WinogradFilter> filter;
  /// Of panels that are decoded: `argument` has their integers.
  std::optional<graph::CodedPanels> codes;

  /// A single panel is a row-major matrix, too, unless it is decoded.
  bool hasPanels() const;
  /// A value of these sizes in panels.
  LocatedOperand panels(llvm::ArrayRef<graph::DimExpr> sizes) const;
  /// The matrix [K, N] of a Winograd-transformed filter.
  LocatedOperand transformed(graph::ConvolutionOp op) const;

private:
  LocatedOperand at(size_t rank) const;
};
/// Nullopt where the encodings say nothing of it, or are not there.
std::optional<EncodedB> encodedB(mlir::Operation *anchor);

/// The operand `number` of `space.op` as it is multiplied, and as copies hold
/// it: the narrow numbers that it widens where the target multiplies pairs of
/// them, else itself.
mlir::Value multipliedOperand(const ContractionSpace &space, unsigned number,
                              const TargetModel &target);

/// Locates B in panels where it is encoded so, else as any operand.
LocatedOperand locateB(ContractionSpace &space, mlir::Value value,
                       graph::DimAnalysis &dims);
/// Locates `value` in memory, and plans a copy where strides do not describe
/// it.
LocatedOperand locateOperand(ContractionSpace &space, mlir::Value value,
                             graph::DimAnalysis &dims);
/// Whether operands of these types are multiplied in groups of `interleave`
/// neighbouring k: pairs of bf16 or 16-bit integers, or quads of 8-bit ones
/// with unsigned `lhs`.
bool supportsKInterleave(unsigned interleave, mlir::Type lhs, mlir::Type rhs);
/// Whether the target reads such groups of elements of B from memory.
bool readsKInterleave(mlir::Type element, const TargetModel &target);
/// Plans a row-major copy of the value into scratch, with its own element type
/// or a wider one.
LocatedOperand materialise(ContractionSpace &space, mlir::Value value,
                           graph::DimAnalysis &dims, mlir::Type element = {});
/// Plans a copy of the left operand of `space.op`, or of the value it is
/// computed from, into scratch: row-major in the dimensions `dims`. Replaces
/// earlier preparations of that operand.
LocatedOperand padded(ContractionSpace &space, mlir::Value value,
                      llvm::SmallVector<PaddedDim> dims);
/// Locates the left operand of `space.op`, each element of which is multiplied
/// by `columns` columns. Plans a copy that widens narrow floats where that is
/// wanted, or, for Open, where the micro-kernels would widen each element for
/// many columns.
LocatedOperand locateLhs(ContractionSpace &space, const graph::DimExpr &columns,
                         graph::DimAnalysis &dims, const TargetModel &target,
                         sched::Operand::Form wanted = sched::Operand::Open);
/// Plans a copy of A as [outer axes][row][k]; strides of the axes in A are
/// their strideB. Those of the space in the copy are the caller's to set.
void transposeA(ContractionSpace &space, llvm::SmallVector<Axis> outer,
                const Axis &rows, const Axis &k);
/// Plans a copy of A whose rows are contiguous along K, where that is wanted,
/// or, for Open, where pairs of bf16 that could be multiplied at once lie apart
/// and are multiplied by many columns.
void transposeForPairs(ContractionSpace &space, const TargetModel &target,
                       sched::Operand::Form wanted);
/// Adds `first` to the indices of the space's scratch buffers.
void renumberScratch(ContractionSpace &space, unsigned first);
/// Finishes a space whose axes are known: the form of B, and its packing. A
/// wanted form that the axes do not allow is not taken.
void chooseForm(ContractionSpace &space, const TargetModel &target,
                sched::Operand::Form wanted);
/// Rows from which on copies of a row-major B pay off, where only a run knows
/// how many there are; none where they don't.
std::optional<int64_t> fewestCopiedRows(const ContractionSpace &space,
                                        const TargetModel &target);
/// Tiles of a task that copies B for a block of rows.
int64_t tilesOfCopies(const ContractionSpace &space, const TargetModel &target);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_SCHEDULE_CONTRACTIONSPACE_H
