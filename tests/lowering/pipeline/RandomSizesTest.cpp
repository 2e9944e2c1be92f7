// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random programs over matrices whose sizes agree, broadcast or contradict at
// run time: compiled code and the interpreter give the same values or the same
// refusal. ZENITH_RANDOM_PROGRAMS sets how many.

#include "mlir/Pass/PassManager.h"
#include "passes/GraphPasses.h"
#include "tests/lowering/pipeline/CompiledProgram.h"
#include <cstdlib>

namespace zenith::test {
namespace {

/// Text of a function of three matrices, each of sizes with names of their own.
class SizesWriter {
public:
  explicit SizesWriter(unsigned seed) : random(seed) {}

  std::string write() {
    std::string signature;
    for (int i = 0; i < 3; ++i) {
      std::string number = std::to_string(i);
      values.push_back("%x" + number);
      signature += (i ? ", " : "") + values.back() + ": " + matrix +
                   " {graph.dims = [\"a" + number + "\", \"b" + number + "\"]}";
    }
    line("%one = graph.constant dense<1> : tensor<i64>");
    line("%two = graph.constant dense<2> : tensor<i64>");
    line("%zero = graph.constant dense<0.0> : tensor<f32>");
    for (int step = pick(1, 6); step > 0; --step)
      addOp();
    return "func.func @main(" + signature + ") -> " + matrix + " {\n" + body +
           "  return " + values.back() + " : " + matrix + "\n}\n";
  }

private:
  int pick(int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  }
  std::string any() { return values[pick(0, int(values.size()) - 1)]; }
  std::string fresh() { return "%v" + std::to_string(count++); }
  void line(const std::string &text) { body += "  " + text + "\n"; }
  std::string scalar(const std::string &op) {
    std::string name = fresh();
    line(name + " = " + op);
    return name;
  }
  std::string size(const std::string &value, int dim) {
    return scalar("graph.dim " + value + ", " + std::to_string(dim) + " : " +
                  matrix);
  }
  std::string arithmetic(const std::string &op, const std::string &lhs,
                         const std::string &rhs) {
    return scalar("graph." + op + " " + lhs + ", " + rhs + " : tensor<i64>");
  }
  /// The size that two dimensions have together, if one may be 1.
  std::string common(const std::string &lhs, const std::string &rhs) {
    std::string isOne = scalar("graph.compare eq, " + lhs +
                               ", %one : tensor<i64> -> tensor<i1>");
    return scalar("graph.select " + isOne + ", " + rhs + ", " + lhs +
                  " : tensor<i1>, tensor<i64>");
  }
  void make(const std::string &op, const std::string &types) {
    std::string name = fresh();
    line(name + " = graph." + op + " : " + types);
    values.push_back(name);
  }
  std::string expanded(const std::string &value, const std::string &rows,
                       const std::string &columns) {
    return scalar("graph.expand " + value + " [" + rows + ", " + columns +
                  "] : " + matrix + " -> " + matrix);
  }

  void addOp() {
    std::string x = any(), y = any(), pair = matrix + ", " + matrix;
    switch (pick(0, 9)) {
    case 0:
      return make("add " + x + ", " + y, matrix);
    case 1:
    case 2: {
      std::string rows = common(size(x, 0), size(y, 0)),
                  columns = common(size(x, 1), size(y, 1));
      std::string left = expanded(x, rows, columns);
      return make("mul " + left + ", " + expanded(y, rows, columns), matrix);
    }
    case 3:
      return make("dot_general " + x + ", " + y +
                      " <batching = [] x [], contracting = [1] x [0]>",
                  "(" + pair + ") -> " + matrix);
    case 4:
      return make("concat " + std::to_string(pick(0, 1)) + ", " + x + ", " + y,
                  "(" + pair + ") -> " + matrix);
    case 5:
      return make("transpose " + x + " [1, 0]", matrix + " -> " + matrix);
    case 6: {
      std::string all = arithmetic("mul", size(x, 0), size(x, 1));
      std::string rows = arithmetic("div", all, "%two");
      return make("reshape " + x + " [" + rows + ", %two]",
                  matrix + " -> " + matrix);
    }
    case 7: {
      std::string rest = arithmetic("sub", size(x, 0), "%one");
      return make("slice " + x + " [1, 0] [" + rest + ", " + size(x, 1) +
                      "] [1, 1]",
                  matrix + " -> " + matrix);
    }
    case 8: {
      std::string rows = size(y, 0), columns = size(x, 1);
      return make("tanh " + expanded(x, rows, columns), matrix);
    }
    default:
      return make("pad " + x + ", %zero [-1, 0] [0, " +
                      std::to_string(pick(-1, 1)) + "] [0, 0]",
                  matrix + ", tensor<f32> -> " + matrix);
    }
  }

  const std::string matrix = "tensor<?x?xf32>";
  std::mt19937 random;
  std::vector<std::string> values;
  std::string body;
  int count = 0;
};

class RandomSizes : public CompiledProgram {
protected:
  /// "code: message" or nothing, and the results.
  using Outcome = std::pair<std::string, std::vector<Tensor>>;

  static Outcome outcome(llvm::Expected<std::vector<Tensor>> results) {
    if (results)
      return {"", *results};
    Error error = errorOf(results.takeError());
    return {std::to_string(int(error.code)) + ": " + error.message(), {}};
  }
  Outcome interpreted(const std::string &text,
                      llvm::ArrayRef<Tensor> arguments) {
    auto module = parse(text);
    mlir::PassManager passes(&context);
    passes.addNestedPass<mlir::func::FuncOp>(createInsertSizeChecksPass());
    EXPECT_TRUE(mlir::succeeded(passes.run(*module)));
    return outcome(interpreter::run(
        module->lookupSymbol<mlir::func::FuncOp>("main"), arguments));
  }
  Outcome compiled(pipeline::Session &session,
                   llvm::ArrayRef<Tensor> arguments) {
    return outcome(
        session.run(*session.executable().defaultEntry(), arguments, &context));
  }
};

TEST_F(RandomSizes, SameValuesOrSameRefusal) {
  const char *asked = std::getenv("ZENITH_RANDOM_PROGRAMS");
  unsigned programs = asked ? std::atoi(asked) : 25, refused = 0, runs = 0;
  for (unsigned seed = 0; seed < programs; ++seed) {
    std::string text = SizesWriter(seed).write();
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
    auto executable = compile(text);
    ASSERT_TRUE(executable);
    auto session = start(executable, 2);
    std::mt19937 random(seed);
    const int64_t sizes[] = {1, 1, 3, 3, 3, 2, 17, 0};
    auto size = [&] {
      return sizes[std::uniform_int_distribution<int>(0, 7)(random)];
    };
    for (int run = 0; run < 6; ++run, ++runs) {
      std::vector<Tensor> arguments;
      for (unsigned i = 0; i < 3; ++i) {
        int64_t rows = size(), columns = size();
        arguments.push_back(floats({rows, columns}, seed + i));
      }
      Outcome got = compiled(*session, arguments),
              expected = interpreted(text, arguments);
      ASSERT_EQ(got.first, expected.first);
      refused += !got.first.empty();
      for (size_t i = 0; i < got.second.size(); ++i)
        expectClose(got.second[i], expected.second[i]);
      if (HasFailure())
        return;
    }
  }
  // A generator of nothing but errors, or of none, would show little.
  EXPECT_GT(refused, 0u);
  EXPECT_LT(refused, runs);
}

} // namespace
} // namespace zenith::test
