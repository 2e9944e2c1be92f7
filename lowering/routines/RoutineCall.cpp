// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds calls of routines, and the sizes that they share.

#include "lowering/routines/RoutineCall.h"
#include "lowering/builder/KernelAttributes.h"
#include "lowering/elements/ElementCodes.h"
#include "lowering/elements/ElementEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

RoutineKernel::RoutineKernel(const EmissionContext &context, StringRef routine,
                             StringRef suffix)
    : kernel(context.fusion, context.dims, context.target, context.kernels,
             (context.name + suffix).str()),
      routine(("zenith_routine_" + routine).str()) {}

Value RoutineKernel::operand(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (argument && argument.getOwner() == &kernel.fusion.getBody().front())
    return kernel.memoryOf(argument);
  kernel.fusion.emitError() << "no kernel that computes an operand of '"
                            << routine << "' inside of its call";
  failed = true;
  return {};
}

Value RoutineKernel::result(Value value) {
  auto number = kernel.resultOf(value);
  return number ? kernel.result(*number) : Value();
}

Value RoutineKernel::scratch(unsigned index) {
  return kernel.scratch(index, kernel.b.getI8Type());
}

Value RoutineKernel::bits(Value scalar) {
  ElementEmitter emitter(kernel);
  Value value = emitter.emit(scalar, {});
  failed |= emitter.failed();
  if (failed)
    return {};
  OpBuilder &b = kernel.b;
  if (auto type = dyn_cast<FloatType>(value.getType()))
    value = b.create<arith::BitcastOp>(
        kernel.loc, b.getIntegerType(type.getWidth()), value);
  return b.create<arith::IndexCastOp>(kernel.loc, b.getIndexType(), value);
}

Value RoutineKernel::dtype(Value value) {
  return number(elementCode(getElementTypeOrSelf(value.getType())));
}

Value RoutineKernel::array(ArrayRef<Value> words) {
  OpBuilder &b = kernel.b;
  auto type = MemRefType::get({int64_t(std::max<size_t>(1, words.size()))},
                              b.getIndexType());
  Value array = b.create<memref::AllocaOp>(kernel.loc, type);
  for (auto [at, entry] : llvm::enumerate(words)) {
    Value word = entry ? entry : kernel.index(0);
    if (isa<MemRefType>(word.getType()))
      word = b.create<memref::ExtractAlignedPointerAsIndexOp>(kernel.loc, word);
    b.create<memref::StoreOp>(kernel.loc, word, array,
                              kernel.index(int64_t(at)));
  }
  return b.create<memref::ExtractAlignedPointerAsIndexOp>(kernel.loc, array);
}

FailureOr<Launch> RoutineKernel::finish(Value arguments, DimExpr tasks,
                                        double costPerTask) {
  OpBuilder &b = kernel.b;
  auto module = kernel.function()->getParentOfType<ModuleOp>();
  auto callee = module.lookupSymbol<func::FuncOp>(routine);
  if (!callee) {
    SmallVector<Type> words(3, b.getIndexType());
    callee = func::FuncOp::create(module.getLoc(), routine,
                                  b.getFunctionType(words, {}));
    callee.setPrivate();
    module.push_back(callee);
  }
  if (failed) {
    kernel.function().erase();
    return failure();
  }
  Value words[] = {arguments, kernel.begin(), kernel.end()};
  b.create<func::CallOp>(kernel.loc, callee, words);
  return kernel.finish(std::move(tasks), costPerTask);
}

/// The address of a kernel's task function, which exists after translation
/// only.
static Value addressOfTask(KernelBuilder &kernel, func::FuncOp task) {
  OpBuilder &b = kernel.b;
  auto module = kernel.function()->getParentOfType<ModuleOp>();
  std::string name = (task.getName() + kernels::taskSuffix).str();
  // Kernels of one task declare it once.
  if (!module.lookupSymbol(name)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(module.getBody());
    SmallVector<Type> words(4, b.getI64Type());
    auto declared = b.create<LLVM::LLVMFuncOp>(
        kernel.loc, name,
        LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                    words));
    SymbolTable::setSymbolVisibility(declared,
                                     SymbolTable::Visibility::Private);
  }
  Value address = b.create<LLVM::AddressOfOp>(
      kernel.loc, LLVM::LLVMPointerType::get(b.getContext()), name);
  Value word = b.create<LLVM::PtrToIntOp>(kernel.loc, b.getI64Type(), address);
  return b.create<arith::IndexCastOp>(kernel.loc, b.getIndexType(), word);
}

