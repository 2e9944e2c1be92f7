// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a machine can do: the one description of vectors, instructions, caches,
// throughputs and micro-kernel shapes that passes and lowering decide by.

#ifndef ZENITH_IR_TARGET_TARGETMODEL_H
#define ZENITH_IR_TARGET_TARGETMODEL_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/Hashing.h"
#include <cstdint>
#include <optional>
#include <string>

namespace zenith::target {

/// Every buffer that kernels read or write starts at a multiple of so many
/// bytes, on all targets; the runtime's allocations guarantee it.
inline constexpr int64_t bufferAlignment = 64;

/// Processors run a task on a thread, others many items side by side.
enum class Kind { CPU, GPU };

/// The defaults describe the generic model: AVX2 with FMA. A machine that
/// differs is other values of these fields, not other code. A count that is 0
/// is not known.
struct TargetModel {
  Kind kind = Kind::CPU;
  /// Kernels are launched on an OpenCL device, which may have memory of its
  /// own; else threads of this process run them.
  bool device = false;
  /// Cores, or compute units, that decisions count on: those of a class of
  /// machines. Threads are chosen when a program runs.
  unsigned units = 16;

  // Instructions.
  unsigned lanes = 8; ///< f32 in a native vector: 4 SSE, 8 AVX2, 16 AVX-512
  unsigned registers = 16; ///< of a native vector; on GPUs words of an item
  bool fma = true;
  bool avx2 = true;       ///< integer operations on vectors of 256 bits
  bool avx512 = false;    ///< mask registers and vectors of 512 bits
  bool vnni = false;      ///< adds four products of int8 to an i32 lane
  bool bf16Pairs = false; ///< multiplies pairs of bf16 faster than f32
  bool vbmi = false;      ///< looks bytes up in two vectors together
  bool fp64 = true;
  bool fp16 = false; ///< arithmetic on f16
  bool exactDivide =
      true; ///< divisions and square roots of f32 can round correctly
  bool int64Atomics = true;
  bool subgroupOps = false; ///< items of a subgroup exchange values
  bool dot4x8 = false;      ///< items add four products of int8 at once
  bool fragments = false;   ///< subgroups multiply matrices (tensor cores)

  // What kernels may consist of.
  bool calls = true;      ///< functions that kernels of a program share
  bool prefetches = true; ///< requests for cache lines ahead of their use
  /// A task may keep arrays of thousands of elements on its stack, where caches
  /// hold them.
  bool stackArrays = true;
  bool wideLoads = true; ///< several narrow elements are read as one wider one
  bool shuffles = true; ///< registers exchange lanes at the speed of arithmetic
  bool laneBranches = true;     ///< branches on what any lane of a vector holds
  bool maskBits = true;         ///< masks become integers of a bit per lane
  bool cheapMasks = false;      ///< masked stores cost as little as whole ones
  bool longConversions = false; ///< floats become i64 by one operation
  bool libraryDoubles = false;  ///< the target has its own functions of f64
  /// Register tiles may differ from mr x nr, kernel by kernel or by sizes that
  /// are known at run time.
  bool tileVariants = true;
  /// A core has caches of its own: a task reads there what it has copied, and
  /// rows may be written in any order.
  bool coreCaches = true;
  /// A core executes later, independent iterations while one waits.
  bool outOfOrder = true;

  // The micro-kernel.
  unsigned mr = 6;          ///< its rows
  unsigned nr = 16;         ///< its columns, the width of a packed panel
  unsigned kInterleave = 1; ///< int8 or int16 of consecutive K side by side

  // Work-groups.
  int64_t maxGroup = 1024;          ///< items
  unsigned subgroup = 1;            ///< items that run in step; 1 on processors
  int64_t localBytes = 0;           ///< of memory that a group shares
  bool localIsMemory = true;        ///< that memory is a plain array
  int64_t maxParameterBytes = 1024; ///< of all arguments of a kernel

