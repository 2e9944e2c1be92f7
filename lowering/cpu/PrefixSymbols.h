// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of their own for the symbols of one program, so that several programs
// can be linked into one.

#ifndef ZENITH_LOWERING_CPU_PREFIXSYMBOLS_H
#define ZENITH_LOWERING_CPU_PREFIXSYMBOLS_H

#include "lowering/cpu/CompileKernels.h"

namespace zenith::cpu {

/// Renames every global symbol that one of `objects` defines, in all of them:
/// "zenith_entry_main" and "k0_pointwise__task" become "PREFIX_entry_main" and
/// "PREFIX_k0_pointwise__task". Symbols of the runtime and of libm, which are
/// only called, keep their names. Fails on bytes that are no object file.
llvm::Error prefixSymbols(std::vector<EmittedFile> &objects,
                          llvm::StringRef prefix);

} // namespace zenith::cpu

#endif // ZENITH_LOWERING_CPU_PREFIXSYMBOLS_H
