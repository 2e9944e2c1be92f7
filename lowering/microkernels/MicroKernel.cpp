// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names micro-kernels by what they do and emits each once per module.

#include "lowering/builder/SharedFunction.h"
#include "lowering/microkernels/MicroKernelWriter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace zenith::kernels {

Type sumType(Type element, Type result) {
  if (element.isF16() || element.isBF16())
    return Float32Type::get(element.getContext());
  return memoryType(result);
}

unsigned sumLanes(Type sum, const TargetModel &target) {
  return sum.getIntOrFloatBitWidth() == 64 ? std::max(1u, target.lanes / 2)
                                           : target.lanes;
}

Value asMemory(OpBuilder &b, Location loc, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  auto huge = MemRefType::get({int64_t(1) << 40}, type.getElementType());
  if (type == huge)
    return buffer;
  return b.create<memref::ReinterpretCastOp>(
      loc, huge, buffer, 0, ArrayRef<int64_t>{int64_t(1) << 40},
      ArrayRef<int64_t>{1});
}

/// The arguments that the form uses, in the order of the function's signature.
static SmallVector<Value *> slots(const MicroKernel &shape,
                                  MicroKernelArgs &args) {
  SmallVector<Value *> all{&args.a,       &args.b,         &args.c,
                           &args.aOffset, &args.rowStride, &args.bOffset,
                           &args.depth,   &args.cOffset,   &args.rowStrideC};
  if (!shape.knownStride)
    all.append({&args.depthStrideA, &args.depthStrideB});
  if (shape.looksAhead || shape.fetchesRows)
    all.push_back(&args.ahead);
  if (shape.vectorsOfPanel)
    all.push_back(&args.panelStride);
  if (shape.masked)
    all.push_back(&args.columns);
  if (shape.form == MicroKernel::Product)
    return all;
  for (MicroKernelArgs::Tap &tap : args.taps)
    all.append({&tap.count, &tap.strideA, &tap.strideB});
  if (shape.form == MicroKernel::Edge)
    all.append({&args.zeros, &args.position, &args.rowStep, &args.tapStep,
                &args.extent});
  return all;
}

static std::string typeName(Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return name;
}

static std::string nameOf(const MicroKernel &shape) {
  std::string name = "uk_" + typeName(shape.a);
  if (shape.b != shape.a)
    name += "_" + typeName(shape.b);
  if (shape.sum != shape.a)
    name += "_" + typeName(shape.sum);
  name += "_" + std::to_string(shape.height) + "x" +
          std::to_string(shape.vectors) + "x" + std::to_string(shape.lanes);
  static constexpr const char *forms[] = {"", "_window", "_edge"};
  name += forms[shape.form];
  if (shape.continues)
    name += "_more";
  if (shape.inOrder)
    name += "_inorder";
  if (shape.alongDepth)
    name += "_along";
  if (shape.pairs)
    name += shape.group > 1 ? "_grouped" + std::to_string(shape.group)
                            : std::string("_pairs");
  if (shape.prefetches)
    name += "_ahead";
  if (shape.knownStride)
    name += "_by" + std::to_string(shape.knownStride);
  if (shape.knownStrideB != shape.vectors * shape.lanes && shape.knownStride)
    name += "x" + std::to_string(shape.knownStrideB);
  if (shape.knownRows)
    name += "_apart" + std::to_string(shape.knownRows);
  if (shape.vectorsOfPanel)
    name += "_panels";
  if (shape.looksAhead)
    name += "_next" +
            (shape.linesAhead > 1 ? std::to_string(shape.linesAhead) : "");
  if (shape.fetchesRows)
    name += "_rows";
  return shape.masked ? name + "_masked" : name;
}

/// The function of that name in the kernels' module, with `write` giving its
/// body the first time.
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
  // Inlined at each call site it would be compiled again for each kernel.
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

unsigned setsOfSums(const MicroKernel &shape) {
  constexpr unsigned accumulators = 12, most = 4;
  unsigned tile = shape.height * shape.vectors, sets = 1;
  while (!shape.inOrder && !shape.alongDepth && sets < most &&
         tile * sets * 2 <= accumulators)
    sets *= 2;
  return sets;
}

unsigned depthsOfRound(const MicroKernel &shape) {
  constexpr unsigned multiplyAdds = 48, most = 4, registers = 36;
  unsigned tile = shape.height * shape.vectors, depths = 1;
  // Behind a request for lines the numbers of all rows are loaded before they
  // are used, those of the next depth soon after: a tall tile's sums would
  // leave their registers (12 rows by two vectors: 98 GFLOP/s, 154 by single
  // depths).
  if (shape.prefetches && tile + 2 * shape.height > registers)
    return depths;
  while (depths < most && tile * depths * 2 <= multiplyAdds)
    depths *= 2;
  return depths;
}

/// Half as many instructions widen a number, and each load takes a whole cache
/// line: one row past bf16 weights is as fast as memory (15 GB/s of 16; 13
/// where each vector is loaded on its own).
static bool splitsWords(const MicroKernel &shape, const TargetModel &target) {
  return target.avx512 && !target.printed && shape.b.isBF16() &&
         shape.sum.isF32() && !shape.pairs && !shape.alongDepth &&
         !shape.masked && !shape.vectorsOfPanel && shape.vectors % 2 == 0;
}

