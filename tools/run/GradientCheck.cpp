// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One element moves up and down; cotangents and tangents are random with a
// fixed seed.

#include "tools/run/GradientCheck.h"

#include "ir/GraphOps.h"
#include "ir/LLVMError.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "passes/autodiff/DeriveModule.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <random>

using namespace mlir;
using namespace zenith;
using namespace zenith::tools;
using autodiff::Transformation;

void GradientSummary::add(const std::string &place, double got,
                          double expected) {
  ++compared;
  bool isSame = got == expected || (std::isnan(got) && std::isnan(expected));
  double excess =
      isSame ? 0
             : std::abs(got - expected) / (1e-6 + 1e-4 * std::abs(expected));
  if (std::isnan(excess))
    excess = std::numeric_limits<double>::infinity();
  if (excess <= worst && !where.empty())
    return;
  worst = excess;
  where = place;
  derived = got;
  difference = expected;
}

std::string GradientSummary::text() const {
  return llvm::formatv(
      "{0} derivatives compared; the worst, {1}: derived {2:E6}, "
      "central difference {3:E6}",
      compared, where, derived, difference);
}

static Type widened(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.clone(widened(tensor.getElementType()));
  if (auto complex = dyn_cast<ComplexType>(type))
    return ComplexType::get(Float64Type::get(type.getContext()));
  if (isa<FloatType>(type))
    return Float64Type::get(type.getContext());
  return type;
}

static ElementsAttr widened(ElementsAttr elements) {
  auto dense = dyn_cast<DenseElementsAttr>(elements);
  auto type = cast<RankedTensorType>(widened(Type(elements.getShapedType())));
  if (!dense || type == elements.getShapedType())
    return elements;
  auto wide = [](APFloat value) {
    bool inexact;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                  &inexact);
    return value;
  };
  if (isa<FloatType>(type.getElementType())) {
    SmallVector<APFloat> values;
    for (APFloat value : dense.getValues<APFloat>())
      values.push_back(wide(value));
    return DenseElementsAttr::get(type, values);
  }
  SmallVector<std::complex<APFloat>> values;
  for (std::complex<APFloat> value : dense.getValues<std::complex<APFloat>>())
    values.emplace_back(wide(value.real()), wide(value.imag()));
  return DenseElementsAttr::get(type, values);
}

Tensor zenith::tools::widenToF64(const Tensor &tensor) {
  if (widened(Type(tensor.type())) == tensor.type())
    return tensor;
  return Tensor::fromElements(widened(cast<ElementsAttr>(tensor.toElements())));
}

static void widenTypes(func::FuncOp function) {
  auto wide = [](TypeRange types) {
    return llvm::map_to_vector(types, [](Type type) { return widened(type); });
  };
  function.setType(FunctionType::get(function.getContext(),
                                     wide(function.getArgumentTypes()),
                                     wide(function.getResultTypes())));
}

llvm::Error zenith::tools::widenToF64(ModuleOp module) {
  Operation *bits = nullptr;
  module.walk([&](Operation *op) {
    if (auto cast = dyn_cast<graph::BitcastOp>(op);
        cast && (graph::isDifferentiable(cast.getOperand().getType()) ||
                 graph::isDifferentiable(cast.getType())))
      bits = op;
    for (Value result : op->getResults())
      result.setType(widened(result.getType()));
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          argument.setType(widened(argument.getType()));
    if (auto function = dyn_cast<func::FuncOp>(op))
      widenTypes(function);
    if (auto constant = dyn_cast<graph::ConstantOp>(op))
      constant.setValueAttr(widened(constant.getValueAttr()));
    if (auto param = dyn_cast<graph::ParamOp>(op)) {
      param.setTypeAttr(TypeAttr::get(widened(param.getType())));
      if (auto source = dyn_cast_or_null<ElementsAttr>(param.getSourceAttr()))
        param.setSourceAttr(widened(source));
    }
  });
  if (!bits)
    return llvm::Error::success();
  return makeError(ErrorCode::Unsupported,
                   "--check-grads: 'graph.bitcast' op of floats has no meaning "
                   "in f64");
}

namespace {

/// A function that a rule made, in a module of its own: what functions say
/// about derivatives is gone there.
struct Derived {
  OwningOpRef<ModuleOp> module;
  std::string name;

