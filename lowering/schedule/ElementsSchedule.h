// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that are computed element by element: which loop lanes run along,
// whether squares are transposed in registers, and how tasks divide the loops.

#ifndef ZENITH_LOWERING_SCHEDULE_ELEMENTSSCHEDULE_H
#define ZENITH_LOWERING_SCHEDULE_ELEMENTSSCHEDULE_H

#include "lowering/builder/IterationSpace.h"
#include "lowering/builder/KernelPlan.h"
#include "lowering/builder/RowTasks.h"

namespace zenith::kernels {

/// Values of one shape that a launch writes to results of the fusion, or, as
/// the update of `into`, to a part of one.
struct WrittenValues {
  llvm::SmallVector<mlir::Value> values;
  llvm::SmallVector<unsigned> numbers; ///< of the results
  graph::DynamicUpdateSliceOp into = {};
};

/// The launches of a fusion whose values are computed element by element:
/// results of different shapes get one each.
llvm::SmallVector<WrittenValues> writtenValues(graph::FusionOp fusion,
                                               graph::DimAnalysis &dims);

class ElementsSchedule {
public:
  /// `shared`: the results that may share bytes with operands.
  ElementsSchedule(graph::FusionOp fusion, graph::DimAnalysis &dims,
                   const TargetModel &target, WrittenValues written,
                   llvm::ArrayRef<graph::SharedBytes> shared);

  const IterationSpace &loops() const { return space; }
  const WrittenValues written;

  /// Lanes run along `lane`; where neither it nor `tile` is contiguous in all
  /// that is read and written, both are cut into squares.
  struct Square {
    unsigned lane, tile;
  };
  /// The squares, if there is a reason for them; rank 0 has no loops at all.
  std::optional<Square> square() const;
  /// The loop of lanes without squares.
  unsigned rowLane() const;

  llvm::SmallVector<unsigned>
  loopsWithout(llvm::ArrayRef<unsigned> loops) const;
  /// A short loop whose elements lie between those of neighbouring lanes in all
  /// results: positions with few channels, repeated elements.
  std::optional<unsigned> pairLoop(unsigned lane) const;
  /// A loop that moves gathered reads but not their indices, such as the loop
  /// over the channels of a feature map: indices are computed once for all of
  /// it. Cheap indices are recomputed instead, so that rows are written in
  /// order: each iteration has cache lines of its own. A loop of known size,
  /// where there is one.
  std::optional<unsigned> repeatedLoop(unsigned lane) const;
  /// Whether the last vector of a row of `width` lanes may overlap the one
  /// before, instead of being masked: masks of narrow elements take many
  /// instructions where no mask registers exist.
  bool mayOverlap(unsigned lane, const RowTasks &tasks, int64_t width) const;
  /// Whether squares need not be cut: the last ones may overlap those before,
  /// and the lanes after a short row may be written, since the next row of the
  /// square overwrites them.
  bool mayOverlapTiles(unsigned lane, unsigned tile) const;
  /// Lanes that the longest run between edges of a loop fills.
  unsigned lanesOfPieces(unsigned lane) const;

  /// Tasks of rows.
  struct Rows {
    std::optional<unsigned> pair, repeated;
    RowTasks tasks;
    double cost = 0; ///< of an element, in flops
  };
  Rows rows(unsigned lane, int64_t width, int64_t block) const;
  /// Tasks of squares: each covers `tileChunk` elements of the tile loop, and
  /// all lanes of a row for them, or `lanesPerTask`: reads then use whole
  /// lines, and so do writes.
  struct Squares {
    static constexpr int64_t tileChunk = 256;
    graph::DimExpr chunks, rows, parts = 1;
    int64_t lanesPerTask = 0; ///< 0: all
  };
  Squares squares(Square square) const;

private:
  std::optional<unsigned> shortRow(unsigned lane) const;
  std::optional<unsigned> tileLoop(unsigned lane) const;
  bool hasKnownEdges(unsigned loop) const;
  bool mayWriteTwice() const;
  bool sharesLines(unsigned lane) const;

  graph::FusionOp fusion;
  const TargetModel &target;
  IterationSpace space;
  bool sharesBytes = false; ///< a written result may share an operand's bytes
};

/// Elements of written rows that squares advance along before the next rows:
/// squares that write parts of cache lines would have them evicted before the
/// rest is written, if rows are a power of two apart. A single square
/// elsewhere: the same holds for what is read.
int64_t pieceOfSquares(graph::FusionOp fusion, const TargetModel &target);

/// Elements that a task handles: fewer of those that are long to compute.
int64_t blockOfElements(graph::FusionOp fusion);

struct ElementsForm {
  unsigned lanes = 1;  ///< elements that are computed at a time
  int64_t block = 1;   ///< elements of a task
  bool squares = true; ///< squares are transposed where that has a reason
  int64_t piece = 1;   ///< of written rows, which squares advance along
  /// Results that may share bytes with operands.
  llvm::SmallVector<graph::SharedBytes> shares;
};

/// What the schedule says, of whatever kind; where it leaves a key open, or is
/// of a kind without it, what shapes and target decide.
ElementsForm elementsForm(graph::FusionOp fusion, const TargetModel &target);

/// The lanes that the schedule gives to elements that are computed at a time;
/// `chosen` where it gives none.
unsigned givenLanes(graph::FusionOp fusion, unsigned chosen);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_SCHEDULE_ELEMENTSSCHEDULE_H
