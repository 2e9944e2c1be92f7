// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import rules of the training domain: one step of an optimizer over any number
// of tensors.
#include "frontends/onnx/ONNXOpTable.h"
#include "frontends/onnx/import/NodeReading.h"
#include "frontends/onnx/import/ScalarValue.h"

#include <fmt/format.h>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using graph::CompareDirection;
using llvm::SmallVector;

namespace {

/// Inputs: rate, count of updates, then one group of tensors per role (values,
/// gradients, and the optimizer's state). Outputs have the same groups without
/// the gradients.
class OptimizerStep {
public:
  OptimizerStep(NodeReading &n, size_t roles) : n(n), b(n.b) {
    size_t tensors = n.inputCount() - 2;
    count = tensors / roles;
    if (tensors % roles || count == 0 || n.allInputs().empty())
      n.fail(
          invalid(fmt::format("{} tensors are not {} groups", tensors, roles)));
  }
  size_t size() const { return count; }
  ScalarValue in(size_t role, size_t tensor) {
    return {b, n.input(2 + role * count + tensor)};
  }
  void out(size_t group, size_t tensor, ScalarValue value) {
    n.result(group * count + tensor, value);
  }
  /// The rate in the type of a tensor.
  ScalarValue rate(size_t tensor) { return scalar(0, tensor); }
  ScalarValue updates(size_t tensor) { return scalar(1, tensor); }
  ScalarValue regularized(size_t tensor) {
    return in(0, tensor) * n.floatAttribute("norm_coefficient", 0) +
           in(1, tensor);
  }

private:
  ScalarValue scalar(size_t index, size_t tensor) {
    Value value = b.reshape(n.input(index), {});
    return {b, b.convert(value, n.elementType(2 + tensor))};
  }

  NodeReading &n;
  ImportBuilder &b;
  size_t count = 0;
};

} // namespace

static void importAdagrad(NodeReading &n) {
  OptimizerStep step(n, 3);
  double decay = n.floatAttribute("decay_factor", 0),
         epsilon = n.floatAttribute("epsilon", 1e-6f);
  for (size_t i = 0; i < step.size() && !n.failed(); ++i) {
    ScalarValue rate = step.rate(i) / (step.updates(i) * decay + 1.0);
    ScalarValue gradient = step.regularized(i);
    ScalarValue squares = step.in(2, i) + gradient * gradient;
    step.out(0, i,
             step.in(0, i) - rate * gradient / (squares.sqrt() + epsilon));
    step.out(1, i, squares);
  }
}

static void importAdam(NodeReading &n) {
  OptimizerStep step(n, 4);
  double alpha = n.floatAttribute("alpha", 0.9f),
         beta = n.floatAttribute("beta", 0.999f),
         epsilon = n.floatAttribute("epsilon", 1e-6f),
         after = n.floatAttribute("norm_coefficient_post", 0);
  for (size_t i = 0; i < step.size() && !n.failed(); ++i) {
    ScalarValue gradient = step.regularized(i);
    ScalarValue mean = step.in(2, i) * alpha + gradient * (1 - alpha);
    ScalarValue squares =
        step.in(3, i) * beta + gradient * gradient * (1 - beta);
    ScalarValue updates = step.updates(i), rate = step.rate(i);
    auto power = [&](double base) {
      return ScalarValue(
          n.b, n.b.binary<graph::PowOp>(updates.constant(base), updates));
    };
    ScalarValue corrected =
        rate * (1.0 - power(beta)).sqrt() / (1.0 - power(alpha));
    rate = corrected.where(updates.compare(CompareDirection::gt, 0.0), rate);
    ScalarValue moved =
        step.in(0, i) - rate * mean / (squares.sqrt() + epsilon);
    step.out(0, i, moved * (1 - after));
    step.out(1, i, mean);
    step.out(2, i, squares);
  }
}

static void importMomentum(NodeReading &n) {
  OptimizerStep step(n, 3);
  double alpha = n.floatAttribute("alpha", 0),
         beta = n.floatAttribute("beta", 0);
  std::string mode = n.stringAttribute("mode", "");
  if (mode != "standard" && mode != "nesterov")
    n.fail(invalid(fmt::format("attribute 'mode' is '{}'", mode)));
  for (size_t i = 0; i < step.size() && !n.failed(); ++i) {
    ScalarValue gradient = step.regularized(i), updates = step.updates(i);
    // The first step takes the whole gradient.
    ScalarValue share = updates.constant(beta).where(
        updates.compare(CompareDirection::gt, 0.0), 1.0);
    ScalarValue momentum = step.in(2, i) * alpha + share * gradient;
    ScalarValue direction =
        mode == "standard" ? momentum : gradient + momentum * alpha;
    step.out(0, i, step.in(0, i) - step.rate(i) * direction);
    step.out(1, i, momentum);
  }
}

llvm::ArrayRef<OpRow> zenith::onnx::optimizerRows() {
  static constexpr OpRow rows[] = {
      {"Adagrad", 1, newest, 5, anyNumber, importAdagrad},
      {"Adam", 1, newest, 6, anyNumber, importAdam},
      {"Momentum", 1, newest, 5, anyNumber, importMomentum},
  };
  return rows;
}
