// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// VHLO's attributes as the builtin or StableHLO attributes of the text form.

#include "frontends/stablehlo/bytecode/BytecodeEntities.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

namespace {
// An enumeration: its code, its name in StableHLO, its words by value; an empty
// word is no value.
struct EnumCode {
  uint64_t code;
  llvm::StringLiteral name;
  std::initializer_list<llvm::StringLiteral> words;
};
} // namespace

static llvm::ArrayRef<EnumCode> enumCodes() {
  static const EnumCode codes[] = {
      {3, "comparison_direction", {"EQ", "NE", "GE", "GT", "LE", "LT"}},
      {4,
       "comparison_type",
       {"NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"}},
      {7, "fft_type", {"FFT", "IFFT", "RFFT", "IRFFT"}},
      {11, "precision", {"DEFAULT", "HIGH", "HIGHEST"}},
      {12, "rng_algorithm", {"DEFAULT", "THREE_FRY", "PHILOX"}},
      {13, "rng_distribution", {"", "UNIFORM", "NORMAL"}},
      {16,
       "transpose",
       {"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}}};
  return codes;
}

Attribute BytecodeEntities::readVHLOEnum(uint64_t code,
                                         BytecodeCursor &cursor) {
  for (const EnumCode &kind : enumCodes()) {
    if (kind.code != code)
      continue;
    uint64_t value = cursor.varint();
    if (!cursor.ok())
      return {};
    if (value >= kind.words.size() || kind.words.begin()[value].empty()) {
      cursor.fail("value " + llvm::Twine(value) + " of " + kind.name);
      return {};
    }
    return parse("#stablehlo<" + kind.name + " " + kind.words.begin()[value] +
                 ">");
  }
  status.unsupported("VHLO attribute code " + llvm::Twine(code));
  return {};
}

Attribute BytecodeEntities::readVHLOAttribute(BytecodeCursor &cursor) {
  uint64_t code = cursor.varint();
  switch (code) {
  case 1:
    return ArrayAttr::get(context, readAttributes(cursor));
  case 2: {
    uint64_t value = cursor.varint();
    if (value > 1)
      cursor.fail("a boolean of value " + llvm::Twine(value));
    return BoolAttr::get(context, value != 0);
  }
  case 5: {
    uint64_t value = cursor.varint();
    if (value > 4)
      cursor.fail("value " + llvm::Twine(value) + " of api_version");
    return Builder(context).getI32IntegerAttr(value);
  }
  case 6:
    return readDictionary(cursor);
  case 8:
  case 9:
    return readNumber(code == 8, cursor);
  case 14:
    return StringAttr::get(context, readText(cursor));
  case 15:
    return readElements(cursor);
  case 17: {
    Type type = readType(cursor);
    return type ? TypeAttr::get(type) : nullptr;
  }
  case 19: {
    static constexpr llvm::StringLiteral modes[] = {"DEFAULT", "HIGHEST",
                                                    "TOLERANCE"};
    uint64_t mode = cursor.index(std::size(modes), "accuracy mode");
    return StringAttr::get(context, modes[mode]);
  }
  default:
    return readVHLOStructure(code, cursor);
  }
}

static std::string listText(llvm::ArrayRef<int64_t> list) {
  return "[" +
         llvm::join(
             llvm::map_range(list, [](int64_t i) { return std::to_string(i); }),
             ", ") +
         "]";
}

Attribute BytecodeEntities::readVHLOStructure(uint64_t code,
                                              BytecodeCursor &cursor) {
  switch (code) {
  case 10: {
    SmallVector<int64_t> output = readIntegers(cursor);
    int64_t operand = cursor.signedVarint();
    SmallVector<int64_t> input = readIntegers(cursor);
    if (!cursor.ok())
      return {};
    return parse("#stablehlo.output_operand_alias<output_tuple_indices = " +
                 llvm::Twine(listText(output)) +
                 ", operand_index = " + std::to_string(operand) +
                 ", operand_tuple_indices = " + listText(input) + ">");
  }
  case 18: {
    std::string text;
    for (int64_t bound : readIntegers(cursor))
      text += (text.empty() ? "" : ", ") +
              (ShapedType::isDynamic(bound) ? "?" : std::to_string(bound));
    return cursor.ok() ? parse("#stablehlo.bounds<" + llvm::Twine(text) + ">")
                       : Attribute();
  }
  case 20:
    return readResultAccuracy(cursor);
  case 21:
  case 22:
  case 23:
    return readMeshAxes(code, cursor);
  case 24:
  case 25:
    status.unsupported("a mesh inside of replica groups");
    return {};
  default:
    return readVHLOEnum(code, cursor);
  }
}

// Replica groups over the axes of a mesh; their parts stay text.
Attribute BytecodeEntities::readMeshAxes(uint64_t code,
                                         BytecodeCursor &cursor) {
  auto text = [&](const std::string &string) {
    return cursor.ok() ? Attribute(StringAttr::get(context, string)) : nullptr;
  };
  if (code == 21) {
    int64_t before = cursor.signedVarint(), size = cursor.signedVarint();
    return text("(" + std::to_string(before) + ")" + std::to_string(size));
  }
  StringAttr name = readString(cursor);
  if (!cursor.ok())
    return {};
  if (code == 22) {
    StringAttr part;
    if (cursor.varint())
      part = readString(cursor);
    std::string inner;
    llvm::raw_string_ostream os(inner);
    os << "#stablehlo.axis_ref<name = " << Attribute(name);
    if (part)
      os << ", sub_axis_info = " << part.getValue();
    os << ">";
    return text(os.str());
  }
  SmallVector<std::string> axes;
  auto list = dyn_cast_or_null<ArrayAttr>(readAttribute(cursor));
  for (Attribute axis : list ? list.getValue() : llvm::ArrayRef<Attribute>()) {
    auto string = dyn_cast<StringAttr>(axis);
    if (!string)
      return cursor.fail("an axis expected"), Attribute();
    axes.push_back(string.str());
  }
  if (!cursor.ok())
    return {};
  std::string mesh;
  llvm::raw_string_ostream(mesh) << FlatSymbolRefAttr::get(name);
  return parse("#stablehlo.replica_group_mesh_axes<mesh = " + mesh +
               ", axes = [" + llvm::join(axes, ", ") + "]>");
}

// A unit attribute if the op asks for nothing special.
Attribute BytecodeEntities::readResultAccuracy(BytecodeCursor &cursor) {
  double absolute = readDouble(cursor), relative = readDouble(cursor);
  int64_t ulps = cursor.signedVarint();
  StringAttr mode = readString(cursor);
  if (!cursor.ok())
    return {};
  if (mode == "DEFAULT")
    return UnitAttr::get(context);
  std::string text = "#stablehlo.result_accuracy<";
  llvm::raw_string_ostream os(text);
  auto decimal = [&](llvm::StringRef name, double value) {
    os << name << " = ";
    FloatAttr::get(Float64Type::get(context), value).print(os, true);
    os << ", ";
  };
  decimal("atol", absolute);
  decimal("rtol", relative);
  os << "ulps = " << ulps << ", mode = #stablehlo.result_accuracy_mode<"
     << mode.getValue() << ">>";
  return parse(os.str());
}
