// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which OpenCL device to generate code for, and what kernels look like there.

#ifndef ZENITH_IR_TARGET_OPENCLTARGET_H
#define ZENITH_IR_TARGET_OPENCLTARGET_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>

namespace zenith::target {

struct TargetModel;

/// What code generation knows of a device. The defaults are those of a
/// processor with 8 f32 lanes in a vector; whoever runs the program fills in
/// what the device says of itself. Equal targets give equal texts.
struct OpenCLTarget {
  int device = 0; ///< N of `opencl:N`
  bool fp64 = true;
  /// Division and square root of f32 can be asked to be correctly rounded.
  bool exactDivide = true;
  bool isCPU = true;
  unsigned floatVectorWidth = 8; ///< preferred f32 lanes of a vector
  int64_t maxWorkGroupSize = 1024;
  int64_t maxParameterBytes = 1024; ///< of all arguments of a kernel
  bool fp16 = false, unified = true;
  unsigned units = 0;     ///< compute units
  int64_t localBytes = 0; ///< of memory that a group shares
  int64_t globalBytes = 0, maxAllocBytes = 0;

  /// "opencl" = device 0, "opencl:N" = device N.
  static llvm::Expected<OpenCLTarget> parse(llvm::StringRef text);
  /// True for names that parse() is meant for.
  static bool isTargetName(llvm::StringRef text);

  /// What passes and kernels decide by: what the device says of itself, and
  /// the table's model of its kind (NamedModels.def) for what no device says.
  /// Counts that are 0 say nothing.
  TargetModel model() const;
};

} // namespace zenith::target

#endif // ZENITH_IR_TARGET_OPENCLTARGET_H
