// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random programs whose backward half reads what the forward half made, as
// steps and as loops, under budgets, with and without a folder for files: the
// bits of the plain run, and what was certified. ZENITH_RANDOM_PROGRAMS=N tests
// N programs instead of a dozen, and of six with loops.

#include "tests/lowering/pipeline/CompiledProgram.h"
#include "tests/runtime/TemporaryFolder.h"
#include <array>

namespace zenith::test {
namespace {

/// Text of a function like a training step: layers, and their partners in
/// reverse order. With `namedRows` the caller decides how many rows there are.
class StepWriter {
public:
  explicit StepWriter(unsigned seed, bool namedRows = false)
      : random(seed), namedRows(namedRows),
        type(namedRows ? "tensor<?x64xf32>" : "tensor<64x64xf32>") {}

  std::string write() {
    unsigned layers = unsigned(pick(4, 14));
    std::vector<std::string> made{"%x"};
    for (unsigned layer = 0; layer < layers; ++layer)
      made.push_back(compute(
          made[made.size() - 1 - size_t(pick(0, 1)) * (made.size() > 1)],
          made.back()));
    std::string now = made.back();
    for (unsigned layer = layers; layer-- > 0;)
      if (pick(0, 4))
        now = compute(now, made[layer]);
    return "func.func @main(%x: " + type +
           (namedRows ? " {graph.dims = [\"n\", \"64\"]}" : "") +
           ", %w: " + weights + ") -> (" + type + ", tensor<f32>) {\n" + body +
           "  %sum = graph.reduce sum, " + now + " [0, 1] : " + type +
           " -> tensor<f32>\n  return " + now + ", %sum : " + type +
           ", tensor<f32>\n}\n";
  }

private:
  int pick(int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  }

  std::string compute(const std::string &x, const std::string &y) {
    std::string name = "%v" + std::to_string(next++), all = " : " + type + "\n",
                product = name + "p";
    switch (pick(0, 3)) {
    case 0:
      body += "  " + name + " = graph.softmax " + x + " [1]" + all;
      if (x == y)
        return name;
      body += "  " + name + "s = graph.add " + name + ", " + y + all;
      return name + "s";
    case 1:
      body += "  " + name + "s = graph.max " + x + ", " + y + all;
      body += "  " + name + " = graph.tanh " + name + "s" + all;
      return name;
    default:
      body += "  " + product + " = graph.dot_general " + x + ", " +
              (namedRows || pick(0, 1) ? "%w" : y) +
              " <batching = [] x [], contracting = [1] x [0]> : (" + type +
              ", " + weights + ") -> " + type + "\n";
      body += "  " + name + " = graph.tanh " + product + all;
      return name;
    }
  }

  std::mt19937 random;
  bool namedRows;
  std::string type, weights = "tensor<64x64xf32>", body;
  unsigned next = 0;
};

/// Text of a function like a scan and its derivative: a loop stacks some of
/// what each trip makes, a second one reads the rows from the last to the
/// first.
class ScanWriter {
public:
  ScanWriter(unsigned seed, int least, int most)
      : random(seed), trips(pick(least, most)) {}

  int64_t tripCount() const { return trips; }

