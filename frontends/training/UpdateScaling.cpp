// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules that scale, clip and decay; the formulas are those of Optax 0.2.8
// (transforms/_clipping.py, transforms/_adding.py, _src/transform.py).

#include "frontends/training/OptimizerRules.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using zenith::graph::CompareDirection;
using zenith::graph::ReduceKind;

namespace zenith::training {

Rule scaleBy(double factor) {
  return [=](RuleContext &c, const std::string &, Updates &updates) {
    forEach(c, updates, [&](Value g, const TrainedParameter &) {
      return c.b.mul(g, factor);
    });
  };
}

Rule scaleByRate(Schedule rate, double sign, bool isLearningRate) {
  return [=](RuleContext &c, const std::string &path, Updates &updates) {
    Value value = c.scheduled(rate, path + "/count");
    if (isLearningRate && !c.learningRate)
      c.learningRate = value;
    forEach(c, updates, [&](Value g, const TrainedParameter &) {
      return c.b.mul(
          g, c.b.convert(c.b.mul(value, sign), StepBuilder::elementOf(g)));
    });
  };
}

Rule clipTo(double most) {
  return [=](RuleContext &c, const std::string &, Updates &updates) {
    forEach(c, updates, [&](Value g, const TrainedParameter &) {
      return c.b.max(c.b.min(g, most), -most);
    });
  };
}

Rule clipByGlobalNorm(double most) {
  return [=](RuleContext &c, const std::string &, Updates &updates) {
    Value sum;
    for (Value g : updates)
      if (g) {
        Value part = c.b.sumAll(c.b.square(g));
        sum = sum ? c.b.add(sum, c.b.convert(part, StepBuilder::elementOf(sum)))
                  : part;
      }
    if (!sum)
      return;
    Value norm = c.b.sqrt(sum);
    Value isSmall = c.b.compare(CompareDirection::lt, norm, most);
    Value factor = c.b.select(isSmall, c.b.scalarLike(norm, 1),
                              c.b.div(c.b.scalarLike(norm, most), norm));
    forEach(c, updates, [&](Value g, const TrainedParameter &) {
      return c.b.mul(g, c.b.convert(factor, StepBuilder::elementOf(g)));
    });
  };
}

Rule clipByBlockRms(double threshold) {
  return [=](RuleContext &c, const std::string &, Updates &updates) {
    forEach(c, updates, [&](Value g, const TrainedParameter &) {
      Value rms = c.b.sqrt(c.b.meanAll(c.b.square(g)));
      return c.b.div(g, c.b.max(c.b.div(rms, threshold), 1.0));
    });
  };
}

/// The dimensions that one unit's norm goes over, by rank as Optax has it.
static SmallVector<int64_t> unitDims(RankedTensorType type) {
  int64_t larger =
      llvm::count_if(type.getShape(), [](int64_t size) { return size != 1; });
  int64_t count = type.getRank();
  if (larger > 1)
    count = type.getRank() <= 3 ? 1 : type.getRank() - 1;
  return llvm::to_vector(llvm::seq<int64_t>(0, count));
}

static Value unitNorm(StepBuilder &b, Value x, ArrayRef<int64_t> dims) {
  return b.repeat(b.sqrt(b.reduce(ReduceKind::sum, b.square(x), dims)), dims,
                  x);
}

Rule adaptiveGradClip(const CallArguments &a) {
  double clipping = a.number("clipping"), eps = a.number("eps");
  SmallVector<int64_t> given;
  const Expression &axis = a["axis"];
  if (axis.kind == Expression::Kind::Number)
    given.push_back(a.integer("axis"));
  for (const Expression &item : axis.items)
    given.push_back(int64_t(item.number));
  for (int64_t dim : given)
    if (dim < 0)
      a.fail("argument 'axis' counts from 0");
  llvm::sort(given);
  return [=](RuleContext &c, const std::string &, Updates &updates) {
    forEach(c, updates, [&](Value g, const TrainedParameter &p) {
      RankedTensorType type = StepBuilder::typeOf(g);
      SmallVector<int64_t> dims = unitDims(type);
      // Parameters of fewer dimensions have no such axis.
      if (!given.empty() && given.back() < type.getRank())
        dims = given;
      Value norm = unitNorm(c.b, g, dims);
      Value most =
          c.b.mul(c.b.max(unitNorm(c.b, p.value, dims), eps), clipping);
      constexpr double leastDivisor = 1e-6;
      Value clipped = c.b.mul(g, c.b.div(most, c.b.max(norm, leastDivisor)));
      return c.b.select(c.b.compare(CompareDirection::lt, norm, most), g,
                        clipped);
    });
  };
}

Rule addDecayedWeights(Schedule decay) {
  return [=](RuleContext &c, const std::string &path, Updates &updates) {
    if (decay.isConstant() && decay.value() == 0)
      return;
    Value value = c.scheduled(decay, path + "/count");
    forEach(c, updates, [&](Value g, const TrainedParameter &p) {
      Value factor = c.b.convert(value, StepBuilder::elementOf(g));
      return c.b.add(g, c.b.mul(p.value, factor));
    });
  };
}

Rule centralize() {
  return [](RuleContext &c, const std::string &, Updates &updates) {
    forEach(c, updates, [&](Value g, const TrainedParameter &) -> Value {
      int64_t rank = StepBuilder::typeOf(g).getRank();
      if (rank < 2)
        return g;
      auto dims = llvm::to_vector(llvm::seq<int64_t>(1, rank));
      return c.b.sub(g, c.b.repeat(c.b.mean(g, dims), dims, g));
    });
  };
}

Rule scaleBySign() {
  return [](RuleContext &c, const std::string &, Updates &updates) {
    forEach(c, updates,
            [&](Value g, const TrainedParameter &) { return c.b.sign(g); });
  };
}

Rule scaleByTrustRatio(double minNorm, double coefficient, double eps) {
  return [=](RuleContext &c, const std::string &, Updates &updates) {
    forEach(c, updates, [&](Value g, const TrainedParameter &p) {
      StepBuilder &b = c.b;
      Value ofParameter = b.max(b.norm(p.value), minNorm),
            ofUpdate = b.max(b.norm(g), minNorm);
      Value ratio =
          b.div(b.mul(ofParameter, coefficient), b.add(ofUpdate, eps));
      Value isZero = b.either(b.compare(CompareDirection::eq, ofParameter, 0.0),
                              b.compare(CompareDirection::eq, ofUpdate, 0.0));
      return b.mul(g, b.select(isZero, b.scalarLike(ratio, 1), ratio));
    });
  };
}

Rule scaleByParamBlock(double least, bool isRms) {
  return [=](RuleContext &c, const std::string &, Updates &updates) {
    forEach(c, updates, [&](Value g, const TrainedParameter &p) {
      Value size = isRms ? c.b.sqrt(c.b.meanAll(c.b.square(p.value)))
                         : c.b.norm(p.value);
      return c.b.mul(g, c.b.max(size, least));
    });
  };
}

} // namespace zenith::training
