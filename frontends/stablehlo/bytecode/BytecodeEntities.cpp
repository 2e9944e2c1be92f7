// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lazy resolution with a check for cycles and depth, and the lists that all
// encodings share.

#include "frontends/stablehlo/bytecode/BytecodeEntities.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

// Attributes nest a few levels; locations of inlined calls nest deepest.
static constexpr unsigned maxDepth = 512;
static constexpr uint64_t maxParts = 1 << 20;

BytecodeEntities::BytecodeEntities(const BytecodeContainer &container,
                                   MLIRContext *context, ArtifactStatus &status)
    : context(context), container(container), status(status),
      attributes(container.attributes.size()), types(container.types.size()) {}

template <typename T, typename Read>
T BytecodeEntities::resolve(std::vector<Cell<T>> &cells,
                            const std::vector<BytecodeEntry> &entries,
                            uint64_t index, const BytecodeCursor &from,
                            const char *what, Read read) {
  if (status.failed())
    return {};
  if (index >= cells.size()) {
    status.invalid(from.offset(), llvm::Twine(what) + " " + llvm::Twine(index) +
                                      " of " + llvm::Twine(cells.size()));
    return {};
  }
  Cell<T> &cell = cells[index];
  const BytecodeEntry &entry = entries[index];
  if (cell.done) {
    parts += cell.parts;
    return cell.value;
  }
  if (cell.reading || depth == maxDepth) {
    status.invalid(entry.part.offset,
                   llvm::Twine(what) + " " + llvm::Twine(index) +
                       (cell.reading ? " contains itself" : " nests too deep"));
    return {};
  }
  if (!entry.custom) {
    status.unsupported(llvm::Twine(what) + " of dialect '" + entry.dialect +
                       "' as text in an artifact");
    return {};
  }
  cell.reading = true;
  uint64_t outerParts = std::exchange(parts, 1);
  ++depth;
  BytecodeCursor cursor(entry.part.bytes, entry.part.offset, status);
  T value = read(entry.dialect, cursor);
  --depth;
  cell.reading = false;
  cell.parts = std::exchange(parts, outerParts + parts);
  if (cell.parts > maxParts)
    cursor.fail(llvm::Twine(what) + " of more than " + llvm::Twine(maxParts) +
                " parts");
  cursor.expectEnd(what);
  if (!status.failed() && !value)
    cursor.fail(llvm::Twine(what) + " without a value");
  if (status.failed())
    return {};
  cell.value = value;
  cell.done = true;
  return value;
}

Attribute BytecodeEntities::attribute(uint64_t index,
                                      const BytecodeCursor &from) {
  return resolve(attributes, container.attributes, index, from, "attribute",
                 [&](llvm::StringRef dialect, BytecodeCursor &cursor) {
                   if (dialect == "builtin")
                     return readBuiltinAttribute(cursor);
                   if (dialect == "vhlo")
                     return readVHLOAttribute(cursor);
                   if (dialect == "sdy")
                     return readShardyAttribute(cursor);
                   status.unsupported("attributes of dialect '" + dialect +
                                      "' in an artifact");
                   return Attribute();
                 });
}

Type BytecodeEntities::type(uint64_t index, const BytecodeCursor &from) {
  return resolve(types, container.types, index, from, "type",
                 [&](llvm::StringRef dialect, BytecodeCursor &cursor) {
                   if (dialect == "builtin")
                     return readBuiltinType(cursor);
                   if (dialect == "vhlo")
                     return readVHLOType(cursor);
                   status.unsupported("types of dialect '" + dialect +
                                      "' in an artifact");
                   return Type();
                 });
}

Attribute BytecodeEntities::readAttribute(BytecodeCursor &cursor) {
  uint64_t index = cursor.varint();
  return attribute(index, cursor);
}

Type BytecodeEntities::readType(BytecodeCursor &cursor) {
  uint64_t index = cursor.varint();
  return type(index, cursor);
}

StringAttr BytecodeEntities::readString(BytecodeCursor &cursor) {
  auto string = dyn_cast_or_null<StringAttr>(readAttribute(cursor));
  if (!string)
    cursor.fail("a string expected");
  return string;
}

LocationAttr BytecodeEntities::readLocation(BytecodeCursor &cursor) {
  auto location = dyn_cast_or_null<LocationAttr>(readAttribute(cursor));
  if (!location)
    cursor.fail("a location expected");
  return location;
}

llvm::StringRef BytecodeEntities::readText(BytecodeCursor &cursor) {
  uint64_t index = cursor.index(container.strings.size(), "string");
  return cursor.ok() ? container.strings[index] : llvm::StringRef();
}

llvm::SmallVector<Attribute>
BytecodeEntities::readAttributes(BytecodeCursor &cursor) {
  llvm::SmallVector<Attribute> list;
  uint64_t count = cursor.count();
  for (uint64_t i = 0; i < count && cursor.ok(); ++i)
    list.push_back(readAttribute(cursor));
  return list;
}

llvm::SmallVector<Type> BytecodeEntities::readTypes(BytecodeCursor &cursor) {
  llvm::SmallVector<Type> list;
  uint64_t count = cursor.count();
  for (uint64_t i = 0; i < count && cursor.ok(); ++i)
    list.push_back(readType(cursor));
  return list;
}

llvm::SmallVector<int64_t>
BytecodeEntities::readIntegers(BytecodeCursor &cursor) {
  llvm::SmallVector<int64_t> list;
  uint64_t count = cursor.count();
  for (uint64_t i = 0; i < count && cursor.ok(); ++i)
    list.push_back(cursor.signedVarint());
  return list;
}

DictionaryAttr BytecodeEntities::readDictionary(BytecodeCursor &cursor) {
  NamedAttrList list;
  uint64_t count = cursor.count();
  for (uint64_t i = 0; i < count && cursor.ok(); ++i) {
    StringAttr name = readString(cursor);
    Attribute value = readAttribute(cursor);
    if (cursor.ok() && name.empty())
      cursor.fail("an attribute without a name");
    if (cursor.ok())
      list.append(name, value);
  }
  if (cursor.ok() && list.findDuplicate())
    cursor.fail("an attribute twice in a dictionary");
  return cursor.ok() ? list.getDictionary(context) : DictionaryAttr();
}

Attribute BytecodeEntities::parse(const llvm::Twine &text) {
  std::string string = text.str();
  std::string message;
  ScopedDiagnosticHandler quiet(context, [&](Diagnostic &diagnostic) {
    message = diagnostic.str();
    return success();
  });
  Attribute attribute = parseAttribute(string, context);
  if (!attribute)
    status.unsupported("attribute " + string + ": " + message);
  return attribute;
}
