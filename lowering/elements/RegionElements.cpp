// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Binds a region's arguments and emits the values that it yields.

#include "lowering/elements/RegionElements.h"

using namespace mlir;

namespace zenith::kernels {

SmallVector<Value> emitRegion(ElementEmitter &emitter, Region &region,
                              ArrayRef<Value> arguments) {
  ElementEmitter::Scope scope(emitter);
  Block &block = region.front();
  for (auto [argument, value] : llvm::zip(block.getArguments(), arguments))
    emitter.bind(argument, value);
  SmallVector<Value> results;
  for (Value yielded : block.getTerminator()->getOperands()) {
    Value value = emitter.emit(yielded, {});
    if (!value)
      return {};
    results.push_back(value);
  }
  return results;
}

} // namespace zenith::kernels
