// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bounds and encodings of the primitives.

#include "frontends/stablehlo/bytecode/BytecodeCursor.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace zenith;
using namespace zenith::stablehlo;

void ArtifactStatus::invalid(uint64_t offset, const llvm::Twine &message) {
  if (!error)
    error = zenith::invalid(message.str() + " (byte " + std::to_string(offset) +
                            " of the artifact)");
}

void ArtifactStatus::unsupported(const llvm::Twine &message) {
  if (!error)
    error = zenith::unsupported(message.str());
}

uint8_t BytecodeCursor::byte() {
  llvm::StringRef one = take(1);
  return one.empty() ? 0 : uint8_t(one[0]);
}

uint64_t BytecodeCursor::varint() {
  uint8_t first = byte();
  if (!ok())
    return 0;
  unsigned more = first ? llvm::countr_zero(first) : 8;
  llvm::StringRef rest = take(more);
  if (!ok())
    return 0;
  uint64_t value = 0;
  for (unsigned i = 0; i < more; ++i)
    value |= uint64_t(uint8_t(rest[i])) << (8 * (more == 8 ? i : i + 1));
  return more == 8 ? value : (value | first) >> (more + 1);
}

int64_t BytecodeCursor::signedVarint() {
  uint64_t value = varint();
  return int64_t(value >> 1) ^ -int64_t(value & 1);
}

std::pair<uint64_t, bool> BytecodeCursor::flaggedVarint() {
  uint64_t value = varint();
  return {value >> 1, value & 1};
}

uint64_t BytecodeCursor::count() {
  uint64_t value = varint();
  if (value <= left())
    return value;
  fail("a count of " + llvm::Twine(value) + " with " + llvm::Twine(left()) +
       " bytes left");
  return 0;
}

llvm::StringRef BytecodeCursor::take(uint64_t size) {
  if (!ok())
    return {};
  if (size > left()) {
    fail("ends where " + llvm::Twine(size) + " more bytes were expected");
    return {};
  }
  llvm::StringRef part = bytes.substr(at, size);
  at += size;
  return part;
}

llvm::StringRef BytecodeCursor::terminatedString() {
  size_t end = bytes.find('\0', at);
  if (end == llvm::StringRef::npos) {
    fail("a string without an end");
    return {};
  }
  llvm::StringRef text = take(end - at);
  take(1);
  return text;
}

llvm::APInt BytecodeCursor::integer(unsigned width) {
  if (width <= 8)
    return llvm::APInt(64, byte()).trunc(width);
  if (width <= 64)
    return llvm::APInt(64, uint64_t(signedVarint())).trunc(width);
  uint64_t words = count();
  if (ok() && words > llvm::divideCeil(width, 64))
    fail("an integer of more words than its width");
  llvm::SmallVector<uint64_t> parts;
  for (uint64_t i = 0; i < words && ok(); ++i)
    parts.push_back(uint64_t(signedVarint()));
  parts.resize(llvm::divideCeil(width, 64));
  return llvm::APInt(width, llvm::ArrayRef<uint64_t>(parts));
}

uint64_t BytecodeCursor::index(uint64_t end, const char *what) {
  uint64_t value = varint();
  if (value < end)
    return value;
  fail(llvm::Twine(what) + " " + llvm::Twine(value) + " of " +
       llvm::Twine(end));
  return 0;
}

void BytecodeCursor::expectEnd(const char *what) {
  if (ok() && at != bytes.size())
    fail(llvm::Twine(left()) + " bytes after the end of " + what);
}
