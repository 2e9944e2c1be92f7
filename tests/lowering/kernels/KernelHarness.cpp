// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits, compiles and calls kernels; compares bytes with the interpreter's.

#include "KernelHarness.h"
#include "ir/SearchOps.h"
#include "ir/interpreter/Interpreter.h"
#include "ir/target/CPUTarget.h"
#include "ir/target/NamedModels.h"
#include "ir/tensor/Scalar.h"
#include "lowering/builder/KernelAttributes.h"
#include "lowering/cpu/CompileKernels.h"
#include "lowering/cpu/ConvertKernelsToLLVM.h"
#include "lowering/cpu/JITLibrary.h"
#include "lowering/decisions/Decide.h"
#include "lowering/decisions/Schedules.h"
#include "lowering/elements/ElementRule.h"
#include "lowering/kernels/EmitKernels.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "runtime/ABI.h"
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <map>

using namespace mlir;

namespace zenith::testing {

namespace {

/// Bytes between guards, all poisoned.
class Buffer {
public:
  explicit Buffer(int64_t size) : size(size), bytes(size + 2 * guard, poison) {}
  char *data() { return bytes.data() + guard; }
  bool guardsHold() const {
    auto isPoison = [](char byte) { return byte == poison; };
    return std::all_of(bytes.begin(), bytes.begin() + guard, isPoison) &&
           std::all_of(bytes.begin() + guard + size, bytes.end(), isPoison);
  }

private:
  static constexpr int64_t guard = 256;
  static constexpr char poison = char(0xcb);
  int64_t size;
  std::vector<char> bytes;
};

DialectRegistry allDialects() {
  DialectRegistry registry;
  cpu::registerKernelDialects(registry);
  decisions::registerSchedules(registry);
  kernels::registerElementRules(registry);
  registry
      .insert<graph::GraphDialect, search::SearchDialect, func::FuncDialect>();
  return registry;
}

} // namespace

struct KernelHarness::Case {
  OwningOpRef<ModuleOp> program, kernels;
  graph::FusionOp fusion;
  graph::DimAnalysis dims;
  std::map<std::string, int64_t> symbols;
  std::vector<Tensor> arguments, expected;
  kernels::KernelPlan plan;

  int64_t valueOf(const graph::DimExpr &expr) const {
    auto value =
        expr.evaluate([&](const std::string &name) -> std::optional<int64_t> {
          auto known = symbols.find(name);
          if (known == symbols.end())
            return std::nullopt;
          return known->second;
        });
    EXPECT_TRUE(value) << expr.str();
    return value.value_or(0);
  }
};

KernelHarness::KernelHarness(Emitter emitter)
    : mlirContext(allDialects(), MLIRContext::Threading::DISABLED),
      emitter(std::move(emitter)) {
  mlirContext.loadAllAvailableDialects();
  auto host = target::CPUTarget::host();
  // Kernels for wider vectors than this machine's are legalised to its width.
  if (const char *bits = std::getenv("ZENITH_TEST_VECTOR_BITS"))
    host.vectorBits = unsigned(std::atoi(bits));
  target = host.model();
  // The form of a kernel that a test expects depends on caches and speeds,
  // which are those of one processor wherever the test runs.
  const target::TargetModel &timed = target::namedModel("znver4")->model;
  target.l1Bytes = timed.l1Bytes;
  target.l1Ways = timed.l1Ways;
  target.l2Bytes = timed.l2Bytes;
  target.l3Bytes = timed.l3Bytes;
  target.sharedCacheBytes = timed.sharedCacheBytes;
  target.memoryBytesPerCycle = timed.memoryBytesPerCycle;
  target.streamingBytes = timed.streamingBytes;
  target.f32Gflops = timed.f32Gflops;
  target.gbps = timed.gbps;
}

LogicalResult KernelHarness::schedule(graph::FusionOp fusion,
                                      graph::DimAnalysis &dims) const {
  auto decision = decisions::decide(fusion, dims, target);
  if (failed(decision))
    return failure();
  fusion.setScheduleAttr(decision->schedule);
  return success();
}

OwningOpRef<ModuleOp> KernelHarness::parse(const std::string &text) {
  return parseSourceString<ModuleOp>(text, &mlirContext);
}

Tensor smallIntegers(RankedTensorType type, unsigned seed) {
  Tensor tensor(type);
  interpreter::ElementAccess access(type.getElementType());
  bool isUnsigned = type.getElementType().isUnsignedInteger() ||
                    type.getElementType().isInteger(1);
  int range = type.getElementType().isInteger(1) ? 2 : 9;
  char *to = tensor.writable();
  uint32_t state = seed * 2654435761u + 12345u;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    state = state * 1664525u + 1013904223u;
    int64_t value =
        int64_t((state >> 16) % unsigned(range)) - (isUnsigned ? 0 : 4);
    access.store(to + i * access.bytes(), interpreter::Scalar::ofSigned(value));
  }
  return tensor;
}

