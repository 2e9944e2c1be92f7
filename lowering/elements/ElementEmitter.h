// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every kernel asks: given index values, what is this group of lanes of a
// graph value?

#ifndef ZENITH_LOWERING_ELEMENTS_ELEMENTEMITTER_H
#define ZENITH_LOWERING_ELEMENTS_ELEMENTEMITTER_H

#include "lowering/builder/IndexMaps.h"
#include "lowering/elements/ComplexLanes.h"
#include "lowering/elements/ElementMemory.h"
#include "lowering/elements/LaneMemo.h"
#include <functional>

namespace zenith::kernels {

/// Emits elements of the values of a fusion's body. A scalar result means that
/// all lanes agree; a vector has `indices.width` lanes. Register types: see
/// registerType. Indices must lie inside the value's shape (in active
/// lanes).
class ElementEmitter : public LaneSource {
public:
  explicit ElementEmitter(KernelBuilder &kernel);

  KernelBuilder &kernel;
  IndexMath indices;
  ActiveLanes active;
  ElementMemory memory;

  /// A group of lanes of `value`; the real parts, where it is complex. Null
  /// after an unsupported op, which has been reported.
  mlir::Value emit(mlir::Value value, llvm::ArrayRef<LaneIndex> index) override;
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
  /// Stores lanes of several values to result `number`: they lie values.size()
  /// elements apart, the first value at `index`, each other one element after
  /// the one before.
  void storeInterleaved(unsigned number, llvm::ArrayRef<mlir::Value> values,
                        llvm::ArrayRef<LaneIndex> index);
  /// Row-major position of an index in a value's shape.
  LaneIndex linearize(mlir::Value value, llvm::ArrayRef<LaneIndex> index) {
    return linearize(dimsOf(value), index);
  }
  LaneIndex linearize(llvm::ArrayRef<graph::DimExpr> dims,
                      llvm::ArrayRef<LaneIndex> index) {
    return kernels::linearize(indices, dims, index);
  }
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
  mlir::Value unsupported(mlir::Operation *op,
                          const llvm::Twine &why = "") override;
  /// Makes all operands scalars or all vectors: vectors if any is one.
  void unify(llvm::MutableArrayRef<mlir::Value> values);
  /// True where lanes of the group have different indices.
  bool anyLanes(llvm::ArrayRef<LaneIndex> index);
  /// The fusion's value that becomes result `number`.
  mlir::Value yielded(unsigned number);

private:
  friend class Scope;
  struct Frame {
    LaneMemo memo;
    llvm::DenseMap<mlir::Value, Provider> bound;
  };
  /// What an element is without emitting anything: lanes emitted before, or who
  /// provides them.
  struct Known {
    mlir::Value lanes;
    const Provider *provider = nullptr;
    explicit operator bool() const { return lanes || provider; }
  };
  Known find(mlir::Value value, const LaneMemo::Group &group) const;
  mlir::Value rule(mlir::Value value, llvm::ArrayRef<LaneIndex> index);
  mlir::Value block(mlir::BlockArgument argument,
                    llvm::ArrayRef<LaneIndex> index);
  /// The real parts of a complex value. Its imaginary parts are kept: a store
  /// needs them later, and loads must precede stores.
  mlir::Value realPart(mlir::Value value, llvm::ArrayRef<LaneIndex> index);

  ComplexLanes complex;
  std::vector<Frame> frames;
  bool anyFailure = false;
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_ELEMENTS_ELEMENTEMITTER_H
