// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers what schedules answer, and dumps those of a module.

#ifndef ZENITH_LOWERING_DECISIONS_SCHEDULES_H
#define ZENITH_LOWERING_DECISIONS_SCHEDULES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include <string>

namespace zenith::decisions {

/// Dialect sched, whose attributes answer graph::Schedule.
void registerSchedules(mlir::DialectRegistry &registry);

/// `{"version", "target_model", "kernels": [...]}`, an entry per fusion in the
/// order of the module; docs/schedules.md says what the keys mean. Fusions
/// without a schedule have no entry.
std::string schedulesAsJSON(mlir::ModuleOp module);

} // namespace zenith::decisions

#endif // ZENITH_LOWERING_DECISIONS_SCHEDULES_H
