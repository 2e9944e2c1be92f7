// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of optimizers and what they are composed of, as optax/_src/alias.py of
// Optax 0.2.8 has it.

#include "frontends/training/OptimizerRules.h"

#include "frontends/models/Suggestion.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace mlir;
using zenith::graph::CompareDirection;
using zenith::graph::ReduceKind;

namespace zenith::training {

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

StateEntry &RuleContext::find(const std::string &name) {
  return *std::find_if(
      states.begin(), states.end(),
      [&](const StateEntry &entry) { return entry.name == name; });
}

Value RuleContext::read(const std::string &name, RankedTensorType type,
                        double fill) {
  for (const StateEntry &entry : states)
    if (entry.name == name)
      return entry.current;
  Value current = newArgument(name, type);
  states.push_back({name, type, fill, "", current, current});
  return current;
}

Value RuleContext::readCopy(const std::string &name,
                            const TrainedParameter &parameter) {
  Value current = read(name, StepBuilder::typeOf(parameter.value));
  find(name).copyOf = parameter.name;
  return current;
}

void RuleContext::write(const std::string &name, Value value) {
  StateEntry &entry = find(name);
  for (Value gate : gates)
    value = b.select(gate, value, entry.current);
  entry.next = value;
}

Value RuleContext::counted(const std::string &name) {
  auto type = RankedTensorType::get({}, b.builder.getI32Type());
  Value count = read(name, type);
  // As Optax, stays at the largest number.
  Value isLast = b.compare(CompareDirection::eq, count, double(INT32_MAX));
  write(name, b.select(isLast, count, b.add(count, 1.0)));
  return b.convert(count, b.builder.getF64Type());
}

Type RuleContext::rateType() const {
  bool isWide = llvm::any_of(parameters, [](const TrainedParameter &p) {
    return StepBuilder::elementOf(p.value).isF64();
  });
  return isWide ? b.builder.getF64Type() : Type(b.builder.getF32Type());
}

Value RuleContext::scheduled(const Schedule &schedule,
                             const std::string &name) {
  if (schedule.isConstant())
    return b.scalar(rateType(), schedule.value());
  return schedule.at(b, b.convert(counted(name), rateType()));
}

void RuleContext::gated(Value condition, llvm::function_ref<void()> body) {
  gates.push_back(condition);
  body();
  gates.pop_back();
}

//===----------------------------------------------------------------------===//
// Composition
//===----------------------------------------------------------------------===//

static Rule identity() {
  return [](RuleContext &, const std::string &, Updates &) {};
}

static Rule chained(std::vector<Rule> rules) {
  return [rules = std::move(rules)](RuleContext &c, const std::string &path,
                                    Updates &updates) {
    for (size_t i = 0; i < rules.size(); ++i)
      rules[i](c, path + "/" + std::to_string(i), updates);
  };
}

static Rule masked(Rule inner, NameMask mask) {
  return [=](RuleContext &c, const std::string &path, Updates &updates) {
    Updates chosen = updates;
    for (size_t i = 0; i < chosen.size(); ++i)
      if (!mask.matches(c.parameters[i].name))
        chosen[i] = {};
    inner(c, path + "/inner_state", chosen);
    for (size_t i = 0; i < chosen.size(); ++i)
      if (chosen[i])
        updates[i] = chosen[i];
  };
}

/// A mask that is None is no wrapper, so that state has Optax's names.
static Rule maskedBy(const CallArguments &a, const char *mask, Rule inner) {
  if (!a.has(mask) || a[mask].kind == Expression::Kind::None)
    return inner;
  return masked(std::move(inner), a.mask(mask));
}

static Rule setToZero() {
  return [](RuleContext &c, const std::string &, Updates &updates) {
    forEach(c, updates, [&](Value g, const TrainedParameter &) {
      return c.b.filled(StepBuilder::typeOf(g), 0);
    });
  };
}

/// Runs `inner` where `condition` holds; elsewhere its state stays and updates
/// are zero.
static void runWhere(RuleContext &c, Value condition, const Rule &inner,
                     const std::string &path, Updates &updates) {
  c.gated(condition, [&] { inner(c, path, updates); });
  forEach(c, updates, [&](Value g, const TrainedParameter &) {
    return c.b.select(condition, g, c.b.scalarLike(g, 0));
  });
}

static Rule multiSteps(Rule inner, Schedule every, bool takesMean) {
  return [=](RuleContext &c, const std::string &path, Updates &updates) {
    StepBuilder &b = c.b;
    auto integer = RankedTensorType::get({}, b.builder.getI32Type());
    Value mini = c.read(path + "/mini_step", integer),
          done = c.read(path + "/gradient_step", integer);
    Type wide = b.builder.getF64Type();
    Value position = b.convert(mini, wide);
    Value steps = b.convert(every.at(b, b.convert(done, c.rateType())), wide);
    Value isLast = b.compare(CompareDirection::ge, position, b.sub(steps, 1.0));
    c.write(path + "/mini_step",
            b.select(isLast, b.scalarLike(mini, 0), b.add(mini, 1.0)));
    c.write(path + "/gradient_step", b.select(isLast, b.add(done, 1.0), done));
    forEach(c, updates, [&](Value g, const TrainedParameter &p) {
      std::string name = path + "/acc_grads/" + p.name;
      Value sum = c.read(name, StepBuilder::typeOf(g));
      Value share = g;
      if (takesMean)
        share = b.div(b.sub(g, sum), b.convert(b.add(position, 1.0),
                                               StepBuilder::elementOf(g)));
      Value next = b.add(sum, share);
      c.write(name, b.select(isLast, b.scalarLike(next, 0), next));
      return next;
    });
    runWhere(c, isLast, inner, path + "/inner_opt_state", updates);
  };
}

static Rule applyIfFinite(Rule inner, double most) {
  return [=](RuleContext &c, const std::string &path, Updates &updates) {
    StepBuilder &b = c.b;
    Value finite;
    for (Value g : updates)
      if (g) {
        Value part = b.reduceAll(ReduceKind::all, b.isFinite(g));
        finite = finite ? b.both(finite, part) : part;
      }
    if (!finite)
      return;
    auto integer = RankedTensorType::get({}, b.builder.getI32Type());
    Value row = c.read(path + "/notfinite_count", integer),
          total = c.read(path + "/total_notfinite", integer);
    Value failed = b.select(finite, b.scalarLike(row, 0), b.add(row, 1.0));
    c.write(path + "/notfinite_count", failed);
    c.write(path + "/total_notfinite",
            b.select(finite, total, b.add(total, 1.0)));
    Value applies =
        b.either(finite, b.compare(CompareDirection::gt, failed, most));
    runWhere(c, applies, inner, path + "/inner_state", updates);
  };
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

namespace {
struct RuleRow {
  const char *name, *signature;
  Rule (*make)(const CallArguments &);
};
} // namespace

static Schedule scheduleOf(const CallArguments &a, const char *name) {
  return Schedule::read(a[name], std::string("argument '") + name + "'",
                        a.reading());
}

/// scale_by_learning_rate of the argument of that name.
static Rule rateOf(const CallArguments &a, double sign = -1) {
  if (a["learning_rate"].kind == Expression::Kind::None)
    return identity();
  return scaleByRate(scheduleOf(a, "learning_rate"), sign,
                     /*isLearningRate=*/true);
}

static Rule decayOf(const CallArguments &a, const char *mask,
                    const char *decay = "weight_decay") {
  return maskedBy(a, mask, addDecayedWeights(scheduleOf(a, decay)));
}

template <Rule (*scaling)(const CallArguments &)>
static Rule makeScaled(const CallArguments &a) {
  return chained({scaling(a), rateOf(a)});
}

template <Rule (*scaling)(const CallArguments &)>
static Rule makeDecayed(const CallArguments &a) {
  return chained({scaling(a), decayOf(a, "mask"), rateOf(a)});
}

static Rule makeSgd(const CallArguments &a) {
  std::optional<double> momentum = a.optionalNumber("momentum");
  Rule first =
      momentum ? traceOf(*momentum, a.boolean("nesterov")) : identity();
  return chained({first, rateOf(a)});
}

static Rule makeRmsprop(const CallArguments &a) {
  Rule scaling = a.boolean("centered") ? scaleByStddev(a) : scaleByRms(a);
  std::optional<double> momentum = a.optionalNumber("momentum");
  Rule last = momentum ? traceOf(*momentum, a.boolean("nesterov")) : identity();
  return chained({scaling, rateOf(a), last});
}

static Rule makeAdadelta(const CallArguments &a) {
  return chained(
      {decayOf(a, "weight_decay_mask"), scaleByAdadelta(a), rateOf(a)});
}

static Rule makeAdafactor(const CallArguments &a) {
  std::vector<Rule> rules{scaleByFactoredRms(a)};
  if (auto threshold = a.optionalNumber("clipping_threshold"))
    rules.push_back(clipByBlockRms(*threshold));
  if (a["learning_rate"].kind != Expression::Kind::None)
    rules.push_back(rateOf(a, /*sign=*/1));
  if (a.boolean("multiply_by_parameter_scale"))
    rules.push_back(scaleByParamBlock(/*least=*/1e-3, /*isRms=*/true));
  if (auto momentum = a.optionalNumber("momentum"))
    rules.push_back(emaOf(*momentum, /*debias=*/false));
  if (a["weight_decay_rate"].kind != Expression::Kind::None)
    rules.push_back(decayOf(a, "weight_decay_mask", "weight_decay_rate"));
  rules.push_back(scaleBy(-1));
  return chained(std::move(rules));
}

static Rule makeLamb(const CallArguments &a) {
  return chained({scaleByAdam(a), decayOf(a, "mask"),
                  scaleByTrustRatio(0, 1, 0), rateOf(a)});
}

static Rule makeLars(const CallArguments &a) {
  Rule ratio =
      scaleByTrustRatio(0, a.number("trust_coefficient"), a.number("eps"));
  return chained({decayOf(a, "weight_decay_mask"),
                  maskedBy(a, "trust_ratio_mask", std::move(ratio)), rateOf(a),
                  traceOf(a.number("momentum"), a.boolean("nesterov"))});
}

static Rule makeSignSgd(const CallArguments &a) {
  return chained({scaleBySign(), rateOf(a)});
}

/// Adam with look ahead, under a name of its own: the argument is then True.
template <bool decays> static Rule makeNesterov(const CallArguments &a) {
  return decays ? makeDecayed<scaleByAdam>(a) : makeScaled<scaleByAdam>(a);
}

static Rule makeMasked(const CallArguments &a) {
  return masked(readRule(a["inner"], a.reading()), a.mask("mask"));
}

static Rule makeMultiSteps(const CallArguments &a) {
  if (a["should_skip_update_fn"].kind != Expression::Kind::None)
    a.fail("argument 'should_skip_update_fn' must be None");
  Schedule every = scheduleOf(a, "every_k_schedule");
  if (every.isConstant() && !(every.value() >= 1))
    a.fail("argument 'every_k_schedule' must be at least 1");
  return multiSteps(readRule(a["opt"], a.reading()), every,
                    a.boolean("use_grad_mean"));
}

static Rule makeApplyIfFinite(const CallArguments &a) {
  return applyIfFinite(readRule(a["inner"], a.reading()),
                       a.number("max_consecutive_errors"));
}

#define ADAM_ARGUMENTS "b1=0.9, b2=0.999, eps=1e-8, eps_root=0.0, mu_dtype=None"
#define RMS_ARGUMENTS                                                          \
  "decay=0.9, eps=1e-8, initial_scale=0.0, eps_in_sqrt=True, "                 \
  "bias_correction=False"

static constexpr RuleRow ruleRows[] = {
    {"MultiSteps",
     "opt, every_k_schedule, use_grad_mean=True, should_skip_update_fn=None",
     makeMultiSteps},
    {"adabelief",
     "learning_rate, b1=0.9, b2=0.999, eps=1e-16, eps_root=1e-16, *, "
     "nesterov=False",
     makeScaled<scaleByBelief>},
    {"adadelta",
     "learning_rate=None, rho=0.9, eps=1e-6, weight_decay=0.0, "
     "weight_decay_mask=None",
     makeAdadelta},
    {"adafactor",
     "learning_rate=None, min_dim_size_to_factor=128, decay_rate=0.8, "
     "decay_offset=0, multiply_by_parameter_scale=True, "
     "clipping_threshold=1.0, momentum=None, dtype_momentum='float32', "
     "weight_decay_rate=None, eps=1e-30, factored=True, "
     "weight_decay_mask=None",
     makeAdafactor},
    {"adagrad", "learning_rate, initial_accumulator_value=0.1, eps=1e-7",
     makeScaled<scaleByRss>},
    {"adam", "learning_rate, " ADAM_ARGUMENTS ", *, nesterov=False",
     makeScaled<scaleByAdam>},
    {"adamax", "learning_rate, b1=0.9, b2=0.999, eps=1e-8",
     makeScaled<scaleByAdamax>},
    {"adamaxw",
     "learning_rate, b1=0.9, b2=0.999, eps=1e-8, weight_decay=1e-4, mask=None",
     makeDecayed<scaleByAdamax>},
    {"adamw",
     "learning_rate, " ADAM_ARGUMENTS
     ", weight_decay=1e-4, mask=None, *, nesterov=False",
     makeDecayed<scaleByAdam>},
    {"adaptive_grad_clip", "clipping, eps=1e-3, axis=None", adaptiveGradClip},
    {"add_decayed_weights", "weight_decay=0.0, mask=None",
     [](const CallArguments &a) { return decayOf(a, "mask"); }},
    {"amsgrad",
     "learning_rate, " ADAM_ARGUMENTS
     ", bias_correction_mu=True, bias_correction_nu=True",
     makeScaled<scaleByAmsgrad>},
    {"apply_if_finite", "inner, max_consecutive_errors", makeApplyIfFinite},
    {"centralize", "", [](const CallArguments &) { return centralize(); }},
    {"clip", "max_delta",
     [](const CallArguments &a) { return clipTo(a.number("max_delta")); }},
    {"clip_by_block_rms", "threshold",
     [](const CallArguments &a) {
       return clipByBlockRms(a.number("threshold"));
     }},
    {"clip_by_global_norm", "max_norm",
     [](const CallArguments &a) {
       return clipByGlobalNorm(a.number("max_norm"));
     }},
    {"ema", "decay, debias=True, accumulator_dtype=None",
     [](const CallArguments &a) {
       return emaOf(a.number("decay"), a.boolean("debias"));
     }},
    {"identity", "", [](const CallArguments &) { return identity(); }},
    {"lamb",
     "learning_rate, b1=0.9, b2=0.999, eps=1e-6, eps_root=0.0, "
     "weight_decay=0.0, mask=None",
     makeLamb},
    {"lars",
     "learning_rate, weight_decay=0.0, weight_decay_mask=True, "
     "trust_coefficient=0.001, eps=0.0, trust_ratio_mask=True, momentum=0.9, "
     "nesterov=False",
     makeLars},
    {"lion",
     "learning_rate, b1=0.9, b2=0.99, mu_dtype=None, weight_decay=1e-3, "
     "mask=None",
     makeDecayed<scaleByLion>},
    {"masked", "inner, mask", makeMasked},
    {"nadam", "learning_rate, " ADAM_ARGUMENTS ", *, nesterov=True",
     makeNesterov<false>},
    {"nadamw",
     "learning_rate, " ADAM_ARGUMENTS
     ", weight_decay=1e-4, mask=None, *, nesterov=True",
     makeNesterov<true>},
    {"novograd",
     "learning_rate, b1=0.9, b2=0.25, eps=1e-6, eps_root=0.0, "
     "weight_decay=0.0",
     makeScaled<scaleByNovograd>},
    {"radam",
     "learning_rate, b1=0.9, b2=0.999, eps=1e-8, eps_root=0.0, threshold=5.0, "
     "*, nesterov=False",
     makeScaled<scaleByRadam>},
    {"rmsprop",
     "learning_rate, decay=0.9, eps=1e-8, initial_scale=0.0, "
     "eps_in_sqrt=True, centered=False, momentum=None, nesterov=False, "
     "bias_correction=False",
     makeRmsprop},
    {"scale", "step_size",
     [](const CallArguments &a) { return scaleBy(a.number("step_size")); }},
    {"scale_by_adadelta", "rho=0.9, eps=1e-6", scaleByAdadelta},
    {"scale_by_adam", ADAM_ARGUMENTS ", *, nesterov=False", scaleByAdam},
    {"scale_by_adamax", "b1=0.9, b2=0.999, eps=1e-8", scaleByAdamax},
    {"scale_by_amsgrad",
     ADAM_ARGUMENTS ", bias_correction_mu=True, bias_correction_nu=True",
     scaleByAmsgrad},
    {"scale_by_belief",
     "b1=0.9, b2=0.999, eps=1e-16, eps_root=1e-16, *, nesterov=False",
     scaleByBelief},
    {"scale_by_factored_rms",
     "factored=True, decay_rate=0.8, step_offset=0, "
     "min_dim_size_to_factor=128, epsilon=1e-30",
     scaleByFactoredRms},
    {"scale_by_learning_rate", "learning_rate=None, *, flip_sign=True",
     [](const CallArguments &a) {
       return rateOf(a, a.boolean("flip_sign") ? -1 : 1);
     }},
    {"scale_by_lion",
     "b1=0.9, b2=0.99, mu_dtype=None, *, mode='hard', smooth_beta=1.0",
     scaleByLion},
    {"scale_by_novograd",
     "b1=0.9, b2=0.25, eps=1e-8, eps_root=0.0, weight_decay=0.0, "
     "mu_dtype=None",
     scaleByNovograd},
    {"scale_by_param_block_norm", "min_scale=1e-3",
     [](const CallArguments &a) {
       return scaleByParamBlock(a.number("min_scale"), /*isRms=*/false);
     }},
    {"scale_by_param_block_rms", "min_scale=1e-3",
     [](const CallArguments &a) {
       return scaleByParamBlock(a.number("min_scale"), /*isRms=*/true);
     }},
    {"scale_by_radam",
     "b1=0.9, b2=0.999, eps=1e-8, eps_root=0.0, threshold=5.0, *, "
     "nesterov=False",
     scaleByRadam},
    {"scale_by_rms", RMS_ARGUMENTS, scaleByRms},
    {"scale_by_rss", "initial_accumulator_value=0.1, eps=1e-7", scaleByRss},
    {"scale_by_schedule", "step_size_fn",
     [](const CallArguments &a) {
       return scaleByRate(scheduleOf(a, "step_size_fn"), 1,
                          /*isLearningRate=*/false);
     }},
    {"scale_by_sign", "", [](const CallArguments &) { return scaleBySign(); }},
    {"scale_by_stddev", RMS_ARGUMENTS, scaleByStddev},
    {"scale_by_trust_ratio", "min_norm=0.0, trust_coefficient=1.0, eps=0.0",
     [](const CallArguments &a) {
       return scaleByTrustRatio(a.number("min_norm"),
                                a.number("trust_coefficient"), a.number("eps"));
     }},
    {"scale_by_yogi",
     "b1=0.9, b2=0.999, eps=1e-3, eps_root=0.0, "
     "initial_accumulator_value=1e-6",
     scaleByYogi},
    {"set_to_zero", "", [](const CallArguments &) { return setToZero(); }},
    {"sgd",
     "learning_rate, momentum=None, nesterov=False, accumulator_dtype=None",
     makeSgd},
    {"sign_sgd", "learning_rate", makeSignSgd},
    {"trace", "decay, nesterov=False, accumulator_dtype=None",
     [](const CallArguments &a) {
       return traceOf(a.number("decay"), a.boolean("nesterov"));
     }},
    {"yogi", "learning_rate, b1=0.9, b2=0.999, eps=1e-3",
     makeScaled<scaleByYogi>}};

#undef ADAM_ARGUMENTS
#undef RMS_ARGUMENTS

static std::vector<std::string> ruleNames() {
  std::vector<std::string> names{"chain"};
  for (const RuleRow &row : ruleRows)
    names.push_back(row.name);
  return names;
}

/// State has the type of its parameter.
static void refuseType(const CallArguments &a, const char *name) {
  const Expression &type = a[name];
  if (type.kind != Expression::Kind::None && type.text != "float32")
    a.fail(std::string("argument '") + name + "' must be None");
}

Rule readRule(const Expression &expression, TextReading &reading) {
  if (expression.kind != Expression::Kind::Call) {
    reading.fail("got " + describe(expression) + ", expected an optimizer");
    return identity();
  }
  // A chain has any number of arguments.
  if (expression.text == "chain") {
    std::vector<Rule> rules;
    for (const Expression &item : expression.items)
      rules.push_back(readRule(item, reading));
    if (!expression.named.empty())
      reading.fail("chain takes no argument by name");
    return chained(std::move(rules));
  }
  for (const RuleRow &row : ruleRows)
    if (expression.text == row.name) {
      CallArguments arguments(expression, row.signature, reading);
      for (const char *type :
           {"mu_dtype", "accumulator_dtype", "dtype_momentum"})
        if (!reading.error && arguments.has(type))
          refuseType(arguments, type);
      return reading.error ? identity() : row.make(arguments);
    }
  bool isSchedule = false;
  for (const std::string &name : scheduleNames())
    isSchedule |= name == expression.text;
  reading.fail(isSchedule
                   ? "'" + expression.text + "' is a schedule, no optimizer"
                   : "there is no optimizer '" + expression.text + "'" +
                         models::suggestion(expression.text, ruleNames()));
  return identity();
}

Result<Rule> readOptimizer(const std::string &text) {
  TextReading reading{"--optimizer", {}};
  Result<Expression> expression = parseExpression(text, reading.option);
  if (!expression)
    return std::move(expression.error());
  Rule rule = readRule(*expression, reading);
  if (reading.error)
    return std::move(*reading.error);
  return rule;
}

} // namespace zenith::training
