// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random graphs, compiled and interpreted: what the plan gets wrong shows as
// values that overwrite each other.

#include "tests/lowering/pipeline/CompiledProgram.h"

namespace zenith::test {
namespace {

class RandomGraph : public CompiledProgram {};

/// Text of a function on n x 24 and 24 x n values, with values that live long
/// and values that die at once.
class GraphWriter {
public:
  explicit GraphWriter(unsigned seed) : random(seed) {}

  std::string write() {
    std::string body;
    for (int i = 0; i < 2; ++i)
      values[0].push_back("%x" + std::to_string(i));
    int steps = pick(3, 25);
    for (int step = 0; step < steps; ++step)
      body += "  " + op(step);
    std::string names, types;
    int results = pick(1, 4);
    for (int i = 0; i < results; ++i) {
      bool turned = !values[1].empty() && pick(0, 2) == 0;
      // Late values mostly, but any value, an argument too, may be a result.
      names +=
          (i ? ", " : "") + (pick(0, 2) ? values[turned].back() : any(turned));
      types += (i ? ", " : "") + type(turned);
    }
    return "func.func @main(%x0: tensor<?x24xf32> {graph.dims = [\"n\", "
           "\"24\"]}, "
           "%x1: tensor<?x24xf32> {graph.dims = [\"n\", \"24\"]}) -> (" +
           types + ") {\n  %n = graph.dim %x0, 0 : tensor<?x24xf32>\n" + body +
           "  return " + names + " : " + types + "\n}\n";
  }

private:
  int pick(int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  }
  const std::string &any(bool turned) {
    std::vector<std::string> &known = values[turned];
    // Recent values are likelier.
    return known[known.size() - 1 -
                 std::min<size_t>(pick(0, 6), known.size() - 1)];
  }
  static std::string type(bool turned) {
    return turned ? "tensor<24x?xf32>" : "tensor<?x24xf32>";
  }

  std::string op(int step) {
    std::string name = "%v" + std::to_string(step);
    bool turned = !values[1].empty() && pick(0, 1);
    std::string from = any(turned), other = any(turned),
                suffix = " : " + type(turned) + "\n";
    switch (pick(0, 6)) {
    case 0:
      values[turned].push_back(name);
      return name + " = graph.tanh " + from + suffix;
    case 1:
      // No differences: rounding is all that is left of nearly equal values.
      values[turned].push_back(name);
      return name + " = graph.add " + from + ", " + other + suffix;
    case 2:
      values[turned].push_back(name);
      return name + " = graph.max " + from + ", " + other + suffix;
    case 3:
    case 4:
      values[!turned].push_back(name);
      return name + " = graph.transpose " + from + " [1, 0] : " + type(turned) +
             " -> " + type(!turned) + "\n";
    case 5:
      values[turned].push_back(name);
      return name + " = graph.softmax " + from + " [1]" + suffix;
    default:
      values[turned].push_back(name);
      std::string sum = "%s" + std::to_string(step),
                  vector = turned ? "tensor<24xf32>" : "tensor<?xf32>";
      return sum + " = graph.reduce max, " + from + " [1] : " + type(turned) +
             " -> " + vector + "\n  " + name + " = graph.broadcast " + sum +
             " [0] [%n] : " + vector + " -> " + type(turned) + "\n";
    }
  }

  std::mt19937 random;
  std::vector<std::string> values[2];
};

TEST_F(RandomGraph, CompiledIsInterpreted) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::string text = GraphWriter(seed).write();
    SCOPED_TRACE(text);
    auto executable = compile(text);
    ASSERT_TRUE(executable);
    auto session = start(executable, 2);
    for (int64_t n : {1, 24, 50}) {
      std::vector<Tensor> arguments{floats({n, 24}, seed),
                                    floats({n, 24}, seed + 1)};
      std::vector<Tensor> got = run(*session, arguments),
                          expected = interpret(text, arguments);
      ASSERT_EQ(got.size(), expected.size());
      for (size_t i = 0; i < got.size(); ++i)
        expectClose(got[i], expected[i]);
    }
    if (HasFailure())
      return;
  }
}

} // namespace
} // namespace zenith::test
