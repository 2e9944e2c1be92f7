// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the values of a chunk in lanes.

#include "lowering/routines/ChunkCalls.h"
#include "lowering/builder/RowTasks.h"
#include "lowering/elements/ElementEmitter.h"
#include "lowering/schedule/LaneChoice.h"

using namespace mlir;

namespace zenith::kernels {

/// Buffers that no plan has: the routine gives their places.
static constexpr unsigned writtenBuffer = 1, readBuffer = 2;

/// Work per element from which on a body is emitted once, always under a mask,
/// not another time for the last lanes: it costs less than it takes to compile.
/// Its values are single vectors: there is enough to do at once without pairs
/// of them, which take twice as long to compile.
static constexpr double longBody = 200;

/// Work per element of a function of its own. Compiling a straight line takes
/// more than linear time, and functions are compiled on several threads; what
/// two of them need is computed twice.
static constexpr double partBody = 250;

static constexpr StringRef chunkSuffix = "_chunk", partSuffix = "_part";

/// Takes the function of another chunk of the module that does the same: ops
/// whose results are used in other ways may have the same candidates.
static void shareKernel(Launch &launch, StringRef suffix, ModuleOp kernels) {
  func::FuncOp own = launch.kernel;
  for (auto other : kernels.getOps<func::FuncOp>())
    if (other != own && other.getName().contains(suffix) &&
        other.getFunctionType() == own.getFunctionType() &&
        OperationEquivalence::isRegionEquivalentTo(
            &other.getBody(), &own.getBody(),
            OperationEquivalence::IgnoreLocations)) {
      own.erase();
      launch.kernel = other;
      return;
    }
}

namespace {
/// Some of the lists of a chunk.
struct ChunkPart {
  const EmissionContext &context;
  std::string name;
  ValueRange values;
  size_t first; ///< list of the chunk that `values` begin with
  Value source;
  bool isLong;

  FailureOr<Launch> emit() const;
};
} // namespace

FailureOr<Launch> ChunkPart::emit() const {
  KernelBuilder kernel(context.fusion, context.dims, context.target,
                       context.kernels, name);
  ElementEmitter emitter(kernel);
  unsigned width = emitter.indices.width = std::max(
      1u, valueWidth(context.fusion, context.target) / (isLong ? 2 : 1));
  Type word = getElementTypeOrSelf(values.front().getType());
  Type memory = memoryType(word);
  graph::DimExpr size = context.dims.dimOf(values.front(), 0);
  Value written = kernel.scratch(writtenBuffer, memory);
  Value read = source ? kernel.scratch(readBuffer, memory) : Value();
  auto body = [&](Value start, Value mask) {
    ElementEmitter::Scope scope(emitter);
    emitter.active.mask = mask;
    LaneIndex at = emitter.indices.lanes(start, size);
    LaneIndex place =
        emitter.indices.lanes(kernel.sub(start, kernel.begin()), chunkRows);
    if (source)
      emitter.bind(source, emitter.memory.load(read, word, place));
    for (auto [number, value] : llvm::enumerate(values)) {
      Value lanes = emitter.emit(value, {at});
      if (emitter.failed())
        return;
      // The chunk has room for whole vectors.
      ElementEmitter::Scope whole(emitter);
      emitter.active.mask = Value();
      emitter.memory.store(
          written, word, lanes,
          emitter.indices.shift(place, int64_t(first + number) * chunkRows));
    }
  };
  if (!isLong)
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
  return kernel.finish(1, costPerElement(context.fusion));
}

/// Calls a part with what it was emitted to be launched with.
static void callPart(KernelBuilder &kernel, const Launch &part) {
  SmallVector<Value> arguments;
  func::FuncOp callee = part.kernel;
  for (auto [pointer, type] :
       llvm::zip(part.pointers, callee.getArgumentTypes()))
    arguments.push_back(
        pointer.kind == PointerArg::Operand
            ? kernel.operand(pointer.index)
            : kernel.scratch(pointer.index, getElementTypeOrSelf(type)));
  for (const graph::DimExpr &size : part.sizes)
    arguments.push_back(kernel.size(size));
  arguments.append({kernel.begin(), kernel.end()});
  kernel.b.create<func::CallOp>(kernel.loc, callee, arguments);
}

FailureOr<Launch> emitChunk(const EmissionContext &context, ValueRange values,
                            Value source) {
  double cost = costPerElement(context.fusion);
  size_t parts = std::clamp<size_t>(size_t(cost / partBody), 1, values.size());
  std::string name = (context.name + chunkSuffix).str();
  ChunkPart whole{context, name, values, 0, source, cost >= longBody};
  if (parts == 1) {
    FailureOr<Launch> chunk = whole.emit();
    if (succeeded(chunk))
      shareKernel(*chunk, chunkSuffix, context.kernels);
    return chunk;
  }
  KernelBuilder kernel(context.fusion, context.dims, context.target,
                       context.kernels, name);
  for (size_t number = 0; number < parts; ++number) {
    ChunkPart part = whole;
    part.first = values.size() * number / parts;
    size_t end = values.size() * (number + 1) / parts;
    part.values = values.slice(part.first, end - part.first);
    part.name += (partSuffix + llvm::Twine(number)).str();
    FailureOr<Launch> emitted = part.emit();
    if (failed(emitted)) {
      kernel.function().erase();
      return failure();
    }
    emitted->kernel.setPrivate();
    shareKernel(*emitted, partSuffix, context.kernels);
    callPart(kernel, *emitted);
  }
  Launch chunk = kernel.finish(1, cost);
  shareKernel(chunk, chunkSuffix, context.kernels);
  return chunk;
}

Value chunkProducer(RoutineKernel &call, const Launch &chunk) {
  return innerKernel(call, chunk, writtenBuffer, readBuffer);
}

} // namespace zenith::kernels
