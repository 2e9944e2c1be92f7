// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one rule behind every kernel: given index values, what is this group of
// lanes of a graph value?

#ifndef ZENITH_LOWERING_ELEMENTS_ELEMENTEMITTER_H
#define ZENITH_LOWERING_ELEMENTS_ELEMENTEMITTER_H

#include "lowering/builder/IndexMaps.h"
#include "lowering/builder/IndexMath.h"
#include "lowering/builder/KernelBuilder.h"
#include <functional>

namespace zenith::kernels {

/// Emits elements of the values of a fusion's body. A scalar result means that
/// all lanes agree; a vector has `indices.width` lanes. Register types: see
/// registerType. Indices must lie inside the value's shape (in lanes that
/// count).
class ElementEmitter {
public:
  explicit ElementEmitter(KernelBuilder &kernel);

  KernelBuilder &kernel;
  IndexMath indices;
  /// Lanes that count; null = all. Loads respect it.
  mlir::Value mask;
  /// For tiles cut short: mask of the tile rows that count (as lanes), and the
  /// number of lanes that count.
  mlir::Value tileMask, laneCount;

  /// A group of lanes of `value`; the real parts, where it is complex. Null
  /// after an unsupported op, which has been reported.
  mlir::Value emit(mlir::Value value, llvm::ArrayRef<LaneIndex> index);
  /// From here on, in this scope, `value` is `lanes`, whatever the index.
  void bind(mlir::Value value, mlir::Value lanes);
  /// From here on, in this scope, `value` is what `provider` gives.
  using Provider = std::function<mlir::Value(llvm::ArrayRef<LaneIndex> index)>;
  void bind(mlir::Value value, Provider provider);
  /// Remembers elements of `value` computed otherwise, one per index.
  void preset(mlir::Value value,
              llvm::ArrayRef<llvm::SmallVector<LaneIndex>> indices,
              llvm::ArrayRef<mlir::Value> lanes);
  /// Windows of so few taps are folded tap by tap, and products are rounded
  /// before they are added: more freedom would gain little there, and results
  /// are the interpreter's to the last digit.
  static constexpr int64_t tapsInOrder = 9;
  /// Elements of a reduce_window or convolution at several positions, in step:
  /// what they share is read once and soon used.
  llvm::SmallVector<mlir::Value>
  emitWindows(mlir::Operation *op,
              llvm::ArrayRef<llvm::SmallVector<LaneIndex>> positions);
  /// Stores lanes of result `number` of the fusion: scalar where the index is
  /// uniform, else by lane class.
  void store(unsigned number, mlir::Value lanes,
             llvm::ArrayRef<LaneIndex> index);
  /// Emits and stores all results of the fusion. Loads come before stores: a
  /// result may share an operand's bytes.
  void storeResults(llvm::ArrayRef<LaneIndex> index);
  /// Stores values whose lanes lie as far apart as there are values, the first
  /// at `index` and each one element after the one before: whole vectors of
  /// what they are in turns.
  void storeInTurns(unsigned number, llvm::ArrayRef<mlir::Value> values,
                    llvm::ArrayRef<LaneIndex> index);
  /// Rounds to the element type, where the register type is wider, and puts
  /// lanes to `memory` at a linear index.
  void storeLinear(mlir::Value memory, mlir::Type element, mlir::Value lanes,
                   const LaneIndex &linear);
  mlir::Value loadLinear(mlir::Value memory, mlir::Type element,
                         const LaneIndex &linear);
  /// An integer element as an index clamped to [0, size).
  LaneIndex clampedIndex(mlir::Value element, mlir::Type type,
                         const graph::DimExpr &size);
  /// Where an element of the update goes; empty after an unsupported op.
  llvm::SmallVector<LaneIndex> updatedIndex(graph::DynamicUpdateSliceOp op,
                                            llvm::ArrayRef<LaneIndex> index);
  /// Row-major position of an index in a value's shape.
  LaneIndex linearize(mlir::Value value, llvm::ArrayRef<LaneIndex> index);
  LaneIndex linearize(llvm::ArrayRef<graph::DimExpr> dims,
                      llvm::ArrayRef<LaneIndex> index);
  /// The dimensions of a value.
  const graph::DimVector &dimsOf(mlir::Value value) {
    return kernel.dims.dimsOf(value);
  }

