// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Section headers first, then names, then offsets: the string section comes
// late in a file.

#include "frontends/stablehlo/bytecode/BytecodeContainer.h"

#include "llvm/ADT/StringExtras.h"
#include <array>

using namespace zenith;
using namespace zenith::stablehlo;

static constexpr llvm::StringLiteral magic("ML\xefR");
static constexpr llvm::StringLiteral producerPrefix("StableHLO_v");
static constexpr uint64_t newestBytecode = 6;
static const ArtifactVersion oldestArtifact{0, 9, 0}, newestArtifact{1, 20, 0};

// The features that each version of the format added.
enum : uint64_t { dialectVersions = 1, opNameCounts = 4, nativeProperties = 5 };

enum SectionID : unsigned {
  strings = 0,
  dialects = 1,
  entries = 2,
  entryOffsets = 3,
  program = 4,
  resources = 5,
  resourceOffsets = 6,
  dialectVersion = 7,
  properties = 8,
  sectionKinds = 9
};

std::optional<ArtifactVersion> ArtifactVersion::parse(llvm::StringRef text) {
  ArtifactVersion version;
  for (unsigned *part : {&version.major, &version.minor, &version.patch}) {
    if (text.consumeInteger(10, *part))
      return std::nullopt;
    if (part != &version.patch && !text.consume_front("."))
      return std::nullopt;
  }
  return text.empty() ? std::optional(version) : std::nullopt;
}

std::string ArtifactVersion::text() const {
  return (llvm::Twine(major) + "." + llvm::Twine(minor) + "." +
          llvm::Twine(patch))
      .str();
}

bool zenith::stablehlo::isPortableArtifact(llvm::StringRef bytes) {
  // The varint of the version takes one byte for all existing versions.
  return bytes.starts_with(magic) &&
         bytes.drop_front(5).starts_with(producerPrefix);
}

namespace {
class ContainerReader {
public:
  ContainerReader(llvm::StringRef bytes, ArtifactStatus &status)
      : bytes(bytes), status(status) {}

  BytecodeContainer read();

private:
  void readHeader(BytecodeCursor &cursor);
  void readSectionHeaders(BytecodeCursor &cursor);
  void readStrings();
  void readDialects();
  void readDialectNames(BytecodeCursor &cursor);
  void readEntries();
  void readProperties();
  BytecodeCursor section(SectionID id);

  llvm::StringRef string(BytecodeCursor &cursor, uint64_t index) {
    if (index < out.strings.size())
      return out.strings[index];
    cursor.fail("string " + llvm::Twine(index) + " of " +
                llvm::Twine(out.strings.size()));
    return {};
  }

  llvm::StringRef bytes;
  ArtifactStatus &status;
  BytecodeContainer out;
  std::array<std::optional<BytecodePart>, sectionKinds> sections;
  std::vector<llvm::StringRef> dialectNames;
};
} // namespace

void ContainerReader::readHeader(BytecodeCursor &cursor) {
  if (cursor.take(4) != magic)
    return status.invalid(0, "is no MLIR bytecode");
  out.version = cursor.varint();
  if (out.version > newestBytecode)
    return status.unsupported("MLIR bytecode version " +
                              llvm::Twine(out.version) + " is newer than " +
                              llvm::Twine(newestBytecode));
  llvm::StringRef producer = cursor.terminatedString();
  if (!cursor.ok())
    return;
  if (!producer.consume_front(producerPrefix))
    return status.unsupported("bytecode of producer '" + llvm::Twine(producer) +
                              "' is no StableHLO portable artifact");
  std::optional<ArtifactVersion> version = ArtifactVersion::parse(producer);
  if (!version)
    return cursor.fail("'" + llvm::Twine(producer) + "' is no version");
  out.artifact = *version;
  if (*version < oldestArtifact || newestArtifact < *version)
    status.unsupported("StableHLO version " + version->text() +
                       " is outside of " + oldestArtifact.text() + " to " +
                       newestArtifact.text());
}

void ContainerReader::readSectionHeaders(BytecodeCursor &cursor) {
  while (!cursor.atEnd()) {
    uint8_t head = cursor.byte();
    uint64_t length = cursor.varint();
    if (head & 0x80) {
      uint64_t alignment = cursor.varint();
      if (cursor.ok() && (!alignment || (alignment & (alignment - 1))))
        return cursor.fail("alignment " + llvm::Twine(alignment));
      while (cursor.ok() && cursor.offset() & (alignment - 1))
        if (cursor.byte() != 0xcb)
          return cursor.fail("padding expected");
    }
    uint64_t offset = cursor.offset();
    llvm::StringRef content = cursor.take(length);
    if (!cursor.ok())
      return;
    unsigned id = head & 0x7f;
    if (id >= sectionKinds)
      return cursor.fail("section " + llvm::Twine(id) + " is unknown");
    if (sections[id])
      return cursor.fail("section " + llvm::Twine(id) + " occurs twice");
    sections[id] = BytecodePart{content, offset};
  }
}

