// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What --target and --target-model choose: the machine to compile for, and what
// code generation believes of it.

#ifndef ZENITH_LOWERING_PIPELINE_TARGETCHOICE_H
#define ZENITH_LOWERING_PIPELINE_TARGETCHOICE_H

#include "ir/target/CPUTarget.h"
#include "ir/target/TargetModel.h"
#include "llvm/Support/Error.h"
#include <string>

namespace zenith::pipeline {

struct CompileOptions;

struct TargetChoice {
  std::string text; ///< as modules record it; "cpu" names the processor
  target::TargetModel model;
  /// Runs host programs and, unless `model` is one of a device, kernels.
  target::CPUTarget processor;
  int device = 0; ///< N of "opencl:N"
};

/// Without --target-model the machine or device is asked; a name with --target=
/// cpu stands for a processor of that model. Errors are LLVMErrors: code Usage
/// for unknown targets and names (with the nearest), and for a model that
/// contradicts the target (with the key); code Invalid, with the line and the
/// key, for a file that says no model.
llvm::Expected<TargetChoice> chooseTarget(const CompileOptions &options);

/// The same for a program that this machine will run. Where it lacks
/// instructions of the model's processor that no kernel of the model needs,
/// code is generated for its own. A model that counts on more than the machine
/// or the device has is an error of code Usage with the key.
llvm::Expected<TargetChoice> chooseTargetToRun(const CompileOptions &options);

} // namespace zenith::pipeline

#endif // ZENITH_LOWERING_PIPELINE_TARGETCHOICE_H
