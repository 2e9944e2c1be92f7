// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The formulas of Optax 0.2.8 (optax/schedules), by name.

#include "frontends/training/RateSchedules.h"

#include "frontends/models/Suggestion.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using zenith::graph::CompareDirection;

namespace zenith::training {

namespace {
struct ScheduleRow {
  const char *name, *signature;
  Schedule (*make)(const CallArguments &);
};
using Points = std::vector<std::pair<double, double>>; ///< by step
} // namespace

static Schedule polynomial(double init, double end, double power, int64_t steps,
                           int64_t begin) {
  if (steps <= 0)
    return init;
  begin = std::max<int64_t>(begin, 0);
  return Schedule([=](StepBuilder &b, Value count) {
    Value now = b.min(b.max(b.sub(count, double(begin)), 0.0), double(steps));
    Value left = b.sub(b.scalarLike(now, 1), b.div(now, double(steps)));
    if (power != 1)
      left = b.pow(left, b.scalarLike(left, power));
    return b.add(b.mul(left, init - end), end);
  });
}

static Schedule makePolynomial(const CallArguments &a) {
  return polynomial(a.number("init_value"), a.number("end_value"),
                    a.number("power"), a.integer("transition_steps"),
                    a.integer("transition_begin"));
}

static Schedule makeLinear(const CallArguments &a) {
  return polynomial(a.number("init_value"), a.number("end_value"), 1,
                    a.integer("transition_steps"),
                    a.integer("transition_begin"));
}

static Schedule makeWarmupConstant(const CallArguments &a) {
  return polynomial(a.number("init_value"), a.number("peak_value"), 1,
                    a.integer("warmup_steps"), 0);
}

static Schedule makeConstant(const CallArguments &a) {
  return a.number("value");
}

static Schedule exponential(double init, double steps, double rate,
                            double begin, bool staircase,
                            std::optional<double> end) {
  if (steps <= 0 || rate == 0)
    return init;
  begin = std::max(begin, 0.0);
  return Schedule([=](StepBuilder &b, Value count) {
    Value past = b.sub(count, begin);
    Value power = b.div(past, steps);
    if (staircase)
      power = b.floor(power);
    Value decayed = b.mul(b.pow(b.scalarLike(past, rate), power), init);
    decayed = b.select(b.compare(CompareDirection::le, past, 0.0),
                       b.scalarLike(past, init), decayed);
    if (end)
      decayed = rate < 1 ? b.max(decayed, *end) : b.min(decayed, *end);
    return decayed;
  });
}

static Schedule makeExponential(const CallArguments &a) {
  return exponential(a.number("init_value"), a.number("transition_steps"),
                     a.number("decay_rate"), a.number("transition_begin"),
                     a.boolean("staircase"), a.optionalNumber("end_value"));
}

static Schedule cosine(double init, double steps, double alpha,
                       double exponent) {
  return Schedule([=](StepBuilder &b, Value count) {
    Value now = b.min(count, steps);
    Value angle = b.div(b.mul(now, M_PI), steps);
    Value wave = b.mul(b.add(b.cos(angle), 1.0), 0.5);
    if (exponent != 1)
      wave = b.pow(wave, b.scalarLike(wave, exponent));
    return b.mul(b.add(b.mul(wave, 1 - alpha), alpha), init);
  });
}

static Schedule cosineOf(const CallArguments &a, const char *init, double steps,
                         double alpha) {
  if (!(steps > 0))
    a.fail("needs a positive number of steps to decay in");
  return cosine(a.number(init), steps, alpha, a.number("exponent"));
}

static Schedule makeCosine(const CallArguments &a) {
  return cosineOf(a, "init_value", a.number("decay_steps"), a.number("alpha"));
}

/// The k-th schedule from the k-th boundary on, counted from there.
static Schedule join(std::vector<Schedule> schedules,
                     std::vector<double> boundaries) {
  return Schedule([schedules = std::move(schedules),
                   boundaries = std::move(boundaries)](StepBuilder &b,
                                                       Value count) {
    Value result = schedules[0].at(b, count);
    for (size_t i = 0; i < boundaries.size() && i + 1 < schedules.size(); ++i)
      result =
          b.select(b.compare(CompareDirection::lt, count, boundaries[i]),
                   result, schedules[i + 1].at(b, b.sub(count, boundaries[i])));
    return result;
  });
}

static Schedule makeWarmupCosine(const CallArguments &a) {
  double peak = a.number("peak_value"), warmup = a.number("warmup_steps");
  double alpha = peak == 0 ? 0 : a.number("end_value") / peak;
  return join(
      {polynomial(a.number("init_value"), peak, 1, a.integer("warmup_steps"),
                  0),
       cosineOf(a, "peak_value", a.number("decay_steps") - warmup, alpha)},
      {warmup});
}

static Schedule makeWarmupExponential(const CallArguments &a) {
  double peak = a.number("peak_value");
  return join(
      {polynomial(a.number("init_value"), peak, 1, a.integer("warmup_steps"),
                  0),
       exponential(peak, a.number("transition_steps"), a.number("decay_rate"),
                   a.number("transition_begin"), a.boolean("staircase"),
                   a.optionalNumber("end_value"))},
      {a.number("warmup_steps")});
}

static Schedule makeJoined(const CallArguments &a) {
  std::vector<Schedule> schedules;
  std::vector<double> boundaries;
  for (const Expression &item : a["schedules"].items)
    schedules.push_back(Schedule::read(item, "a schedule", a.reading()));
  for (const Expression &item : a["boundaries"].items)
    boundaries.push_back(item.number);
  if (schedules.empty()) {
    a.fail("needs a list of schedules");
    return 0.0;
  }
  return join(std::move(schedules), std::move(boundaries));
}

/// Steps of a dict and what each multiplies the value by, in order.
static Points pointsOf(const CallArguments &a) {
  const Expression &dict = a["boundaries_and_scales"];
  std::map<double, double> points;
  if (dict.kind == Expression::Kind::None)
    return {};
  if (dict.kind != Expression::Kind::Dict)
    a.fail("argument 'boundaries_and_scales' is " + describe(dict) +
           ", expected a dict");
  for (size_t i = 0; i + 1 < dict.items.size(); i += 2) {
    points[dict.items[i].number] = dict.items[i + 1].number;
    if (dict.items[i + 1].number < 0)
      a.fail("expects scales that are not negative");
  }
  return {points.begin(), points.end()};
}

static Schedule makePiecewiseConstant(const CallArguments &a) {
  return Schedule([init = a.number("init_value"),
                   points = pointsOf(a)](StepBuilder &b, Value count) {
    Value value = b.scalarLike(count, init);
    for (const auto &[step, scale] : points)
      value = b.select(b.compare(CompareDirection::lt, count, step), value,
                       b.mul(value, scale));
    return value;
  });
}

static Schedule interpolated(bool isCosine, double init, const Points &points) {
  return Schedule([=](StepBuilder &b, Value count) {
    Value zero = b.scalarLike(count, 0), result = zero;
    double begin = 0, from = init;
    for (const auto &[end, scale] : points) {
      double to = from * scale, size = std::max(end - begin, 1.0);
      Value part = b.div(b.sub(count, begin), size);
      Value value = isCosine ? b.add(b.mul(b.add(b.cos(b.mul(part, M_PI)), 1.0),
                                           (from - to) / 2),
                                     to)
                             : b.add(b.mul(part, to - from), from);
      Value inside = b.both(b.compare(CompareDirection::ge, count, begin),
                            b.compare(CompareDirection::lt, count, end));
      result = b.add(result, b.select(inside, value, zero));
      begin = end;
      from = to;
    }
    Value after = b.compare(CompareDirection::ge, count, begin);
    return b.add(result, b.select(after, b.scalarLike(count, from), zero));
  });
}

static Schedule makePiecewiseInterpolate(const CallArguments &a) {
  std::string type = a.string("interpolate_type");
  if (type != "linear" && type != "cosine")
    a.fail("argument 'interpolate_type' is 'linear' or 'cosine'");
  return interpolated(type == "cosine", a.number("init_value"), pointsOf(a));
}

/// `last` is 0 for a schedule of two parts.
static Schedule oneCycle(const CallArguments &a, bool isCosine, double last) {
  double steps = a.number("transition_steps"), divisor = a.number("div_factor"),
         final = a.number("final_div_factor");
  if (steps <= 0)
    a.fail("needs a positive number of steps");
  std::map<double, double> points;
  points[std::trunc(a.number("pct_start") * steps)] = divisor;
  if (last > 0)
    points[std::trunc(last * steps)] = 1 / divisor;
  points[steps] = last > 0 ? 1 / final : 1 / (divisor * final);
  return interpolated(isCosine, a.number("peak_value") / divisor,
                      {points.begin(), points.end()});
}

static Schedule makeLinearOneCycle(const CallArguments &a) {
  return oneCycle(a, false, a.number("pct_final"));
}

static Schedule makeCosineOneCycle(const CallArguments &a) {
  return oneCycle(a, true, 0);
}

static constexpr const char *warmupCosineSignature =
    "init_value, peak_value, warmup_steps, decay_steps, end_value=0.0, "
    "exponent=1.0";

static Schedule makeSgdr(const CallArguments &a) {
  std::vector<Schedule> schedules;
  std::vector<double> boundaries;
  double step = 0;
  for (const Expression &dict : a["cosine_kwargs"].items) {
    Expression call;
    call.kind = Expression::Kind::Call;
    call.text = "warmup_cosine_decay_schedule";
    for (size_t i = 0; i + 1 < dict.items.size(); i += 2)
      call.named.emplace_back(dict.items[i].text, dict.items[i + 1]);
    CallArguments cycle(call, warmupCosineSignature, a.reading());
    schedules.push_back(makeWarmupCosine(cycle));
    step += cycle.number("decay_steps");
    boundaries.push_back(step);
  }
  if (schedules.empty()) {
    a.fail("needs a list of dicts");
    return 0.0;
  }
  boundaries.pop_back();
  return join(std::move(schedules), std::move(boundaries));
}

static constexpr ScheduleRow rows[] = {
    {"constant_schedule", "value", makeConstant},
    {"cosine_decay_schedule",
     "init_value, decay_steps, alpha=0.0, exponent=1.0", makeCosine},
    {"cosine_onecycle_schedule",
     "transition_steps, peak_value, pct_start=0.3, div_factor=25.0, "
     "final_div_factor=10000.0",
     makeCosineOneCycle},
    {"exponential_decay",
     "init_value, transition_steps, decay_rate, transition_begin=0, "
     "staircase=False, end_value=None",
     makeExponential},
    {"join_schedules", "schedules, boundaries", makeJoined},
    {"linear_onecycle_schedule",
     "transition_steps, peak_value, pct_start=0.3, pct_final=0.85, "
     "div_factor=25.0, final_div_factor=10000.0",
     makeLinearOneCycle},
    {"linear_schedule",
     "init_value, end_value, transition_steps, transition_begin=0", makeLinear},
    {"piecewise_constant_schedule", "init_value, boundaries_and_scales=None",
     makePiecewiseConstant},
    {"piecewise_interpolate_schedule",
     "interpolate_type, init_value, boundaries_and_scales=None",
     makePiecewiseInterpolate},
    {"polynomial_schedule",
     "init_value, end_value, power, transition_steps, transition_begin=0",
     makePolynomial},
    {"sgdr_schedule", "cosine_kwargs", makeSgdr},
    {"warmup_constant_schedule", "init_value, peak_value, warmup_steps",
     makeWarmupConstant},
    {"warmup_cosine_decay_schedule", warmupCosineSignature, makeWarmupCosine},
    {"warmup_exponential_decay_schedule",
     "init_value, peak_value, warmup_steps, transition_steps, decay_rate, "
     "transition_begin=0, staircase=False, end_value=None",
     makeWarmupExponential}};

std::vector<std::string> scheduleNames() {
  std::vector<std::string> names;
  for (const ScheduleRow &row : rows)
    names.push_back(row.name);
  return names;
}

Schedule Schedule::read(const Expression &expression, const std::string &what,
                        TextReading &reading) {
  if (expression.kind == Expression::Kind::Number)
    return expression.number;
  if (expression.kind == Expression::Kind::Call) {
    for (const ScheduleRow &row : rows)
      if (expression.text == row.name)
        return row.make(CallArguments(expression, row.signature, reading));
    reading.fail("there is no schedule '" + expression.text + "'" +
                 models::suggestion(expression.text, scheduleNames()));
    return 0.0;
  }
  reading.fail(what + " is " + describe(expression) +
               ", expected a number or a schedule");
  return 0.0;
}

} // namespace zenith::training
