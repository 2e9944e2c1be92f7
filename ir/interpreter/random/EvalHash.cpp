// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Meaning of hash: sums of products and polynomials, element by element.

#include "ir/GraphOps.h"
#include "ir/interpreter/OrderKeys.h"
#include "ir/interpreter/random/CounterHash.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::interpreter;
using llvm::Expected;

/// 2^31 - 1, a prime.
static constexpr uint64_t prime = (uint64_t(1) << 31) - 1;

/// Integers modulo 2^64, and whether they are negative numbers there.
static std::pair<std::vector<uint64_t>, bool> wordsOf(const Tensor &tensor) {
  if (tensor.elementType().isUnsignedInteger(64)) {
    auto words = elementsOf<uint64_t>(tensor);
    return {{words.begin(), words.end()}, false};
  }
  SmallVector<int64_t> numbers = integersOf(tensor);
  return {{numbers.begin(), numbers.end()}, true};
}

static uint64_t modulo(uint64_t word, bool isSigned) {
  if (!isSigned || int64_t(word) >= 0)
    return word % prime;
  return uint64_t(int64_t(word) % int64_t(prime) + int64_t(prime)) % prime;
}

/// The matrix, [width, lanes].
static std::vector<uint64_t> factors(uint64_t seed, int64_t count) {
  Words2 halves = halvesOf(seed);
  std::vector<uint64_t> numbers;
  for (int64_t i = 0; i < count; ++i) {
    Words2 words = threefry({uint32_t(uint64_t(i) >> 32), uint32_t(i)},
                            {halves.second, halves.first});
    numbers.push_back((words.first ^ words.second) % prime);
  }
  return numbers;
}

Expected<Results> zenith::interpreter::evaluateHash(const OpEvaluation &e) {
  auto op = cast<graph::HashOp>(e.op);
  const int64_t rows = e.operand(0).shape()[0], width = e.operand(0).shape()[1],
                lanes = e.resultType().getDimSize(1);
  Expected<Tensor> result = e.allocate({rows, lanes});
  if (!result)
    return result.takeError();
  auto [words, isSigned] = wordsOf(e.operand(0));
  if (op.getKind() == graph::HashKind::poly32) {
    auto hashes = writableElements<uint32_t>(*result);
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t i = 0; i < width; ++i)
        hashes[size_t(row)] = hashes[size_t(row)] * 0x01000193u +
                              uint32_t(words[size_t(row * width + i)]) + 1;
    return Results{std::move(*result)};
  }
  std::vector<uint64_t> m =
      factors(uint64_t(op.getSeed().value_or(0)), width * lanes);
  auto hashes = writableElements<int64_t>(*result);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t lane = 0; lane < lanes; ++lane) {
      uint64_t sum = 0;
      for (int64_t i = 0; i < width; ++i)
        sum = (sum + modulo(words[size_t(row * width + i)], isSigned) *
                         m[size_t(i * lanes + lane)]) %
              prime;
      hashes[size_t(row * lanes + lane)] = int64_t(sum);
    }
  return Results{std::move(*result)};
}
