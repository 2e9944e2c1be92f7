// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementary functions of f32 beside libm in double: at most 2 ulp over a
// stride of all floats. Those of f64 beside libm in long double.

#include "ir/target/CPUTarget.h"
#include "lowering/builder/KernelAttributes.h"
#include "lowering/builder/KernelPlan.h"
#include "lowering/cpu/CompileKernels.h"
#include "lowering/cpu/ConvertKernelsToLLVM.h"
#include "lowering/cpu/JITLibrary.h"
#include "lowering/decisions/Decide.h"
#include "lowering/decisions/Schedules.h"
#include "lowering/elements/ElementRule.h"
#include "lowering/kernels/EmitKernels.h"
#include "mlir/Parser/Parser.h"
#include "runtime/ABI.h"
#include "tests/lowering/kernels/FusionText.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace mlir;
using namespace zenith;

namespace {

float floatOf(uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof(x));
  return x;
}

/// Distance in units of the last place of the exact value; huge where the class
/// (NaN, infinity, sign of zero) differs.
double ulps(float got, double want) {
  constexpr double wrong = 1e9, largest = 3.4028235677973366e38;
  if (std::isnan(want) || std::isnan(got))
    return std::isnan(want) && std::isnan(got) ? 0 : wrong;
  float rounded = float(want);
  if (std::isinf(got) || std::isinf(rounded)) {
    if (std::isinf(got) && std::isinf(rounded))
      return (got > 0) == (rounded > 0) ? 0 : wrong;
    return std::fabs(want) > 0.9999999 * largest &&
                   std::fabs(got) > 0.9999999f * float(largest)
               ? 1
               : wrong;
  }
  if (want == 0)
    return got != 0                                  ? wrong
           : std::signbit(got) == std::signbit(want) ? 0
                                                     : wrong;
  int exponent;
  std::frexp(std::max(std::fabs(want), 1.2e-38), &exponent);
  return std::fabs(double(got) - want) / std::ldexp(1.0, exponent - 24);
}

/// The kernel of one elementwise op on vectors of f32 or f64.
template <typename Element = float> class Function {
public:
  Function(const std::string &op, unsigned operands) {
    DialectRegistry registry;
    cpu::registerKernelDialects(registry);
    decisions::registerSchedules(registry);
    kernels::registerElementRules(registry);
    registry.insert<graph::GraphDialect, func::FuncDialect>();
    MLIRContext context(registry, MLIRContext::Threading::DISABLED);
    context.loadAllAvailableDialects();
    std::string type = "tensor<" + std::to_string(count) + "xf" +
                       std::to_string(8 * sizeof(Element)) + ">";
    std::string text = zenith::testing::fusionText(
        "pointwise",
        operands == 2 ? "%a : " + type + ", %b : " + type : "%a : " + type,
        type,
        "%r = graph." + op + (operands == 2 ? " %a, %b : " : " %a : ") + type);
    auto program = parseSourceString<ModuleOp>(text, &context);
    auto function = *program->getOps<func::FuncOp>().begin();
    graph::DimAnalysis dims;
    OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
    auto target = target::CPUTarget::host();
    graph::FusionOp fusion = *function.getOps<graph::FusionOp>().begin();
    fusion.setScheduleAttr(
        decisions::decide(fusion, dims, target.model())->schedule);
    auto plan =
        kernels::emitKernels(fusion, dims, target.model(), *module, "f");
    EXPECT_TRUE(succeeded(plan));
    tasks = *plan->launches[0].tasks.constant();
    auto files = cpu::compileKernels(*module, target);
    auto linked = cpu::JITLibrary::create(*files, target);
    library = std::move(*linked);
    auto found = library->lookupAs<zenith_task_fn>(
        (plan->launches[0].kernel.getName() + kernels::taskSuffix).str());
    task = *found;
  }
  void operator()(const std::vector<std::vector<Element>> &operands,
                  std::vector<Element> &result) {
    std::vector<void *> pointers;
    for (const std::vector<Element> &operand : operands)
      pointers.push_back(const_cast<Element *>(operand.data()));
    pointers.push_back(result.data());
    task(pointers.data(), nullptr, 0, tasks);
  }
  static constexpr int64_t count = 8192;

private:
  std::unique_ptr<cpu::JITLibrary> library;
  zenith_task_fn task = nullptr;
  int64_t tasks = 0;
};

struct Unary {
  const char *op;
  double (*exact)(double);
};

double logistic(double x) {
  return x < -700 ? std::exp(x) : 1 / (1 + std::exp(-x));
}
double rsqrt(double x) { return 1 / std::sqrt(x); }

class VectorMath : public ::testing::TestWithParam<Unary> {};

TEST_P(VectorMath, WithinTwoUlps) {
  Function<> function(GetParam().op, 1);
  std::vector<float> in(Function<>::count), out(Function<>::count);
  double worst = 0;
  float worstAt = 0;
  auto compare = [&] {
    function({in}, out);
    for (size_t i = 0; i < in.size(); ++i)
      if (double error = ulps(out[i], GetParam().exact(in[i])); error > worst) {
        worst = error;
        worstAt = in[i];
      }
  };
  constexpr uint32_t stride = 1511;
  uint64_t next = 0;
  while (next < (uint64_t(1) << 32)) {
    for (float &x : in) {
      x = floatOf(uint32_t(std::min<uint64_t>(next, 0xffffffff)));
      next += stride;
    }
    compare();
  }
  const float special[] = {0.0f,    -0.0f, INFINITY, -INFINITY, NAN,
                           1.0f,    -1.0f, 1e-45f,   -1e-45f,   1.2e-38f,
                           3.4e38f, 0.5f,  -0.5f};
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = special[i % std::size(special)];
  compare();
  RecordProperty("max_ulp", std::to_string(worst));
  std::printf("%s: %.3f ulp at %a\n", GetParam().op, worst, worstAt);
  EXPECT_LE(worst, 2) << GetParam().op << " at " << worstAt;
}

