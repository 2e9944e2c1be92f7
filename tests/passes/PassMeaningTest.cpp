// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every function of the passes' text tests means the same before and after each
// pass, and after all of them in order.

#include "ir/GraphOps.h"
#include "ir/interpreter/Interpreter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "passes/GraphPasses.h"
#include "passes/autodiff/DerivationPasses.h"
#include "passes/precision/PrecisionPasses.h"
#include "passes/sharding/ShardingPasses.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <gtest/gtest.h>
#include <random>

using namespace mlir;
using namespace zenith;

namespace {

struct Program {
  std::string name, text;
};

std::vector<Program> allPrograms() {
  std::vector<Program> programs;
  std::error_code error;
  for (llvm::sys::fs::recursive_directory_iterator it(ZENITH_PASS_TESTS, error),
       end;
       it != end && !error; it.increment(error)) {
    StringRef path = it->path();
    if (!path.ends_with(".mlir") || path.ends_with("-invalid.mlir"))
      continue;
    auto buffer = llvm::MemoryBuffer::getFile(path);
    if (!buffer)
      continue;
    SmallVector<StringRef> parts;
    (*buffer)->getBuffer().split(parts, "// -----");
    for (auto [i, part] : llvm::enumerate(parts))
      programs.push_back(
          {(llvm::sys::path::stem(path) + "#" + std::to_string(i)).str(),
           part.str()});
  }
  llvm::sort(programs, [](const Program &a, const Program &b) {
    return a.name < b.name;
  });
  return programs;
}

/// Positive numbers, so that variances are; small integers, so that indices
/// are.
Tensor randomTensor(RankedTensorType type, uint32_t seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(0.1, 1.5);
  Type element = type.getElementType();
  if (element.isF32()) { // the tests' largest tensors are of this type
    Tensor result(type);
    for (int64_t i = 0; i < type.getNumElements(); ++i)
      reinterpret_cast<float *>(result.writable())[i] =
          float(uniform(generator));
    return result;
  }
  if (auto floating = dyn_cast<FloatType>(element)) {
    SmallVector<APFloat> values;
    for (int64_t i = 0; i < type.getNumElements(); ++i) {
      bool inexact;
      values.emplace_back(uniform(generator));
      values.back().convert(floating.getFloatSemantics(),
                            APFloat::rmNearestTiesToEven, &inexact);
    }
    return Tensor::fromElements(
        cast<ElementsAttr>(DenseElementsAttr::get(type, values)));
  }
  if (auto complex = dyn_cast<ComplexType>(element)) {
    bool isSingle = complex.getElementType().isF32();
    Tensor result(type);
    for (int64_t i = 0; i < 2 * type.getNumElements(); ++i)
      if (isSingle)
        reinterpret_cast<float *>(result.writable())[i] =
            float(uniform(generator) - 0.7);
      else
        reinterpret_cast<double *>(result.writable())[i] =
            uniform(generator) - 0.7;
    return result;
  }
  SmallVector<APInt> values;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    values.emplace_back(element.getIntOrFloatBitWidth(), generator() % 2);
  return Tensor::fromElements(
      cast<ElementsAttr>(DenseElementsAttr::get(type, values)));
}

/// Arguments with each named dimension of one size: `base`, base + 1, ...
std::vector<Tensor> randomArguments(func::FuncOp function, int64_t base) {
  std::map<std::string, int64_t> sizes;
  graph::DimAnalysis analysis;
  std::vector<Tensor> arguments;
  for (BlockArgument argument : function.getArguments()) {
    auto type = cast<RankedTensorType>(argument.getType());
    SmallVector<int64_t> shape;
    for (const graph::DimExpr &dim : analysis.dimsOf(argument)) {
      auto sizeOf = [&](const std::string &name) -> std::optional<int64_t> {
        return sizes.emplace(name, base == 0 ? 0 : base + int64_t(sizes.size()))
            .first->second;
      };
      shape.push_back(*dim.evaluate(sizeOf));
    }
    arguments.push_back(randomTensor(type.clone(shape), 17 + arguments.size()));
  }
  return arguments;
}

llvm::Expected<std::vector<Tensor>> interpret(ModuleOp module, StringRef name,
                                              int64_t base) {
  auto function = module.lookupSymbol<func::FuncOp>(name);
  interpreter::Options options;
  options.loadParam = [](StringRef param, RankedTensorType type,
                         Attribute source) -> llvm::Expected<Tensor> {
    if (auto elements = dyn_cast_or_null<ElementsAttr>(source))
      return Tensor::fromElements(elements);
    return randomTensor(type, uint32_t(llvm::hash_value(param)));
  };
  return interpreter::run(function, randomArguments(function, base), options);
}

double elementAt(DenseElementsAttr elements, int64_t index) {
  if (auto floats = dyn_cast<DenseFPElementsAttr>(elements)) {
    APFloat value = *(floats.value_begin<APFloat>() + index);
    bool inexact;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                  &inexact);
    return value.convertToDouble();
  }
  return (*(elements.value_begin<APInt>() + index)).getSExtValue();
}