static void compare(const Tensor &expected, const Tensor &got, double tolerance,
                    int64_t &wrong) {
  for (int64_t i = 0; i < expected.size() && wrong < 5; ++i) {
    auto want = interpreter::elementAt(expected, i),
         have = interpreter::elementAt(got, i);
    bool same = want.sameValue(have);
    if (!same && !want.isInteger()) {
      double bound = tolerance * std::max(1.0, std::fabs(want.asDouble()));
      same = std::fabs(want.asDouble() - have.asDouble()) <= bound;
    }
    if (!same) {
      ++wrong;
      ADD_FAILURE() << "element " << i << ": expected " << want.str()
                    << ", got " << have.str();
    }
  }
}

/// Elements at the same index of all lists together, sorted.
static std::vector<std::string> sortedRows(const std::vector<Tensor> &lists) {
  std::vector<std::string> rows(size_t(lists.front().size()));
  for (const Tensor &list : lists)
    for (auto [number, row] : llvm::enumerate(rows))
      row += interpreter::elementAt(list, int64_t(number)).str() + " ";
  llvm::sort(rows);
  return rows;
}

/// Calls a launch in ranges of different sizes, the last tasks first.
static void callBackwards(zenith_task_fn task, void *const *pointers,
                          const int64_t *sizes, int64_t tasks) {
  int64_t end = tasks, range = 1;
  while (end > 0) {
    int64_t begin = std::max<int64_t>(0, end - range);
    task(pointers, sizes, begin, end);
    end = begin;
    range = range % 3 + 1;
  }
}

void KernelHarness::run(Case &test) {
  auto cpuTarget = target::CPUTarget::host();
  cpu::KernelCompileOptions options;
  options.threads = 1;
  auto files = cpu::compileKernels(*test.kernels, cpuTarget, options);
  if (!files) {
    ADD_FAILURE() << llvm::toString(files.takeError());
    return;
  }
  size_t count = 0;
  const zenith_symbol *symbols = zenith_runtime_symbols(&count);
  auto library = cpu::JITLibrary::create(*files, cpuTarget, {symbols, count});
  if (!library) {
    ADD_FAILURE() << llvm::toString(library.takeError());
    return;
  }
  std::vector<Buffer> results, scratch;
  std::vector<int64_t> counts(test.plan.counts.size(), -1);
  for (auto [number, tensor] : llvm::enumerate(test.expected)) {
    bool bounded = !test.plan.capacityBytes.empty();
    results.emplace_back(bounded ? test.valueOf(test.plan.capacityBytes[number])
                                 : tensor.byteSize());
  }
  for (const graph::DimExpr &bytes : test.plan.scratchBytes)
    scratch.emplace_back(test.valueOf(bytes));
  if (sharedOperand >= 0) {
    auto shares = test.fusion.getScheduleAttr().shares();
    ASSERT_TRUE(llvm::any_of(shares, [&](const graph::SharedBytes &pair) {
      return pair.result == 0 && pair.operand == unsigned(sharedOperand);
    }));
    const Tensor &shared = test.arguments[sharedOperand];
    std::memcpy(results[0].data(), shared.bytes(), shared.byteSize());
  }
  ran.clear();
  for (kernels::Launch &launch : test.plan.launches) {
    if (test.valueOf(launch.guard) == 0)
      continue;
    ran.push_back(launch.kernel.getName().str());
    std::vector<void *> pointers;
    for (kernels::PointerArg pointer : launch.pointers) {
      if (pointer.kind == kernels::PointerArg::Operand) {
        auto operand =
            cast<BlockArgument>(test.fusion.getInputs()[pointer.index]);
        unsigned number = operand.getArgNumber();
        bool shared = sharedOperand >= 0 && unsigned(sharedOperand) == number;
        pointers.push_back(
            shared ? results[0].data()
                   : const_cast<char *>(test.arguments[number].bytes()));
      } else if (pointer.kind == kernels::PointerArg::Count) {
        pointers.push_back(&counts[pointer.index]);
      } else {
        auto &from =
            pointer.kind == kernels::PointerArg::Result ? results : scratch;
        pointers.push_back(from[pointer.index].data());
      }
    }
    std::vector<int64_t> sizes;
    for (const graph::DimExpr &size : launch.sizes)
      sizes.push_back(test.valueOf(size));
    auto task = (*library)->lookupAs<zenith_task_fn>(
        (launch.kernel.getName() + kernels::taskSuffix).str());
    ASSERT_TRUE(bool(task)) << llvm::toString(task.takeError());
    callBackwards(*task, pointers.data(), sizes.data(),
                  test.valueOf(launch.tasks));
  }
  for (auto [number, buffer] : llvm::enumerate(scratch))
    EXPECT_TRUE(buffer.guardsHold()) << "scratch " << number;
  for (auto [number, count] : llvm::enumerate(test.plan.counts))
    EXPECT_EQ(counts[number], test.expected[count.result].shape()[count.dim])
        << "count " << number;
  std::vector<Tensor> all;
  for (auto [number, expected] : llvm::enumerate(test.expected)) {
    EXPECT_TRUE(results[number].guardsHold()) << "result " << number;
    Tensor got(expected.type(), llvm::ArrayRef<char>(results[number].data(),
                                                     expected.byteSize()));
    int64_t wrong = 0;
    if (ordered)
      compare(expected, got, tolerance, wrong);
    all.push_back(std::move(got));
    if (wrong)
      ADD_FAILURE() << "in result " << number << " of "
                    << test.plan.launches.back().kernel.getName().str();
  }
  if (!ordered)
    EXPECT_EQ(sortedRows(all), sortedRows(test.expected));
}

