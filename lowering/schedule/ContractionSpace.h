// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product or convolution as loops: which axes there are, how far each moves
// both operands, what is packed first.

#ifndef ZENITH_LOWERING_SCHEDULE_CONTRACTIONSPACE_H
#define ZENITH_LOWERING_SCHEDULE_CONTRACTIONSPACE_H

#include "lowering/builder/AffineOperand.h"
#include "lowering/builder/KernelPlan.h"
#include <optional>
#include <vector>

namespace zenith::kernels {

/// A loop and how far a step of it moves each operand, in elements.
struct Axis {
  graph::DimExpr size;
  graph::DimExpr strideA, strideB;
};

/// A loop that is split among tasks first: a batch dimension of the result, or
/// outer digits of its columns.
struct OuterAxis {
  Axis axis;
  int resultDim = -1; ///< -1: of the columns
};

/// Positions of a tap that lie outside of the input: row * stride + tap *
/// dilation - low is not in [0, extent).
struct Clip {
  int64_t stride = 1, dilation = 1, low = 0;
  graph::DimExpr extent;
  int line = -1; ///< the line axis that gives `row`; -1 = the tile axis
};

/// An outer loop of the sum.
struct TapAxis {
  Axis axis;
  bool clipped = false;
  Clip clip;
};

/// Memory that a kernel reads.
struct Source {
  bool scratch = false;
  unsigned index = 0; ///< of the fusion's operand or scratch buffer
  mlir::Type element; ///< of the graph
  graph::DimExpr offset;
};

/// A dimension of a padded copy: which one of the value it is, and how many
/// elements the copy has, zeros before them included.
struct PaddedDim {
  unsigned dim;
  graph::DimExpr size;
  int64_t low = 0;    ///< zeros before
  int64_t step = 1;   ///< distance of neighbours in the copy
  int64_t stride = 1; ///< distance of neighbours in the value
};

/// Work that must be done before the product itself, into a scratch buffer.
struct Preparation {
  enum Kind {
    Materialise, ///< row-major copy of `value`, as elements of `from`
    Pad, ///< [batch][spatial...][feature] copy of a convolution's input, zeros
         ///< around and between
    PackPanels ///< B in panels
  } kind;
  mlir::Value value;
  unsigned scratch = 0;
  graph::DimExpr bytes;
  // PackPanels: where B lies. Scratch: [outer axes that move B][panel][depth of
  // all taps][panel columns].
  Source from;
  llvm::SmallVector<Axis> outer;
  Axis columns;
  llvm::SmallVector<Axis> depth;
  llvm::SmallVector<PaddedDim> padded; ///< Pad: in the order of the copy
};

struct ContractionSpace {
  mlir::Operation *op = nullptr; ///< the dot_general or convolution
  mlir::Type sum;
  Source a, b;
  llvm::SmallVector<OuterAxis> outer;
  llvm::SmallVector<Axis> lines; ///< outer digits of the rows
  Axis tile;                     ///< innermost digit of the rows
  /// The tile axis is the outermost digit of the rows instead: those of a tile
  /// lie as many rows apart as there are lines.
  bool tileIsOutermost = false;
  Axis columns;
  llvm::SmallVector<TapAxis> taps; ///< outer to inner, at most 3; the clipped
                                   ///< one of the tile axis comes last
  Axis depth;
  enum Form {
    Panels, ///< B in panels of `panel` columns: [panel][depth][column]
    Direct, ///< B row-major
    Copied, ///< tasks copy slices of panels from B as it lies, then multiply
    Dots    ///< both operands run along the depth
  } form = Direct;
  /// Of Dots: tiles of several rows by all columns, which are few.
  bool tiledDots = false;
  unsigned panel = 0;
  /// Of a panel in memory, where it has others before those of the sum.
  std::optional<graph::DimExpr> panelRows;
  unsigned group = 1; ///< depths of a column that lie side by side in a panel
  mlir::Type copied;  ///< Copied: elements of the panels
  /// Result dimensions behind the flat row and column index, outer to inner.
  llvm::SmallVector<unsigned> rowDims, columnDims;
  std::vector<Preparation> preparations;
  /// Slices behind the product that part its columns into gates of equal width,
  /// whose elements meet in what follows; empty where columns stay one run.
  llvm::SmallVector<graph::SliceOp> parts;
  /// Columns of a gate, and how many gates there are.
  int64_t gateColumns = 0;
  unsigned gates = 1;
  /// Both operands are the same rows, and the fusion is their product alone:
  /// the kernel leaves what lies below the diagonal to a mirror of it.
  bool symmetric = false;

