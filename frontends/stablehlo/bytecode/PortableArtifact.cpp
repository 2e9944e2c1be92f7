// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the program section of an artifact: blocks, ops, values by index.

#include "frontends/stablehlo/bytecode/PortableArtifact.h"

#include "frontends/stablehlo/bytecode/VHLOConversion.h"
#include "mlir/IR/Operation.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

// Later stages walk regions by recursion.
static constexpr unsigned maxNesting = 200;

// From this version of the format on, regions without captures have a section
// of their own.
static constexpr uint64_t isolatedSections = 2;

namespace {
enum OpMask : uint8_t {
  hasAttributes = 0x01,
  hasResults = 0x02,
  hasOperands = 0x04,
  hasSuccessors = 0x08,
  hasRegions = 0x10,
  hasUseOrder = 0x20,
  hasProperties = 0x40
};

/// Values of a region without captures, and of nested regions that capture.
struct Scope {
  std::vector<Value> values;
  size_t next = 0;
};

class ProgramReader {
public:
  ProgramReader(const BytecodeContainer &container, MLIRContext *context,
                ArtifactStatus &status)
      : container(container), status(status),
        entities(container, context, status), context(context) {}

  OwningOpRef<ModuleOp> read();

private:
  void readBlock(BytecodeCursor &cursor, Block &block, Scope &scope,
                 Operation *parent);
  void readArguments(BytecodeCursor &cursor, Block &block, Scope &scope);
  void readOp(BytecodeCursor &cursor, Block &block, Scope &scope,
              Operation *parent);
  void readRegions(BytecodeCursor &cursor, Operation *op, uint64_t count,
                   Scope &scope);
  void readRegion(BytecodeCursor &cursor, Region &region, Scope &scope);
  void readAttributes(BytecodeCursor &cursor, uint8_t mask, const VHLOOp *row,
                      llvm::StringRef name, NamedAttrList &discardable,
                      NamedAttrList &properties);
  void readProperties(BytecodeCursor &cursor, const VHLOOp *row,
                      llvm::StringRef name, NamedAttrList &properties);
  bool nameOp(const BytecodeOpName &name, const VHLOOp *row, Operation *parent,
              std::string &full);
  void skipUseOrder(BytecodeCursor &cursor, uint64_t values);
  SmallVector<Value> readOperands(BytecodeCursor &cursor, const Scope &scope);
  void define(BytecodeCursor &cursor, Scope &scope, ValueRange values);

  const BytecodeContainer &container;
  ArtifactStatus &status;
  BytecodeEntities entities;
  MLIRContext *context;
  unsigned nesting = 0;
  uint64_t liveValues = 0;
};
} // namespace

void ProgramReader::define(BytecodeCursor &cursor, Scope &scope,
                           ValueRange values) {
  for (Value value : values) {
    if (scope.next >= scope.values.size())
      return cursor.fail("more values than announced");
    scope.values[scope.next++] = value;
  }
}

// The order of uses has no meaning here.
void ProgramReader::skipUseOrder(BytecodeCursor &cursor, uint64_t values) {
  uint64_t entries = values > 1 ? cursor.count() : 1;
  for (uint64_t i = 0; i < entries && cursor.ok(); ++i) {
    if (values > 1)
      cursor.varint();
    uint64_t count = cursor.varint() >> 1;
    for (uint64_t k = 0; k < count && cursor.ok(); ++k)
      cursor.varint();
  }
}

void ProgramReader::readArguments(BytecodeCursor &cursor, Block &block,
                                  Scope &scope) {
  uint64_t count = cursor.count();
  for (uint64_t i = 0; i < count && cursor.ok(); ++i) {
    // From format 4 on a flag says whether a location follows.
    bool located = true;
    uint64_t index = cursor.varint();
    if (container.version >= 4) {
      located = index & 1;
      index >>= 1;
    }
    Type type = entities.type(index, cursor);
    LocationAttr location;
    if (located)
      location = entities.readLocation(cursor);
    if (cursor.ok())
      block.addArgument(type, location ? location : UnknownLoc::get(context));
  }
  if (cursor.ok())
    define(cursor, scope, block.getArguments());
}

void ProgramReader::readBlock(BytecodeCursor &cursor, Block &block,
                              Scope &scope, Operation *parent) {
  auto [ops, hasArguments] = cursor.flaggedVarint();
  if (ops > cursor.left())
    return cursor.fail("a count of " + llvm::Twine(ops) + " ops with " +
                       llvm::Twine(cursor.left()) + " bytes left");
  if (hasArguments) {
    readArguments(cursor, block, scope);
    if (container.version >= 3 && cursor.byte())
      skipUseOrder(cursor, block.getNumArguments());
  }
  for (uint64_t i = 0; i < ops && cursor.ok(); ++i)
    readOp(cursor, block, scope, parent);
}

