// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Seeded mutations of programs with shardings: whatever a text says, reading,
// propagating, partitioning and unrolling end in a valid program or in an error
// that is not the compiler's. ZENITH_SHARDING_MUTANTS=N tests N mutants instead
// of a few hundred, ZENITH_SHARDING_MUTANTS_FROM=SEED others, and
// ZENITH_SHARDING_CASES=DIR mutates the modules of DIR/*.jsonl too. A mutant
// that takes a minute ends the test.

#include "frontends/stablehlo/ImportStableHLO.h"
#include "frontends/stablehlo/bytecode/EscapingNames.h"
#include "frontends/stablehlo/bytecode/NewerText.h"
#include "frontends/stablehlo/dialect/StableHLODialect.h"
#include "ir/CollectiveOps.h"
#include "ir/LLVMError.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "passes/sharding/ShardingRule.h"
#include "passes/sharding/partition/PartitionProgram.h"
#include "passes/sharding/partition/ShardProgram.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <cstdlib>
#include <gtest/gtest.h>
#include <random>
#include <regex>
#include <unistd.h>

using namespace mlir;
using namespace zenith;

namespace {

uint32_t setting(const char *name, uint32_t otherwise) {
  const char *text = std::getenv(name);
  return text ? uint32_t(std::atol(text)) : otherwise;
}

std::string textOf(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

/// The modules to start from: this project's text tests, and given cases.
std::vector<std::string> sources() {
  std::vector<std::string> texts;
  for (StringRef path :
       {"ir/sharding.mlir", "ir/collective.mlir",
        "passes/sharding/propagate-shardings.mlir",
        "passes/sharding/partition.mlir", "passes/sharding/unroll-devices.mlir",
        "frontends/stablehlo/shardings.mlir", "tools/manual-shardings.mlir"}) {
    std::string text = textOf((ZENITH_TESTS + ("/" + path)).str());
    SmallVector<StringRef> parts;
    StringRef(text).split(parts, "// -----");
    for (StringRef part : parts)
      texts.push_back(part.str());
  }
  std::error_code error;
  const char *cases = std::getenv("ZENITH_SHARDING_CASES");
  for (llvm::sys::fs::directory_iterator it(cases ? cases : "", error), end;
       cases && it != end && !error; it.increment(error)) {
    if (llvm::sys::path::extension(it->path()) != ".jsonl")
      continue;
    std::string all = textOf(it->path());
    for (StringRef line : llvm::split(all, '\n')) {
      auto value = llvm::json::parse(line);
      if (!value) {
        llvm::consumeError(value.takeError());
        continue;
      }
      if (auto *object = value->getAsObject())
        if (auto module = object->getString("module"))
          texts.push_back(module->str());
    }
  }
  return texts;
}

class Mutator {
public:
  explicit Mutator(uint32_t seed) : generator(seed) {}

  std::string mutate(std::string text) {
    for (unsigned changes = 1 + below(3); changes > 0; --changes)
      change(text);
    return text;
  }
  unsigned below(size_t count) { return unsigned(generator() % count); }

private:
  std::vector<std::smatch> matches(const std::string &text,
                                   const char *pattern) {
    std::regex regex(pattern);
    return {std::sregex_iterator(text.begin(), text.end(), regex),
            std::sregex_iterator()};
  }
  // One match becomes another string.
  void replace(std::string &text, const char *pattern,
               llvm::function_ref<std::string(const std::string &)> other) {
    const std::string before = text;
    auto found = matches(before, pattern);
    if (found.empty())
      return;
    const std::smatch &match = found[below(found.size())];
    text = before.substr(0, size_t(match.position())) + other(match.str()) +
           before.substr(size_t(match.position() + match.length()));
  }
  // One match becomes another one.
  void exchange(std::string &text, const char *pattern) {
    const std::string before = text;
    auto found = matches(before, pattern);
    if (found.size() > 1)
      replace(text, pattern, [&](const std::string &) {
        return found[below(found.size())].str();
      });
  }
  void change(std::string &text) {
    static const char *line = "\n *%[^\n]*(?=\n)";
    static const char *numbers[] = {
        "0", "1", "2", "3",  "4",  "5",          "6",
        "7", "8", "9", "16", "-1", "1000000007", "9223372036854775807"};
    static const char *words[] = {"all_reduce",
                                  "all_gather",
                                  "reduce_scatter",
                                  "all_to_all",
                                  "collective_permute",
                                  "collective_broadcast",
                                  "shard",
                                  "reshard",
                                  "forward",
                                  "backward",
                                  "none",
                                  "sum",
                                  "max",
                                  "replicated",
                                  "unreduced",
                                  "?",
                                  "f32",
                                  "i32",
                                  "i1"};
    switch (below(9)) {
    case 0:
    case 1:
      return replace(text, "[0-9]+", [&](const std::string &) {
        return std::string(numbers[below(std::size(numbers))]);
      });
    case 2:
      return exchange(text, "\"[a-z_]+\"(:\\([0-9]+\\)[0-9]+)?");
    case 3:
      return exchange(text, "\\{[^{}\n]*\\}");
    case 4:
      return exchange(text, "%[A-Za-z0-9_]+");
    case 5:
      return exchange(text, "tensor<[^<>\n]*>");
    case 6:
      return replace(text, "[a-z_]+", [&](const std::string &) {
        return std::string(words[below(std::size(words))]);
      });
    case 7:
      return replace(text, line,
                     [&](const std::string &) { return std::string(); });
    default:
      return replace(text, line,
                     [&](const std::string &found) { return found + found; });
    }
  }

  std::mt19937 generator;
};

class ShardingMutants : public testing::Test {
protected:
  ShardingMutants() : context(registry()) {
    context.loadAllAvailableDialects();
    context.getDiagEngine().registerHandler([](Diagnostic &) {});
  }
  static DialectRegistry registry() {
    DialectRegistry registry;
    registry.insert<graph::GraphDialect, func::FuncDialect>();
    stablehlo::registerStableHLODialects(registry);
    sharding::registerShardingRules(registry);
    return registry;
  }
  // The program as GraphIR; null where the text is none.
  OwningOpRef<ModuleOp> read(const std::string &text) {
    if (stablehlo::hugeResultNumber(text) || stablehlo::escapingName(text))
      return {};
    auto newer = stablehlo::rewriteNewerText(text);
    auto module = parseSourceString<ModuleOp>(newer ? *newer : text, &context);
    bool isGraph = true;
    if (module)
      module->walk([&](Operation *op) {
        isGraph &=
            op->getDialect() &&
            (isa<ModuleOp>(op) || op->getDialect()->getNamespace() == "graph" ||
             op->getDialect()->getNamespace() == "func");
      });
    if (!module || isGraph)
      return module;
    auto program = stablehlo::importStableHLO(*module);
    if (program)
      return std::move(program->module);
    expectCause(program.takeError());
    return {};
  }
  void expectCause(llvm::Error error) {
    Error cause = errorOf(std::move(error));
    EXPECT_NE(cause.code, ErrorCode::Internal) << cause.text;
  }
  // True where the mutant is a program that all devices run.
  bool check(const std::string &text) {
    OwningOpRef<ModuleOp> module = read(text);
    if (!module)
      return false;
    EXPECT_TRUE(succeeded(verify(*module)));
    auto devices = sharding::meshDevices(*module);
    if (!devices) {
      expectCause(devices.takeError());
      return false;
    }
    sharding::ShardOptions options;
    options.meshDevices = *devices;
    for (auto function : module->getOps<func::FuncOp>())
      options.entry = function.getSymName().str();
    options.keepPartitioned = true;
    if (llvm::Error error = sharding::shardProgram(*module, options)) {
      expectCause(std::move(error));
      return false;
    }
    EXPECT_TRUE(succeeded(verify(*module)));
    if (llvm::Error error = sharding::unrollProgram(*module)) {
      expectCause(std::move(error));
      return false;
    }
    EXPECT_TRUE(succeeded(verify(*module)));
    return true;
  }

  MLIRContext context;
};

TEST_F(ShardingMutants, EndInAProgramOrACause) {
  uint32_t first = setting("ZENITH_SHARDING_MUTANTS_FROM", 1),
           count = setting("ZENITH_SHARDING_MUTANTS", 400), accepted = 0;
  bool isVerbose = std::getenv("ZENITH_SHARDING_MUTANTS_VERBOSE");
  std::vector<std::string> texts = sources();
  ASSERT_GT(texts.size(), 5u);
  for (uint32_t seed = first; seed < first + count; ++seed) {
    Mutator mutator(seed);
    std::string text = mutator.mutate(texts[mutator.below(texts.size())]);
    if (isVerbose)
      llvm::errs() << "seed " << seed << "\n" << text << "\n";
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
    alarm(60);
    accepted += check(text);
    alarm(0);
  }
  // Most changes are small enough to reach the partitioner.
  EXPECT_GT(accepted, count / 20);
}

} // namespace