  graph::DimExpr depthOfAllTaps() const;
  graph::DimExpr lineCount() const;
  /// From a row of a tile to the next one, in rows.
  graph::DimExpr rowStep() const {
    return tileIsOutermost ? lineCount() : graph::DimExpr(1);
  }
  graph::DimExpr outerCount() const;
  /// Elements of B as micro-kernels read them.
  mlir::Type elementOfB() const { return form == Copied ? copied : b.element; }
};

/// Bytes that an element takes in memory.
unsigned elementSize(mlir::Type element);

/// Columns that a micro-kernel computes at once, and how many vectors they are.
unsigned tileColumns(mlir::Type sum, const TargetModel &target);

/// Rows that a micro-kernel computes at once.
unsigned tileRows(const ContractionSpace &space, const TargetModel &target);

/// Integers of 16 bits everywhere, bf16 where there is an instruction for it.
bool multipliesPairs(const ContractionSpace &space, const TargetModel &target);

/// A value for symbols, to compare sizes that are not known: decisions must not
/// depend on it for correctness.
double estimate(const graph::DimExpr &expr);

/// The op that anchors the fusion; null if there is none or more than one.
mlir::Operation *contractionAnchor(graph::FusionOp fusion);

/// Failure has been reported at the op.
mlir::FailureOr<ContractionSpace> contractionSpace(graph::FusionOp fusion,
                                                   graph::DimAnalysis &dims,
                                                   const TargetModel &target);

/// Finds what takes parts of the product.
void findParts(ContractionSpace &space);
/// Finds the gates that they are.
mlir::LogicalResult findGates(ContractionSpace &space, graph::DimAnalysis &dims,
                              const TargetModel &target);
/// Values of the fusion's body that are made of the anchor's result.
llvm::DenseSet<mlir::Value> dependents(graph::FusionOp fusion,
                                       mlir::Operation *anchor);

// Parts of the above, per kind of anchor.
mlir::FailureOr<ContractionSpace> dotSpace(graph::DotGeneralOp op,
                                           graph::DimAnalysis &dims,
                                           const TargetModel &target);
mlir::FailureOr<ContractionSpace> convolutionSpace(graph::ConvolutionOp op,
                                                   graph::DimAnalysis &dims,
                                                   const TargetModel &target);

/// One operand on its way into a space: its memory and the digits of its
/// dimensions.
struct PlacedOperand {
  Source source;
  llvm::SmallVector<StridedDim> dims;
  /// Not 0: packed panels; digits count rows of a panel and columns.
  unsigned panel = 0;
  unsigned group = 1; ///< depths that lie side by side in a panel
};
PlacedOperand placeOperand(ContractionSpace &space, mlir::Value value,
                           graph::DimAnalysis &dims);
/// Whether products of these types are summed in groups of so many depths:
/// pairs of 16 bits, or four bytes, the left ones unsigned.
bool takesGroups(unsigned group, mlir::Type lhs, mlir::Type rhs);
/// Copies the value to scratch first, so that it lies row-major, of its own
/// elements or wider ones.
PlacedOperand materialise(ContractionSpace &space, mlir::Value value,
                          graph::DimAnalysis &dims, mlir::Type element = {});
/// Copies the left operand of `space.op`, or what it is made of, to scratch
/// first, row-major in these dimensions, instead of what was prepared of it.
PlacedOperand padded(ContractionSpace &space, mlir::Value value,
                     llvm::SmallVector<PaddedDim> dims);
/// Places the left operand of `space.op`, whose numbers meet so many columns
/// one by one. Narrow floats are widened first where each would be widened for
/// many of them.
PlacedOperand placeLeft(ContractionSpace &space, const graph::DimExpr &columns,
                        graph::DimAnalysis &dims, const TargetModel &target);
/// Numbers the space's scratch buffers from `first` on.
void renumberScratch(ContractionSpace &space, unsigned first);
/// Finishes a space whose axes are known: B's form, packing.
void chooseForm(ContractionSpace &space, const TargetModel &target);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_SCHEDULE_CONTRACTIONSPACE_H
