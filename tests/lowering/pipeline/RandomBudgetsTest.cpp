// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random programs whose backward half reads what the forward half made, under
// budgets, with and without a folder for files: the bits of the plain run, and
// what was certified. ZENITH_RANDOM_PROGRAMS=N tests N programs instead of a
// dozen.

#include "tests/lowering/pipeline/CompiledProgram.h"
#include "tests/runtime/TemporaryFolder.h"

namespace zenith::test {
namespace {

/// Text of a function like a training step: layers, and their partners in
/// reverse order.
class StepWriter {
public:
  explicit StepWriter(unsigned seed) : random(seed) {}

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
    return "func.func @main(%x: " + type + ", %w: " + type + ") -> (" + type +
           ", tensor<f32>) {\n" + body + "  %sum = graph.reduce sum, " + now +
           " [0, 1] : " + type + " -> tensor<f32>\n  return " + now +
           ", %sum : " + type + ", tensor<f32>\n}\n";
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
              (pick(0, 1) ? "%w" : y) +
              " <batching = [] x [], contracting = [1] x [0]> : (" + type +
              ", " + type + ") -> " + type + "\n";
      body += "  " + name + " = graph.tanh " + product + all;
      return name;
    }
  }

  std::mt19937 random;
  std::string type = "tensor<64x64xf32>", body;
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
    int64_t certified =
                *executable->defaultEntry()->memory.certificate().constant(),
            peak = (*session)->runContext().memoryUse().peakBytes;
    EXPECT_EQ(certified, peak);
    return peak;
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

} // namespace
} // namespace zenith::test
