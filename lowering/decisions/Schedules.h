// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers what schedules answer, and dumps those of a module.

#ifndef ZENITH_LOWERING_DECISIONS_SCHEDULES_H
#define ZENITH_LOWERING_DECISIONS_SCHEDULES_H

#include "ir/GraphOps.h"
#include "ir/target/TargetModel.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include <functional>
#include <optional>
#include <string>

namespace zenith::decisions {

/// Dialect sched, whose attributes answer graph::Schedule.
void registerSchedules(mlir::DialectRegistry &registry);

/// Tasks of the largest launch of kernels whose loops emission divides; nullopt
/// where there are none.
using TasksOf = std::function<std::optional<graph::DimExpr>(
    graph::FusionOp fusion, graph::DimAnalysis &dims,
    const target::TargetModel &model)>;

/// `{"version", "target_model", "kernels": [...]}`, an entry per fusion in the
/// order of the module; docs/schedules.md says what the keys mean. Fusions
/// without a schedule have no entry.
std::string schedulesAsJSON(mlir::ModuleOp module,
                            const TasksOf &tasksOfEmission);

} // namespace zenith::decisions

#endif // ZENITH_LOWERING_DECISIONS_SCHEDULES_H
