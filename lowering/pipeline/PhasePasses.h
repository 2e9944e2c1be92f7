// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of each phase as the built pass managers have them, for readers.

#ifndef ZENITH_LOWERING_PIPELINE_PHASEPASSES_H
#define ZENITH_LOWERING_PIPELINE_PHASEPASSES_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace zenith::pipeline {

struct Phase;

/// A pass of a phase, compiled for a CPU.
struct PhasePass {
  std::string argument;   ///< "zenith-form-fusions", "cse"
  llvm::StringRef option; ///< the option that adds it; empty: always there
};
std::vector<PhasePass> passesOf(const Phase &phase);

/// Array of {"phase", "sentence", "exit", "passes": [{"pass", "option"}]}.
std::string phasesAsJSON();

} // namespace zenith::pipeline

#endif // ZENITH_LOWERING_PIPELINE_PHASEPASSES_H