INSTANTIATE_TEST_SUITE_P(
    Functions, VectorMath,
    ::testing::Values(Unary{"exp", std::exp}, Unary{"expm1", std::expm1},
                      Unary{"log", std::log}, Unary{"log1p", std::log1p},
                      Unary{"logistic", logistic}, Unary{"tanh", std::tanh},
                      Unary{"sinh", std::sinh}, Unary{"cosh", std::cosh},
                      Unary{"asinh", std::asinh}, Unary{"acosh", std::acosh},
                      Unary{"atanh", std::atanh}, Unary{"erf", std::erf},
                      Unary{"cbrt", std::cbrt}, Unary{"sin", std::sin},
                      Unary{"cos", std::cos}, Unary{"tan", std::tan},
                      Unary{"asin", std::asin}, Unary{"acos", std::acos},
                      Unary{"atan", std::atan}, Unary{"sqrt", std::sqrt},
                      Unary{"rsqrt", rsqrt}),
    [](const auto &info) { return std::string(info.param.op); });

/// The same 64 bits at each run (G. Marsaglia, Xorshift RNGs, 2003).
struct RandomBits {
  uint64_t state = 88172645463325252u;
  uint64_t operator()() {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
  }
};

void checkBinary(const char *op, double (*exact)(double, double)) {
  Function<> function(op, 2);
  std::vector<float> x(Function<>::count), y(Function<>::count),
      out(Function<>::count);
  double worst = 0;
  float worstX = 0, worstY = 0;
  RandomBits random;
  const float special[] = {0.0f,     -0.0f, INFINITY, -INFINITY,  NAN,
                           1.0f,     -1.0f, 1e-45f,   -1e-45f,    3.4e38f,
                           -3.4e38f, 2.0f,  -2.0f,    3.0f,       -3.0f,
                           0.5f,     -0.5f, 1.5f,     16777217.0f};
  for (int round = 0; round < 100; ++round) {
    for (size_t i = 0; i < x.size(); ++i) {
      uint64_t bits = random();
      x[i] = floatOf(uint32_t(bits >> 32));
      y[i] = floatOf(uint32_t(bits));
      if (i % 3 == 1) {
        x[i] = floatOf((uint32_t(bits >> 40) % 0x04000000) + 0x3e000000);
        y[i] = float(int32_t(bits)) * (80.0f / 2147483648.0f);
      } else if (i % 3 == 2) {
        x[i] = special[(bits >> 8) % std::size(special)];
        y[i] = special[(bits >> 24) % std::size(special)];
      }
    }
    function({x, y}, out);
    for (size_t i = 0; i < x.size(); ++i)
      if (double error = ulps(out[i], exact(x[i], y[i])); error > worst) {
        worst = error;
        worstX = x[i];
        worstY = y[i];
      }
  }
  std::printf("%s: %.3f ulp at %a, %a\n", op, worst, worstX, worstY);
  EXPECT_LE(worst, 2) << op << " at " << worstX << ", " << worstY;
}

void checkDouble(const char *op, long double (*exact)(long double)) {
  Function<double> function(op, 1);
  std::vector<double> x(Function<double>::count), y(x.size());
  RandomBits random;
  const double special[] = {0.0, -0.0,   INFINITY, -INFINITY, NAN,   1.0,
                            -1., 5e-324, -5e-324,  2e-308,    1e308, 99999.5};
  double worst = 0, worstAt = 0;
  for (int round = 0; round < 60; ++round) {
    for (size_t i = 0; i < x.size(); ++i) {
      uint64_t bits = random();
      double unit = double(int64_t(bits)) * 0x1p-63;
      if (i % 4 == 0)
        std::memcpy(&x[i], &bits, sizeof(bits));
      else if (i % 4 == 3)
        x[i] = i % 64 == 3 ? special[(bits >> 8) % std::size(special)]
                           : double(int64_t(bits % 120000) - 60000) * M_PI_2;
      else
        x[i] = i % 4 == 1 ? unit * 1e5 : unit * 20;
    }
    function({x}, y);
    for (size_t i = 0; i < x.size(); ++i) {
      long double wanted = exact(x[i]);
      double rounded = double(wanted);
      bool same = y[i] == rounded ? std::signbit(y[i]) == std::signbit(rounded)
                                  : std::isnan(y[i]) && std::isnan(rounded);
      if (same)
        continue;
      double unit =
          std::nextafter(std::fabs(rounded), INFINITY) - std::fabs(rounded);
      double error = double(std::fabs(y[i] - wanted)) / unit;
      if (!(error <= worst)) {
        worst = error;
        worstAt = x[i];
      }
    }
  }
  std::printf("%s of f64: %.3f ulp at %a\n", op, worst, worstAt);
  EXPECT_LE(worst, 2) << op << " at " << worstAt;
}

TEST(VectorMathDoubles, Exp) { checkDouble("exp", expl); }
TEST(VectorMathDoubles, Log) { checkDouble("log", logl); }
TEST(VectorMathDoubles, Sin) { checkDouble("sin", sinl); }
TEST(VectorMathDoubles, Cos) { checkDouble("cos", cosl); }

TEST(VectorMathPairs, Pow) { checkBinary("pow", std::pow); }
TEST(VectorMathPairs, Atan2) { checkBinary("atan2", std::atan2); }

} // namespace
