// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random programs over random meshes: the program of one device, run by all
// devices of the interpreter, and the program of all devices give what the
// whole program gives. ZENITH_RANDOM_MESHES=N tests N programs instead of a few
// dozen, ZENITH_RANDOM_MESHES_FROM=SEED others.

#include "ir/GraphOps.h"
#include "ir/LLVMError.h"
#include "ir/interpreter/Interpreter.h"
#include "ir/program/Shardings.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "passes/sharding/PropagateShardings.h"
#include "passes/sharding/ShardingRule.h"
#include "passes/sharding/partition/PartitionProgram.h"
#include "passes/sharding/partition/ShardProgram.h"
#include "tests/passes/sharding/MeshPrograms.h"
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace mlir;
using namespace zenith;

namespace {

uint32_t setting(const char *name, uint32_t otherwise) {
  const char *text = std::getenv(name);
  return text ? uint32_t(std::atol(text)) : otherwise;
}

Tensor randomTensor(RankedTensorType type, uint32_t seed) {
  std::mt19937 generator(seed);
  Tensor tensor(type);
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    if (type.getElementType().isF32())
      reinterpret_cast<float *>(tensor.writable())[i] =
          float(int(generator() % 2001) - 1000) / 1000;
    else
      reinterpret_cast<int64_t *>(tensor.writable())[i] =
          int64_t(generator() % 16) - 4;
  return tensor;
}

std::vector<Tensor> randomArguments(func::FuncOp function, uint32_t seed) {
  std::vector<Tensor> arguments;
  for (Type type : function.getArgumentTypes())
    arguments.push_back(
        randomTensor(cast<RankedTensorType>(type), seed + arguments.size()));
  return arguments;
}

bool isSameBytes(const Tensor &lhs, const Tensor &rhs) {
  return lhs.type() == rhs.type() &&
         std::memcmp(lhs.bytes(), rhs.bytes(), size_t(lhs.byteSize())) == 0;
}

/// Sums over devices are rounded in another order than those of the whole
/// program.
void expectClose(const Tensor &whole, const Tensor &dealt) {
  ASSERT_EQ(whole.type(), dealt.type());
  if (!whole.elementType().isF32()) {
    EXPECT_TRUE(isSameBytes(whole, dealt));
    return;
  }
  auto *left = reinterpret_cast<const float *>(whole.bytes());
  auto *right = reinterpret_cast<const float *>(dealt.bytes());
  double largest = 0;
  for (int64_t i = 0; i < whole.size(); ++i)
    if (std::isfinite(left[i]))
      largest = std::max(largest, double(std::abs(left[i])));
  for (int64_t i = 0; i < whole.size(); ++i)
    if (std::isfinite(left[i]))
      ASSERT_NEAR(left[i], right[i], 1e-6 + 2e-5 * largest) << "element " << i;
}

class RandomMeshes : public testing::Test {
protected:
  RandomMeshes() : context(registry()) {
    context.loadDialect<graph::GraphDialect, func::FuncDialect>();
  }
  static DialectRegistry registry() {
    DialectRegistry registry;
    sharding::registerShardingRules(registry);
    return registry;
  }
  OwningOpRef<ModuleOp> parse(const std::string &text) {
    return parseSourceString<ModuleOp>(text, &context);
  }
  llvm::Expected<std::vector<Tensor>> run(ModuleOp module,
                                          ArrayRef<Tensor> arguments) {
    return interpreter::run(module.lookupSymbol<func::FuncOp>("main"),
                            arguments);
  }
  void check(uint32_t seed);

