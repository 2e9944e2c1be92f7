// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a program as expressions, compiles it and runs it:
// docs/embedding.md, "Embed in C++".

#include <cstdio>
#include <zenith/zenith.hpp>

int main() {
  try {
    zenith::Context context;
    zenith::Graph graph(context);
    zenith::Value x = graph.input("x", ZENITH_F32, {"rows", 2});
    zenith::Value weights = graph.parameter(
        "w", zenith::Array::of<float>(context, {1, 0, 0, 1, 1, 1}, {2, 3}));
    graph.output(relu(matmul(x, weights)) * 2.0, "y");
    zenith::Session session = graph.finish().compile().session();

    std::vector<float> rows{1, -2, 3, 4};
    zenith::Array y =
        session.run({zenith::Array::of<float>(context, rows, {2, 2})}).at(0);
    for (float element : y.to_vector<float>())
      std::printf("%g\n", double(element));

    // Other weights, without another compilation.
    session.rebind(
        {{"w", zenith::Array::of<float>(context, {0, 0, 0, 0, 0, 1}, {2, 3})}});
    y = session.run({zenith::Array::of<float>(context, rows, {2, 2})}).at(0);
    std::printf("%g\n", double(y.to_vector<float>().back()));
  } catch (const zenith::Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