  // Memory.
  int64_t lineBytes = 64; ///< of a cache line
  /// Caches of one core. These are the capacities that decisions count on,
  /// which the smallest processor of a class has, not what one machine reports.
  int64_t l1Bytes = 32 << 10, l2Bytes = 512 << 10, l3Bytes = 3 << 20;
  int64_t l1Ways = 8;
  int64_t sharedCacheBytes = 16 << 20; ///< of the last level, for all cores
  int64_t globalBytes = 0;
  int64_t maxAllocBytes = 0;      ///< of one buffer
  bool unified = true;            ///< host and device share their memory
  double memoryBytesPerCycle = 4; ///< of one core, from main memory
  /// What a core reads from memory until a request is answered: so far ahead of
  /// its use a software prefetch asks.
  int64_t prefetchBytes = 2048;
  /// A kernel that touches more bytes than this writes results that the program
  /// doesn't read by non-temporal stores; 0: no kernel does.
  int64_t streamingBytes = 0;

  // Throughputs.
  /// Vector multiply-adds of a micro-kernel per cycle: of two units, less what
  /// loading operands takes.
  double vectorFmasPerCycle = 1.75;
  unsigned fmaLatency = 4; ///< cycles
  double f32Gflops = 1600; ///< of all units
  double gbps = 60;        ///< of main memory, for all units, in 1e9 bytes
  double launchUs = 2;     ///< of a kernel without work
  /// Tasks of so much work hide what claiming them costs.
  double taskUs = 5;
  double uploadGbps = 0, downloadGbps = 0; ///< between host and device
  double transferUs = 0;                   ///< of a transfer without bytes

  /// A part of a cache in bytes: what a kernel gives to one of the operands
  /// that it keeps there.
  double l1Share(double part) const { return part * double(l1Bytes); }
  double l2Share(double part) const { return part * double(l2Bytes); }
  double l3Share(double part) const { return part * double(l3Bytes); }
  /// Addresses this far apart meet in the same set of the first-level cache.
  int64_t l1WayBytes() const { return l1Bytes / l1Ways; }
  /// Elements of a cache line; at least one.
  int64_t elementsOfLine(int64_t elementBytes) const {
    return elementBytes < lineBytes ? lineBytes / elementBytes : 1;
  }

  /// f32 multiply-adds of a micro-kernel per cycle.
  double multiplyAddsPerCycle() const {
    return vectorFmasPerCycle * double(lanes);
  }
  /// Operations of f32 that a unit does in `part` of the time of a task: the
  /// work of the smallest task whose claim doesn't show.
  double taskFlops(double part = 1) const {
    return part * (taskUs * 1e3 * (f32Gflops / double(units)));
  }
  /// A part of the units: so many tasks let them all work.
  double unitShare(double part) const { return part * double(units); }
  /// Independent chains of multiply-adds that keep two units busy.
  int64_t fmasInFlight() const { return 2 * int64_t(fmaLatency); }

  /// Row counts for which weights are packed in half panels of four vectors:
  /// more than a tile of whole panels has, at most two tiles of half panels,
  /// which are taller. The first tile then waits less for the memory of B.
  static constexpr int64_t fewestRowsOfHalfPanels = 7,
                           mostRowsOfHalfPanels = 28;
  /// Up to this many queries of an attention read keys and values where they
  /// lie: packing them, or joining segments of a KV cache, would cost as much
  /// as the dot products.
  static constexpr int64_t mostQueriesInPlace = 4;

