// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cache key of a compilation: everything that its result depends on.

#ifndef ZENITH_LOWERING_PIPELINE_MODULEKEY_H
#define ZENITH_LOWERING_PIPELINE_MODULEKEY_H

#include "lowering/pipeline/CacheStore.h"

namespace mlir {
class ModuleOp;
}

namespace zenith::pipeline {

struct CompileOptions;
struct TargetChoice;

/// Version and a digest of the sources: the same in all tools of one build.
std::string compilerVersion();

/// Parts: compiler (version and sources), target (processor and features),
/// target model (the fields that differ from the generic one),
/// options (the rows of CompileOptions.def that are InKey), parameters (names
/// and types; values are bound later), and each function by name. Locations are
/// left out, except those of assertions, which a failing run prints.
CacheKey keyOf(mlir::ModuleOp module, const CompileOptions &options,
               const TargetChoice &target);

} // namespace zenith::pipeline

#endif // ZENITH_LOWERING_PIPELINE_MODULEKEY_H
