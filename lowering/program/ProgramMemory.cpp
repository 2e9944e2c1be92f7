// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of programs: constants, cells, stack arrays, arenas.

#include "lowering/program/ProgramMemory.h"

#include "ir/tensor/Tensor.h"
#include "runtime/ABI.h"

using namespace llvm;

namespace zenith::pipeline {

static unsigned cellsOf(host::ProgramOp program) {
  unsigned cells = 0;
  for (mlir::Operation &op : program.getBody().front())
    op.getAttrDictionary().walk([&](host::BufferAttr buffer) {
      if (buffer.getKind() == host::BufferKind::cell)
        cells = std::max<unsigned>(cells, buffer.getIndex() + 1);
    });
  return cells;
}

void ProgramMemory::loadConstants() {
  std::vector<host::ProgramOp> open{code.program};
  int64_t pool = 0;
  while (!open.empty()) {
    host::ProgramOp current = open.back();
    open.pop_back();
    for (mlir::Attribute attr : current.getConstants()) {
      Tensor value = Tensor::fromElements(mlir::cast<mlir::ElementsAttr>(attr));
      Constant *bytes =
          ConstantDataArray::getRaw(StringRef(value.bytes(), value.byteSize()),
                                    value.byteSize(), builder.getInt8Ty());
      auto *global = new GlobalVariable(code.module, bytes->getType(), true,
                                        GlobalValue::PrivateLinkage, bytes);
      global->setAlignment(Align(64));
      Bytes location{global, nullptr};
      if (code.deviceKernels) {
        Value *size = builder.getInt64(value.byteSize());
        location = buffers.deviceBuffer(ZENITH_DEVICE_POOL, pool++, size);
        buffers.upload(-1, location, global, size);
      }
      constants[current].push_back(location);
    }
    unsigned cells = code.deviceKernels ? cellsOf(current) : 0;
    for (unsigned cell = 0; cell < cells; ++cell)
      deviceCells[current].push_back(buffers.deviceBuffer(
          ZENITH_DEVICE_POOL, pool++, builder.getInt64(8)));
    for (mlir::Operation &op : current.getBody().front())
      op.getAttrDictionary().walk([&](mlir::FlatSymbolRefAttr name) {
        if (mlir::isa<host::IfOp, host::WhileOp>(op))
          open.push_back(code.programOf(name));
      });
  }
}

void ProgramMemory::allocateArena() {
  Value *bytes = sizes.evaluate(code.program.getArenaAttr());
  if (isa<ConstantInt>(bytes) && cast<ConstantInt>(bytes)->isZero()) {
    code.frame->arena.base = code.nullPointer();
    code.frame->arena.offset =
        code.deviceKernels ? builder.getInt64(0) : nullptr;
    return;
  }
  if (code.deviceKernels) {
    code.frame->arena = buffers.deviceBuffer(ZENITH_DEVICE_ARENA, 0, bytes);
    return;
  }
  code.frame->arena.base =
      code.call("zenith_arena", pointerType, {code.run(), bytes});
  code.failIfNull(code.frame->arena.base);
}

void ProgramMemory::prepareFrame() {
  unsigned mostPointers = 1, mostSizes = 1, slots = 0;
  for (mlir::Operation &op : code.frame->program.getBody().front()) {
    if (auto launchOp = mlir::dyn_cast<host::LaunchOp>(op)) {
      mostPointers =
          std::max<unsigned>(mostPointers, launchOp.getPointers().size());
      mostSizes = std::max<unsigned>(mostSizes, launchOp.getSizes().size());
    }
    op.getAttrDictionary().walk([&](host::BufferAttr buffer) {
      if (buffer.getKind() == host::BufferKind::slot)
        slots = std::max<unsigned>(slots, buffer.getIndex() + 1);
    });
  }
  // A device takes a handle and an offset for each.
  code.frame->pointers = code.stackArray(
      pointerType, (code.deviceKernels ? 2 : 1) * mostPointers, "pointers");
  code.frame->sizeArray = code.stackArray(i64, mostSizes, "sizes");
  code.frame->slots.resize(slots);
  code.frame->deviceCells = deviceCells[code.frame->program];
  for (unsigned cell = 0; cell < cellsOf(code.frame->program); ++cell)
    code.frame->cells.push_back(code.stackArray(i64, 1, "cell"));
  code.frame->constants = constants[code.frame->program];
  code.frame->yielded.resize(code.frame->program.getResults().size());
}

Reserve ProgramMemory::makeReserve(mlir::ArrayAttr callees,
                                   host::BufferAttr arena) {
  Reserve reserve;
  bool needed = !arena && any_of(callees, [&](mlir::Attribute name) {
    return !code.programOf(name).getArena().getExpr().isConstant(0);
  });
  if (!needed)
    return reserve;
  reserve.base = code.stackArray(pointerType, 1, "reserve");
  reserve.bytes = code.stackArray(i64, 1, "reserved");
  builder.CreateStore(code.nullPointer(), reserve.base);
  builder.CreateStore(builder.getInt64(0), reserve.bytes);
  return reserve;
}

Bytes ProgramMemory::arenaFor(host::ProgramOp callee, Bytes arena,
                              const Reserve &reserve) {
  if (callee.getArena().getExpr().isConstant(0) || arena.base)
    return arena;
  Value *bytes = sizes.evaluate(callee.getArenaAttr());
  code.checkSizes();
  BasicBlock *grow = code.block(), *done = code.block();
  builder.CreateCondBr(
      builder.CreateICmpSGT(bytes, builder.CreateLoad(i64, reserve.bytes)),
      grow, done);
  builder.SetInsertPoint(grow);
  buffers.deallocate(builder.CreateLoad(pointerType, reserve.base));
  builder.CreateStore(buffers.allocate(bytes).base, reserve.base);
  builder.CreateStore(bytes, reserve.bytes);
  builder.CreateBr(done);
  builder.SetInsertPoint(done);
  return {builder.CreateLoad(pointerType, reserve.base),
          code.deviceKernels ? builder.getInt64(0) : nullptr};
}

void ProgramMemory::freeReserve(const Reserve &reserve) {
  if (reserve.base)
    buffers.deallocate(builder.CreateLoad(pointerType, reserve.base));
}

} // namespace zenith::pipeline