void ProgramReader::readRegion(BytecodeCursor &cursor, Region &region,
                               Scope &scope) {
  uint64_t blocks = cursor.varint();
  if (!cursor.ok() || !blocks)
    return;
  if (blocks > 1)
    return status.unsupported("a region of several blocks in an artifact");
  // Every value takes at least a byte of the program.
  uint64_t count = cursor.count();
  liveValues += count;
  if (liveValues > container.program.bytes.size())
    return cursor.fail("more values than the program has bytes");
  size_t base = scope.values.size(), next = scope.next;
  scope.values.resize(base + count);
  scope.next = base;
  region.push_back(new Block());
  readBlock(cursor, region.front(), scope, region.getParentOp());
  if (cursor.ok() && scope.next != scope.values.size())
    cursor.fail("fewer values than announced");
  scope.values.resize(base);
  scope.next = next;
  liveValues -= count;
}

void ProgramReader::readRegions(BytecodeCursor &cursor, Operation *op,
                                uint64_t count, Scope &scope) {
  if (++nesting > maxNesting)
    cursor.fail("regions nest too deep");
  for (uint64_t i = 0; i < count && cursor.ok(); ++i)
    readRegion(cursor, op->getRegion(i), scope);
  --nesting;
}

SmallVector<Value> ProgramReader::readOperands(BytecodeCursor &cursor,
                                               const Scope &scope) {
  SmallVector<Value> operands;
  uint64_t count = cursor.count();
  for (uint64_t i = 0; i < count && cursor.ok(); ++i) {
    uint64_t index = cursor.index(scope.values.size(), "value");
    if (cursor.ok() && !scope.values[index])
      cursor.fail("value " + llvm::Twine(index) + " before its definition");
    if (cursor.ok())
      operands.push_back(scope.values[index]);
  }
  return operands;
}

static llvm::StringRef propertyNames(llvm::StringRef name) {
  if (name == "sdy.mesh")
    return "mesh sym_name";
  if (name == "sdy.sharding_constraint")
    return "sharding";
  if (name == "sdy.manual_computation")
    return "in_shardings manual_axes out_shardings";
  return {};
}

void ProgramReader::readProperties(BytecodeCursor &cursor, const VHLOOp *row,
                                   llvm::StringRef name,
                                   NamedAttrList &properties) {
  uint64_t index = cursor.index(container.properties.size(), "properties");
  if (!cursor.ok())
    return;
  const BytecodePart &part = container.properties[index];
  BytecodeCursor content(part.bytes, part.offset, status);
  if (name == "builtin.module") {
    for (llvm::StringRef key : {"sym_name", "sym_visibility"}) {
      auto [value, present] = content.flaggedVarint();
      if (!present)
        continue;
      Attribute attribute = entities.attribute(value, content);
      if (content.ok())
        properties.set(key, attribute);
    }
    return content.expectEnd("the properties of a module");
  }
  SmallVector<llvm::StringRef> names;
  (row ? llvm::StringRef(row->attributes) : propertyNames(name))
      .split(names, ' ', -1, false);
  for (llvm::StringRef key : names) {
    Attribute attribute = entities.readAttribute(content);
    if (content.ok())
      properties.set(key, attribute);
  }
  content.expectEnd(("the properties of " + name).str().c_str());
}

void ProgramReader::readAttributes(BytecodeCursor &cursor, uint8_t mask,
                                   const VHLOOp *row, llvm::StringRef name,
                                   NamedAttrList &discardable,
                                   NamedAttrList &properties) {
  if (mask & hasAttributes) {
    auto dictionary =
        dyn_cast_or_null<DictionaryAttr>(entities.readAttribute(cursor));
    if (!dictionary)
      return cursor.fail("a dictionary expected");
    SmallVector<llvm::StringRef> own;
    if (row)
      llvm::StringRef(row->attributes).split(own, ' ', -1, false);
    // Before format 5 an op's inherent attributes are in the dictionary too.
    for (NamedAttribute attribute : dictionary)
      (llvm::is_contained(own, attribute.getName().getValue()) ? properties
                                                               : discardable)
          .append(attribute);
  }
  if (mask & hasProperties)
    readProperties(cursor, row, name, properties);
}

