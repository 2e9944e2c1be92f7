// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the values of a chunk in lanes.

#include "lowering/kernels/ChunkKernel.h"
#include "lowering/kernels/ElementEmitter.h"
#include "lowering/kernels/Schedule.h"

using namespace mlir;

namespace zenith::kernels {

/// Buffers that no plan has: the routine gives their places.
static constexpr unsigned writtenBuffer = 1, readBuffer = 2;

/// Work per element from which on a body is emitted once, always under a mask,
/// not another time for the last lanes: it costs less than it takes to compile.
static constexpr double longBody = 200;

static constexpr StringRef chunkSuffix = "_chunk";

/// Takes the kernel of another chunk of the module that does the same: ops
/// whose results are used in other ways may have the same candidates.
static void shareKernel(Launch &chunk, ModuleOp kernels) {
  func::FuncOp own = chunk.kernel;
  for (auto other : kernels.getOps<func::FuncOp>())
    if (other != own && other.getName().ends_with(chunkSuffix) &&
        other.getFunctionType() == own.getFunctionType() &&
        OperationEquivalence::isRegionEquivalentTo(
            &other.getBody(), &own.getBody(),
            OperationEquivalence::IgnoreLocations)) {
      own.erase();
      chunk.kernel = other;
      return;
    }
}

FailureOr<Launch> emitChunk(const EmissionContext &context, ValueRange values,
                            Value source) {
  KernelBuilder kernel(context.fusion, context.dims, context.target,
                       context.kernels, (context.name + chunkSuffix).str());
  ElementEmitter emitter(kernel);
  unsigned width = emitter.indices.width =
      valueWidth(context.fusion, context.target);
  Type word = getElementTypeOrSelf(values.front().getType());
  Type memory = memoryType(word);
  graph::DimExpr size = context.dims.dimOf(values.front(), 0);
  Value written = kernel.scratch(writtenBuffer, memory);
  Value read = source ? kernel.scratch(readBuffer, memory) : Value();
  auto body = [&](Value start, Value mask) {
    ElementEmitter::Scope scope(emitter);
    emitter.mask = mask;
    Ix at = emitter.indices.lanes(start, size);
    Ix place =
        emitter.indices.lanes(kernel.sub(start, kernel.begin()), chunkRows);
    if (source)
      emitter.bind(source, emitter.loadLinear(read, word, place));
    for (auto [number, value] : llvm::enumerate(values)) {
      Value lanes = emitter.emit(value, {at});
      if (emitter.failed())
        return;
      // The chunk has room for whole vectors.
      ElementEmitter::Scope whole(emitter);
      emitter.mask = Value();
      emitter.storeLinear(
          written, word, lanes,
          emitter.indices.shift(place, int64_t(number) * chunkRows));
    }
  };
  double cost = costPerElement(context.fusion);
  if (cost < longBody)
    kernel.laneLoop(kernel.begin(), kernel.end(), width, body);
  else
    kernel.loop(
        kernel.begin(), kernel.end(), kernel.index(width), [&](Value start) {
          body(start, kernel.mask(kernel.sub(kernel.end(), start), width));
        });
  if (emitter.failed()) {
    kernel.function().erase();
    return failure();
  }
  Launch chunk = kernel.finish(1, cost);
  shareKernel(chunk, context.kernels);
  return chunk;
}

LogicalResult addChunkProducer(RoutineCall &call, const Launch &chunk) {
  constexpr size_t mostPointers = 64; // what the routine has room for
  if (chunk.pointers.size() > mostPointers)
    return func::FuncOp(chunk.kernel).emitError()
           << "no kernel for values that are computed on the way: they read "
              "more than "
           << mostPointers << " values";
  int64_t written = -1, read = -1;
  for (auto [at, pointer] : llvm::enumerate(chunk.pointers))
    if (pointer.kind == PointerArg::Scratch)
      (pointer.index == writtenBuffer ? written : read) = int64_t(at);
  call.number(int64_t(chunk.pointers.size()));
  call.number(written);
  call.number(read);
  for (const graph::DimExpr &size : chunk.sizes)
    call.number(size);
  call.pointer(addressOfTask(call.kernel, chunk.kernel));
  for (const PointerArg &pointer : chunk.pointers)
    call.pointer(pointer.kind == PointerArg::Operand
                     ? call.kernel.operand(pointer.index)
                     : Value());
  return success();
}

} // namespace zenith::kernels
