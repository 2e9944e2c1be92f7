// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one rule behind every kernel: given index values, what is this group of
// lanes of a graph value?

#ifndef ZENITH_LOWERING_KERNELS_ELEMENTEMITTER_H
#define ZENITH_LOWERING_KERNELS_ELEMENTEMITTER_H

#include "lowering/kernels/KernelBuilder.h"
#include "lowering/kernels/LaneIndex.h"
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

  /// A group of lanes of `value`. Null after an unsupported op, which has been
  /// reported.
  mlir::Value emit(mlir::Value value, llvm::ArrayRef<Ix> index);
  /// From here on, in this scope, `value` is `lanes`, whatever the index.
  void bind(mlir::Value value, mlir::Value lanes);
  /// From here on, in this scope, `value` is what `provider` gives.
  using Provider = std::function<mlir::Value(llvm::ArrayRef<Ix> index)>;
  void bind(mlir::Value value, Provider provider);
  /// Stores lanes of result `number` of the fusion: scalar where the index is
  /// uniform, else by lane class.
  void store(unsigned number, mlir::Value lanes, llvm::ArrayRef<Ix> index);
  /// Rounds to the element type, where the register type is wider, and puts
  /// lanes to `memory` at a linear index.
  void storeLinear(mlir::Value memory, mlir::Type element, mlir::Value lanes,
                   const Ix &linear);
  mlir::Value loadLinear(mlir::Value memory, mlir::Type element,
                         const Ix &linear);
  /// Row-major position of an index in a value's shape.
  Ix linearize(mlir::Value value, llvm::ArrayRef<Ix> index);
  Ix linearize(llvm::ArrayRef<graph::DimExpr> dims, llvm::ArrayRef<Ix> index);
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
  mlir::Value unsupported(mlir::Operation *op, const llvm::Twine &why);
  /// Makes operands scalars or vectors alike: vectors if any is one.
  void unify(llvm::MutableArrayRef<mlir::Value> values);
  /// Rounds an f32 to the narrow float `element` that it stands for; other
  /// types stay.
  mlir::Value roundTo(mlir::Type element, mlir::Value x);

private:
  friend class Scope;
  struct Key {
    mlir::Value value;
    llvm::SmallVector<Ix, 4> index;
    mlir::Value mask;
    int64_t tileRow;
  };
  struct Frame {
    llvm::DenseMap<mlir::Value,
                   llvm::SmallVector<std::pair<Key, mlir::Value>, 1>>
        memo;
    llvm::DenseMap<mlir::Value, Provider> bound;
  };
  mlir::Value lookUp(const Key &key);
  mlir::Value rule(mlir::Value value, llvm::ArrayRef<Ix> index);
  mlir::Value elementwise(mlir::Operation *op, llvm::ArrayRef<Ix> index);
  mlir::Value movement(mlir::Operation *op, llvm::ArrayRef<Ix> index);
  mlir::Value indexing(mlir::Operation *op, llvm::ArrayRef<Ix> index);
  mlir::Value reduction(mlir::Operation *op, llvm::ArrayRef<Ix> index);
  mlir::Value block(mlir::BlockArgument argument, llvm::ArrayRef<Ix> index);
  mlir::Value pad(graph::PadOp op, llvm::ArrayRef<Ix> index);
  mlir::Value concat(graph::ConcatOp op, llvm::ArrayRef<Ix> index);
  mlir::Value constantElement(graph::ConstantOp op, llvm::ArrayRef<Ix> index);
  mlir::Value gather(graph::GatherOp op, llvm::ArrayRef<Ix> index);
  mlir::Value tileLoad(mlir::Value memory, mlir::Type element,
                       const Ix &linear);

  std::vector<Frame> frames;
  bool anyFailure = false;
};

/// The affine index maps of movement ops, shared with the analysis of iteration
/// spaces: index of `op`'s operand `number` behind result index `index`, for
/// ops that always read exactly one element (broadcast, transpose, reshape,
/// slice, reverse, elementwise). nullopt for others.
std::optional<llvm::SmallVector<Ix>>
operandIndex(IndexMath &math, graph::DimAnalysis &dims, mlir::Operation *op,
             unsigned number, llvm::ArrayRef<Ix> index);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_KERNELS_ELEMENTEMITTER_H
