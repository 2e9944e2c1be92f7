// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An LLVM module to an object file, assembly or text, through a short list of
// passes.

#ifndef ZENITH_LOWERING_CPU_EMITOBJECT_H
#define ZENITH_LOWERING_CPU_EMITOBJECT_H

#include "llvm/Support/Error.h"
#include <string>

namespace llvm {
class Module;
}

namespace zenith::target {
struct CPUTarget;
}

namespace zenith::cpu {

enum class EmitKind { Object, Assembly, LLVM };

/// Optimises `module` (unless `optimize` is false: host code, of which long
/// functions become plain code early) and emits it; the module is spent. Triple
/// and data layout must be the target's. Errors are those of the code
/// generator.
llvm::Expected<std::string> emitModule(llvm::Module &module,
                                       const target::CPUTarget &target,
                                       EmitKind kind, bool optimize = true);

} // namespace zenith::cpu

#endif // ZENITH_LOWERING_CPU_EMITOBJECT_H
