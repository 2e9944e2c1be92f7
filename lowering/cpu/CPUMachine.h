// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's code generator for a processor.

#ifndef ZENITH_LOWERING_CPU_CPUMACHINE_H
#define ZENITH_LOWERING_CPU_CPUMACHINE_H

#include "ir/target/CPUTarget.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace llvm {
class TargetMachine;
}

namespace zenith::cpu {

/// Success where this machine can run code for the target, else an error that
/// names what it lacks.
llvm::Error checkRunsHere(const target::CPUTarget &target);

/// A code generator of its own for each call: they aren't safe to share between
/// threads.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createMachine(const target::CPUTarget &target);

} // namespace zenith::cpu

#endif // ZENITH_LOWERING_CPU_CPUMACHINE_H
