// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every kernel asks: given index values, what is this group of lanes of a
// graph value?

#ifndef ZENITH_LOWERING_ELEMENTS_ELEMENTEMITTER_H
#define ZENITH_LOWERING_ELEMENTS_ELEMENTEMITTER_H

#include "lowering/builder/IndexMaps.h"
#include "lowering/builder/IndexMath.h"
#include "lowering/builder/KernelBuilder.h"
#include <functional>

namespace zenith::kernels {

/// Emits elements of the values of a fusion's body. A scalar result means that
/// all lanes agree; a vector has `indices.width` lanes. Register types: see
/// registerType. Indices must lie inside the value's shape (in active
/// lanes).
class ElementEmitter {
public:
  explicit ElementEmitter(KernelBuilder &kernel);

  KernelBuilder &kernel;
  IndexMath indices;
  /// Active lanes; null = all. Loads are masked by it.
  mlir::Value mask;
  /// Of partial tiles: mask of the active tile rows (as lanes), and the count
  /// of active lanes.
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
  /// Stores lanes of result `number` of the fusion: a scalar where the index is
  /// uniform, else a vector, a strided or a per-lane store.
  void store(unsigned number, mlir::Value lanes,
             llvm::ArrayRef<LaneIndex> index);
  /// Emits and stores all results of the fusion. Loads come before stores: a
  /// result may share an operand's bytes.
  void storeResults(llvm::ArrayRef<LaneIndex> index);
  /// Interleaved store: lanes of each value lie values.size() elements apart,
  /// the first value at `index`, each other one element after the one before.
  /// Whole vectors of the interleaved values are stored.
  void storeInterleaved(unsigned number, llvm::ArrayRef<mlir::Value> values,
                        llvm::ArrayRef<LaneIndex> index);
  /// Rounds to the element type, where the register type is wider, and stores
  /// lanes to `memory` at a linear index.
  void storeLinear(mlir::Value memory, mlir::Type element, mlir::Value lanes,
                   const LaneIndex &linear);
  mlir::Value loadLinear(mlir::Value memory, mlir::Type element,
                         const LaneIndex &linear);
  /// An integer element as an index clamped to [0, size).
  LaneIndex clampedIndex(mlir::Value element, mlir::Type type,
                         const graph::DimExpr &size);
  /// Index of the result that an element of the update is written to; empty
  /// after an unsupported op.
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

  /// Values computed inside a loop body must not be reused after it: open a
  /// scope in every body.
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
  /// Reports an op that has no rule and returns null.
  mlir::Value unsupported(mlir::Operation *op, const llvm::Twine &why = "");
  /// Makes all operands scalars or all vectors: vectors if any is one.
  void unify(llvm::MutableArrayRef<mlir::Value> values);
  /// Rounds an f32 to the narrow float `element` that it represents and wraps
  /// i4; other types stay.
  mlir::Value roundTo(mlir::Type element, mlir::Value x);
  /// Converts between an element's types in registers and in memory.
  mlir::Value toMemory(mlir::Type element, mlir::Value x);
  mlir::Value toRegister(mlir::Type element, mlir::Value x);
  /// One step of a reduction of elements of type `element`; f16 and bf16 are
  /// accumulated in f32.
  mlir::Value reduceStep(graph::ReduceKind kind, mlir::Type element,
                         mlir::Value x, mlir::Value y);
  /// One step of an arg_reduce: returns the better value and writes its
  /// position to `atResult`.
  mlir::Value argStep(graph::ArgReduceOp op, mlir::Value best,
                      mlir::Value bestAt, mlir::Value x, mlir::Value at,
                      mlir::Value &atResult);
  /// The neutral element of a reduction, `like` a scalar or vector type.
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
  /// What an element is without emitting anything: lanes emitted before, or who
  /// provides them.
  struct Known {
    mlir::Value lanes;
    const Provider *provider = nullptr;
    explicit operator bool() const { return lanes || provider; }
  };
  Known find(mlir::Value value, llvm::ArrayRef<LaneIndex> index,
             int64_t tileRow) const;
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
