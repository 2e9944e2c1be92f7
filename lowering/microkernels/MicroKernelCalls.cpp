// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names micro-kernels by what they do, decides what their arguments and the
// target leave open, and passes the arguments that each takes.

#include "lowering/microkernels/MicroKernelCalls.h"
#include "lowering/builder/SharedFunction.h"
#include "lowering/microkernels/DotKernelWriter.h"
#include "lowering/microkernels/MicroKernelWriter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace zenith::kernels {

/// The arguments that the kernel uses, in the order of the function's
/// signature.
static SmallVector<Value *> slots(const MicroKernel &kernel,
                                  MicroKernelArgs &args) {
  SmallVector<Value *> all{&args.a,       &args.b,         &args.c,
                           &args.aOffset, &args.rowStride, &args.bOffset,
                           &args.kSize,   &args.cOffset,   &args.rowStrideC};
  if (!kernel.strides())
    all.append({&args.kStrideA, &args.kStrideB});
  if (kernel.prefetchAs<PrefetchNextPanel>() ||
      kernel.prefetchAs<PrefetchNextRows>())
    all.push_back(&args.ahead);
  if (kernel.columnsAs<OuterProduct::HalfPanels>())
    all.push_back(&args.panelStride);
  if (kernel.repeatedRows)
    all.push_back(&args.lastRow);
  if (kernel.isMasked())
    all.push_back(&args.columns);
  if (kernel.loops == MicroKernel::Loops::K)
    return all;
  for (MicroKernelArgs::Tap &tap : args.taps)
    all.append({&tap.count, &tap.strideA, &tap.strideB});
  if (kernel.loops == MicroKernel::Loops::ClippedTaps)
    all.append({&args.zeros, &args.position, &args.rowStep, &args.tapStep,
                &args.extent});
  return all;
}

static std::string typeName(Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return name;
}

static std::string formName(const MicroKernel &kernel) {
  if (kernel.isAlongK())
    return "_along_k";
  if (std::holds_alternative<PairedK>(kernel.form))
    return "_pairs";
  if (auto *interleaved = std::get_if<InterleavedK>(&kernel.form))
    return "_interleaved" + std::to_string(interleaved->group);
  return "";
}

static std::string stridesName(const MicroKernel &kernel) {
  const KnownStrides *strides = kernel.strides();
  if (!strides)
    return "";
  std::string name = "_by" + std::to_string(strides->a);
  if (strides->b != kernel.vectors * kernel.lanes)
    name += "x" + std::to_string(strides->b);
  if (strides->rows)
    name += "_rows" + std::to_string(strides->rows);
  return name;
}

static std::string prefetchName(const MicroKernel &kernel) {
  if (auto *next = kernel.prefetchAs<PrefetchNextPanel>())
    return "_next_panel" + (next->lines > 1 ? std::to_string(next->lines) : "");
  if (kernel.prefetchAs<PrefetchNextRows>())
    return "_next_rows";
  auto *lines = kernel.prefetchAs<PrefetchB>();
  if (!lines)
    return "";
  return "_prefetch" + (lines->bytesAhead == PrefetchB::usualBytes
                            ? ""
                            : std::to_string(lines->bytesAhead));
}

static std::string nameOf(const MicroKernel &kernel) {
  std::string name = "uk_" + typeName(kernel.a);
  if (kernel.b != kernel.a)
    name += "_" + typeName(kernel.b);
  if (kernel.sum != kernel.a)
    name += "_" + typeName(kernel.sum);
  name += "_" + std::to_string(kernel.mr) + "x" +
          std::to_string(kernel.vectors) + "x" + std::to_string(kernel.lanes);
  static constexpr const char *loops[] = {"", "_taps", "_clipped_taps"};
  name += loops[unsigned(kernel.loops)];
  if (kernel.accumulates)
    name += "_accumulates";
  if (kernel.sets > 1)
    name += "_sets" + std::to_string(kernel.sets);
  if (kernel.repeatedRows)
    name += "_or_less";
  if (kernel.repeatedRows > 1)
    name += std::to_string(kernel.repeatedRows);
  if (kernel.skipsRows)
    name += "_skipped";
  if (kernel.kMultiple > 1)
    name += "_whole";
  name += formName(kernel) + stridesName(kernel);
  if (kernel.columnsAs<OuterProduct::HalfPanels>())
    name += "_half_panels";
  name += prefetchName(kernel);
  if (kernel.isMasked())
    name += "_masked";
  return kernel.skipsVectors ? name + "_by_halves" : name;
}

