// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A short form of fuzzing that always does the same: calls the entry of a
// fuzzer with seeded random bytes, or with mutants of files.
//
// usage: PROGRAM SEED COUNT [PREFIX:FILE]...

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

using Bytes = std::string;

/// PREFIX stands before the file's bytes and is not changed.
struct Seed {
  Bytes prefix, contents;
};

static Seed readSeed(const std::string &argument) {
  size_t colon = argument.find(':');
  std::ifstream file(argument.substr(colon + 1), std::ios::binary);
  if (colon == std::string::npos || !file) {
    std::fprintf(stderr, "cannot read %s\n", argument.c_str());
    std::exit(2);
  }
  return {argument.substr(0, colon),
          {std::istreambuf_iterator<char>(file), {}}};
}

class Mutations {
public:
  explicit Mutations(unsigned seed) : random(seed) {}

  size_t below(size_t bound) { return bound ? random() % bound : 0; }

  Bytes fresh() {
    Bytes bytes(below(256), '\0');
    for (char &byte : bytes)
      byte = char(random());
    return bytes;
  }

  /// One of the changes that break readers of lengths, offsets and tags.
  void change(Bytes &bytes) {
    size_t at = below(bytes.size()), end = bytes.size();
    size_t length = 1 + below(std::min<size_t>(end - at, 16));
    static const char *const words[] = {"\xff\xff\xff\xff\x0f", "\x80", "-1",
                                        "9223372036854775807", "\0\0\0\0"};
    switch (below(7)) {
    case 0:
      bytes[at] = char(bytes[at] ^ (1 << below(8)));
      break;
    case 1:
      bytes[at] = char(random());
      break;
    case 2:
      bytes.erase(at, length);
      break;
    case 3:
      bytes.insert(at, bytes.substr(below(end), length));
      break;
    case 4:
      bytes.replace(at, length, words[below(std::size(words))]);
      break;
    case 5:
      bytes.resize(at);
      break;
    default:
      bytes[at] = char(bytes[at] + (below(2) ? 1 : -1));
    }
  }

private:
  std::mt19937 random;
};

int main(int argc, char **argv) {
  if (argc < 3)
    return 2;
  Mutations mutations(unsigned(std::atoi(argv[1])));
  std::vector<Seed> seeds;
  for (int i = 3; i < argc; ++i)
    seeds.push_back(readSeed(argv[i]));
  for (int count = std::atoi(argv[2]); count > 0; --count) {
    Bytes bytes;
    if (seeds.empty()) {
      bytes = mutations.fresh();
    } else {
      const Seed &seed = seeds[mutations.below(seeds.size())];
      Bytes mutant = seed.contents;
      for (size_t changes = 1 + mutations.below(4); changes && !mutant.empty();
           --changes)
        mutations.change(mutant);
      bytes = seed.prefix + mutant;
    }
    // What a crash leaves behind.
    if (const char *keep = std::getenv("KEEP_INPUT"))
      std::ofstream(keep, std::ios::binary) << bytes;
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(bytes.data()),
                           bytes.size());
  }
  return 0;
}
