// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads what Linux says of caches.

#include "ir/target/MachineCaches.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MemoryBuffer.h"
#include <algorithm>

using namespace llvm;

namespace zenith::target {

/// A file of one line; empty where there is none.
static std::string lineOf(const Twine &path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> file =
      MemoryBuffer::getFileAsStream(path);
  return file ? (*file)->getBuffer().trim().str() : "";
}

/// "48K" or "2M" in bytes; 0 for other texts.
static int64_t bytesOf(StringRef text) {
  int64_t unit = text.consume_back("K")   ? 1 << 10
                 : text.consume_back("M") ? 1 << 20
                                          : 1,
          number = 0;
  return text.getAsInteger(10, number) || number < 0 ? 0 : number * unit;
}

/// How many cores "0-3,8" names; at least one.
static int64_t countOf(StringRef list) {
  int64_t count = 0;
  SmallVector<StringRef> ranges;
  list.split(ranges, ',', -1, /*KeepEmpty=*/false);
  for (StringRef range : ranges) {
    auto [from, to] = range.split('-');
    int64_t first = 0, last = 0;
    if (from.getAsInteger(10, first))
      continue;
    count += to.getAsInteger(10, last) || last < first ? 1 : last - first + 1;
  }
  return std::max<int64_t>(count, 1);
}

static int64_t roundedDown(int64_t bytes) {
  return bytes > 0 ? int64_t(llvm::bit_floor(uint64_t(bytes))) : 0;
}

std::optional<MachineCaches> readCaches(StringRef root) {
  constexpr int mostCaches = 16;
  int64_t sizes[4] = {};
  for (int index = 0; index < mostCaches; ++index) {
    std::string folder = (root + "/index" + Twine(index) + "/").str();
    int level = 0;
    if (StringRef(lineOf(folder + "level")).getAsInteger(10, level) ||
        level < 1 || level > 3 || lineOf(folder + "type") == "Instruction")
      continue;
    int64_t shared =
        level == 3 ? countOf(lineOf(folder + "shared_cpu_list")) : 1;
    sizes[level] = bytesOf(lineOf(folder + "size")) / shared;
  }
  constexpr int64_t wholeL2 = 512 << 10;
  int64_t l1 = sizes[1] / pageBytes * pageBytes,
          l2 = roundedDown(sizes[2] > wholeL2 ? std::max(sizes[2] / 2, wholeL2)
                                              : sizes[2]);
  if (l1 == 0 || l2 < l1)
    return std::nullopt;
  return MachineCaches{l1, l2, std::max(roundedDown(sizes[3]), 2 * l2)};
}

std::optional<MachineCaches> cachesOfThisMachine() {
  return readCaches("/sys/devices/system/cpu/cpu0/cache");
}

} // namespace zenith::target
