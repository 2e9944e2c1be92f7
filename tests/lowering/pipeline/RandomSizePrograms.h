// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random programs over matrices whose sizes agree, broadcast or contradict at
// run time, and what compiled code and the interpreter make of them.

#ifndef ZENITH_TESTS_LOWERING_PIPELINE_RANDOMSIZEPROGRAMS_H
#define ZENITH_TESTS_LOWERING_PIPELINE_RANDOMSIZEPROGRAMS_H

#include "mlir/Pass/PassManager.h"
#include "passes/GraphPasses.h"
#include "tests/lowering/pipeline/CompiledProgram.h"
#include <cstdlib>

namespace zenith::test {

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
    line("%zeroth = graph.constant dense<0> : tensor<i64>");
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
    switch (pick(0, 19)) {
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
    case 9:
      return make("pad " + x + ", %zero [-1, 0] [0, " +
                      std::to_string(pick(-1, 1)) + "] [0, 0]",
                  matrix + ", tensor<f32> -> " + matrix);
    case 10: {
      // Where, with the sizes of one of the three.
      std::string rows = size(y, 0), columns = size(x, 1);
      std::string left = expanded(x, rows, columns),
                  right = expanded(y, rows, columns);
      std::string less = scalar("graph.compare lt, " + left + ", " + right +
                                " : " + matrix + " -> tensor<?x?xi1>");
      return make("select " + less + ", " + left + ", " + right,
                  "tensor<?x?xi1>, " + matrix);
    }
    case 11: {
      // Sums of rows, repeated along the columns of another matrix.
      std::string sums = reduced(x, 1);
      return make("broadcast " + sums + " [0] [" + size(y, 0) + ", " +
                      size(y, 1) + "]",
                  vector + " -> " + matrix);
    }
    case 12:
      return make("rms_norm " + x + ", " + reduced(y, 0) +
                      " {axis = 1 : i64, epsilon = 1.0e-3 : f64}",
                  "(" + matrix + ", " + vector + ") -> " + matrix);
    case 13: {
      // A row more, so that there is one to gather.
      std::string table =
          scalar("graph.pad " + x + ", %zero [0, 0] [1, 0] [0, 0] : " + matrix +
                 ", tensor<f32> -> " + matrix);
      std::string places =
          scalar("graph.iota 0 [" + size(y, 0) + "] : tensor<?x1xi64>");
      return make("gather " + table + ", " + places +
                      " <offset = [1], collapsed = [0], batching = [] x [], "
                      "index_map = [0], index_vector_dim = 1> sizes [1, -1]",
                  "(" + matrix + ", tensor<?x1xi64>) -> " + matrix);
    }
    case 14: {
      // Rows are features: those of the kernel may be others.
      std::string input = cube("%one", size(x, 0), size(x, 1), x),
                  kernel = cube(size(y, 0), size(y, 1), "%one", y);
      std::string output = scalar(
          "graph.convolution " + input + ", " + kernel +
          " <input = (0, 1, [2]), kernel = (1, 0, [2]), output = (0, 1, [2])> "
          "strides [1] low [1] high [0] input_dilation [1] kernel_dilation "
          "[1] groups 1 : (" +
          tensor3 + ", " + tensor3 + ") -> " + tensor3);
      std::string columns = scalar("graph.dim " + output + ", 2 : " + tensor3);
      return make("reshape " + output + " [" + size(y, 0) + ", " + columns +
                      "]",
                  tensor3 + " -> " + matrix);
    }
    case 15:
      return make("attention " + x + ", " + y + ", " + any() +
                      " {scale = 0.5 : f64}",
                  "(" + pair + ", " + matrix + ") -> " + matrix);
    case 16:
      return make("cumulative sum, " + x + " " + std::to_string(pick(0, 1)),
                  matrix);
    case 17: {
      std::string isWide = scalar("graph.compare lt, " + size(x, 0) + ", " +
                                  size(y, 1) + " : tensor<i64> -> tensor<i1>");
      return make("if " + isWide + " then {\n    graph.yield " + x + " : " +
                      matrix + "\n  } else {\n    graph.yield " + y + " : " +
                      matrix + "\n  }",
                  "(tensor<i1>) -> " + matrix);
    }
    case 18: {
      // The sum of a loop's value and one from outside.
      std::string name = fresh(), at = fresh(), value = fresh(), more = fresh(),
                  next = fresh(), sum = fresh();
      line(name + ":2 = graph.while %zeroth, " + x + " cond {");
      line("^bb0(" + at + "c: tensor<i64>, " + value + "c: " + matrix + "):");
      line(more + " = graph.compare lt, " + at +
           "c, %two : tensor<i64> -> tensor<i1>");
      line("graph.yield " + more + " : tensor<i1>");
      line("} do {");
      line("^bb0(" + at + ": tensor<i64>, " + value + ": " + matrix + "):");
      line(next + " = graph.add " + at + ", %one : tensor<i64>");
      line(sum + " = graph.add " + value + ", " + y + " : " + matrix);
      line("graph.yield " + next + ", " + sum + " : tensor<i64>, " + matrix);
      line("} : (tensor<i64>, " + matrix + ") -> (tensor<i64>, " + matrix +
           ")");
      values.push_back(name + "#1");
      return;
    }
    default:
      return make("reduce_window max, " + x +
                      " window [1, 2] strides [1, 1] low [0, 1] high [0, 0] "
                      "base_dilation [1, 1] dilation [1, 1]",
                  matrix + " -> " + matrix);
    }
  }

  /// Sums along one dimension.
  std::string reduced(const std::string &value, int dim) {
    return scalar("graph.reduce sum, " + value + " [" + std::to_string(dim) +
                  "] : " + matrix + " -> " + vector);
  }
  std::string cube(const std::string &i, const std::string &j,
                   const std::string &k, const std::string &value) {
    return scalar("graph.reshape " + value + " [" + i + ", " + j + ", " + k +
                  "] : " + matrix + " -> " + tensor3);
  }

  const std::string vector = "tensor<?xf32>", tensor3 = "tensor<?x?x?xf32>";
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
  /// Programs `first` to `first + count` on a target.
  void compare(const char *target, unsigned first, unsigned count) {
    unsigned refused = 0, runs = 0;
    for (unsigned seed = first; seed < first + count; ++seed) {
      std::string text = SizesWriter(seed).write();
      SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
      pipeline::CompileOptions options;
      options.target = target;
      auto executable = compile(text, options);
      ASSERT_TRUE(executable);
      auto session = start(executable, 2);
      ASSERT_TRUE(session);
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
        // Where several sizes contradict, those that arguments decide are
        // found first, and those inside of regions where they run.
        if (text.find("graph.yield") == std::string::npos)
          ASSERT_EQ(got.first, expected.first);
        else
          ASSERT_EQ(got.first.substr(0, 2), expected.first.substr(0, 2))
              << got.first << "\n"
              << expected.first;
        refused += !got.first.empty();
        for (size_t i = 0; i < got.second.size(); ++i)
          expectClose(got.second[i], expected.second[i], 1e-4);
        if (HasFailure())
          return;
      }
    }
    // A generator of nothing but errors, or of none, would show little.
    EXPECT_GT(refused, 0u);
    EXPECT_LT(refused, runs);
  }
  /// A number from the environment.
  static unsigned asked(const char *variable, unsigned otherwise) {
    const char *text = std::getenv(variable);
    return text ? std::atoi(text) : otherwise;
  }
};

} // namespace zenith::test

#endif // ZENITH_TESTS_LOWERING_PIPELINE_RANDOMSIZEPROGRAMS_H