  std::string write() {
    std::string count = std::to_string(trips);
    std::vector<std::string> made = forward();
    size_t stacks = made.size();
    std::string carried = "%i: tensor<i32>, %c: " + type, inits, types, updates,
                yields;
    for (size_t k = 0; k < stacks; ++k) {
      std::string n = std::to_string(k);
      carried += ", %s" + n + ": " + stack();
      inits += ", %empty";
      types += ", " + stack();
      updates +=
          "    %r" + n + " = graph.reshape " + made[k] + " : " + type + " -> " +
          row() + "\n    %u" + n + " = graph.dynamic_update_slice %s" + n +
          ", %r" + n + ", %i, %zero, %zero : (" + stack() + ", " + row() +
          ", tensor<i32>, tensor<i32>, tensor<i32>) -> " + stack() + "\n";
      yields += ", %u" + n;
    }
    std::string all = "tensor<i32>, " + type + types;
    std::string text =
        "func.func @main(%x: " + type + ", %ws: " + weights() +
        ", %ct: " + type + ") -> (" + type + ", " + type +
        ") {\n"
        "  %zero = graph.constant dense<0> : tensor<i32>\n"
        "  %one = graph.constant dense<1> : tensor<i32>\n"
        // Roundings must not grow from trip to trip.
        "  %scale = graph.constant dense<0.1> : tensor<40x40xf32>\n"
        "  %trips = graph.constant dense<" +
        count +
        "> : tensor<i32>\n  %empty = graph.constant dense<0.0> : " + stack() +
        "\n  %f:" + std::to_string(stacks + 2) + " = graph.while %zero, %x" +
        inits + " cond {\n  ^bb0(" + carried + "):\n" + condition() +
        "  } do {\n  ^bb0(" + carried + "):\n" + body + updates +
        "    graph.yield %j, " + made.back() + yields + " : " + all +
        "\n  } : (" + all + ") -> (" + all + ")\n";
    backward(made.size());
    return text +
           "  %g:2 = graph.while %zero, %ct cond {\n"
           "  ^bb0(%i: tensor<i32>, %d: " +
           type + "):\n" + condition() +
           "  } do {\n  ^bb0(%i: tensor<i32>, %d: " + type + "):\n" + body +
           "    graph.yield %j, " + last + " : tensor<i32>, " + type +
           "\n  } : (tensor<i32>, " + type + ") -> (tensor<i32>, " + type +
           ")\n  return %f#1, %g#1 : " + type + ", " + type + "\n}\n";
  }

private:
  int pick(int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  }
  std::string stack() const {
    return "tensor<" + std::to_string(trips) + "x24x40xf32>";
  }
  std::string weights() const {
    return "tensor<" + std::to_string(trips) + "x40x40xf32>";
  }
  static std::string row() { return "tensor<1x24x40xf32>"; }
  static std::string condition() {
    return "    %p = graph.compare lt, %i, %trips : tensor<i32> -> "
           "tensor<i1>\n    graph.yield %p : tensor<i1>\n";
  }

  std::string compute(const std::string &x, const std::string &y) {
    std::string name = "%v" + std::to_string(next++), all = " : " + type + "\n";
    switch (pick(0, 4)) {
    case 0:
      body += "    " + name + "s = graph.softmax " + x + " [1]" + all;
      body += "    " + name + " = graph.add " + name + "s, " + y + all;
      return name;
    case 1:
      body += "    " + name + "s = graph.mul " + x + ", " + y + all;
      body += "    " + name + " = graph.sin " + name + "s" + all;
      return name;
    case 2:
      body += "    " + name + "r = graph.reduce max, " + x + " [1] : " + type +
              " -> tensor<24xf32>\n";
      body += "    " + name + "b = graph.broadcast " + name +
              "r [0] : tensor<24xf32> -> " + type + "\n";
      body += "    " + name + "s = graph.sub " + y + ", " + name + "b" + all;
      body += "    " + name + " = graph.tanh " + name + "s" + all;
      return name;
    default:
      body += "    " + name + "p = graph.dot_general " + x +
              ", %w <batching = [] x [], contracting = [1] x [0]> : (" + type +
              ", tensor<40x40xf32>) -> " + type + "\n";
      body += "    " + name + "s = graph.add " + name + "p, " + y + all;
      body += "    " + name + " = graph.tanh " + name + "s" + all;
      return name;
    }
  }

  void begin(const std::string &index) {
    body = "    %j = graph.add %i, %one : tensor<i32>\n";
    if (index != "%i")
      body += "    %k = graph.sub %trips, %i : tensor<i32>\n    %l = graph.sub "
              "%k, %one : tensor<i32>\n";
    body += "    %wr = graph.dynamic_slice %ws, " + index +
            ", %zero, %zero : (" + weights() +
            ", tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x40x40xf32>\n"
            "    %ww = graph.reshape %wr : tensor<1x40x40xf32> -> "
            "tensor<40x40xf32>\n"
            "    %w = graph.mul %ww, %scale : tensor<40x40xf32>\n";
  }

  /// What a trip makes, of which the last is carried on.
  std::vector<std::string> forward() {
    begin("%i");
    std::vector<std::string> made{"%c"};
    for (int ops = pick(2, 6); ops-- > 0;)
      made.push_back(
          compute(made.back(), made[size_t(pick(0, int(made.size()) - 1))]));
    if (pick(0, 1))
      made.erase(made.begin());
    return made;
  }

