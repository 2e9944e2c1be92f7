// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounds of Philox; those of Threefry are the runtime's.

#include "ir/interpreter/random/CounterHash.h"
#include "ir/tensor/Tensor.h"
#include "runtime/routines/Threefry.h"
#include <cstring>

using namespace zenith;
using namespace zenith::interpreter;

Words2 interpreter::threefry(Words2 counter, Words2 key) {
  uint32_t words[2] = {counter.first, counter.second};
  runtime::threefry(words, key.first, key.second);
  return {words[0], words[1]};
}

Words4 interpreter::philox(Counter counter, uint64_t key) {
  Words2 a = halvesOf(counter.low), b = halvesOf(counter.high),
         k = halvesOf(key);
  Words4 x{{a.first, a.second, b.first, b.second}};
  for (unsigned round = 0; round < 10; ++round) {
    uint64_t first = uint64_t(0xD2511F53u) * x.word[0];
    uint64_t second = uint64_t(0xCD9E8D57u) * x.word[2];
    x = {{uint32_t(second >> 32) ^ x.word[1] ^ k.first, uint32_t(second),
          uint32_t(first >> 32) ^ x.word[3] ^ k.second, uint32_t(first)}};
    k.first += 0x9E3779B9u;
    k.second += 0xBB67AE85u;
  }
  return x;
}

uint64_t interpreter::fillPhilox(Tensor &bits, Counter counter, uint64_t key) {
  unsigned bytes = elementBytes(bits.elementType());
  char *to = bits.writable();
  int64_t perCounter = bytes == 8 ? 2 : 4, count = bits.size();
  uint64_t used = 0;
  for (int64_t i = 0; i < count; i += perCounter, ++used) {
    Words4 x = philox(counter.plus(used), key);
    for (int64_t k = 0; k < perCounter && i + k < count; ++k) {
      uint64_t word = bytes == 8
                          ? x.word[2 * k] | uint64_t(x.word[2 * k + 1]) << 32
                          : x.word[k];
      std::memcpy(to + (i + k) * int64_t(bytes), &word, bytes);
    }
  }
  return used;
}