/// Whether to load bf16 columns two vectors at a time: that takes half as many
/// instructions per widened element, and each load takes a whole cache line.
/// One row times bf16 weights then runs at the speed of memory.
static bool splitsWords(const MicroKernel &kernel, const TargetModel &target) {
  return target.avx512 && kernel.b.isBF16() && kernel.sum.isF32() &&
         kernel.columnsAs<OuterProduct::WholeVectors>() &&
         kernel.vectors % 2 == 0;
}

/// The row stride, where it is known and worth knowing. Taps move all rows: the
/// addresses of many rows exceed the registers, and short runs along K leave
/// little work between the moves.
static unsigned knownRowStride(KernelBuilder &builder,
                               const MicroKernel &kernel,
                               const MicroKernelArgs &args) {
  constexpr int64_t longest = 64;
  constexpr unsigned fewestRows = 8, mostVectors = 2;
  auto stride = builder.constantOf(args.rowStride);
  bool known = kernel.loops == MicroKernel::Loops::Taps &&
               !kernel.repeatedRows && kernel.mr >= fewestRows &&
               kernel.vectors <= mostVectors && stride && *stride > 0 &&
               *stride <= longest;
  return known ? unsigned(*stride) : 0;
}

static std::optional<KnownStrides> knownStrides(KernelBuilder &builder,
                                                const MicroKernel &kernel,
                                                const MicroKernelArgs &args) {
  constexpr int64_t longest = 8, longestB = 64;
  auto strideA = builder.constantOf(args.kStrideA),
       strideB = builder.constantOf(args.kStrideB);
  bool known = strideA && strideB && *strideA > 0 && *strideA <= longest &&
               *strideB <= longestB && *strideB > 0 &&
               *strideB % kernel.lanes == 0;
  if (!known)
    return std::nullopt;
  return KnownStrides{unsigned(*strideA), unsigned(*strideB),
                      knownRowStride(builder, kernel, args)};
}

/// The kernel with what its arguments and the target decide.
static MicroKernel resolved(KernelBuilder &builder, MicroKernel kernel,
                            const MicroKernelArgs &args) {
  if (auto *outer = std::get_if<OuterProduct>(&kernel.form)) {
    outer->strides = knownStrides(builder, kernel, args);
    if (splitsWords(kernel, builder.target))
      outer->columns = OuterProduct::SplitWords();
  }
  bool needsStrides = kernel.prefetchAs<PrefetchNextPanel>() ||
                      kernel.prefetchAs<PrefetchNextRows>();
  if (needsStrides && !kernel.strides())
    kernel.prefetch = NoPrefetch();
  if (auto kSize = builder.constantOf(args.kSize); kSize && *kSize > 0)
    kernel.kMultiple = unsigned(*kSize);
  kernel.kMultiple = kernel.sumsWholeRounds() ? kOfRound(kernel) : 1;
  // Multiply-adds that wait for each other's results leave time for all rows.
  kernel.skipsRows &=
      kernel.repeatedRows > 0 && kernel.tileVectors() * kernel.sets >=
                                     unsigned(builder.target.fmasInFlight());
  return kernel;
}

void callMicroKernel(KernelBuilder &builder, const MicroKernel &given,
                     const MicroKernelArgs &args) {
  MicroKernel kernel = resolved(builder, given, args);
  if (!builder.target.calls) {
    MicroKernelWriter(builder.b, builder.loc, kernel, builder.target, args)
        .write();
    return;
  }
  MicroKernelArgs copy = args;
  SmallVector<Value> operands;
  for (Value *slot : slots(kernel, copy))
    operands.push_back(*slot);
  callShared(
      builder, nameOf(kernel), operands, [&](OpBuilder &b, Block &entry) {
        MicroKernelArgs inner;
        for (auto [slot, argument] :
             llvm::zip(slots(kernel, inner), entry.getArguments()))
          *slot = argument;
        MicroKernelWriter(b, b.getUnknownLoc(), kernel, builder.target, inner)
            .write();
      });
}