  /// Code inside a loop body must not be reused behind it: open a scope in
  /// every body.
  class Scope {
  public:
    explicit Scope(ElementEmitter &emitter);
    ~Scope();
    Scope(const Scope &) = delete;

  private:
    ElementEmitter &emitter;
    mlir::Value mask;
  };

  bool failed() const { return anyFailure; }
  /// Reports an op that has no rule and gives null.
  mlir::Value unsupported(mlir::Operation *op, const llvm::Twine &why = "");
  /// Makes operands scalars or vectors alike: vectors if any is one.
  void unify(llvm::MutableArrayRef<mlir::Value> values);
  /// Rounds an f32 to the narrow float `element` that it stands for and wraps
  /// i4; other types stay.
  mlir::Value roundTo(mlir::Type element, mlir::Value x);
  /// Between the forms that an element has in registers and in memory.
  mlir::Value toMemory(mlir::Type element, mlir::Value x);
  mlir::Value toRegister(mlir::Type element, mlir::Value x);
  /// One step of a fold of elements of type `element`; f16 and bf16 fold in
  /// f32.
  mlir::Value fold(graph::ReduceKind kind, mlir::Type element, mlir::Value x,
                   mlir::Value y);
  /// One step of an arg_reduce: the better value, and its place in `place`.
  mlir::Value argStep(graph::ArgReduceOp op, mlir::Value best,
                      mlir::Value bestAt, mlir::Value x, mlir::Value at,
                      mlir::Value &place);
  /// The neutral element of a fold, `like` a scalar or vector type.
  mlir::Value neutral(graph::ReduceKind kind, mlir::Type element,
                      mlir::Type like);

  /// Condition (null = provably so), and whether it is provably false.
  using Inside = std::pair<mlir::Value, bool>;
  /// Whether low <= x < high: a condition, scalar where x is uniform.
  Inside inside(const LaneIndex &x, const graph::DimExpr &low,
                const graph::DimExpr &high);
  struct Conditions {
    mlir::Value uniform, lanes; ///< null = true
    /// False where `inside` never holds.
    bool add(KernelBuilder &kernel, const Inside &inside);
  };
  /// `then` where the conditions hold (scalar: by a branch; lanes: under a
  /// mask), else `otherwise`.
  mlir::Value guarded(const Conditions &conditions, bool lanes,
                      llvm::function_ref<mlir::Value()> then,
                      llvm::function_ref<mlir::Value()> otherwise);
  bool anyLanes(llvm::ArrayRef<LaneIndex> index);

