// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules that keep moments of gradients from step to step; the formulas are
// those of Optax 0.2.8 (_src/transform.py, _src/factorized.py).

#include "frontends/training/OptimizerRules.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

#include <algorithm>

using namespace mlir;
using zenith::graph::CompareDirection;

namespace zenith::training {

namespace {
/// State of one rule: its fields by parameter, and its count.
class Moments {
public:
  Moments(RuleContext &c, const std::string &path) : c(c), path(path) {}

  Value read(const char *field, const TrainedParameter &p, double fill = 0) {
    return c.read(name(field, p), StepBuilder::typeOf(p.value), fill);
  }
  void write(const char *field, const TrainedParameter &p, Value value) {
    c.write(name(field, p), value);
  }
  /// (1 - decay) * x + decay * what it was.
  Value average(const char *field, const TrainedParameter &p, Value x,
                double decay, double fill = 0) {
    Value past = c.read(name(field, p), StepBuilder::typeOf(x), fill);
    Value now = c.b.add(c.b.mul(x, 1 - decay), c.b.mul(past, decay));
    write(field, p, now);
    return now;
  }
  /// The number of updates, this one included, as f64.
  Value count() { return c.b.add(c.counted(path + "/count"), 1.0); }
  /// 1 / (1 - decay^count), by which an average of a few is too small. In f64:
  /// f32 loses digits of 1 - 0.999.
  Value correction(double decay, Value count) {
    Value power = c.b.pow(c.b.scalarLike(count, decay), count);
    Value one = c.b.scalarLike(count, 1);
    return c.b.div(one, c.b.sub(one, power));
  }
  /// x times a scalar of f64.
  Value times(Value x, Value factor) {
    return c.b.mul(x, c.b.convert(factor, StepBuilder::elementOf(x)));
  }
  std::string name(const char *field, const TrainedParameter &p) const {
    return path + "/" + field + "/" + p.name;
  }

private:
  RuleContext &c;
  const std::string &path;
};

/// Corrections of the two averages of Adam and its relatives.
struct Corrections {
  Corrections(Moments &m, StepBuilder &b, double b1, double b2, Value count,
              bool nesterov)
      : b1(b1), nesterov(nesterov),
        first(m.correction(b1, nesterov ? b.add(count, 1.0) : count)),
        second(m.correction(b2, count)) {
    if (nesterov)
      gradient = m.correction(b1, count);
  }
  /// The average of gradients, corrected; with Nesterov's look ahead.
  Value mean(Moments &m, StepBuilder &b, Value mu, Value g) const {
    Value hat = m.times(mu, first);
    if (!nesterov)
      return hat;
    return b.add(b.mul(hat, b1), b.mul(m.times(g, gradient), 1 - b1));
  }