  func::FuncOp function() const {
    ModuleOp inside = module.get();
    return inside.lookupSymbol<func::FuncOp>(name);
  }
};

/// One function at one point.
class Check {
public:
  Check(ModuleOp module, std::string entry, std::vector<Tensor> arguments,
        const interpreter::Options &options, GradientSummary &summary)
      : module(module), entry(std::move(entry)),
        arguments(std::move(arguments)), options(options), summary(summary) {}

  llvm::Error compareGradients();
  llvm::Error compareTangents();
  /// The function that a rule makes, and arguments for it.
  llvm::Expected<Derived> derive(Transformation::Rule rule);
  std::vector<Tensor> argumentsOf(const Derived &derived);

private:
  llvm::Expected<std::vector<Tensor>> run(ArrayRef<Tensor> values) {
    return interpreter::run(module.lookupSymbol<func::FuncOp>(entry), values,
                            options);
  }
  llvm::Expected<std::vector<Tensor>> run(const Derived &derived,
                                          ArrayRef<Tensor> values) {
    return interpreter::run(derived.function(), values, options);
  }
  llvm::Expected<double> weighted(ArrayRef<Tensor> values,
                                  ArrayRef<Tensor> weights);
  llvm::Expected<double> differenceAt(unsigned argument, int64_t element,
                                      ArrayRef<Tensor> weights);
  size_t results() {
    return module.lookupSymbol<func::FuncOp>(entry).getNumResults();
  }

  ModuleOp module;
  std::string entry;
  std::vector<Tensor> arguments;
  const interpreter::Options &options;
  GradientSummary &summary;
};

} // namespace

static bool isActive(const Tensor &tensor) {
  return graph::isDifferentiable(tensor.type());
}

/// Numbers of f64 in a tensor: two for a complex one.
static int64_t numbers(const Tensor &tensor) {
  return tensor.byteSize() / int64_t(sizeof(double));
}

static double *writable(Tensor &tensor) {
  return reinterpret_cast<double *>(tensor.writable());
}

static const double *elements(const Tensor &tensor) {
  return reinterpret_cast<const double *>(tensor.bytes());
}

/// The gradient of a real loss is dL/dRe - i dL/dIm.
static double signOf(const Tensor &tensor, int64_t number) {
  return isa<ComplexType>(tensor.elementType()) && number % 2 ? -1 : 1;
}

static Tensor randomTensor(RankedTensorType type, uint32_t seed) {
  Tensor tensor(type);
  if (!isActive(tensor))
    return tensor;
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int64_t i = 0; i < numbers(tensor); ++i)
    writable(tensor)[i] = uniform(generator);
  return tensor;
}

/// Random numbers; 0 for those of `like` that are not finite, which have no
/// differences.
static Tensor weightsFor(const Tensor &like, uint32_t seed) {
  Tensor weights = randomTensor(like.type(), seed);
  for (int64_t i = 0; i < numbers(like); ++i)
    if (!std::isfinite(elements(like)[i]))
      writable(weights)[i] = 0;
  return weights;
}

llvm::Expected<Derived> Check::derive(Transformation::Rule rule) {
  Transformation transformation;
  transformation.rule = rule;
  OwningOpRef<ModuleOp> copy(module.clone());
  auto name = autodiff::deriveModule(*copy, entry, transformation,
                                     [&](autodiff::BuildPasses build) {
                                       PassManager passes(copy->getContext());
                                       build(passes);
                                       return passes.run(*copy);
                                     });
  if (!name)
    return name.takeError();
  return Derived{std::move(copy), *name};
}

/// Those of the function, then random ones of the shapes of results or
/// arguments of floats.
std::vector<Tensor> Check::argumentsOf(const Derived &derived) {
  func::FuncOp function = derived.function();
  std::vector<Tensor> all = arguments;
  std::vector<Tensor> shapes;
  auto values = run(arguments);
  if (values)
    shapes = *values;
  else
    llvm::consumeError(values.takeError());
  bool isForward = StringRef(derived.name).starts_with(entry + "_jvp");
  for (const Tensor &like : isForward ? arguments : shapes)
    if (isActive(like) && all.size() < function.getNumArguments())
      all.push_back(weightsFor(like, 71 + all.size()));
  return all;
}

llvm::Expected<double> Check::weighted(ArrayRef<Tensor> values,
                                       ArrayRef<Tensor> weights) {
  auto results = run(values);
  if (!results)
    return results.takeError();
  double sum = 0;
  size_t next = 0;
  for (const Tensor &result : *results) {
    if (!isActive(result))
      continue;
    const Tensor &weight = weights[next++];
    for (int64_t i = 0; i < numbers(result); ++i)
      if (elements(weight)[i] != 0)
        sum += signOf(result, i) * elements(result)[i] * elements(weight)[i];
  }
  return sum;
}

