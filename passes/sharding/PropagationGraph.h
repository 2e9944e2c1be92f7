// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values of a module whose shardings propagation finds, and the places
// where shardings go from one to another.

#ifndef ZENITH_PASSES_SHARDING_PROPAGATIONGRAPH_H
#define ZENITH_PASSES_SHARDING_PROPAGATIONGRAPH_H

#include "ir/GraphOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/sharding/FactorPropagation.h"

namespace zenith::sharding {

/// Beside graph.sharding: a dictionary from the text of each axis to the user's
/// sharding that it came from, `input: 0`, `output: 0`, `constraint_0`,
/// `mc_0_input: 0` or `mc_0_output: 0`; on ops a list with one per result.
inline constexpr llvm::StringLiteral originsAttrName = "graph.sharding_origins";

/// A value, or several that share a sharding: a result of a loop stands for its
/// regions' arguments.
using Slot = unsigned;

/// One place: an op with factors, or an edge of the flow of data.
struct Link {
  enum class Kind { Op, Edge, Return };
  Kind kind = Kind::Op;
  mlir::Operation *op = nullptr; ///< whose factors or whose edge it is
  llvm::SmallVector<Slot, 4> operands, results;
  FactorMapping mapping;
  bool elementwise = false;
  /// Values but scalars that it reads have no other reader.
  bool hasOnlyUses = false;
  /// Where shardings may go, beside what the round says.
  Direction allowed = Direction::Both;
};

/// The shardings of a module as they grow.
class PropagationGraph {
public:
  /// `throughCalls`: arguments and results of calls are edges; each function
  /// is then called at most once.
  PropagationGraph(mlir::ModuleOp module, bool conservative, bool throughCalls);

  llvm::ArrayRef<Link> links() const { return allLinks; }
  /// Links that end at a slot, in the order in which they are visited after it
  /// has changed.
  llvm::ArrayRef<unsigned> linksOf(Slot slot) const { return uses[slot]; }
  TensorState &state(Slot slot) { return states[slot]; }
  llvm::MutableArrayRef<TensorState> allStates() { return states; }
  /// The slots that get one sharding with this one, itself among them.
  llvm::ArrayRef<Slot> groupOf(Slot slot) const;
  graph::MeshAttr meshOf(mlir::FlatSymbolRefAttr name) const {
    return meshes.lookup(name);
  }

  std::optional<Slot> slotOf(mlir::Value value) const;
  Slot resultSlot(mlir::func::FuncOp function, unsigned index) const;

  /// Writes the shardings as attributes.
  void write();

private:
  friend class GraphBuilder;
  mlir::DictionaryAttr originsOf(Slot slot) const;
  void mergeReturnedOrigins(mlir::func::FuncOp function, unsigned index);
  void writeOp(mlir::Operation *op);
  void writeOrigins(mlir::Operation *op);
  graph::ShardingAttr attributeOf(Slot slot) const;
  mlir::ModuleOp module;
  bool conservative, throughCalls;
  std::vector<TensorState> states;
  std::vector<Link> allLinks;
  std::vector<llvm::SmallVector<unsigned, 4>> uses;
  llvm::DenseMap<mlir::Value, Slot> slots;
  llvm::DenseMap<mlir::Operation *, Slot>
      functionResults; ///< the first of each
  llvm::DenseMap<mlir::Attribute, graph::MeshAttr> meshes; ///< by name
  std::map<int64_t, llvm::SmallVector<Slot>> groups;
  llvm::DenseMap<Slot, int64_t> groupIds;
};

/// A manual region's sharding as it is inside: without the manual axes, and as
/// it is outside: with those of `around` in front.
TensorState insideManual(const TensorState &state, graph::ManualOp manual);
TensorState outsideManual(const TensorState &inside, const TensorState &around,
                          graph::ManualOp manual);

} // namespace zenith::sharding

#endif // ZENITH_PASSES_SHARDING_PROPAGATIONGRAPH_H