  MLIRContext context;
};

void RandomMeshes::check(uint32_t seed) {
  MeshProgram program = randomMeshProgram(seed);
  SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + program.text);
  OwningOpRef<ModuleOp> module = parse(program.text);
  ASSERT_TRUE(module);
  std::vector<Tensor> arguments =
      randomArguments(module->lookupSymbol<func::FuncOp>("main"), seed);
  auto whole = run(*module, arguments);
  ASSERT_TRUE(bool(whole)) << llvm::toString(whole.takeError());
  sharding::ShardOptions options;
  options.meshDevices = program.devices;
  options.entry = "main";
  options.keepPartitioned = true;
  llvm::Error error = sharding::shardProgram(*module, options);
  ASSERT_FALSE(bool(error)) << llvm::toString(std::move(error));
  ASSERT_TRUE(succeeded(verify(*module)));
  auto dealt = run(*module, arguments);
  ASSERT_TRUE(bool(dealt)) << llvm::toString(dealt.takeError());
  error = sharding::unrollProgram(*module);
  ASSERT_FALSE(bool(error)) << llvm::toString(std::move(error));
  ASSERT_TRUE(succeeded(verify(*module)));
  auto unrolled = run(*module, arguments);
  ASSERT_TRUE(bool(unrolled)) << llvm::toString(unrolled.takeError());
  ASSERT_EQ(whole->size(), dealt->size());
  ASSERT_EQ(whole->size(), unrolled->size());
  for (size_t i = 0; i < whole->size(); ++i) {
    SCOPED_TRACE("result " + std::to_string(i));
    expectClose((*whole)[i], (*dealt)[i]);
    EXPECT_TRUE(isSameBytes((*dealt)[i], (*unrolled)[i]));
  }
}

StringRef nameOf(Operation *op) {
  auto name = dyn_cast<NameLoc>(op->getLoc());
  return name ? name.getName().getValue() : "";
}

/// Ops that run on blocks whatever the layout; products may give terms of the
/// whole size, which are then added and dealt at once.
bool runsOnBlocks(Operation *op) {
  return graph::familyOf(op) == graph::Family::Elementwise;
}

TEST_F(RandomMeshes, NoDealtValueIsWhole) {
  uint32_t first = setting("ZENITH_RANDOM_MESHES_FROM", 1),
           count = setting("ZENITH_RANDOM_MESHES", 80), dealtValues = 0;
  for (uint32_t seed = first; seed < first + count; ++seed) {
    MeshProgram program = randomMeshProgram(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + program.text);
    OwningOpRef<ModuleOp> module = parse(program.text);
    ASSERT_TRUE(module);
    ASSERT_TRUE(succeeded(sharding::propagateShardings(*module, {})));
    // By name of the value and of its op: a reshard is built beside the value.
    std::map<std::pair<std::string, std::string>, RankedTensorType> whole;
    auto keyOf = [](Operation *op) {
      return std::pair(nameOf(op).str(), op->getName().getStringRef().str());
    };
    module->walk([&](Operation *op) {
      graph::ShardingAttr sharding = op->getNumResults() == 1
                                         ? graph::shardingOf(op->getResult(0))
                                         : graph::ShardingAttr();
      if (!runsOnBlocks(op) || !sharding || nameOf(op).empty())
        return;
      auto type = cast<RankedTensorType>(op->getResult(0).getType());
      if (graph::blockType(type, sharding, graph::meshOf(op, sharding)) != type)
        whole[keyOf(op)] = type;
    });
    llvm::Error error = sharding::partitionProgram(*module);
    ASSERT_FALSE(bool(error)) << llvm::toString(std::move(error));
    module->walk([&](Operation *op) {
      auto found = whole.find(keyOf(op));
      if (found == whole.end() || !runsOnBlocks(op))
        return;
      ++dealtValues;
      EXPECT_NE(op->getResult(0).getType(), found->second)
          << found->first.first;
    });
  }
  EXPECT_GT(dealtValues, count / 2);
}

TEST_F(RandomMeshes, DevicesGiveWhatTheWholeProgramGives) {
  uint32_t first = setting("ZENITH_RANDOM_MESHES_FROM", 1),
           count = setting("ZENITH_RANDOM_MESHES", 80);
  for (uint32_t seed = first; seed < first + count; ++seed)
    check(seed);
}

} // namespace