// False if the op cannot be built.
bool ProgramReader::nameOp(const BytecodeOpName &name, const VHLOOp *row,
                           Operation *parent, std::string &full) {
  full = (name.dialect + "." + name.name).str();
  if (name.dialect == "vhlo") {
    ArtifactVersion version{container.artifact.major, container.artifact.minor,
                            0};
    if (!row || version < row->first || row->last < version) {
      status.unsupported("op " + full + " in StableHLO " +
                         container.artifact.text());
      return false;
    }
    llvm::StringRef plain = row->plainName();
    bool inFunction = parent && parent->getName().getStringRef() == "func.func";
    bool isFunc =
        plain == "func" || plain == "call" || (plain == "return" && inFunction);
    full = isFunc ? ("func." + plain).str() : ("stablehlo." + plain).str();
  }
  if (OperationName(full, context).isRegistered())
    return true;
  status.unsupported("op " + full + " in an artifact");
  return false;
}

void ProgramReader::readOp(BytecodeCursor &cursor, Block &block, Scope &scope,
                           Operation *parent) {
  uint64_t at = cursor.offset();
  uint64_t index = cursor.index(container.ops.size(), "op name");
  if (!cursor.ok())
    return;
  const BytecodeOpName &name = container.ops[index];
  const VHLOOp *row = name.dialect == "vhlo" ? findVHLOOp(name.name) : nullptr;
  std::string full;
  if (!nameOp(name, row, parent, full))
    return;
  uint8_t mask = cursor.byte();
  LocationAttr location = entities.readLocation(cursor);
  NamedAttrList discardable, properties;
  readAttributes(cursor, mask, row, full, discardable, properties);
  SmallVector<Type> types;
  if (mask & hasResults)
    types = entities.readTypes(cursor);
  SmallVector<Value> operands;
  if (mask & hasOperands)
    operands = readOperands(cursor, scope);
  if (mask & hasSuccessors)
    return status.unsupported("branches between blocks in an artifact");
  if (mask & hasUseOrder)
    skipUseOrder(cursor, types.size());
  std::pair<uint64_t, bool> regions{0, false};
  if (mask & hasRegions) {
    regions = cursor.flaggedVarint();
    if (regions.first > cursor.left())
      return cursor.fail("more regions than bytes");
  }
  if (!cursor.ok())
    return;
  if (full == "builtin.unrealized_conversion_cast") {
    // Between VHLO's types and the builtin ones, which are the same here.
    if (operands.size() != types.size() || regions.first)
      return cursor.fail("a cast of other values than its results");
    return define(cursor, scope, operands);
  }
  OperationState state{Location(location), full};
  if (row)
    convertVHLOAttributes(row->plainName(), properties, entities, status, at,
                          state.attributes);
  else
    state.attributes = properties;
  for (NamedAttribute attribute : discardable)
    state.attributes.set(attribute.getName(), attribute.getValue());
  if (!cursor.ok())
    return;
  state.addTypes(types);
  state.addOperands(operands);
  for (uint64_t i = 0; i < regions.first; ++i)
    state.addRegion();
  Operation *op = Operation::create(state);
  block.push_back(op);
  define(cursor, scope, op->getResults());
  if (!regions.second)
    return readRegions(cursor, op, regions.first, scope);
  Scope own;
  if (container.version < isolatedSections)
    return readRegions(cursor, op, regions.first, own);
  // One section holds all regions without captures.
  if (cursor.byte() != 4)
    return cursor.fail("a section of regions expected");
  uint64_t length = cursor.varint();
  uint64_t offset = cursor.offset();
  BytecodeCursor inner(cursor.take(length), offset, status);
  readRegions(inner, op, regions.first, own);
  inner.expectEnd("the regions of an op");
}

OwningOpRef<ModuleOp> ProgramReader::read() {
  BytecodeCursor cursor(container.program.bytes, container.program.offset,
                        status);
  Block top;
  Scope scope;
  readBlock(cursor, top, scope, nullptr);
  cursor.expectEnd("the program");
  if (status.failed())
    return {};
  auto module = llvm::hasSingleElement(top) ? dyn_cast<ModuleOp>(top.front())
                                            : ModuleOp();
  if (!module || !module->getNumRegions() || module.getRegion().empty()) {
    cursor.fail("one module expected");
    return {};
  }
  module->remove();
  return module;
}

Result<OwningOpRef<ModuleOp>>
zenith::stablehlo::readPortableArtifact(llvm::StringRef bytes,
                                        MLIRContext *context) {
  ArtifactStatus status;
  BytecodeContainer container = readContainer(bytes, status);
  OwningOpRef<ModuleOp> module;
  if (!status.failed())
    module = ProgramReader(container, context, status).read();
  if (status.failed())
    return *status.error;
  return module;
}