  /// Lanes of the results of single ops, which ElementRule asks for.
  mlir::Value constantElement(graph::ConstantOp op,
                              llvm::ArrayRef<LaneIndex> index);
  mlir::Value iota(graph::IotaOp op, llvm::ArrayRef<LaneIndex> index);
  mlir::Value pad(graph::PadOp op, llvm::ArrayRef<LaneIndex> index);
  mlir::Value concat(graph::ConcatOp op, llvm::ArrayRef<LaneIndex> index);
  mlir::Value gather(graph::GatherOp op, llvm::ArrayRef<LaneIndex> index);
  mlir::Value dynamicSlice(graph::DynamicSliceOp op,
                           llvm::ArrayRef<LaneIndex> index);
  mlir::Value dynamicUpdateSlice(graph::DynamicUpdateSliceOp op,
                                 llvm::ArrayRef<LaneIndex> index);
  mlir::Value reduceInPlace(graph::ReduceOp op,
                            llvm::ArrayRef<LaneIndex> index);
  mlir::Value argReduceInPlace(graph::ArgReduceOp op,
                               llvm::ArrayRef<LaneIndex> index);
  mlir::Value window(mlir::Operation *op, llvm::ArrayRef<LaneIndex> index);

private:
  friend class Scope;
  struct Memo {
    llvm::SmallVector<LaneIndex, 4> index;
    mlir::Value mask;
    int64_t tileRow;
    mlir::Value lanes;
  };
  struct Tile {
    mlir::Value memory;
    LaneIndex linear;
    llvm::SmallVector<mlir::Value> rows;
  };
  struct Frame {
    llvm::DenseMap<mlir::Value, llvm::SmallVector<Memo, 1>> memo, imaginary;
    llvm::DenseMap<mlir::Value, Provider> bound;
    std::vector<Tile> tiles;
  };
  mlir::Value rule(mlir::Value value, llvm::ArrayRef<LaneIndex> index);
  int64_t tileRowOf(llvm::ArrayRef<LaneIndex> index);
  mlir::Value imaginaryPart(mlir::Value value, llvm::ArrayRef<LaneIndex> index);
  mlir::Value complexPart(mlir::Value value, bool imaginary,
                          llvm::ArrayRef<LaneIndex> index);
  mlir::Value loadComplexPart(mlir::Value memory, bool imaginary,
                              const LaneIndex &linear);
  void storeComplex(mlir::Value memory, mlir::Value real, mlir::Value imaginary,
                    const LaneIndex &linear);
  mlir::Value interleavedMask();
  mlir::Value block(mlir::BlockArgument argument,
                    llvm::ArrayRef<LaneIndex> index);

  mlir::Value multiplyAdd(mlir::Type element, mlir::Value x, mlir::Value y,
                          mlir::Value sum, bool roundsOnce);
  struct WindowSpan {
    LaneIndex first; ///< operand position of the window's first element
    int64_t count;   ///< elements of the window
    int64_t dilation, baseDilation;
    int64_t low;         ///< how far below 0 positions reach
    graph::DimExpr size; ///< of the operand
  };
  using WindowStep = std::function<mlir::Value(
      llvm::ArrayRef<LaneIndex> window, llvm::ArrayRef<LaneIndex> operand,
      mlir::Value sum)>;
  /// One element of a reduce_window or convolution.
  struct WindowReduce {
    mlir::Type element; ///< of the result
    llvm::SmallVector<WindowSpan, 4> spans;
    mlir::Value start;
    WindowStep step;
  };
  std::optional<WindowReduce> describe(mlir::Operation *op,
                                       llvm::ArrayRef<LaneIndex> index);
  WindowReduce describeWindow(graph::ReduceWindowOp op,
                              llvm::ArrayRef<LaneIndex> index);
  WindowReduce describeConvolution(graph::ConvolutionOp op,
                                   llvm::ArrayRef<LaneIndex> index);
  /// First tap of a window with one dilation that meets the operand, and the
  /// one behind the last; their span is uniform and undilated.
  std::pair<mlir::Value, mlir::Value> tapsInside(const WindowSpan &span);
  /// Operand position of such a tap.
  LaneIndex tapAt(const WindowSpan &span, mlir::Value number);
  /// Folds `step` over the positions of a window, unrolled where few.
  mlir::Value foldWindow(llvm::ArrayRef<WindowSpan> spans, mlir::Value start,
                         const WindowStep &step);

  mlir::Value tileLoad(mlir::Value memory, mlir::Type element,
                       const LaneIndex &linear);
  mlir::Value everyNth(mlir::Value memory, mlir::VectorType type,
                       const LaneIndex &linear);
  mlir::Value gatherLanes(mlir::Value memory, mlir::Type element,
                          const LaneIndex &linear);
  /// `then` where `condition` (scalar: by a branch; lanes: under a mask), else
  /// `otherwise`.
  mlir::Value choose(mlir::Value condition, bool lanes,
                     llvm::function_ref<mlir::Value()> then,
                     llvm::function_ref<mlir::Value()> otherwise);

  std::vector<Frame> frames;
  llvm::DenseMap<mlir::Operation *, mlir::Value> constantBuffers;
  bool anyFailure = false;
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_ELEMENTS_ELEMENTEMITTER_H