/// Taps move all rows: where these are many, their addresses have no registers
/// to stay in, and short runs of depths leave little to do between the moves (5
/// depths past 25 taps: 28 GFLOP/s, 55 with one address).
static unsigned knownRows(KernelBuilder &kernel, const MicroKernel &shape,
                          const MicroKernelArgs &args) {
  constexpr int64_t longest = 64;
  constexpr unsigned fewestRows = 8, mostVectors = 2;
  auto stride = kernel.constantOf(args.rowStride);
  bool known = shape.knownStride && shape.form == MicroKernel::Window &&
               shape.height >= fewestRows && shape.vectors <= mostVectors &&
               stride && *stride > 0 && *stride <= longest;
  return known ? unsigned(*stride) : 0;
}

/// Which strides are known; without them there is no looking ahead.
static MicroKernel withKnownStrides(KernelBuilder &kernel, MicroKernel shape,
                                    const MicroKernelArgs &args) {
  constexpr int64_t longest = 8, longestB = 64;
  auto strideA = kernel.constantOf(args.depthStrideA),
       strideB = kernel.constantOf(args.depthStrideB);
  bool known = !shape.pairs && !shape.alongDepth && strideA && strideB &&
               *strideA > 0 && *strideA <= longest && *strideB <= longestB &&
               *strideB > 0 && *strideB % shape.lanes == 0;
  shape.knownStride = known ? unsigned(*strideA) : 0;
  shape.knownStrideB = known ? unsigned(*strideB) : 0;
  shape.knownRows = knownRows(kernel, shape, args);
  shape.looksAhead &= known;
  shape.fetchesRows &= known && !shape.looksAhead;
  return shape;
}

void callMicroKernel(KernelBuilder &kernel, const MicroKernel &given,
                     const MicroKernelArgs &args) {
  MicroKernel shape = withKnownStrides(kernel, given, args);
  shape.splitsWords = splitsWords(shape, kernel.target);
  // A kernel with one set of sums anyway is the same.
  shape.inOrder = false;
  shape.inOrder = given.inOrder && setsOfSums(shape) > 1;
  if (kernel.target.printed) {
    MicroKernelWriter(kernel.b, kernel.loc, shape, kernel.target).tile(args);
    return;
  }
  MicroKernelArgs copy = args;
  SmallVector<Value> operands;
  for (Value *slot : slots(shape, copy))
    operands.push_back(*slot);
  callShared(kernel, nameOf(shape), operands, [&](OpBuilder &b, Block &entry) {
    MicroKernelArgs inner;
    for (auto [slot, argument] :
         llvm::zip(slots(shape, inner), entry.getArguments()))
      *slot = argument;
    MicroKernelWriter(b, b.getUnknownLoc(), shape, kernel.target).tile(inner);
  });
}

void callMicroKernelOfHeight(KernelBuilder &kernel, const MicroKernel &shape,
                             const MicroKernelArgs &args, Value height,
                             ArrayRef<unsigned> possible) {
  if (possible.empty())
    return;
  OpBuilder &b = kernel.b;
  OpBuilder::InsertionGuard guard(b);
  auto call = [&](unsigned own) {
    MicroKernel tile = shape;
    tile.height = own;
    tile.prefetches &= own >= shape.fewestRowsAhead;
    callMicroKernel(kernel, tile, args);
  };
  for (unsigned own : possible.drop_back()) {
    Value equal = b.create<arith::CmpIOp>(kernel.loc, arith::CmpIPredicate::eq,
                                          height, kernel.index(own));
    auto branch =
        b.create<scf::IfOp>(kernel.loc, equal, /*withElseRegion=*/true);
    b.setInsertionPoint(branch.thenBlock()->getTerminator());
    call(own);
    b.setInsertionPoint(branch.elseBlock()->getTerminator());
  }
  call(possible.back());
}

void callDotKernel(KernelBuilder &kernel, const MicroKernel &shape,
                   const MicroKernelArgs &args, Value rows,
                   Value columnStride) {
  if (kernel.target.printed) {
    MicroKernelWriter(kernel.b, kernel.loc, shape, kernel.target)
        .dots(args, rows, columnStride);
    return;
  }
  SmallVector<Value> operands{args.a,       args.b,         args.c,
                              args.aOffset, args.rowStride, args.bOffset,
                              args.depth,   args.cOffset,   args.rowStrideC,
                              args.columns, rows,           columnStride};
  MicroKernel named = shape;
  named.height = named.vectors = 1;
  callShared(kernel, "dot_" + nameOf(named), operands,
             [&](OpBuilder &b, Block &entry) {
               auto arg = [&](unsigned i) -> Value {
                 return entry.getArgument(i);
               };
               MicroKernelArgs inner;
               inner.a = arg(0), inner.b = arg(1), inner.c = arg(2),
               inner.aOffset = arg(3), inner.rowStride = arg(4);
               inner.bOffset = arg(5), inner.depth = arg(6),
               inner.cOffset = arg(7), inner.rowStrideC = arg(8);
               inner.columns = arg(9);
               MicroKernelWriter(b, b.getUnknownLoc(), named, kernel.target)
                   .dots(inner, arg(10), arg(11));
             });
}

} // namespace zenith::kernels
