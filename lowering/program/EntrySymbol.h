// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The name of the function that runs an entry, by which a linked program is
// looked up.

#ifndef ZENITH_LOWERING_PROGRAM_ENTRYSYMBOL_H
#define ZENITH_LOWERING_PROGRAM_ENTRYSYMBOL_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace zenith::pipeline {

inline std::string entrySymbol(llvm::StringRef entry) {
  return ("zenith_entry_" + entry).str();
}

} // namespace zenith::pipeline

#endif // ZENITH_LOWERING_PROGRAM_ENTRYSYMBOL_H