static double stepOf(double x) { return 1e-5 * std::max(1.0, std::abs(x)); }

llvm::Expected<double> Check::differenceAt(unsigned argument, int64_t element,
                                           ArrayRef<Tensor> weights) {
  double x = elements(arguments[argument])[element], h = stepOf(x), sums[2];
  for (int side : {0, 1}) {
    std::vector<Tensor> moved = arguments;
    writable(moved[argument])[element] = side ? x + h : x - h;
    auto sum = weighted(moved, weights);
    if (!sum)
      return sum;
    sums[side] = *sum;
  }
  return (sums[1] - sums[0]) / (2 * h);
}

llvm::Error Check::compareGradients() {
  auto made = derive(Transformation::Rule::Vjp);
  if (!made)
    return made.takeError();
  std::vector<Tensor> all = argumentsOf(*made);
  ArrayRef<Tensor> weights = ArrayRef(all).drop_front(arguments.size());
  auto gradients = run(*made, all);
  if (!gradients)
    return gradients.takeError();
  size_t next = results();
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    if (!isActive(argument))
      continue;
    const Tensor &gradient = (*gradients)[next++];
    int64_t count = numbers(argument), step = std::max<int64_t>(1, count / 64);
    for (int64_t i = 0; i < count; i += step) {
      if (!std::isfinite(elements(argument)[i]))
        continue;
      auto difference = differenceAt(index, i, weights);
      if (!difference)
        return difference.takeError();
      summary.add(llvm::formatv("@{0}: gradient of argument {1} at {2}",
                                made->name, index, i),
                  signOf(gradient, i) * elements(gradient)[i], *difference);
    }
  }
  return llvm::Error::success();
}

llvm::Error Check::compareTangents() {
  auto made = derive(Transformation::Rule::Jvp);
  if (!made)
    return made.takeError();
  std::vector<Tensor> all = argumentsOf(*made);
  auto derived = run(*made, all);
  if (!derived)
    return derived.takeError();
  double h = stepOf(1);
  std::vector<Tensor> sides[2];
  for (int side : {0, 1}) {
    std::vector<Tensor> moved = arguments;
    size_t next = arguments.size();
    for (Tensor &argument : moved)
      if (isActive(argument)) {
        const Tensor &tangent = all[next++];
        for (int64_t i = 0; i < numbers(argument); ++i)
          writable(argument)[i] += (side ? h : -h) * elements(tangent)[i];
      }
    auto values = run(moved);
    if (!values)
      return values.takeError();
    sides[side] = std::move(*values);
  }
  size_t next = results();
  for (auto [index, low] : llvm::enumerate(sides[0])) {
    if (!isActive(low))
      continue;
    const Tensor &tangent = (*derived)[next++], &high = sides[1][index];
    for (int64_t i = 0; i < numbers(low); ++i)
      if (double difference = elements(high)[i] - elements(low)[i];
          std::isfinite(difference))
        summary.add(llvm::formatv("@{0}: tangent of result {1} at {2}",
                                  made->name, index, i),
                    elements(tangent)[i], difference / (2 * h));
  }
  return llvm::Error::success();
}

static llvm::Error compareAll(ModuleOp module, const std::string &entry,
                              std::vector<Tensor> arguments, unsigned order,
                              const interpreter::Options &options,
                              GradientSummary &summary) {
  Check check(module, entry, arguments, options, summary);
  if (llvm::Error error = check.compareGradients())
    return error;
  if (llvm::Error error = check.compareTangents())
    return error;
  if (order < 2)
    return llvm::Error::success();
  for (auto rule : {Transformation::Rule::Vjp, Transformation::Rule::Jvp}) {
    auto made = check.derive(rule);
    if (!made)
      return made.takeError();
    if (llvm::Error error =
            compareAll(*made->module, made->name, check.argumentsOf(*made),
                       order - 1, options, summary))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error zenith::tools::checkGradients(ModuleOp module,
                                          const std::string &entry,
                                          std::vector<Tensor> arguments,
                                          unsigned order,
                                          const interpreter::Options &options,
                                          GradientSummary &summary) {
  if (llvm::Error error = compareAll(module, entry, std::move(arguments), order,
                                     options, summary))
    return error;
  if (summary.worst <= 1)
    return llvm::Error::success();
  return makeError(ErrorCode::Differs, "derivatives differ: " + summary.text());
}