BytecodeCursor ContainerReader::section(SectionID id) {
  if (!sections[id]) {
    status.invalid(bytes.size(),
                   "section " + llvm::Twine(unsigned(id)) + " is missing");
    return {{}, bytes.size(), status};
  }
  return {sections[id]->bytes, sections[id]->offset, status};
}

void ContainerReader::readStrings() {
  BytecodeCursor cursor = section(strings);
  uint64_t count = cursor.count();
  std::vector<uint64_t> lengths;
  for (uint64_t i = 0; i < count && cursor.ok(); ++i)
    lengths.push_back(cursor.varint());
  // Lengths are listed from the last string to the first.
  for (size_t i = lengths.size(); i-- > 0 && cursor.ok();) {
    llvm::StringRef text = cursor.take(lengths[i]);
    if (cursor.ok() && (text.empty() || text.back() != '\0'))
      return cursor.fail("a string without an end");
    out.strings.push_back(text.drop_back(text.empty() ? 0 : 1));
  }
  cursor.expectEnd("the strings");
}

void ContainerReader::readDialectNames(BytecodeCursor &cursor) {
  uint64_t count = cursor.count();
  for (uint64_t i = 0; i < count && cursor.ok(); ++i) {
    uint64_t name = cursor.varint();
    bool hasVersion = false;
    if (out.version >= dialectVersions) {
      hasVersion = name & 1;
      name >>= 1;
    }
    dialectNames.push_back(string(cursor, name));
    if (!hasVersion)
      continue;
    // The artifact's version is in the producer's name.
    if (cursor.byte() != dialectVersion)
      return cursor.fail("the version of a dialect expected");
    cursor.take(cursor.varint());
  }
}

void ContainerReader::readDialects() {
  BytecodeCursor cursor = section(dialects);
  readDialectNames(cursor);
  if (out.version >= opNameCounts)
    cursor.varint();
  while (!cursor.atEnd()) {
    uint64_t dialect = cursor.index(dialectNames.size(), "dialect");
    uint64_t count = cursor.count();
    for (uint64_t i = 0; i < count && cursor.ok(); ++i) {
      uint64_t name = cursor.varint();
      if (out.version >= nativeProperties)
        name >>= 1;
      llvm::StringRef text = string(cursor, name);
      if (cursor.ok())
        out.ops.push_back({dialectNames[dialect], text});
    }
  }
}

void ContainerReader::readEntries() {
  if (!sections[entries])
    return status.invalid(bytes.size(), "section 2 is missing");
  BytecodePart data = *sections[entries];
  BytecodeCursor cursor = section(entryOffsets);
  uint64_t attributes = cursor.count();
  uint64_t types = cursor.count();
  uint64_t at = 0;
  while (!cursor.atEnd()) {
    uint64_t dialect = cursor.index(dialectNames.size(), "dialect");
    uint64_t count = cursor.count();
    for (uint64_t i = 0; i < count && cursor.ok(); ++i) {
      auto [size, custom] = cursor.flaggedVarint();
      if (size > data.bytes.size() - at)
        return cursor.fail("an attribute or type outside of its section");
      bool isAttribute = out.attributes.size() < attributes;
      (isAttribute ? out.attributes : out.types)
          .push_back({{data.bytes.substr(at, size), data.offset + at},
                      dialectNames[dialect],
                      custom});
      at += size;
    }
  }
  if (cursor.ok() &&
      (out.attributes.size() != attributes || out.types.size() != types))
    cursor.fail("other numbers of attributes and types than announced");
}

void ContainerReader::readProperties() {
  if (!sections[properties])
    return;
  BytecodeCursor cursor = section(properties);
  uint64_t count = cursor.count();
  for (uint64_t i = 0; i < count && cursor.ok(); ++i) {
    uint64_t size = cursor.varint();
    uint64_t offset = cursor.offset();
    out.properties.push_back({cursor.take(size), offset});
  }
  cursor.expectEnd("the properties");
}

BytecodeContainer ContainerReader::read() {
  BytecodeCursor cursor(bytes, 0, status);
  readHeader(cursor);
  readSectionHeaders(cursor);
  if (!status.failed() && sections[resources] &&
      !sections[resources]->bytes.empty())
    status.unsupported("resources in an artifact");
  if (!status.failed())
    readStrings();
  if (!status.failed())
    readDialects();
  if (!status.failed())
    readEntries();
  if (!status.failed())
    readProperties();
  if (!status.failed() && !sections[program])
    status.invalid(bytes.size(), "section 4 is missing");
  if (!status.failed())
    out.program = *sections[program];
  return std::move(out);
}

BytecodeContainer zenith::stablehlo::readContainer(llvm::StringRef bytes,
                                                   ArtifactStatus &status) {
  return ContainerReader(bytes, status).read();
}
