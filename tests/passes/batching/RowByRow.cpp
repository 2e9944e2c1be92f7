// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes rows of random arguments, stacks them, and compares results.

#include "RowByRow.h"
#include "ir/GraphOps.h"
#include "ir/SearchOps.h"
#include "ir/interpreter/Interpreter.h"
#include "ir/tensor/Scalar.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "passes/batching/BatchRule.h"
#include <cmath>

using namespace mlir;
using zenith::interpreter::ElementAccess;
using zenith::interpreter::Scalar;

namespace zenith::batching {

std::unique_ptr<MLIRContext> batchingContext() {
  DialectRegistry registry;
  registry
      .insert<graph::GraphDialect, search::SearchDialect, func::FuncDialect>();
  registerBatchRules(registry);
  auto context = std::make_unique<MLIRContext>(registry);
  context->loadAllAvailableDialects();
  return context;
}

static void sortElements(Tensor &vector) {
  ElementAccess access(vector.elementType());
  std::vector<Scalar> elements;
  for (int64_t i = 0; i < vector.size(); ++i)
    elements.push_back(access.load(vector.bytes() + i * access.bytes()));
  std::sort(elements.begin(), elements.end(),
            [](const Scalar &a, const Scalar &b) {
              return a.asDouble() < b.asDouble();
            });
  char *to = vector.writable();
  for (int64_t i = 0; i < vector.size(); ++i)
    access.store(to + i * access.bytes(), elements[size_t(i)]);
}

static Tensor randomTensor(RankedTensorType type, std::mt19937 &generator,
                           bool ascending) {
  Tensor result(type);
  ElementAccess access(type.getElementType());
  std::uniform_real_distribution<double> uniform(0.1, 1.5);
  char *to = result.writable();
  for (int64_t i = 0; i < type.getNumElements(); ++i, to += access.bytes()) {
    if (isa<ComplexType>(type.getElementType()))
      access.store(to,
                   Scalar::ofComplex(uniform(generator), uniform(generator)));
    else if (isa<FloatType>(type.getElementType()))
      access.store(to, Scalar::ofFloat(uniform(generator)));
    else if (type.getElementType().isUnsignedInteger(32))
      access.store(to, Scalar::ofUnsigned(generator()));
    else
      access.store(to, Scalar::ofSigned(int64_t(generator() % 3)));
  }
  if (ascending && type.getRank() == 1)
    sortElements(result);
  return result;
}

/// Of rank 0 and i64: a size, where it is one.
static bool maySize(RankedTensorType type) {
  return type.getRank() == 0 && type.getElementType().isSignlessInteger(64);
}

static int64_t product(ArrayRef<int64_t> shape) {
  return ShapedType::getNumElements(shape);
}

/// Copies row `row` between a tensor and its form with rows at `dim`.
static void copyRow(Tensor &one, Tensor &all, int64_t dim, int64_t row,
                    bool into) {
  int64_t bytes = elementBytes(one.elementType());
  int64_t outer = product(one.shape().take_front(dim)),
          inner = product(one.shape().drop_front(dim)) * bytes,
          rows = all.shape()[dim];
  char *single = one.writable(), *batch = all.writable();
  for (int64_t i = 0; i < outer; ++i) {
    char *here = batch + (i * rows + row) * inner;
    std::memcpy(into ? here : single + i * inner,
                into ? single + i * inner : here, size_t(inner));
  }
}

static std::string difference(const Tensor &expected, const Tensor &got) {
  if (expected.type() != got.type())
    return "types differ";
  ElementAccess access(expected.elementType());
  bool isSmall =
      expected.elementType().isF16() || expected.elementType().isBF16();
  double tolerance = isSmall ? 2e-2 : 2e-5;
  auto differs = [&](double x, double y) {
    return !(x == y || (std::isnan(x) && std::isnan(y)) ||
             std::abs(x - y) <= tolerance * std::max(1.0, std::abs(x)));
  };
  for (int64_t i = 0; i < expected.size(); ++i) {
    Scalar x = access.load(expected.bytes() + i * access.bytes()),
           y = access.load(got.bytes() + i * access.bytes());
    if (differs(x.real, y.real) || differs(x.imag, y.imag) ||
        x.integer != y.integer)
      return "element " + std::to_string(i) + ": " + y.str() + ", expected " +
             x.str();
  }
  return "";
}

namespace {

/// Arguments of all rows, and of each.
struct Arguments {
  std::vector<Tensor> batched;
  std::vector<std::vector<Tensor>> rows;
};

} // namespace

static Arguments makeArguments(func::FuncOp function, const RowCheck &check) {
  std::mt19937 generator(check.seed);
  Arguments arguments;
  arguments.rows.resize(size_t(check.rows));
  for (auto [type, dim] :
       llvm::zip_equal(function.getArgumentTypes(), check.options.in)) {
    auto tensor = cast<RankedTensorType>(type);
    SmallVector<int64_t> shape(tensor.getShape());
    std::replace(shape.begin(), shape.end(), ShapedType::kDynamic, check.size);
    tensor = tensor.clone(shape);
    if (!dim) {
      Tensor value = randomTensor(tensor, generator, check.ascending);
      if (maySize(tensor))
        reinterpret_cast<int64_t *>(value.writable())[0] = check.size;
      arguments.batched.push_back(value);
      for (auto &row : arguments.rows)
        row.push_back(value);
      continue;
    }
    shape.insert(shape.begin() + *dim, check.rows);
    Tensor all(tensor.clone(shape));
    for (auto [i, row] : llvm::enumerate(arguments.rows)) {
      row.push_back(randomTensor(tensor, generator, check.ascending));
      copyRow(row.back(), all, *dim, int64_t(i), /*into=*/true);
    }
    arguments.batched.push_back(all);
  }
  return arguments;
}

/// The batched function beside the other one; its diagnostics in `text`.
static func::FuncOp batchedIn(ModuleOp module, func::FuncOp function,
                              const VmapOptions &options, std::string &text) {
  ScopedDiagnosticHandler handler(module.getContext(), [&](Diagnostic &d) {
    text += d.str() + "\n";
    return success();
  });
  auto made = vmapFunction(function, options);
  if (failed(made))
    return func::FuncOp();
  func::FuncOp result = made->release();
  module.push_back(result);
  if (failed(verify(module))) {
    text += "does not verify:\n";
    llvm::raw_string_ostream stream(text);
    result->print(stream);
    return func::FuncOp();
  }
  return result;
}

Comparison compareRows(ModuleOp original, StringRef name,
                       const RowCheck &check) {
  OwningOpRef<ModuleOp> module(cast<ModuleOp>(original->clone()));
  auto function = module->lookupSymbol<func::FuncOp>(name);
  Arguments arguments = makeArguments(function, check);
  interpreter::Options limits;
  limits.maxLoopSteps = 1000;
  std::vector<std::vector<Tensor>> expected;
  for (const auto &row : arguments.rows) {
    auto results = interpreter::run(function, row, limits);
    if (!results)
      return {Outcome::NoRows, llvm::toString(results.takeError())};
    expected.push_back(*results);
  }
  VmapOptions options = check.options;
  options.name = "batched";
  std::string text;
  func::FuncOp batched = batchedIn(*module, function, options, text);
  if (!batched)
    return {StringRef(text).contains("so vmap has no form of it")
                ? Outcome::Refused
                : Outcome::Wrong,
            text};
  auto got = interpreter::run(batched, arguments.batched, limits);
  auto wrong = [&](const std::string &why) {
    std::string program;
    llvm::raw_string_ostream stream(program);
    function->print(stream);
    batched->print(stream);
    return Comparison{Outcome::Wrong, why + "\n" + program};
  };
  if (!got)
    return wrong(llvm::toString(got.takeError()));
  for (size_t i = 0; i < got->size(); ++i) {
    int64_t out = options.out.size() == 1 ? options.out[0] : options.out[i];
    for (size_t row = 0; row < expected.size(); ++row) {
      Tensor one(expected[row][i].type());
      SmallVector<int64_t> shape(one.shape());
      shape.insert(shape.begin() + out, check.rows);
      if ((*got)[i].shape() != ArrayRef<int64_t>(shape))
        return wrong("result " + std::to_string(i) + " has another shape");
      copyRow(one, (*got)[i], out, int64_t(row), /*into=*/false);
      std::string text = difference(expected[row][i], one);
      if (!text.empty())
        return wrong("result " + std::to_string(i) + ", row " +
                     std::to_string(row) + ", " + text);
    }
  }
  return {Outcome::Equal, ""};
}

} // namespace zenith::batching
