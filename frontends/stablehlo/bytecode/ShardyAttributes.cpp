// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shardy's attributes as text, which the dialect's own parser reads.

#include "frontends/stablehlo/bytecode/BytecodeEntities.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

namespace {
// Shardy's codes of attributes.
enum ShardyCode : uint64_t {
  manualAxes = 0,
  meshAxis = 1,
  mesh = 2,
  subAxis = 3,
  axisRef = 4,
  dimSharding = 5,
  tensorSharding = 6,
  perValue = 7,
  dimMapping = 8,
  tensorMapping = 9,
  shardingRule = 10,
  unreducedSharding = 15,
  unreducedPerValue = 16,
  reducedSharding = 17
};
} // namespace

// Parts may be shared, so that a short artifact could expand to a long text.
static constexpr size_t maxText = 1 << 20;

static std::string quoted(llvm::StringRef text) {
  std::string out = "\"";
  llvm::raw_string_ostream os(out);
  llvm::printEscapedString(text, os);
  os << "\"";
  return os.str();
}

static std::string joined(llvm::ArrayRef<std::string> parts) {
  return llvm::join(parts, ", ");
}

// The name of a factor of a sharding rule: i to z, then z_1, z_2 and so on.
static std::string factorName(int64_t factor) {
  constexpr int64_t letters = 'z' - 'i' + 1;
  return factor < letters ? std::string(1, char('i' + factor))
                          : "z_" + std::to_string(factor - letters + 1);
}

static std::string factorNames(BytecodeCursor &cursor,
                               llvm::ArrayRef<int64_t> factors,
                               llvm::StringRef separator) {
  std::string names;
  for (int64_t factor : factors) {
    if (factor < 0)
      return cursor.fail("a factor of a sharding rule expected"), names;
    names += (names.empty() ? "" : separator.str()) + factorName(factor);
  }
  return names;
}

// "#sdy.sharding<...>" -> "<...>": the form of attributes nested in others.
std::string BytecodeEntities::shardyText(Attribute attribute) {
  if (!attribute)
    return {};
  if (auto string = dyn_cast<StringAttr>(attribute))
    return string.str();
  if (isa<ArrayAttr, DictionaryAttr, LocationAttr>(attribute)) {
    status.unsupported("a part of a sharding of another kind");
    return {};
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  attribute.print(os);
  llvm::StringRef inner = os.str();
  if (inner.starts_with("#sdy"))
    inner = inner.substr(inner.find('<'));
  return inner.str();
}

// Parts of a sharding stay text; no op refers to them as attributes of their
// own.
Attribute BytecodeEntities::readShardyAttribute(BytecodeCursor &cursor) {
  uint64_t code = cursor.varint();
  auto parts = [&] {
    SmallVector<std::string> list;
    size_t size = 0;
    for (Attribute part : readAttributes(cursor)) {
      list.push_back(shardyText(part));
      size += list.back().size();
      if (size > maxText)
        cursor.fail("a sharding of more than " + llvm::Twine(maxText) +
                    " bytes");
      if (!cursor.ok())
        return SmallVector<std::string>();
    }
    return list;
  };
  auto text = [&](const std::string &string) {
    return cursor.ok() ? Attribute(StringAttr::get(context, string)) : nullptr;
  };
  switch (code) {
  case manualAxes: {
    std::string axes;
    for (Attribute axis : readAttributes(cursor)) {
      auto name = dyn_cast_or_null<StringAttr>(axis);
      if (!name)
        return cursor.fail("the name of an axis expected"), Attribute();
      axes += (axes.empty() ? "" : ", ") + quoted(name);
    }
    return parse("#sdy<manual_axes{" + llvm::Twine(axes) + "}>");
  }
  case meshAxis: {
    llvm::StringRef name = readText(cursor);
    return text(quoted(name) + "=" + std::to_string(cursor.signedVarint()));
  }
  case mesh: {
    SmallVector<std::string> axes = parts();
    SmallVector<int64_t> devices = readIntegers(cursor);
    std::string inner = "<[" + joined(axes) + "]";
    if (!devices.empty()) {
      inner += ", device_ids=[";
      for (auto [i, device] : llvm::enumerate(devices))
        inner += (i ? ", " : "") + std::to_string(device);
      inner += "]";
    }
    return cursor.ok() ? parse("#sdy.mesh" + llvm::Twine(inner) + ">")
                       : Attribute();
  }
  case subAxis: {
    int64_t before = cursor.signedVarint(), size = cursor.signedVarint();
    return text(":(" + std::to_string(before) + ")" + std::to_string(size));
  }
  case axisRef: {
    llvm::StringRef name = readText(cursor);
    auto [sub, present] = cursor.flaggedVarint();
    return text(quoted(name) +
                (present ? shardyText(attribute(sub, cursor)) : ""));
  }
  case dimSharding: {
    SmallVector<std::string> axes = parts();
    bool closed = cursor.byte() != 0;
    auto [priority, present] = cursor.flaggedVarint();
    if (!closed)
      axes.push_back("?");
    return text("{" + joined(axes) + "}" +
                (present ? "p" + std::to_string(priority) : ""));
  }
  case tensorSharding:
  case unreducedSharding:
  case reducedSharding: {
    Attribute meshOrName = readAttribute(cursor);
    SmallVector<std::string> dims = parts(), replicated = parts();
    SmallVector<std::string> unreduced;
    if (code != tensorSharding)
      unreduced = parts();
    if (code == reducedSharding)
      cursor.signedVarint();
    std::string inner =
        "<" + shardyText(meshOrName) + ", [" + joined(dims) + "]";
    if (!replicated.empty())
      inner += ", replicated={" + joined(replicated) + "}";
    if (!unreduced.empty())
      inner += ", unreduced={" + joined(unreduced) + "}";
    return cursor.ok() ? parse("#sdy.sharding" + llvm::Twine(inner) + ">")
                       : Attribute();
  }
  case perValue:
  case unreducedPerValue: {
    SmallVector<std::string> list = parts();
    return cursor.ok() ? parse("#sdy.sharding_per_value<[" +
                               llvm::Twine(joined(list)) + "]>")
                       : Attribute();
  }
  case dimMapping:
    return text(factorNames(cursor, readIntegers(cursor), ""));
  case tensorMapping:
    return text("[" + joined(parts()) + "]");
  case shardingRule: {
    SmallVector<int64_t> sizes = readIntegers(cursor);
    SmallVector<std::string> operands = parts(), results = parts();
    std::string rule = "<(" + joined(operands) + ")->(" + joined(results) + ")";
    for (auto [factor, size] : llvm::enumerate(sizes))
      rule += (factor ? ", " : " {") + factorName(int64_t(factor)) + "=" +
              std::to_string(size);
    rule += sizes.empty() ? " {}" : "}";
    for (llvm::StringRef kind : {"reduction", "need_replication", "permutation",
                                 "blocked_propagation"})
      if (SmallVector<int64_t> factors = readIntegers(cursor); !factors.empty())
        rule += (" " + kind + "={" + factorNames(cursor, factors, ", ") + "}")
                    .str();
    if (cursor.byte() != 0)
      rule += ", custom";
    return cursor.ok()
               ? parse("#sdy.op_sharding_rule" + llvm::Twine(rule) + ">")
               : Attribute();
  }
  default:
    status.unsupported("Shardy attribute code " + llvm::Twine(code));
    return {};
  }
}