void KernelHarness::check(const std::string &text,
                          std::vector<std::vector<int64_t>> shapes) {
  Case test;
  test.program = parse(text);
  ASSERT_TRUE(bool(test.program)) << text;
  auto function = *test.program->getOps<func::FuncOp>().begin();
  test.fusion = *function.getOps<graph::FusionOp>().begin();
  for (BlockArgument argument : function.getArguments()) {
    auto type = cast<RankedTensorType>(argument.getType());
    unsigned number = argument.getArgNumber();
    SmallVector<int64_t> shape(type.getShape());
    if (number < shapes.size() && !shapes[number].empty())
      shape.assign(shapes[number].begin(), shapes[number].end());
    for (auto [dim, expr] : llvm::enumerate(test.dims.dimsOf(argument)))
      if (auto symbol = expr.asSymbol())
        test.symbols[*symbol] = shape[dim];
    auto known = RankedTensorType::get(shape, type.getElementType());
    test.arguments.push_back(fill ? fill(known, number)
                                  : smallIntegers(known, number + 1));
  }
  auto expected = interpreter::run(function, test.arguments);
  if (!expected) {
    ADD_FAILURE() << llvm::toString(expected.takeError());
    return;
  }
  test.expected = std::move(*expected);
  test.kernels = ModuleOp::create(UnknownLoc::get(&mlirContext));
  ASSERT_TRUE(succeeded(schedule(test.fusion, test.dims)));
  auto plan = emitter(test.fusion, test.dims, target, *test.kernels, "kernel");
  ASSERT_TRUE(succeeded(plan));
  test.plan = std::move(*plan);
  emitted.clear();
  llvm::raw_string_ostream(emitted) << *test.kernels;
  functions.clear();
  for (auto function : test.kernels->getOps<func::FuncOp>())
    functions.push_back(function.getName().str());
  ASSERT_TRUE(succeeded(verify(*test.kernels)));
  if (sharedOperand >= 0)
    for (kernels::Launch &launch : test.plan.launches)
      for (unsigned i = 0; i < launch.pointers.size(); ++i)
        launch.kernel.setArgAttr(i, kernels::mayAliasAttrName,
                                 UnitAttr::get(&mlirContext));
  run(test);
}

std::string KernelHarness::refusal(const std::string &text) {
  auto program = parse(text);
  if (!program)
    return "does not parse";
  auto function = *program->getOps<func::FuncOp>().begin();
  auto fusion = *function.getOps<graph::FusionOp>().begin();
  graph::DimAnalysis dims;
  std::string message;
  ScopedDiagnosticHandler handler(&mlirContext, [&](Diagnostic &diagnostic) {
    message += diagnostic.str();
    return success();
  });
  OwningOpRef<ModuleOp> kernels =
      ModuleOp::create(UnknownLoc::get(&mlirContext));
  FailureOr<kernels::KernelPlan> plan = failure();
  if (succeeded(schedule(fusion, dims)))
    plan = emitter(fusion, dims, target, *kernels, "kernel");
  EXPECT_EQ(failed(plan), !message.empty()) << message;
  return message;
}

} // namespace zenith::testing
