// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a machine can do: the one description of vectors, instructions, caches
// and micro-kernel shapes that passes and lowering decide by.

#ifndef ZENITH_IR_TARGET_TARGETMODEL_H
#define ZENITH_IR_TARGET_TARGETMODEL_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/Hashing.h"
#include <cstdint>

namespace zenith::target {

/// Every buffer that kernels read or write starts at a multiple of so many
/// bytes, on all targets; the runtime's allocations guarantee it.
inline constexpr int64_t bufferAlignment = 64;

/// The defaults describe the generic model: AVX2 with FMA. A machine that
/// differs is other values of these fields, not other code.
struct TargetModel {
  unsigned lanes = 8; ///< f32 in a native vector: 4 SSE, 8 AVX2, 16 AVX-512
  unsigned vectorRegisters = 16;
  bool fma = true;
  bool avx2 = true;       ///< integer operations on vectors of 256 bits
  bool avx512 = false;    ///< mask registers and vectors of 512 bits
  bool vnni = false;      ///< adds four products of int8 to an i32 lane
  bool bf16Pairs = false; ///< multiplies pairs of bf16 faster than f32
  bool vbmi = false;      ///< looks bytes up in two vectors together
  /// Kernels are printed as OpenCL C: no calls, no target intrinsics.
  bool printed = false;

  unsigned mr = 6;          ///< rows of the GEMM micro-kernel
  unsigned nr = 16;         ///< its columns, the width of a packed panel
  unsigned kInterleave = 1; ///< int8 or int16 of consecutive K side by side

  int64_t lineBytes = 64;
  /// Caches of one core. These are the capacities that decisions count on,
  /// which the smallest processor of a class has, not what one machine reports.
  int64_t l1Bytes = 32 << 10, l2Bytes = 512 << 10, l3Bytes = 3 << 20;
  int64_t sharedCacheBytes = 16 << 20; ///< of the last level, for all cores
  double memoryBytesPerCycle = 4;      ///< of one core, from main memory
  /// What a core reads from memory until a request is answered: so far ahead of
  /// its use a software prefetch asks.
  int64_t prefetchBytes = 2048;
  /// A kernel that touches more bytes than this writes results that the program
  /// doesn't read by non-temporal stores; 0: no kernel does.
  int64_t streamingBytes = 0;

  /// A part of a cache in bytes: what a kernel gives to one of the operands
  /// that it keeps there.
  double l1Share(double part) const { return part * double(l1Bytes); }
  double l2Share(double part) const { return part * double(l2Bytes); }
  double l3Share(double part) const { return part * double(l3Bytes); }
  /// Addresses this far apart meet in the same set of the first-level cache,
  /// which has eight ways.
  int64_t l1WayBytes() const { return l1Bytes / 8; }
  /// Elements of a cache line; at least one.
  int64_t elementsOfLine(int64_t elementBytes) const {
    return elementBytes < lineBytes ? lineBytes / elementBytes : 1;
  }

  /// f32 multiply-adds of a micro-kernel per cycle: two vectors, less what
  /// loading operands takes.
  double multiplyAddsPerCycle() const { return 1.75 * double(lanes); }

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

/// Calls `visit(name, field)` for each field, in the order of their text.
template <typename Model, typename Visit>
void forEachField(Model &model, Visit &&visit) {
  visit("lanes", model.lanes);
  visit("vector_registers", model.vectorRegisters);
  visit("fma", model.fma);
  visit("avx2", model.avx2);
  visit("avx512", model.avx512);
  visit("vnni", model.vnni);
  visit("bf16_pairs", model.bf16Pairs);
  visit("vbmi", model.vbmi);
  visit("printed", model.printed);
  visit("mr", model.mr);
  visit("nr", model.nr);
  visit("k_interleave", model.kInterleave);
  visit("line_bytes", model.lineBytes);
  visit("l1_bytes", model.l1Bytes);
  visit("l2_bytes", model.l2Bytes);
  visit("l3_bytes", model.l3Bytes);
  visit("shared_cache_bytes", model.sharedCacheBytes);
  visit("memory_bytes_per_cycle", model.memoryBytesPerCycle);
  visit("prefetch_bytes", model.prefetchBytes);
  visit("streaming_bytes", model.streamingBytes);
}

llvm::hash_code hash_value(const TargetModel &model);

/// `, name = value` for each field. Any order is read; fields that are left out
/// keep their values.
mlir::ParseResult parseTargetModel(mlir::AsmParser &parser, TargetModel &model);
void printTargetModel(mlir::AsmPrinter &printer, const TargetModel &model);

/// The first instruction set that `wanted` counts on and `machine` lacks, by
/// the name of its field; empty: code for `wanted` can be generated for
/// `machine`. Kernels are printed for both or for neither.
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