/// The numbers of a tensor: both parts of complex ones.
std::vector<double> numbersOf(const Tensor &tensor) {
  std::vector<double> numbers;
  if (tensor.elementType().isF32()) {
    const float *elements = reinterpret_cast<const float *>(tensor.bytes());
    return std::vector<double>(elements, elements + tensor.size());
  }
  DenseElementsAttr elements = tensor.toElements();
  if (auto complex = dyn_cast<ComplexType>(tensor.elementType())) {
    bool isSingle = complex.getElementType().isF32();
    for (int64_t i = 0; i < 2 * tensor.size(); ++i)
      numbers.push_back(
          isSingle ? reinterpret_cast<const float *>(tensor.bytes())[i]
                   : reinterpret_cast<const double *>(tensor.bytes())[i]);
    return numbers;
  }
  for (int64_t i = 0; i < tensor.size(); ++i)
    numbers.push_back(elementAt(elements, i));
  return numbers;
}

void expectEqual(ArrayRef<Tensor> before, ArrayRef<Tensor> after) {
  ASSERT_EQ(before.size(), after.size());
  for (auto [a, b] : llvm::zip(before, after)) {
    ASSERT_EQ(a.type(), b.type());
    std::vector<double> left = numbersOf(a), right = numbersOf(b);
    double tolerance =
        a.elementType().isF16() || a.elementType().isBF16() ? 1e-2 : 1e-5;
    for (size_t i = 0; i < left.size(); ++i) {
      double x = left[i], y = right[i];
      if (x == y || (std::isnan(x) && std::isnan(y)))
        continue;
      ASSERT_NEAR(x, y, tolerance * std::max(1.0, std::abs(x)))
          << "element " << i;
    }
  }
}

bool hasNamedSizes(func::FuncOp function) {
  return llvm::any_of(function.getArgumentTypes(), [](Type type) {
    return !cast<RankedTensorType>(type).hasStaticShape();
  });
}

class PassMeaning : public testing::TestWithParam<const char *> {
protected:
  static void SetUpTestSuite() {
    static bool registered = [] {
      registerZenithPasses();
      registerZenithDerivationPasses();
      registerZenithPrecisionPasses();
      registerZenithShardingPasses();
      mlir::registerTransformsPasses();
      return true;
    }();
    (void)registered;
  }
};

TEST_P(PassMeaning, KeepsResults) {
  MLIRContext context;
  context.loadDialect<graph::GraphDialect, func::FuncDialect>();
  unsigned compared = 0;
  for (const Program &program : allPrograms()) {
    SCOPED_TRACE(program.name);
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(program.text, &context);
    ASSERT_TRUE(module);
    OwningOpRef<ModuleOp> changed = cast<ModuleOp>((*module)->clone());
    PassManager passes(&context);
    ASSERT_TRUE(succeeded(parsePassPipeline(GetParam(), passes)));
    ASSERT_TRUE(succeeded(passes.run(*changed)));
    for (auto function : module->getOps<func::FuncOp>()) {
      SCOPED_TRACE(function.getName().str());
      for (int64_t base : {3, 1, 0}) {
        SCOPED_TRACE(base);
        auto before = interpret(*module, function.getName(), base);
        if (!before) {
          llvm::consumeError(before.takeError());
          continue;
        }
        auto after = interpret(*changed, function.getName(), base);
        ASSERT_TRUE(bool(after)) << llvm::toString(after.takeError());
        expectEqual(*before, *after);
        ++compared;
        if (!hasNamedSizes(function))
          break; // the other bases would give the same arguments
      }
    }
  }
  EXPECT_GT(compared, 100u);
}

