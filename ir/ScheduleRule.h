// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every schedule of a fusion answers, and the values of its answers.

#ifndef ZENITH_IR_SCHEDULERULE_H
#define ZENITH_IR_SCHEDULERULE_H

#include "ir/dims/DimExpr.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/Operation.h"

namespace zenith::target {
struct TargetModel;
}

namespace zenith::graph {

class DimAnalysis;

/// Who does one task: a thread or work-item, a work-group, or a routine that
/// the host calls.
enum class RunOn { Task, Group, Host };

/// Result number `result` may take over the bytes of operand `operand`.
struct SharedBytes {
  unsigned result, operand;
};

/// What a run of a kernel costs by the model of a machine; an estimate.
struct ScheduleCost {
  double flops = 0;        ///< floating-point and integer operations
  double bytes = 0;        ///< read and written
  double microseconds = 0; ///< of one core, or of the whole device
  enum Bound { Memory, Compute, Launch } bound = Launch;
};

} // namespace zenith::graph

#include "ir/ScheduleRule.h.inc"

#endif // ZENITH_IR_SCHEDULERULE_H
