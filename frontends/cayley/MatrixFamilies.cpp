// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups of matrices over the integers modulo a number: Heisenberg groups, and
// special linear groups by their elementary matrices.

#include "frontends/cayley/MatrixFamilies.h"

#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace zenith::cayley {

/// Larger matrices would be states of more than 4096 numbers.
static constexpr int64_t maxRows = 64;

namespace {

class MatrixGenerators {
public:
  MatrixGenerators(StateGraph &graph, int64_t rows, int64_t modulus)
      : graph(graph), rows(rows), modulus(modulus) {
    graph.modulus = modulus;
    graph.central = identity().entries;
  }

  Matrix identity() const {
    Matrix matrix{uint32_t(rows), std::vector<int64_t>(rows * rows)};
    for (int64_t i = 0; i < rows; ++i)
      matrix.entries[i * rows + i] = 1;
    return matrix;
  }
  /// The identity with `value` at (row, column).
  Matrix elementary(int64_t row, int64_t column, int64_t value) const {
    Matrix matrix = identity();
    matrix.entries[row * rows + column] = (value + modulus) % modulus;
    return matrix;
  }
  void add(const Twine &name, Matrix matrix) {
    graph.generatorNames.push_back(name.str());
    graph.matrices.push_back(std::move(matrix));
  }
  void addWithInverse(const std::string &name, int64_t row, int64_t column) {
    add(name, elementary(row, column, 1));
    add(name + "'", elementary(row, column, -1));
  }

private:
  StateGraph &graph;
  int64_t rows, modulus;
};

} // namespace

/// Ones on the diagonal, and x (a one in the first row) or y (in the last
/// column) beside it; x_1, ..., y_1, ... where there are several.
static void heisenberg(int64_t rows, int64_t modulus, StateGraph &graph) {
  MatrixGenerators generators(graph, rows, modulus);
  std::string number;
  for (int64_t sign : {1, -1}) {
    std::string mark = sign < 0 ? "'" : "";
    for (int64_t i = 1; i + 1 < rows; ++i) {
      number = rows == 3 ? "" : std::to_string(i);
      generators.add("x" + number + mark, generators.elementary(0, i, sign));
    }
    for (int64_t i = 1; i + 1 < rows; ++i) {
      number = rows == 3 ? "" : std::to_string(i);
      generators.add("y" + number + mark,
                     generators.elementary(i, rows - 1, sign));
    }
  }
}

static void fundamentalRoots(int64_t rows, int64_t modulus, StateGraph &graph) {
  MatrixGenerators generators(graph, rows, modulus);
  for (int64_t i = 0; i + 1 < rows; ++i) {
    generators.addWithInverse("e" + std::to_string(i + 1), i, i + 1);
    generators.addWithInverse("f" + std::to_string(i + 1), i + 1, i);
  }
}

/// The cyclic shift w has the sign that makes its determinant one; its inverse
/// is its transpose.
static void rootAndWeylElement(int64_t rows, int64_t modulus,
                               StateGraph &graph) {
  MatrixGenerators generators(graph, rows, modulus);
  generators.addWithInverse("e", 0, 1);
  Matrix shift{uint32_t(rows), std::vector<int64_t>(rows * rows)},
      inverse = shift;
  for (int64_t i = 0; i < rows; ++i) {
    int64_t column = (i + 1) % rows;
    int64_t value = column == 0 && rows % 2 == 0 ? modulus - 1 : 1;
    shift.entries[i * rows + column] = value;
    inverse.entries[column * rows + i] = value;
  }
  generators.add("w", shift);
  generators.add("w'", inverse);
}

bool buildMatrixFamily(StringRef family, ArrayRef<int64_t> sizes,
                       StateGraph &graph, bool &valid) {
  auto sensible = [](int64_t rows, int64_t least, int64_t modulus) {
    return rows >= least && rows <= maxRows && modulus >= 2 &&
           modulus <= int64_t(1) << 31;
  };
  if (family == "heisenberg") {
    valid = sizes.size() == 2 && sensible(sizes[0], 3, sizes[1]);
    if (valid)
      heisenberg(sizes[0], sizes[1], graph);
    return true;
  }
  StringRef rest = family;
  int64_t rows = 0;
  if (!rest.consume_front("sl_") || rest.consumeInteger(10, rows) ||
      (rest != "_fund_roots" && rest != "_root_weyl"))
    return false;
  valid = sizes.size() == 1 && sensible(rows, 2, sizes[0]);
  if (valid && rest == "_fund_roots")
    fundamentalRoots(rows, sizes[0], graph);
  else if (valid)
    rootAndWeylElement(rows, sizes[0], graph);
  return true;
}

} // namespace zenith::cayley