  double b1;
  bool nesterov;
  Value first, second, gradient;
};
} // namespace

/// mean / (sqrt(square + epsRoot) + eps)
static Value quotient(StepBuilder &b, Value mean, Value square, double eps,
                      double epsRoot) {
  Value inside = epsRoot == 0 ? square : b.add(square, epsRoot);
  return b.div(mean, b.add(b.sqrt(inside), eps));
}

Rule scaleByAdam(const CallArguments &a) {
  double b1 = a.number("b1"), b2 = a.number("b2"), eps = a.number("eps"),
         epsRoot = a.number("eps_root");
  bool nesterov = a.booleanOr("nesterov", false);
  return [=](RuleContext &c, const std::string &path, Updates &updates) {
    Moments m(c, path);
    Corrections corrections(m, c.b, b1, b2, m.count(), nesterov);
    forEach(c, updates, [&](Value g, const TrainedParameter &p) {
      Value mu = m.average("mu", p, g, b1);
      Value nu = m.average("nu", p, c.b.square(g), b2);
      return quotient(c.b, corrections.mean(m, c.b, mu, g),
                      m.times(nu, corrections.second), eps, epsRoot);
    });
  };
}

Rule scaleByAmsgrad(const CallArguments &a) {
  double b1 = a.number("b1"), b2 = a.number("b2"), eps = a.number("eps"),
         epsRoot = a.number("eps_root");
  bool correctsMu = a.boolean("bias_correction_mu"),
       correctsNu = a.boolean("bias_correction_nu");
  return [=](RuleContext &c, const std::string &path, Updates &updates) {
    Moments m(c, path);
    Corrections corrections(m, c.b, b1, b2, m.count(), false);
    forEach(c, updates, [&](Value g, const TrainedParameter &p) {
      Value mu = m.average("mu", p, g, b1);
      Value nu = m.average("nu", p, c.b.square(g), b2);
      if (correctsNu)
        nu = m.times(nu, corrections.second);
      Value most = c.b.max(m.read("nu_max", p), nu);
      m.write("nu_max", p, most);
      return quotient(c.b, correctsMu ? m.times(mu, corrections.first) : mu,
                      most, eps, epsRoot);
    });
  };
}

Rule scaleByAdamax(const CallArguments &a) {
  double b1 = a.number("b1"), b2 = a.number("b2"), eps = a.number("eps");
  return [=](RuleContext &c, const std::string &path, Updates &updates) {
    Moments m(c, path);
    Value correction = m.correction(b1, m.count());
    forEach(c, updates, [&](Value g, const TrainedParameter &p) {
      Value mu = m.average("mu", p, g, b1);
      Value nu =
          c.b.max(c.b.add(c.b.abs(g), eps), c.b.mul(m.read("nu", p), b2));
      m.write("nu", p, nu);
      return c.b.div(m.times(mu, correction), nu);
    });
  };
}

Rule scaleByLion(const CallArguments &a) {
  double b1 = a.number("b1"), b2 = a.number("b2");
  std::string mode = a.has("mode") ? a.string("mode") : "hard";
  double beta = a.numberOr("smooth_beta", 1);
  if (mode != "hard" && mode != "smooth" && mode != "refined")
    a.fail("argument 'mode' is 'hard', 'smooth' or 'refined'");
  return [=](RuleContext &c, const std::string &path, Updates &updates) {
    Moments m(c, path);
    m.count();
    forEach(c, updates, [&](Value g, const TrainedParameter &p) -> Value {
      Value x = c.b.add(c.b.mul(g, 1 - b1), c.b.mul(m.read("mu", p), b1));
      m.average("mu", p, g, b2);
      if (mode == "smooth")
        return c.b.tanh(c.b.mul(x, beta));
      if (mode == "refined")
        return c.b.select(c.b.compare(CompareDirection::lt, c.b.abs(x), 1.0), x,
                          c.b.sign(x));
      return c.b.sign(x);
    });
  };
}

/// 1 / sqrt(x + eps), or 1 / (sqrt(x) + eps).
static Value inverseRoot(StepBuilder &b, Value x, double eps, bool inRoot) {
  if (inRoot)
    return b.rsqrt(b.add(x, eps));
  return b.div(b.scalarLike(x, 1), b.add(b.sqrt(x), eps));
}

/// By the root of the mean of squares or, centred, of the variance.
static Rule scaleByRoot(const CallArguments &a, bool isCentred) {
  double decay = a.number("decay"), eps = a.number("eps"),
         initial = a.number("initial_scale");
  bool inRoot = a.boolean("eps_in_sqrt"),
       corrects = a.boolean("bias_correction");
  return [=](RuleContext &c, const std::string &path, Updates &updates) {
    Moments m(c, path);
    Value correction;
    if (corrects)
      correction = m.correction(decay, m.count());
    auto average = [&](const char *name, const TrainedParameter &p, Value value,
                       double from) {
      Value result = m.average(name, p, value, decay, from);
      return corrects ? m.times(result, correction) : result;
    };
    forEach(c, updates, [&](Value g, const TrainedParameter &p) {
      Value mu = isCentred ? average("mu", p, g, 0) : Value();
      Value nu = average("nu", p, c.b.square(g), initial);
      if (mu)
        nu = c.b.sub(nu, c.b.square(mu));
      return c.b.mul(g, inverseRoot(c.b, nu, eps, inRoot));
    });
  };
}

Rule scaleByRms(const CallArguments &a) {
  return scaleByRoot(a, /*isCentred=*/false);
}

Rule scaleByStddev(const CallArguments &a) {
  return scaleByRoot(a, /*isCentred=*/true);
}

Rule scaleByRss(const CallArguments &a) {
  double initial = a.number("initial_accumulator_value"), eps = a.number("eps");
  return [=](RuleContext &c, const std::string &path, Updates &updates) {
    Moments m(c, path);
    forEach(c, updates, [&](Value g, const TrainedParameter &p) {
      Value sum = c.b.add(c.b.square(g), m.read("sum_of_squares", p, initial));
      m.write("sum_of_squares", p, sum);
      Value factor =
          c.b.select(c.b.compare(CompareDirection::gt, sum, 0.0),
                     c.b.rsqrt(c.b.add(sum, eps)), c.b.scalarLike(sum, 0));
      return c.b.mul(g, factor);
    });
  };
}

Rule scaleByAdadelta(const CallArguments &a) {
  double rho = a.number("rho"), eps = a.number("eps");
  return [=](RuleContext &c, const std::string &path, Updates &updates) {
    Moments m(c, path);
    forEach(c, updates, [&](Value g, const TrainedParameter &p) {
      Value squares = m.average("e_g", p, c.b.square(g), rho);
      Value past = c.b.sqrt(c.b.add(m.read("e_x", p), eps));
      Value update = c.b.mul(c.b.div(past, c.b.sqrt(c.b.add(squares, eps))), g);
      m.average("e_x", p, c.b.square(update), rho);
      return update;
    });
  };
}

Rule scaleByBelief(const CallArguments &a) {
  double b1 = a.number("b1"), b2 = a.number("b2"), eps = a.number("eps"),
         epsRoot = a.number("eps_root");
  bool nesterov = a.boolean("nesterov");
  return [=](RuleContext &c, const std::string &path, Updates &updates) {
    Moments m(c, path);
    Corrections corrections(m, c.b, b1, b2, m.count(), nesterov);
    forEach(c, updates, [&](Value g, const TrainedParameter &p) {
      Value mu = m.average("mu", p, g, b1);
      Value error = c.b.square(c.b.sub(g, mu));
      Value nu = c.b.add(m.average("nu", p, error, b2), epsRoot);
      m.write("nu", p, nu);
      return quotient(c.b, corrections.mean(m, c.b, mu, g),
                      m.times(nu, corrections.second), eps, 0);
    });
  };
}

Rule scaleByYogi(const CallArguments &a) {
  double b1 = a.number("b1"), b2 = a.number("b2"), eps = a.number("eps"),
         epsRoot = a.numberOr("eps_root", 0),
         initial = a.numberOr("initial_accumulator_value", 1e-6);
  return [=](RuleContext &c, const std::string &path, Updates &updates) {
    Moments m(c, path);
    Corrections corrections(m, c.b, b1, b2, m.count(), false);
    forEach(c, updates, [&](Value g, const TrainedParameter &p) {
      Value mu = m.average("mu", p, g, b1, initial);
      Value square = c.b.square(g), past = m.read("nu", p, initial);
      Value nu = c.b.sub(
          past,
          c.b.mul(c.b.mul(c.b.sign(c.b.sub(past, square)), square), 1 - b2));
      m.write("nu", p, nu);
      return quotient(c.b, m.times(mu, corrections.first),
                      m.times(nu, corrections.second), eps, epsRoot);
    });
  };
}

Rule scaleByRadam(const CallArguments &a) {
  double b1 = a.number("b1"), b2 = a.number("b2"), eps = a.number("eps"),
         epsRoot = a.number("eps_root"), threshold = a.number("threshold");
  bool nesterov = a.boolean("nesterov");
  return [=](RuleContext &c, const std::string &path, Updates &updates) {
    StepBuilder &b = c.b;
    Moments m(c, path);
    Value count = m.count();
    Corrections corrections(m, b, b1, b2, count, nesterov);
    // The length of the average, and the variance that goes with it.
    double longest = 2 / (1 - b2) - 1;
    Value power = b.pow(b.scalarLike(count, b2), count);
    Value length =
        b.sub(b.scalarLike(count, longest),
              b.mul(b.mul(b.mul(count, 2.0), power), corrections.second));
    Value square =
        b.div(b.mul(b.mul(b.sub(length, 4.0), b.sub(length, 2.0)), longest),
              b.mul(length, (longest - 4) * (longest - 2)));
    Value isLong = b.compare(CompareDirection::ge, length, threshold);
    Value rectification =
        b.sqrt(b.select(isLong, square, b.scalarLike(square, 1)));
    forEach(c, updates, [&](Value g, const TrainedParameter &p) {
      Value mean = corrections.mean(m, b, m.average("mu", p, g, b1), g);
      Value nu =
          m.times(m.average("nu", p, b.square(g), b2), corrections.second);
      Value scaled =
          quotient(b, m.times(mean, rectification), nu, eps, epsRoot);
      return b.select(isLong, scaled, mean);
    });
  };
}

Rule scaleByNovograd(const CallArguments &a) {
  if (a["weight_decay"].kind == Expression::Kind::Call)
    a.fail("argument 'weight_decay' is a schedule, expected a number");
  double b1 = a.number("b1"), b2 = a.number("b2"), eps = a.number("eps"),
         epsRoot = a.number("eps_root"), decay = a.number("weight_decay");
  return [=](RuleContext &c, const std::string &path, Updates &updates) {
    Moments m(c, path);
    Value isFirst = c.b.compare(CompareDirection::eq, m.count(), 1.0);
    forEach(c, updates, [&](Value g, const TrainedParameter &p) {
      Value square = c.b.sumAll(c.b.square(g));
      Value nu = c.b.select(isFirst, square, m.average("nu", p, square, b2));
      m.write("nu", p, nu);
      Value update = c.b.div(
          g, c.b.add(c.b.sqrt(epsRoot == 0 ? nu : c.b.add(nu, epsRoot)), eps));
      if (decay != 0)
        update = c.b.add(update, c.b.mul(p.value, decay));
      Value mu = c.b.add(c.b.mul(m.read("mu", p), b1), update);
      m.write("mu", p, mu);
      return mu;
    });
  };
}

/// The two largest dimensions, the second largest first; nothing where they are
/// too small. Of equals the last ones, as a stable sort has them.
static std::optional<std::pair<int64_t, int64_t>>
factoredDims(RankedTensorType type, bool factored, int64_t least) {
  if (!factored || type.getRank() < 2)
    return std::nullopt;
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  std::stable_sort(dims.begin(), dims.end(), [&](int64_t i, int64_t j) {
    return type.getDimSize(i) < type.getDimSize(j);
  });
  int64_t second = dims[dims.size() - 2];
  if (type.getDimSize(second) < least)
    return std::nullopt;
  return std::make_pair(second, dims.back());
}

Rule scaleByFactoredRms(const CallArguments &a) {
  bool factored = a.boolean("factored");
  double rate = a.number("decay_rate"),
         offset =
             a.number(a.has("step_offset") ? "step_offset" : "decay_offset"),
         epsilon = a.number(a.has("epsilon") ? "epsilon" : "eps");
  int64_t least = a.integer("min_dim_size_to_factor");
  return [=](RuleContext &c, const std::string &path, Updates &updates) {
    StepBuilder &b = c.b;
    Moments m(c, path);
    // Optax computes this decay in f32 for parameters of f64, too.
    Value count = b.sub(m.count(), offset);
    Value power = b.convert(b.pow(count, b.scalarLike(count, -rate)),
                            b.builder.getF32Type());
    Value one = b.scalarLike(power, 1);
    Value decay = b.sub(one, power), fresh = b.sub(one, decay);
    auto average = [&](const char *field, const TrainedParameter &p, Value x) {
      Value past = c.read(m.name(field, p), StepBuilder::typeOf(x));
      Value now = b.add(m.times(past, decay), m.times(x, fresh));
      m.write(field, p, now);
      return now;
    };
    forEach(c, updates, [&](Value g, const TrainedParameter &p) -> Value {
      Value square = b.add(b.square(g), epsilon);
      auto dims = factoredDims(StepBuilder::typeOf(g), factored, least);
      if (!dims)
        return b.mul(g, b.rsqrt(average("v", p, square)));
      auto [second, first] = *dims;
      Value row = average("v_row", p, b.mean(square, {first}));
      Value column = average("v_col", p, b.mean(square, {second}));
      int64_t reduced = second > first ? second - 1 : second;
      Value mean = b.repeat(b.mean(row, {reduced}), {reduced}, row);
      Value byRow = b.repeat(b.rsqrt(b.div(row, mean)), {first}, g);
      Value byColumn = b.repeat(b.rsqrt(column), {second}, g);
      return b.mul(b.mul(g, byRow), byColumn);
    });
  };
}

Rule traceOf(double decay, bool nesterov) {
  return [=](RuleContext &c, const std::string &path, Updates &updates) {
    Moments m(c, path);
    forEach(c, updates, [&](Value g, const TrainedParameter &p) {
      Value trace = c.b.add(g, c.b.mul(m.read("trace", p), decay));
      m.write("trace", p, trace);
      return nesterov ? c.b.add(g, c.b.mul(trace, decay)) : trace;
    });
  };
}

Rule emaOf(double decay, bool debias) {
  return [=](RuleContext &c, const std::string &path, Updates &updates) {
    Moments m(c, path);
    Value correction = m.correction(decay, m.count());
    forEach(c, updates, [&](Value g, const TrainedParameter &p) {
      Value mean = m.average("ema", p, g, decay);
      return debias ? m.times(mean, correction) : mean;
    });
  };
}

} // namespace zenith::training
