// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits each shared function once per module.

#include "lowering/builder/SharedFunction.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace zenith::kernels {

Value asMemory(OpBuilder &b, Location loc, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  auto huge = MemRefType::get({int64_t(1) << 40}, type.getElementType());
  if (type == huge)
    return buffer;
  return b.create<memref::ReinterpretCastOp>(
      loc, huge, buffer, 0, ArrayRef<int64_t>{int64_t(1) << 40},
      ArrayRef<int64_t>{1});
}

/// The function of that name in the kernels' module; `write` emits its body the
/// first time.
static func::FuncOp
sharedFunction(KernelBuilder &kernel, const std::string &name,
               TypeRange arguments,
               function_ref<void(OpBuilder &, Block &)> write) {
  auto module = kernel.function()->getParentOfType<ModuleOp>();
  if (auto known = module.lookupSymbol<func::FuncOp>(name))
    return known;
  OpBuilder b(module.getContext());
  auto function = func::FuncOp::create(kernel.b.getUnknownLoc(), name,
                                       b.getFunctionType(arguments, {}));
  function.setPrivate();
  // Inlining would compile it again for each call site.
  function->setAttr("passthrough", b.getStrArrayAttr({"noinline"}));
  module.push_back(function);
  Block *entry = function.addEntryBlock();
  b.setInsertionPointToEnd(entry);
  write(b, *entry);
  b.create<func::ReturnOp>(function.getLoc());
  return function;
}

void callShared(KernelBuilder &kernel, const std::string &name,
                ArrayRef<Value> operands,
                function_ref<void(OpBuilder &, Block &)> write) {
  SmallVector<Value> converted;
  for (Value operand : operands)
    converted.push_back(isa<MemRefType>(operand.getType())
                            ? asMemory(kernel.b, kernel.loc, operand)
                            : operand);
  auto function =
      sharedFunction(kernel, name, ValueRange(converted).getTypes(), write);
  kernel.b.create<func::CallOp>(kernel.loc, function, converted);
}

} // namespace zenith::kernels