  void backward(size_t stacks) {
    begin("%l");
    last = "%d";
    for (size_t k = stacks; k-- > 0;) {
      std::string n = std::to_string(k);
      body += "    %q" + n + " = graph.dynamic_slice %f#" +
              std::to_string(k + 2) + ", %l, %zero, %zero : (" + stack() +
              ", tensor<i32>, tensor<i32>, tensor<i32>) -> " + row() +
              "\n    %t" + n + " = graph.reshape %q" + n + " : " + row() +
              " -> " + type + "\n";
      last = compute(last, "%t" + n);
    }
  }

  std::mt19937 random;
  int trips;
  std::string type = "tensor<24x40xf32>", body, last;
  unsigned next = 0;
};

class RandomBudgets : public CompiledProgram {
protected:
  /// Runs the program; its results have the bits of `expected` where that has
  /// any. Bytes that the run took, which are those of the certificate.
  int64_t measure(std::shared_ptr<pipeline::Executable> executable, int threads,
                  std::vector<Tensor> &expected,
                  llvm::ArrayRef<Tensor> arguments) {
    pipeline::SessionOptions options;
    options.threads = threads;
    options.offload = {folder.path(), 0};
    auto session = pipeline::Session::create(executable, options);
    if (!session) {
      ADD_FAILURE() << llvm::toString(session.takeError());
      return 0;
    }
    std::vector<Tensor> got = run(**session, arguments);
    if (expected.empty())
      expected = got;
    EXPECT_EQ(got.size(), expected.size());
    for (size_t i = 0; i < std::min(got.size(), expected.size()); ++i)
      EXPECT_TRUE(sameBytes(got[i], expected[i])) << "result " << i;
    const memory::MemoryReport &memory = executable->defaultEntry()->memory;
    int64_t certified = *memory.certificate().constant(),
            peak = (*session)->runContext().memoryUse().peakBytes;
    EXPECT_EQ(certified, peak);
    EXPECT_LE(boundOf(memory.facts), memory.arena().constant());
    return peak;
  }

  /// Bytes below which no arena gets.
  static int64_t boundOf(const std::string &facts) {
    llvm::Expected<llvm::json::Value> value = llvm::json::parse(facts);
    if (!value) {
      ADD_FAILURE() << llvm::toString(value.takeError());
      return 0;
    }
    const llvm::json::Object *bound =
        value->getAsObject()->getObject("lower_bound");
    return bound ? bound->getInteger("bytes").value_or(0) : 0;
  }

