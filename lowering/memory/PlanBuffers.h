// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffer assignment: where every value of a fused function lies. One arena, the
// caller's buffers, parameters.

#ifndef ZENITH_LOWERING_MEMORY_PLANBUFFERS_H
#define ZENITH_LOWERING_MEMORY_PLANBUFFERS_H

#include "ir/liveness/Liveness.h"
#include "lowering/builder/KernelPlan.h"
#include "lowering/memory/arena/ArenaLayout.h"

namespace zenith::memory {

/// Unit attribute of an argument of an entry function whose buffer a result may
/// take over.
inline constexpr llvm::StringLiteral donatedAttrName = "graph.donated";

/// Whether the schedule of `fusion` lets `result` take over the bytes of
/// `operand`.
bool mayShareBytes(graph::FusionOp fusion, unsigned operand, unsigned result);

/// Where bytes are.
struct BufferLocation {
  /// Numbers are those of host::BufferKind.
  enum Kind {
    Argument,
    Result,
    Param,
    Derived,
    Arena,
    Constant,
    Slot,
    File = 8,
    Shared = 9
  };
  Kind kind = Arena;
  /// Of the argument, result, graph.param in its module, derived parameter,
  /// constant, or slot; the number of what is shared.
  unsigned index = 0;
  /// Arena, Derived and File: bytes from the start.
  graph::DimExpr offset;
  bool operator==(const BufferLocation &other) const {
    return kind == other.kind && index == other.index && offset == other.offset;
  }
};

/// A result that no kernel writes where it belongs.
struct ResultCopy {
  unsigned result;
  std::optional<graph::DimExpr> scalar; ///< the value of a host scalar; else
  BufferLocation from;                  ///< of the bytes to copy
  graph::DimExpr bytes;
};

/// A result whose buffer may be that of a donated argument.
struct Donation {
  unsigned result, argument;
};

/// A part of the arena.
struct PlannedBuffer {
  mlir::Value value; ///< the first that lies there; null for what an op needs
  bool isNested = false; ///< the arena of a function that the op calls
  graph::DimExpr bytes, offset;
  liveness::Interval live;
};

/// Sizes that depend on data have slots instead of parts of the arena: pool
/// memory from the op that defines the first value to the last reader.
struct BufferPlan {
  /// Of every value in memory.
  llvm::DenseMap<mlir::Value, BufferLocation> locations;
  /// Of fusions: what their kernels need; of loops: a second buffer for each
  /// loop-carried value that the body does not update in place, unless only the
  /// body knows its size.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<BufferLocation>> scratch;
  /// Of control ops: where the arenas of the functions that they call lie;
  /// absent where their size depends on data.
  llvm::DenseMap<mlir::Operation *, BufferLocation> nestedArenas;
  /// Slots that are freed after an op, their last reader.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<unsigned>> deallocs;
  /// Results of a nested function that lie in the argument of the same index.
  llvm::SmallVector<unsigned> inPlace;
  std::vector<mlir::Operation *>
      constants; ///< those that kernels or results read
  std::vector<ResultCopy> copies;
  std::vector<Donation> donations;
  std::vector<PlannedBuffer> buffers; ///< of the arena
  graph::DimExpr arenaBytes;
  graph::DimExpr activationBytes; ///< of the arena if no kernel needed scratch
};

/// Where derived parameters lie in their arena.
struct DerivedLayout {
  llvm::SmallVector<int64_t> offsets; ///< by index of the derived parameter
  int64_t bytes = 0;
};
/// Lays out the results of @prepare, if `module` has it.
DerivedLayout layOutDerived(mlir::ModuleOp module);

/// What the plans of all functions of a module refer to, collected once.
/// Functions may be erased after the programs of their callers are built.
struct ModuleContext {
  explicit ModuleContext(mlir::ModuleOp module);

  DerivedLayout derived;
  mlir::SymbolTable symbols;
  llvm::DenseMap<mlir::Operation *, unsigned>
      paramIndices; ///< of graph.param, in the order of the module
};

/// Bytes of a value as an expression.
graph::DimExpr bytesOf(mlir::Value value, graph::DimAnalysis &dims);

/// True where the body of a loop leaves loop-carried value `result` in the
/// memory in which it got it.
bool updatesInPlace(mlir::Operation *loop, unsigned result,
                    const mlir::SymbolTable &symbols);
/// True where the function itself allocates the memory of a result during a
/// run, not its caller.
bool isAllocatedResult(mlir::func::FuncOp function, unsigned result,
                       graph::DimAnalysis &dims);
/// True where the function that a control op calls allocates the memory of a
/// result.
bool isAllocatedInside(mlir::Operation *control, unsigned result,
                       const mlir::SymbolTable &symbols);

/// Bytes of the largest arena of the functions that a control op calls, if all
/// of their sizes are known outside: a size that a function names after itself
/// is not.
std::optional<graph::DimExpr>
nestedArenaBytes(mlir::Operation *control, const mlir::SymbolTable &symbols);

/// Plans one function of a module after the fuse phase; the functions that it
/// calls have their plans in attributes. Results of @prepare are derived
/// parameters. Fails where an op is left that needs memory and is no
/// fusion; reported at the op.
mlir::FailureOr<BufferPlan> planBuffers(mlir::func::FuncOp function,
                                        graph::DimAnalysis &dims,
                                        const target::TargetModel &target,
                                        const ModuleContext &context);

} // namespace zenith::memory

#endif // ZENITH_LOWERING_MEMORY_PLANBUFFERS_H
