// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which processor to generate code for, and what its vectors look like.

#ifndef ZENITH_IR_TARGET_CPUTARGET_H
#define ZENITH_IR_TARGET_CPUTARGET_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace zenith::target {

struct GivenModel;
struct TargetModel;

/// A processor as LLVM names it. Equal targets give equal objects.
struct CPUTarget {
  std::string triple;
  std::string cpu; ///< "znver4", "x86-64-v3"
  std::string
      features; ///< "+avx,-avx512f", sorted; empty = those of the name alone
  unsigned vectorBits =
      128; ///< of the registers that generated vectors should fill
  bool fma = false, avx2 = false, avx512 = false;
  bool bf16Pairs = false; ///< dot products of bf16 pairs outrun those of f32
  bool vnni = false;
  bool vbmi = false;
  /// What this machine says of its caches, in bytes; 0: nothing, or the table
  /// of models knows the processor (NamedModels.def).
  int64_t l1Bytes = 0, l2Bytes = 0, l3Bytes = 0;

  /// "cpu" (this machine), "cpu:NAME" with a name that LLVM knows,
  /// "cpu:NAME:BITS" with vectors of so many bits (128, 256, 512) instead of
  /// the processor's; wider ones than its registers are done in parts. An
  /// unknown name is an error that gives the nearest one.
  static llvm::Expected<CPUTarget> parse(llvm::StringRef text);
  /// This machine, with exactly the features that it grants.
  static CPUTarget host();
  /// A processor that has `given`; it must name some.
  static CPUTarget of(const GivenModel &given);

  /// What passes and kernels decide by: the table's model of the processor, or
  /// of its vectors' width, with the features and vectors of this target. Of
  /// processors that the table doesn't know, machines say how large their
  /// caches are. So objects are equal on all machines of a class.
  TargetModel model() const;
};

} // namespace zenith::target

#endif // ZENITH_IR_TARGET_CPUTARGET_H