Value innerKernel(RoutineKernel &call, const Launch &launch, unsigned written,
                  unsigned read) {
  if (launch.pointers.size() > ZENITH_INNER_KERNEL_POINTERS) {
    func::FuncOp(launch.kernel).emitError()
        << "no kernel that a routine calls for its operands: it reads more "
           "than "
        << ZENITH_INNER_KERNEL_POINTERS << " values";
    return {};
  }
  int64_t writtenAt = -1, readAt = -1;
  SmallVector<Value> pointers, sizes;
  for (auto [at, pointer] : llvm::enumerate(launch.pointers)) {
    bool isOperand = pointer.kind == PointerArg::Operand;
    pointers.push_back(isOperand ? call.kernel.operand(pointer.index)
                                 : Value());
    if (!isOperand && pointer.index == written)
      writtenAt = int64_t(at);
    if (!isOperand && pointer.index == read)
      readAt = int64_t(at);
  }
  for (const DimExpr &size : launch.sizes)
    sizes.push_back(call.number(size));
  using Inner = zenith_inner_kernel;
  StructWords<Inner> words;
  words.set(&Inner::struct_size, call.number(int64_t(sizeof(Inner))));
  words.set(&Inner::fn, addressOfTask(call.kernel, launch.kernel));
  words.set(&Inner::pointers, call.array(pointers));
  words.set(&Inner::npointers, call.number(int64_t(pointers.size())));
  words.set(&Inner::written, call.number(writtenAt));
  words.set(&Inner::read, call.number(readAt));
  words.set(&Inner::sizes, call.array(sizes));
  return call.array(words.get());
}

int64_t elementBytesOf(Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  int64_t parts = 1;
  if (auto complex = dyn_cast<ComplexType>(element)) {
    element = complex.getElementType();
    parts = 2;
  }
  return parts * ((memoryType(element).getIntOrFloatBitWidth() + 7) / 8);
}

DimExpr slotsFor(const DimExpr &count, double cost) {
  // Enough work each to outweigh the start of a task.
  constexpr int64_t most = 32;
  constexpr double enough = 10000;
  auto known = count.constant();
  if (!known)
    return DimExpr::min(count, most);
  double wanted = double(*known) * cost / enough;
  return std::min<int64_t>(
      {*known, most, std::max<int64_t>(1, int64_t(wanted))});
}

double unitsOfSlot(const DimExpr &count, const DimExpr &slots) {
  return double(count.constant().value_or(4096)) /
         double(std::max<int64_t>(1, slots.constant().value_or(32)));
}

RowLayout::RowLayout(graph::DimAnalysis &dims, Value value, int64_t dim)
    : rows(1), distance(1) {
  const graph::DimVector shape = dims.dimsOf(value);
  length = shape[dim];
  for (int64_t d = 0; d < int64_t(shape.size()); ++d) {
    if (d != dim)
      rows = rows * shape[d];
    if (d > dim)
      distance = distance * shape[d];
  }
  // Each slot needs scratch for a row.
  constexpr int64_t longRow = 1 << 16, fewSlots = 8;
  auto known = length.constant();
  slots = slotsFor(rows, 20 * double(known.value_or(1024)));
  if (!known || *known > longRow)
    slots = DimExpr::min(slots, fewSlots);
}

SmallVector<DimExpr> resultBytes(graph::FusionOp fusion,
                                 graph::DimAnalysis &dims,
                                 const DimExpr &bound) {
  SmallVector<DimExpr> bytes;
  for (Value result : fusion.getBody().front().getTerminator()->getOperands()) {
    auto type = cast<RankedTensorType>(result.getType());
    DimExpr size = elementBytesOf(result);
    const graph::DimVector shape = dims.dimsOf(result);
    for (auto [d, dim] : llvm::enumerate(shape)) {
      bool fromData = false;
      dim.forEachSymbol([&](const std::string &name) {
        fromData |= StringRef(name).starts_with("%");
      });
      size = size * (fromData && type.isDynamicDim(d) && d == 0 ? bound : dim);
    }
    bytes.push_back(size);
  }
  return bytes;
}

Value countDataRows(RoutineKernel &call, KernelPlan &plan, ValueRange results,
                    const EmissionContext &context, const DimExpr &bound) {
  for (Value result : results)
    if (auto number = call.kernel.resultOf(result)) {
      plan.counts.push_back({*number, 0});
      plan.capacityBytes = resultBytes(context.fusion, context.dims, bound);
      return call.kernel.count(0);
    }
  return {};
}

} // namespace zenith::kernels
