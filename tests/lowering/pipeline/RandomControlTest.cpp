// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random programs of branches, loops and sizes from data, compiled and
// interpreted.

#include "tests/lowering/pipeline/CompiledProgram.h"

namespace zenith::test {
namespace {

class RandomControl : public CompiledProgram {};

/// Values are ? x 8; values of one class have equal numbers of rows.
class ControlWriter {
public:
  explicit ControlWriter(unsigned seed) : random(seed) {}

  std::string write() {
    classes = 2;
    Scope scope{{{"%x", 0}, {"%y", 0}, {"%z", 1}}, {"%n"}};
    std::string body = block(scope, 0, pick(3, 8));
    std::string names, types;
    int results = pick(1, 3);
    for (int i = 0; i < results; ++i) {
      names += (i ? ", " : "") + any(scope).name;
      types += std::string(i ? ", " : "") + type;
    }
    return "func.func @main(%n: tensor<i64>, %x: tensor<?x8xf32> {graph.dims = "
           "[\"a\", \"8\"]}, %y: tensor<?x8xf32> {graph.dims = [\"a\", "
           "\"8\"]}, %z: tensor<?x8xf32> {graph.dims = [\"b\", \"8\"]}) -> (" +
           types + ") {\n" + body + "  return " + names + " : " + types +
           "\n}\n";
  }

private:
  struct Value {
    std::string name;
    int rows;
  };
  struct Scope {
    std::vector<Value> values;
    std::vector<std::string> numbers;
  };
  static constexpr const char *type = "tensor<?x8xf32>";

  int pick(int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  }
  std::string fresh() { return "%v" + std::to_string(count++); }
  Value any(Scope &scope) {
    return scope.values[scope.values.size() - 1 -
                        std::min<size_t>(pick(0, 4), scope.values.size() - 1)];
  }
  Value like(Scope &scope, int rows) {
    std::vector<Value> found;
    for (const Value &value : scope.values)
      if (value.rows == rows)
        found.push_back(value);
    return found[pick(0, found.size() - 1)];
  }

  std::string block(Scope &scope, int depth, int steps) {
    std::string text;
    for (int i = 0; i < steps; ++i)
      text += step(scope, depth);
    return text;
  }

  std::string step(Scope &scope, int depth) {
    switch (pick(0, depth < 2 ? 8 : 5)) {
    case 0:
    case 1: {
      Value from = any(scope);
      std::string name = fresh();
      scope.values.push_back({name, from.rows});
      return name + " = graph.tanh " + from.name + " : " + type + "\n";
    }
    case 2: {
      Value from = any(scope), other = like(scope, from.rows);
      std::string name = fresh();
      scope.values.push_back({name, from.rows});
      return name + " = graph.sub " + from.name + ", " + other.name + " : " +
             type + "\n";
    }
    case 3: {
      Value from = any(scope), other = any(scope);
      std::string name = fresh();
      scope.values.push_back({name, classes++});
      return name + " = graph.concat 0, " + from.name + ", " + other.name +
             " : (" + type + ", " + type + ") -> " + type + "\n";
    }
    case 4:
      return selection(scope);
    case 5: {
      std::string name = fresh(), one = fresh();
      std::string from = scope.numbers[pick(0, int(scope.numbers.size()) - 1)];
      scope.numbers.push_back(name);
      return one + " = graph.constant dense<" + std::to_string(pick(1, 3)) +
             "> : tensor<i64>\n" + name + " = graph.add " + from + ", " + one +
             " : tensor<i64>\n";
    }
    case 6:
      return branch(scope, depth);
    default:
      return loop(scope, depth);
    }
  }

  /// Rows whose sum is positive.
  std::string selection(Scope &scope) {
    Value from = any(scope);
    std::string sum = fresh(), rows = fresh(), zero = fresh(), zeros = fresh(),
                mask = fresh(), name = fresh();
    scope.values.push_back({name, classes++});
    return sum + " = graph.reduce sum, " + from.name + " [1] : " + type +
           " -> tensor<?xf32>\n" + rows + " = graph.dim " + from.name +
           ", 0 : " + type + "\n" + zero +
           " = graph.constant dense<0.0> : tensor<f32>\n" + zeros +
           " = graph.broadcast " + zero + " [] [" + rows +
           "] : tensor<f32> -> tensor<?xf32>\n" + mask +
           " = graph.compare gt, " + sum + ", " + zeros +
           " : tensor<?xf32> -> tensor<?xi1>\n" + name + " = graph.compact " +
           mask + ", " + from.name + " : (tensor<?xi1>, " + type + ") -> " +
           type + "\n";
  }