/// Calls the micro-kernel of one of some heights: of the first for which
/// `suits` is true, or of the last one. `mayLack`: a tile may lack as many rows
/// as no lower height covers. `straight`: the first so many heights compute
/// these again.
static void callFirst(KernelBuilder &builder, MicroKernel kernel,
                      const MicroKernelArgs &args, ArrayRef<unsigned> heights,
                      bool mayLack, size_t straight,
                      function_ref<Value(size_t number)> suits) {
  if (heights.empty())
    return;
  OpBuilder &b = builder.b;
  OpBuilder::InsertionGuard guard(b);
  auto call = [&](size_t number) {
    MicroKernel tile = kernel;
    tile.mr = heights[number];
    unsigned lower = number + 1 < heights.size() ? heights[number + 1] : 0;
    tile.repeatedRows = mayLack ? tile.mr - lower - 1 : 0;
    tile.skipsRows &= number >= straight;
    if (auto *ahead = tile.prefetchAs<PrefetchB>();
        ahead && tile.mr < ahead->fewestRows)
      tile.prefetch = NoPrefetch();
    callMicroKernel(builder, tile, args);
  };
  for (size_t number = 0; number + 1 < heights.size(); ++number) {
    auto branch = b.create<scf::IfOp>(builder.loc, suits(number),
                                      /*withElseRegion=*/true);
    b.setInsertionPoint(branch.thenBlock()->getTerminator());
    call(number);
    b.setInsertionPoint(branch.elseBlock()->getTerminator());
  }
  call(heights.size() - 1);
}

void callMicroKernelByHeight(KernelBuilder &builder, const MicroKernel &kernel,
                             const MicroKernelArgs &args, Value rows,
                             ArrayRef<unsigned> possible) {
  callFirst(builder, kernel, args, possible, /*mayLack=*/false,
            /*straight=*/possible.size(), [&](size_t number) {
              return builder.b.create<arith::CmpIOp>(
                  builder.loc, arith::CmpIPredicate::eq, rows,
                  builder.index(possible[number]));
            });
}

void callMicroKernelUpTo(KernelBuilder &builder, const MicroKernel &kernel,
                         MicroKernelArgs args, Value rows,
                         ArrayRef<unsigned> heights, bool highestIsFull) {
  args.lastRow = builder.sub(rows, builder.index(1));
  callFirst(builder, kernel, args, heights, /*mayLack=*/true,
            /*straight=*/highestIsFull, [&](size_t number) {
              return builder.b.create<arith::CmpIOp>(
                  builder.loc, arith::CmpIPredicate::sgt, rows,
                  builder.index(heights[number + 1]));
            });
}

SmallVector<unsigned> everyHeight(unsigned most, unsigned step) {
  SmallVector<unsigned> heights;
  for (; most > step; most -= step)
    heights.push_back(most);
  heights.push_back(most);
  return heights;
}

void callDotKernel(KernelBuilder &builder, const MicroKernel &given,
                   const MicroKernelArgs &args, Value rows,
                   Value columnStride) {
  MicroKernel kernel;
  kernel.lanes = given.lanes;
  kernel.sets = given.sets;
  kernel.fma = given.fma;
  kernel.a = given.a, kernel.b = given.b, kernel.sum = given.sum;
  if (!builder.target.calls) {
    DotKernelWriter(builder.b, builder.loc, kernel, builder.target)
        .write(args, rows, columnStride);
    return;
  }
  SmallVector<Value> operands{args.a,       args.b,         args.c,
                              args.aOffset, args.rowStride, args.bOffset,
                              args.kSize,   args.cOffset,   args.rowStrideC,
                              args.columns, rows,           columnStride};
  callShared(builder, "dot_" + nameOf(kernel), operands,
             [&](OpBuilder &b, Block &entry) {
               auto arg = [&](unsigned i) -> Value {
                 return entry.getArgument(i);
               };
               MicroKernelArgs inner;
               inner.a = arg(0), inner.b = arg(1), inner.c = arg(2),
               inner.aOffset = arg(3), inner.rowStride = arg(4);
               inner.bOffset = arg(5), inner.kSize = arg(6),
               inner.cOffset = arg(7), inner.rowStrideC = arg(8);
               inner.columns = arg(9);
               DotKernelWriter(b, b.getUnknownLoc(), kernel, builder.target)
                   .write(inner, arg(10), arg(11));
             });
}

} // namespace zenith::kernels
