// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of zenith-opt as mlir-opt reads it.

#ifndef ZENITH_TOOLS_OPT_OPTARGUMENTS_H
#define ZENITH_TOOLS_OPT_OPTARGUMENTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace zenith::tools {

/// Makes one pass zenith-phases of the options of phases in `arguments`, which
/// are spelled with one dash or two and have their value after '=' or as the
/// next word. It stands where --from or --to did first, so that passes before
/// and after it run in the order given. Phases that begin with the first read
/// StableHLO too.
std::vector<std::string> withPhases(llvm::ArrayRef<const char *> arguments);

/// True for "--name" and "-name".
bool isOption(llvm::StringRef argument, llvm::StringRef name);

} // namespace zenith::tools

#endif // ZENITH_TOOLS_OPT_OPTARGUMENTS_H
