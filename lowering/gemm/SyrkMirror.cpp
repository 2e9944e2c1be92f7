// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Square blocks below the diagonal are those above it, transposed in registers;
// single elements where squares don't fit.

#include "lowering/gemm/SyrkMirror.h"
#include "lowering/builder/KernelBuilder.h"
#include "lowering/builder/TileTranspose.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

namespace {
class Mirror {
public:
  Mirror(KernelBuilder &kernel, Value size, Type element)
      : k(kernel), size(size), element(element) {
    memory = k.result(0);
  }

  /// Elements of rows [low, high) up to column `last` or the diagonal, one by
  /// one.
  void elements(Value low, Value high, Value first, Value last) {
    k.loop(low, high, k.index(1), [&](Value row) {
      k.loop(first, k.min(row, last), k.index(1), [&](Value column) {
        Value x = k.b.create<memref::LoadOp>(k.loc, memory, at(column, row));
        k.b.create<memref::StoreOp>(k.loc, x, memory, at(row, column));
      });
    });
  }

  /// The square whose first element is [row, column].
  void square(Value row, Value column) {
    auto type = VectorType::get({k.target.lanes}, element);
    transposeMemory(k, type, {memory, at(column, row), size},
                    {memory, at(row, column), size});
  }

private:
  Value at(Value row, Value column) { return k.add(k.mul(row, size), column); }

  KernelBuilder &k;
  Value size;
  Type element;
  Value memory;
};
} // namespace

Launch emitSyrkMirror(graph::FusionOp fusion, graph::DimAnalysis &dims,
                      const TargetModel &target, ModuleOp kernels,
                      StringRef name, const ContractionSpace &space,
                      int64_t blockRows) {
  const DimExpr &rows = space.rowAxis.size;
  int64_t lanes = target.lanes;
  KernelBuilder k(fusion, dims, target, kernels, name);
  Value size = k.size(rows);
  Type element =
      memoryType(getElementTypeOrSelf(space.op->getResult(0).getType()));
  Mirror mirror(k, size, element);
  k.loop(k.begin(), k.end(), k.index(1), [&](Value task) {
    Value low = k.mul(task, k.index(blockRows));
    Value high = k.min(k.add(low, k.index(blockRows)), size);
    Value whole = k.sub(high, k.rem(k.sub(high, low), k.index(lanes)));
    Value step = k.index(lanes);
    k.loop(k.index(0), low, k.index(blockRows), [&](Value block) {
      Value end = k.add(block, k.index(blockRows));
      k.loop(low, whole, step, [&](Value row) {
        k.loop(block, end, step,
               [&](Value column) { mirror.square(row, column); });
      });
    });
    mirror.elements(whole, high, k.index(0), low);
    mirror.elements(low, high, low, high);
  });
  return k.finish(DimExpr::ceilDiv(rows, DimExpr(blockRows)),
                  8.0 * double(blockRows) * estimate(rows) / 2);
}

} // namespace zenith::kernels
