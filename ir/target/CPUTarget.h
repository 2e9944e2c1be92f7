// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which processor to generate code for, and what its vectors look like.

#ifndef ZENITH_IR_TARGET_CPUTARGET_H
#define ZENITH_IR_TARGET_CPUTARGET_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace zenith::target {

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

  /// "cpu" (this machine), "cpu:NAME" with a name that LLVM knows,
  /// "cpu:NAME:BITS" with vectors of so many bits (128, 256, 512) instead of
  /// the processor's; wider ones than its registers are done in parts. An
  /// unknown name is an error that gives the nearest one.
  static llvm::Expected<CPUTarget> parse(llvm::StringRef text);
  /// This machine, with exactly the features that it grants.
  static CPUTarget host();

  /// What passes and kernels decide by.
  TargetModel model() const;
};

} // namespace zenith::target

#endif // ZENITH_IR_TARGET_CPUTARGET_H
