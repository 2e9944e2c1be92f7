// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes of complex values: registers hold one part, memory holds (real,
// imaginary) pairs.

#ifndef ZENITH_LOWERING_ELEMENTS_COMPLEXLANES_H
#define ZENITH_LOWERING_ELEMENTS_COMPLEXLANES_H

#include "lowering/elements/ElementMemory.h"
#include "lowering/elements/LaneMemo.h"
#include <vector>

namespace zenith::kernels {

/// Gives lanes of real values, and reports what has none.
class LaneSource {
public:
  virtual ~LaneSource() = default;
  virtual mlir::Value emit(mlir::Value value,
                           llvm::ArrayRef<LaneIndex> index) = 0;
  virtual mlir::Value unsupported(mlir::Operation *op,
                                  const llvm::Twine &why) = 0;
};

class ComplexLanes {
public:
  /// The operand of graph.complex that gives the part.
  enum Part { Real = 0, Imaginary = 1 };

  ComplexLanes(KernelBuilder &kernel, IndexMath &indices, ElementMemory &memory,
               LaneSource &source)
      : kernel(kernel), indices(indices), memory(memory), source(source),
        scopes(1) {}

  /// Emits one part; null after an unsupported op, which has been reported.
  mlir::Value part(mlir::Value value, Part which,
                   llvm::ArrayRef<LaneIndex> index);
  /// The imaginary parts, emitted once per scope and group of lanes.
  mlir::Value imaginary(mlir::Value value, llvm::ArrayRef<LaneIndex> index,
                        mlir::Value mask);

  void enterScope() { scopes.emplace_back(); }
  void leaveScope() { scopes.pop_back(); }

private:
  KernelBuilder &kernel;
  IndexMath &indices;
  ElementMemory &memory;
  LaneSource &source;
  std::vector<LaneMemo> scopes;
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_ELEMENTS_COMPLEXLANES_H