  std::string branch(Scope &scope, int depth) {
    std::string two = fresh(), rest = fresh(), zero = fresh(), odd = fresh(),
                name = fresh();
    std::string number = scope.numbers[pick(0, int(scope.numbers.size()) - 1)];
    Scope first = scope, second = scope;
    std::string left = block(first, depth + 1, pick(0, 3)),
                right = block(second, depth + 1, pick(0, 3));
    Value a = any(first), b = any(second);
    scope.values.push_back({name, a.rows == b.rows ? a.rows : classes++});
    if (a.rows == b.rows && a.rows >= int(2) && pick(0, 1))
      scope.values.back().rows = classes++;
    return two + " = graph.constant dense<2> : tensor<i64>\n" + zero +
           " = graph.constant dense<0> : tensor<i64>\n" + rest +
           " = graph.rem " + number + ", " + two + " : tensor<i64>\n" + odd +
           " = graph.compare ne, " + rest + ", " + zero +
           " : tensor<i64> -> tensor<i1>\n" + name + " = graph.if " + odd +
           " then {\n" + left + "graph.yield " + a.name + " : " + type +
           "\n} else {\n" + right + "graph.yield " + b.name + " : " + type +
           "\n} : (tensor<i1>) -> " + type + "\n";
  }

  /// At most a few steps; one carried value keeps its rows, one may not.
  std::string loop(Scope &scope, int depth) {
    std::string zero = fresh(), one = fresh(), limit = fresh(), i = fresh(),
                j = fresh(), a = fresh(), b = fresh(), c = fresh(), d = fresh(),
                more = fresh(), next = fresh(), name = fresh();
    Value keeps = any(scope), changes = any(scope);
    Scope inner = scope;
    int changing = classes++;
    inner.values.push_back({a, keeps.rows});
    inner.values.push_back({b, changing});
    inner.numbers.push_back(i);
    std::string body = block(inner, depth + 1, pick(1, 4));
    Value kept = like(inner, keeps.rows), changed = any(inner);
    std::string types = std::string("tensor<i64>, ") + type + ", " + type;
    scope.numbers.push_back(name + "#0");
    scope.values.push_back({name + "#1", keeps.rows});
    scope.values.push_back({name + "#2", classes++});
    return zero + " = graph.constant dense<0> : tensor<i64>\n" + one +
           " = graph.constant dense<1> : tensor<i64>\n" + limit +
           " = graph.constant dense<" + std::to_string(pick(0, 3)) +
           "> : tensor<i64>\n" + name + ":3 = graph.while " + zero + ", " +
           keeps.name + ", " + changes.name + " cond {\n^bb0(" + j +
           ": tensor<i64>, " + c + ": " + type + ", " + d + ": " + type +
           "):\n" + more + " = graph.compare lt, " + j + ", " + limit +
           " : tensor<i64> -> tensor<i1>\ngraph.yield " + more +
           " : tensor<i1>\n} do {\n^bb0(" + i + ": tensor<i64>, " + a + ": " +
           type + ", " + b + ": " + type + "):\n" + body + next +
           " = graph.add " + i + ", " + one + " : tensor<i64>\ngraph.yield " +
           next + ", " + kept.name + ", " + changed.name + " : " + types +
           "\n} : (" + types + ") -> (" + types + ")\n";
  }

  std::mt19937 random;
  int count = 0, classes = 0;
};

TEST_F(RandomControl, CompiledIsInterpreted) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::string text = ControlWriter(seed).write();
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
    auto executable = compile(text);
    ASSERT_TRUE(executable);
    auto session = start(executable, 2);
    for (int64_t rows : {0, 1, 5}) {
      Tensor number(mlir::RankedTensorType::get(
          {}, mlir::IntegerType::get(&context, 64)));
      std::memcpy(number.writable(), &rows, sizeof(rows));
      std::vector<Tensor> arguments{number, floats({rows, 8}, seed),
                                    floats({rows, 8}, seed + 1),
                                    floats({rows + 2, 8}, seed + 2)};
      std::vector<Tensor> expected = interpret(text, arguments),
                          got = run(*session, arguments);
      ASSERT_EQ(got.size(), expected.size());
      for (size_t i = 0; i < got.size(); ++i)
        expectClose(got[i], expected[i]);
      got.clear();
      runtime::MemoryUse use = session->runContext().memoryUse();
      EXPECT_EQ(use.liveBytes, use.arenaBytes);
    }
    if (HasFailure())
      return;
  }
}

} // namespace
} // namespace zenith::test