  bool operator==(const TargetModel &other) const;
};

/// The model with what kernels printed as OpenCL C consist of, for a device
/// that says nothing of itself.
TargetModel onDevice(TargetModel model);

/// Calls `visit(name, field)` for each field, in the order of their text.
template <typename Model, typename Visit>
void forEachField(Model &model, Visit &&visit) {
  visit("kind", model.kind);
  visit("device", model.device);
  visit("units", model.units);
  visit("lanes", model.lanes);
  visit("registers", model.registers);
  visit("fma", model.fma);
  visit("avx2", model.avx2);
  visit("avx512", model.avx512);
  visit("vnni", model.vnni);
  visit("bf16_pairs", model.bf16Pairs);
  visit("vbmi", model.vbmi);
  visit("fp64", model.fp64);
  visit("fp16", model.fp16);
  visit("exact_divide", model.exactDivide);
  visit("int64_atomics", model.int64Atomics);
  visit("subgroup_ops", model.subgroupOps);
  visit("dot4x8", model.dot4x8);
  visit("fragments", model.fragments);
  visit("calls", model.calls);
  visit("prefetches", model.prefetches);
  visit("stack_arrays", model.stackArrays);
  visit("wide_loads", model.wideLoads);
  visit("shuffles", model.shuffles);
  visit("lane_branches", model.laneBranches);
  visit("mask_bits", model.maskBits);
  visit("cheap_masks", model.cheapMasks);
  visit("long_conversions", model.longConversions);
  visit("library_doubles", model.libraryDoubles);
  visit("tile_variants", model.tileVariants);
  visit("core_caches", model.coreCaches);
  visit("out_of_order", model.outOfOrder);
  visit("mr", model.mr);
  visit("nr", model.nr);
  visit("k_interleave", model.kInterleave);
  visit("max_group", model.maxGroup);
  visit("subgroup", model.subgroup);
  visit("local_bytes", model.localBytes);
  visit("local_is_memory", model.localIsMemory);
  visit("max_parameter_bytes", model.maxParameterBytes);
  visit("line", model.lineBytes);
  visit("l1_bytes", model.l1Bytes);
  visit("l1_ways", model.l1Ways);
  visit("l2_bytes", model.l2Bytes);
  visit("l3_bytes", model.l3Bytes);
  visit("cache_bytes", model.sharedCacheBytes);
  visit("global_bytes", model.globalBytes);
  visit("max_alloc_bytes", model.maxAllocBytes);
  visit("unified", model.unified);
  visit("memory_bytes_per_cycle", model.memoryBytesPerCycle);
  visit("prefetch_bytes", model.prefetchBytes);
  visit("streaming_bytes", model.streamingBytes);
  visit("vector_fmas_per_cycle", model.vectorFmasPerCycle);
  visit("fma_latency", model.fmaLatency);
  visit("f32_gflops", model.f32Gflops);
  visit("gbps", model.gbps);
  visit("launch_us", model.launchUs);
  visit("task_us", model.taskUs);
  visit("upload_gbps", model.uploadGbps);
  visit("download_gbps", model.downloadGbps);
  visit("transfer_us", model.transferUs);
}

llvm::hash_code hash_value(const TargetModel &model);

/// `, name = value` for each field that differs from the generic model, in
/// order. Any order is read; fields that are left out have the generic model's
/// values. Names that earlier versions wrote are read too: `printed = true` is
/// onDevice().
mlir::ParseResult parseTargetModel(mlir::AsmParser &parser, TargetModel &model);
void printTargetModel(mlir::AsmPrinter &printer, const TargetModel &model);

/// "cpu" or "gpu".
llvm::StringRef wordOf(Kind kind);
std::optional<Kind> kindOf(llvm::StringRef word);

/// What is wrong with a field of a model.
struct FieldFault {
  llvm::StringRef field;
  std::string got, expected;
  llvm::StringRef constraint; ///< "target_c1"
};
/// The first constraint of TargetAttr that `model` breaks.
std::optional<FieldFault> faultOf(const TargetModel &model);

/// The first capability that `wanted` counts on and `machine` lacks, by the
/// name of its field; empty: code for `wanted` can be generated for `machine`.
/// Kernels of both are launched on a device, or of neither.
llvm::StringRef missingFrom(const TargetModel &machine,
                            const TargetModel &wanted);

} // namespace zenith::target

#define GET_ATTRDEF_CLASSES
#include "ir/target/TargetAttr.h.inc"

namespace zenith::target {

/// The module's attribute of type TargetAttr.
inline constexpr llvm::StringLiteral targetAttrName = "graph.target";

/// The target of the module that holds `op`; null where it has none.
graph::TargetAttr targetOf(mlir::Operation *op);
/// Its model; the generic one where there is no target.
TargetModel modelOf(mlir::Operation *op);

} // namespace zenith::target

#endif // ZENITH_IR_TARGET_TARGETMODEL_H
