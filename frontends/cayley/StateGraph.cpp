// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Action of generators on states, and states as text.

#include "frontends/cayley/StateGraph.h"
#include "ir/LLVMError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include <map>
#include <optional>
#include <tuple>

using namespace llvm;

namespace zenith::cayley {

State StateGraph::apply(size_t generator, const State &state) const {
  State result(state.size());
  if (!permutations.empty()) {
    for (size_t i = 0; i < state.size(); ++i)
      result[i] = state[permutations[generator][i]];
    return result;
  }
  const Matrix &matrix = matrices[generator];
  size_t columns = state.size() / matrix.rows;
  for (size_t row = 0; row < matrix.rows; ++row)
    for (size_t column = 0; column < columns; ++column) {
      // Entries are below 2^31: a product fits 62 bits, and is reduced at once.
      int64_t sum = 0;
      for (size_t k = 0; k < matrix.rows; ++k)
        sum = (sum + matrix.entries[row * matrix.rows + k] *
                         state[k * columns + column] % modulus) %
              modulus;
      result[row * columns + column] = sum;
    }
  return result;
}

/// True where multiplying by both matrices in turn changes nothing.
static bool undoes(const StateGraph &graph, size_t first, size_t second) {
  const Matrix &a = graph.matrices[first];
  for (size_t row = 0; row < a.rows; ++row)
    for (size_t column = 0; column < a.rows; ++column) {
      int64_t sum = 0;
      for (size_t k = 0; k < a.rows; ++k)
        sum = (sum + a.entries[row * a.rows + k] *
                         graph.matrices[second].entries[k * a.rows + column] %
                         graph.modulus) %
              graph.modulus;
      if (sum != (row == column))
        return false;
    }
  return true;
}

std::vector<size_t> StateGraph::inverses() const {
  std::vector<size_t> result(generators(), generators());
  // Families of permutations may have a hundred thousand.
  std::map<Permutation, size_t> places;
  for (size_t i = 0; i < permutations.size(); ++i)
    places.try_emplace(permutations[i], i);
  for (size_t i = 0; i < permutations.size(); ++i) {
    auto found = places.find(inverseOf(permutations[i]));
    if (found != places.end())
      result[i] = found->second;
  }
  for (size_t i = 0; i < matrices.size(); ++i)
    for (size_t j = 0; j < generators() && result[i] == generators(); ++j)
      if (undoes(*this, i, j))
        result[i] = j;
  return result;
}

bool StateGraph::isInverseClosed() const {
  return !is_contained(inverses(), generators());
}

/// The inverse modulo m by Euclid's algorithm on rows; nothing where there is
/// none.
static std::optional<Matrix> inverseMatrix(const Matrix &matrix, int64_t m) {
  int64_t n = matrix.rows;
  std::vector<std::vector<int64_t>> rows(n, std::vector<int64_t>(2 * n));
  for (int64_t i = 0; i < n; ++i) {
    std::copy_n(matrix.entries.begin() + i * n, n, rows[i].begin());
    rows[i][n + i] = 1 % m;
  }
  // Entries are below 2^31: products fit 62 bits.
  auto subtract = [&](int64_t from, int64_t row, int64_t factor) {
    for (int64_t k = 0; k < 2 * n; ++k)
      rows[from][k] = ((rows[from][k] - factor * rows[row][k]) % m + m) % m;
  };
  for (int64_t column = 0; column < n; ++column) {
    for (int64_t row = column + 1; row < n; ++row)
      while (rows[row][column]) {
        subtract(column, row, rows[column][column] / rows[row][column]);
        std::swap(rows[column], rows[row]);
      }
    // The pivot divides the column; it is a unit where the matrix has an
    // inverse.
    int64_t unit = 0, a = rows[column][column], b = m, x = 1, y = 0;
    while (b) {
      std::tie(a, b, x, y) = std::make_tuple(b, a % b, y, x - a / b * y);
    }
    if (a != 1)
      return std::nullopt;
    unit = (x % m + m) % m;
    for (int64_t &entry : rows[column])
      entry = entry * unit % m;
    for (int64_t row = 0; row < n; ++row)
      if (row != column)
        subtract(row, column, rows[row][column]);
  }
  Matrix result{matrix.rows, {}};
  for (const std::vector<int64_t> &row : rows)
    result.entries.insert(result.entries.end(), row.begin() + n, row.end());
  return result;
}

Expected<StateGraph> StateGraph::reversed() const {
  StateGraph result = *this;
  for (Permutation &permutation : result.permutations)
    permutation = inverseOf(permutation);
  for (auto [matrix, generator] : zip(result.matrices, generatorNames)) {
    std::optional<Matrix> inverse = inverseMatrix(matrix, modulus);
    if (!inverse)
      return makeError(ErrorCode::Unsupported,
                       "generator '" + generator +
                           "' has no inverse: a search from the target's end "
                           "would not come back along it",
                       name);
    matrix = std::move(*inverse);
  }
  return result;
}

Expected<State> parseState(StringRef text) {
  State state;
  auto refuse = [&] {
    return makeError(ErrorCode::Invalid,
                     "a state is digits, or numbers from 0 to "
                     "2147483647 with commas between",
                     text.take_front(80));
  };
  if (text.contains(',')) {
    for (StringRef part : split(text, ',')) {
      uint32_t number;
      if (!to_integer(part.trim(), number, 10) || number > INT32_MAX)
        return refuse();
      state.push_back(number);
    }
    return state;
  }
  for (char digit : text) {
    if (!isDigit(digit))
      return refuse();
    state.push_back(digit - '0');
  }
  if (state.empty())
    return refuse();
  return state;
}

std::string stateText(const State &state) {
  bool digits = all_of(state, [](int64_t number) { return number < 10; });
  std::string text;
  for (int64_t number : state)
    text += (digits || text.empty() ? "" : ",") + std::to_string(number);
  return text;
}

} // namespace zenith::cayley