INSTANTIATE_TEST_SUITE_P(
    EachPass, PassMeaning,
    testing::Values(
        "func.func(zenith-fold-constants)", "func.func(zenith-simplify-sizes)",
        "func.func(zenith-insert-size-checks)",
        "func.func(zenith-simplify-algebra)",
        "func.func(zenith-raise-checkpoints)",
        "func.func(zenith-raise-checkpoints{mode=off})",
        "func.func(zenith-raise-composites)",
        "func.func(zenith-decompose-composites)",
        "func.func(zenith-simplify-control)", "func.func(zenith-raise-regions)",
        "func.func(zenith-decompose-random)", "func.func(zenith-split-complex)",
        "func.func(zenith-decompose-random,zenith-legalize-types{types=bf16,"
        "f16,f8})",
        "func.func(zenith-choose-state-keys)", "zenith-propagate-shardings",
        "zenith-ignore-shardings",
        "func.func(zenith-choose-state-keys{dense-bytes=1000000})",
        "func.func(zenith-choose-state-keys{dense-bytes=1000000 "
        "without=bit-rows})",
        "func.func(zenith-choose-state-keys{dense-bytes=1000000 "
        "without=bit-rows,dense-index})",
        "func.func(zenith-choose-state-keys{memory-bytes=1})",
        "func.func(zenith-choose-state-keys{memory-bytes=1000})",
        "func.func(zenith-score-first)", "func.func(zenith-grow-lists)",
        "func.func(zenith-choose-layouts)",
        "func.func(zenith-split-dilated-inputs)",
        "func.func(zenith-choose-layouts,zenith-sink-transposes)",
        "func.func(zenith-split-windows)",
        "zenith-assign-precision{policy=f32}",
        "func.func(zenith-lower-precision)",
        "func.func(zenith-lower-blockwise-scales)",
        "func.func(zenith-keep-integer-weights)",
        "func.func(zenith-fold-batch-norm)",
        "func.func(zenith-lower-int8-matmuls)",
        "func.func(zenith-lower-int16-matmuls)",
        "func.func(zenith-narrow-depthwise-filters)",
        "func.func(zenith-reduce-single-columns)",
        "func.func(zenith-pack-batched-matmuls)",
        "func.func(zenith-pack-matmuls)", "func.func(zenith-pack-few-outputs)",
        "func.func(zenith-pack-groups)", "func.func(zenith-pack-filters)",
        "func.func(zenith-pack-tables)",
        "func.func(zenith-hoist-loop-invariants{panel=16})",
        "zenith-hoist-prepare",
        "func.func(zenith-decompose-random,zenith-decompose-attention,zenith-"
        "read-kv-segments,zenith-"
        "sink-scales,zenith-keep-int8-operands,zenith-resolve-dims,zenith-form-"
        "fusions,zenith-keep-narrow-values,zenith-cheap-rematerialization,"
        "zenith-copy-returned-values)",
        "zenith-canonicalize,func.func(zenith-merge-equal-ops,zenith-fold-"
        "constants,"
        "zenith-simplify-sizes,zenith-simplify-algebra,zenith-simplify-sizes,"
        "zenith-raise-"
        "composites,zenith-simplify-sizes,zenith-choose-layouts,zenith-split-"
        "dilated-inputs,zenith-sink-transposes,zenith-split-windows,zenith-"
        "fold-batch-norm,zenith-simplify-algebra,zenith-fold-constants),"
        "zenith-canonicalize,func.func(zenith-merge-equal-ops,zenith-lower-"
        "int16-"
        "matmuls,zenith-reduce-"
        "single-columns,zenith-pack-batched-matmuls,zenith-pack-matmuls,zenith-"
        "pack-few-outputs,zenith-pack-groups,zenith-pack-filters,zenith-pack-"
        "tables),zenith-hoist-prepare,"
        "func.func(zenith-merge-equal-ops,zenith-decompose-random,zenith-"
        "decompose-attention,zenith-"
        "read-kv-segments,zenith-"
        "sink-scales,zenith-keep-int8-operands,zenith-resolve-dims,zenith-form-"
        "fusions,zenith-keep-narrow-values,zenith-cheap-rematerialization,"
        "zenith-copy-returned-values)"));

} // namespace
