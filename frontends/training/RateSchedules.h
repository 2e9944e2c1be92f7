// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers that change from update to update, as optax.schedules has them.

#ifndef ZENITH_FRONTENDS_TRAINING_RATESCHEDULES_H
#define ZENITH_FRONTENDS_TRAINING_RATESCHEDULES_H

#include "frontends/training/CallArguments.h"
#include "frontends/training/StepBuilder.h"

#include <functional>

namespace zenith::training {

/// A number as a function of the number of updates done before. The order of
/// operations is Optax's, so that rounding is, too: near its end a cosine in
/// f32 differs from the exact one by more than a millionth.
class Schedule {
public:
  using Build = std::function<mlir::Value(StepBuilder &, mlir::Value count)>;

  Schedule(double constant = 0) : constant(constant) {}
  Schedule(Build build) : build(std::move(build)) {}

  /// A number, or a call of a schedule; a mistake goes to `reading`, which
  /// calls the value `what`.
  static Schedule read(const Expression &expression, const std::string &what,
                       TextReading &reading);

  bool isConstant() const { return !build; }
  double value() const { return constant; } ///< where isConstant()
  /// A scalar of the count's type, f32 or f64.
  mlir::Value at(StepBuilder &b, mlir::Value count) const {
    return build ? build(b, count) : b.scalarLike(count, constant);
  }

private:
  double constant = 0;
  Build build;
};

/// The names of all schedules.
std::vector<std::string> scheduleNames();

} // namespace zenith::training

#endif // ZENITH_FRONTENDS_TRAINING_RATESCHEDULES_H