  runtime::TemporaryFolder folder;
};

TEST_F(RandomBudgets, HaveTheBitsOfThePlainRun) {
  const char *wanted = std::getenv("ZENITH_RANDOM_PROGRAMS");
  unsigned programs = wanted ? unsigned(std::atoi(wanted)) : 12, met = 0,
           recomputed = 0;
  for (unsigned seed = 0; seed < programs; ++seed) {
    std::string text = StepWriter(seed).write();
    SCOPED_TRACE(text);
    std::vector<Tensor> arguments{floats({64, 64}, seed),
                                  floats({64, 64}, seed + 1)},
        plain;
    auto executable = compile(text);
    ASSERT_TRUE(executable);
    int64_t most = measure(executable, 1, plain, arguments);
    std::vector<Tensor> meaning = interpret(text, arguments);
    for (size_t i = 0; i < plain.size(); ++i)
      expectClose(plain[i], meaning[i], 1e-3); // a chain of roundings
    for (int64_t rate : {int64_t(0), int64_t(1) << 30}) {
      pipeline::CompileOptions options;
      options.budgetBytes = most * (5 + seed % 5) / 10;
      options.offloadRate = rate;
      auto under = compile(text, options);
      ASSERT_TRUE(under);
      int64_t took = measure(under, 1 + int(seed % 3), plain, arguments);
      // A budget below every plan is refused by who runs the program.
      met += took <= options.budgetBytes;
      recomputed += took < most;
    }
    if (HasFailure())
      return;
  }
  EXPECT_GT(met, programs / 2);
  EXPECT_GT(recomputed, programs / 2);
}

TEST_F(RandomBudgets, SizesGetTheCheapestPlanThatFits) {
  unsigned recomputed = 0, plain = 0;
  for (unsigned seed = 0; seed < 6; ++seed) {
    std::string text = StepWriter(seed, /*namedRows=*/true).write();
    SCOPED_TRACE(text);
    auto executable = compile(text);
    ASSERT_TRUE(executable);
    const pipeline::EntryInfo &once = *executable->defaultEntry();
    auto certified = [](const pipeline::EntryPlan &plan, int64_t rows) {
      return plan.memory.certificate()
          .evaluate([&](const std::string &) { return rows; })
          .value_or(-1);
    };
    pipeline::CompileOptions options;
    options.budgetBytes = certified(once, 64) * 8 / 10;
    auto under = compile(text, options);
    ASSERT_TRUE(under);
    const pipeline::EntryInfo &entry = *under->defaultEntry();
    EXPECT_EQ(certified(entry, 64), certified(once, 64));
    EXPECT_LE(entry.thriftier.size(), 2u);
    if (entry.thriftier.empty())
      continue; // no order takes less
    auto session = start(under, 1 + int(seed % 3), options.budgetBytes),
         unbounded = start(executable);
    ASSERT_TRUE(session && unbounded);
    for (int64_t rows : {24, 90, 1, 70, 64}) {
      const pipeline::EntryPlan &plan = entry.planFor(
          [&](const std::string &) { return rows; }, options.budgetBytes);
      if (certified(plan, rows) > options.budgetBytes)
        continue; // refused by who runs the program
      std::vector<Tensor> arguments{floats({rows, 64}, seed),
                                    floats({64, 64}, seed + 1)},
          got = run(*session, arguments), want = run(*unbounded, arguments);
      ASSERT_EQ(got.size(), want.size());
      for (size_t i = 0; i < got.size(); ++i)
        EXPECT_TRUE(sameBytes(got[i], want[i])) << "result " << i;
      EXPECT_EQ(session->runContext().memoryUse().peakBytes,
                certified(plan, rows));
      bool isPlain = certified(once, rows) <= options.budgetBytes;
      EXPECT_EQ(isPlain, &plan == &entry);
      ++(isPlain ? plain : recomputed);
    }
    if (HasFailure())
      return;
  }
  EXPECT_GE(plain, 3u);
  EXPECT_GE(recomputed, 2u);
}

TEST_F(RandomBudgets, LoopsHaveTheBitsOfThePlainRun) {
  const char *wanted = std::getenv("ZENITH_RANDOM_PROGRAMS");
  unsigned programs = wanted ? unsigned(std::atoi(wanted)) : 6, met = 0,
           recomputed = 0, inFiles = 0;
  for (unsigned seed = 0; seed < programs; ++seed) {
    // Every other has enough trips for segments of them.
    bool isLong = seed % 2;
    ScanWriter writer(seed, isLong ? 25 : 3, isLong ? 45 : 9);
    std::string text = writer.write();
    SCOPED_TRACE(text);
    std::vector<Tensor> arguments{
        floats({24, 40}, seed), floats({writer.tripCount(), 40, 40}, seed + 1),
        floats({24, 40}, seed + 2)},
        plain;
    auto executable = compile(text);
    ASSERT_TRUE(executable);
    int64_t most = measure(executable, 1, plain, arguments);
    std::vector<Tensor> meaning = interpret(text, arguments);
    for (size_t i = 0; i < plain.size(); ++i)
      expectClose(plain[i], meaning[i], 1e-2); // a chain of roundings
    for (int64_t percent : isLong ? std::array{70, 15} : std::array{70, 40})
      for (int64_t rate : {int64_t(0), int64_t(1) << 40}) {
        pipeline::CompileOptions options;
        options.budgetBytes = most * percent / 100;
        options.offloadRate = rate;
        auto under = compile(text, options);
        ASSERT_TRUE(under);
        int64_t took = measure(under, 1 + int(seed % 3), plain, arguments);
        met += took <= options.budgetBytes;
        recomputed += took < most;
        inFiles += under->defaultEntry()->memory.facts.find("offload") !=
                   std::string::npos;
      }
    if (HasFailure())
      return;
  }
  EXPECT_GT(met, programs);
  EXPECT_GT(recomputed, programs);
  EXPECT_GT(inFiles, programs / 2);
}

} // namespace
} // namespace zenith::test
