// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// VHLO spells structured attributes out as lists of their parts; this file
// assembles them again.

#include "frontends/stablehlo/bytecode/VHLOConversion.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

namespace {
class Conversion {
public:
  Conversion(NamedAttrList attributes, BytecodeEntities &entities,
             ArtifactStatus &status, uint64_t offset, NamedAttrList &list)
      : in(std::move(attributes)), entities(entities), status(status),
        offset(offset), builder(entities.context), out(list) {}

  void run(llvm::StringRef op);

private:
  std::optional<SmallVector<int64_t>> integers(llvm::StringRef name);
  std::string text(llvm::StringRef name);
  void structure(llvm::StringRef name, llvm::StringRef mnemonic,
                 llvm::ArrayRef<llvm::StringLiteral> lists);
  void convolution();
  std::string windowDims(llvm::StringRef prefix, char first, char second,
                         llvm::StringRef firstName, llvm::StringRef secondName);
  void dotAlgorithm();
  void channel();
  void customCall();
  void function();
  void symbol(llvm::StringRef name);
  void dropEmpty(llvm::StringRef name);
  void rest();
  void invalid(const llvm::Twine &message) { status.invalid(offset, message); }
  /// Sets an attribute to the parsed StableHLO text, unless the status has
  /// failed.
  void set(llvm::StringRef name, const llvm::Twine &text) {
    if (Attribute attribute = entities.parse(text))
      out.set(name, attribute);
  }

  NamedAttrList in;
  BytecodeEntities &entities;
  ArtifactStatus &status;
  uint64_t offset;
  Builder builder;
  NamedAttrList &out;
};
} // namespace

// A list of 64-bit integers of any length.
static std::optional<SmallVector<int64_t>> listOf(Attribute attribute) {
  auto elements = dyn_cast_or_null<DenseIntElementsAttr>(attribute);
  if (!elements || elements.getType().getRank() != 1 ||
      !elements.getElementType().isSignlessInteger(64))
    return std::nullopt;
  // Ranks and counts of dimensions are small; a splat of a huge type is not.
  if (elements.getNumElements() > (1 << 16))
    return std::nullopt;
  return llvm::to_vector(elements.getValues<int64_t>());
}

std::optional<SmallVector<int64_t>> Conversion::integers(llvm::StringRef name) {
  Attribute attribute = in.erase(name);
  auto list = listOf(attribute);
  if (!list)
    invalid("'" + name + "' is no list of integers");
  return list;
}

std::string Conversion::text(llvm::StringRef name) {
  std::string string;
  for (int64_t integer : integers(name).value_or(SmallVector<int64_t>()))
    string += (string.empty() ? "" : ", ") + std::to_string(integer);
  return string;
}

// Lists by name, then index_vector_dim if there is one.
void Conversion::structure(llvm::StringRef name, llvm::StringRef mnemonic,
                           llvm::ArrayRef<llvm::StringLiteral> lists) {
  SmallVector<std::string> parts;
  for (llvm::StringLiteral list : lists) {
    if (!in.get(list))
      continue;
    std::string joined = text(list);
    if (!joined.empty())
      parts.push_back((list + " = [" + joined + "]").str());
  }
  if (Attribute dim = in.erase("index_vector_dim")) {
    auto integer = dyn_cast<IntegerAttr>(dim);
    if (!integer || integer.getValue().getBitWidth() > 64)
      return invalid("'index_vector_dim' is no integer");
    if (integer.getValue() != 0)
      parts.push_back("index_vector_dim = " +
                      std::to_string(integer.getValue().getSExtValue()));
  }
  if (!status.failed())
    set(name, "#stablehlo." + mnemonic + "<" + llvm::join(parts, ", ") + ">");
}

std::string Conversion::windowDims(llvm::StringRef prefix, char first,
                                   char second, llvm::StringRef firstName,
                                   llvm::StringRef secondName) {
  auto spatial = integers((prefix + "_spatial_dimensions").str());
  if (!spatial)
    return {};
  SmallVector<std::string> dims(spatial->size() + 2);
  auto put = [&](int64_t dim, std::string word) {
    if (dim < 0 || dim >= int64_t(dims.size()) || !dims[dim].empty())
      return invalid("dimension numbers of a convolution are no permutation");
    dims[dim] = std::move(word);
  };
  auto putNamed = [&](llvm::StringRef name, char letter) {
    auto dim = dyn_cast_or_null<IntegerAttr>(
        in.erase((prefix + "_" + name + "_dimension").str()));
    if (!dim || dim.getValue().getBitWidth() > 64)
      return invalid("a dimension number of a convolution is no integer");
    put(dim.getValue().getSExtValue(), std::string(1, letter));
  };
  putNamed(firstName, first);
  putNamed(secondName, second);
  for (auto [i, dim] : llvm::enumerate(*spatial))
    put(dim, std::to_string(i));
  return "[" + llvm::join(dims, ", ") + "]";
}

void Conversion::convolution() {
  std::string input = windowDims("input", 'b', 'f', "batch", "feature");
  std::string kernel =
      windowDims("kernel", 'i', 'o', "input_feature", "output_feature");
  std::string output = windowDims("output", 'b', 'f', "batch", "feature");
  if (!status.failed())
    set("dimension_numbers",
        "#stablehlo.conv<" + input + "x" + kernel + "->" + output + ">");
}

void Conversion::dotAlgorithm() {
  static constexpr llvm::StringLiteral names[] = {
      "lhs_precision_type",          "rhs_precision_type",
      "accumulation_type",           "lhs_component_count",
      "rhs_component_count",         "num_primitive_operations",
      "allow_imprecise_accumulation"};
  std::string text;
  llvm::raw_string_ostream os(text);
  bool absent = false;
  for (llvm::StringLiteral name : names) {
    Attribute value = in.erase(name);
    if (!value)
      return; // older versions have none
    auto type = dyn_cast<TypeAttr>(value);
    absent |= type && isa<NoneType>(type.getValue());
    os << (text.empty() ? "" : ", ") << name << " = ";
    if (type)
      os << type.getValue();
    else
      value.print(os, /*elideType=*/true);
    os.flush();
  }
  if (!absent)
    set("algorithm", "#stablehlo.dot_algorithm<" + text + ">");
}

// channel_id 0 means no channel, unless a type names the peers.
void Conversion::channel() {
  auto id = dyn_cast_or_null<IntegerAttr>(in.erase("channel_id"));
  auto type = dyn_cast_or_null<IntegerAttr>(in.erase("channel_type"));
  if (!id || (id.getValue().isZero() && !type))
    return;
  int64_t kind = type ? type.getValue().getSExtValue() : 0;
  set("channel_handle", "#stablehlo.channel_handle<handle = " +
                            std::to_string(id.getValue().getSExtValue()) +
                            ", type = " + std::to_string(kind) + ">");
}

void Conversion::dropEmpty(llvm::StringRef name) {
  Attribute value = in.get(name);
  auto array = dyn_cast_or_null<ArrayAttr>(value);
  auto string = dyn_cast_or_null<StringAttr>(value);
  auto elements = dyn_cast_or_null<DenseElementsAttr>(value);
  auto dictionary = dyn_cast_or_null<DictionaryAttr>(value);
  if ((array && array.empty()) || (string && string.empty()) ||
      (elements && elements.empty()) || (dictionary && dictionary.empty()))
    in.erase(name);
}

void Conversion::symbol(llvm::StringRef name) {
  auto string = dyn_cast_or_null<StringAttr>(in.erase(name));
  if (!string || string.empty())
    return invalid("'" + name + "' is no name");
  out.set(name, FlatSymbolRefAttr::get(string));
}

void Conversion::customCall() {
  dropEmpty("result_tilings");
  if (in.get("result_tilings"))
    return status.unsupported("result_tilings of a custom_call");
  if (auto flag = dyn_cast_or_null<BoolAttr>(in.get("has_side_effect")))
    if (!flag.getValue())
      in.erase("has_side_effect");
  // A call without operands has no operand layouts; results may have some.
  auto isEmpty = [&](llvm::StringRef name) {
    auto layouts = dyn_cast_or_null<ArrayAttr>(in.get(name));
    return !layouts || layouts.empty();
  };
  if (isEmpty("operand_layouts") && isEmpty("result_layouts"))
    for (llvm::StringRef name : {"operand_layouts", "result_layouts"})
      in.erase(name);
  for (llvm::StringRef name :
       {"output_operand_aliases", "called_computations", "backend_config"})
    dropEmpty(name);
  auto called = dyn_cast_or_null<ArrayAttr>(in.erase("called_computations"));
  if (!called)
    return;
  SmallVector<Attribute> references;
  for (Attribute name : called) {
    auto string = dyn_cast<StringAttr>(name);
    if (!string || string.empty())
      return invalid("'called_computations' holds no name");
    references.push_back(FlatSymbolRefAttr::get(string));
  }
  out.set("called_computations", builder.getArrayAttr(references));
}

void Conversion::function() {
  for (llvm::StringRef name : {"arg_attrs", "res_attrs", "sym_visibility"})
    dropEmpty(name);
}

// Remaining attributes keep their names.
void Conversion::rest() {
  for (NamedAttribute attribute : in) {
    llvm::StringRef name = attribute.getName();
    Attribute value = attribute.getValue();
    bool keepsTensor = llvm::StringSwitch<bool>(name)
                           .Cases("value", "padding", "replica_groups",
                                  "source_target_pairs", true)
                           .Default(false);
    auto elements = dyn_cast<DenseElementsAttr>(value);
    if (elements && !keepsTensor && elements.getType().getRank() == 1) {
      if (std::optional<SmallVector<int64_t>> list = listOf(value))
        value = builder.getDenseI64ArrayAttr(*list);
      else if (elements.getElementType().isInteger(1) &&
               elements.getNumElements() <= (1 << 16))
        value = builder.getDenseBoolArrayAttr(
            llvm::to_vector(elements.getValues<bool>()));
    }
    if (name == "use_global_device_ids" || name == "has_dynamic_root") {
      auto flag = dyn_cast<BoolAttr>(value);
      if (flag && !flag.getValue())
        continue;
      value = builder.getUnitAttr();
    }
    if (name == "result_accuracy" && isa<UnitAttr>(value))
      continue;
    out.set(attribute.getName(), value);
  }
}

void Conversion::run(llvm::StringRef op) {
  if (op == "gather" || op == "dynamic_gather")
    structure("dimension_numbers", "gather",
              {"offset_dims", "collapsed_slice_dims", "operand_batching_dims",
               "start_indices_batching_dims", "start_index_map"});
  else if (op == "scatter")
    structure("scatter_dimension_numbers", "scatter",
              {"update_window_dims", "inserted_window_dims",
               "input_batching_dims", "scatter_indices_batching_dims",
               "scatter_dims_to_operand_dims"});
  else if (op == "dot_general") {
    structure("dot_dimension_numbers", "dot",
              {"lhs_batching_dimensions", "rhs_batching_dimensions",
               "lhs_contracting_dimensions", "rhs_contracting_dimensions"});
    dotAlgorithm();
  } else if (op == "convolution" || op == "dynamic_conv") {
    convolution();
    if (op == "dynamic_conv")
      in.erase("padding"); // given by an operand
  } else if (op == "custom_call")
    customCall();
  else if (op == "func")
    function();
  else if (op == "call")
    symbol("callee");
  else if (op == "composite") {
    symbol("decomposition");
    // Older writers give the version another width.
    auto version = dyn_cast_or_null<IntegerAttr>(in.get("version"));
    if (version && version.getValue().getSignificantBits() <= 32)
      in.set("version",
             builder.getI32IntegerAttr(version.getValue().getSExtValue()));
    dropEmpty("composite_attributes");
  } else if (op == "compare") {
    // NOTYPE: the element type decides.
    Attribute type = in.get("compare_type");
    if (type && type == entities.parse("#stablehlo<comparison_type NOTYPE>"))
      in.erase("compare_type");
  } else if (op == "infeed") {
    dropEmpty("layout");
  } else if (op == "dynamic_broadcast_in_dim") {
    dropEmpty("known_expanding_dimensions");
    dropEmpty("known_nonexpanding_dimensions");
  }
  dropEmpty("precision_config");
  if (in.get("channel_id"))
    channel();
  if (!status.failed())
    rest();
}

void zenith::stablehlo::convertVHLOAttributes(
    llvm::StringRef name, NamedAttrList attributes, BytecodeEntities &entities,
    ArtifactStatus &status, uint64_t offset, NamedAttrList &list) {
  Conversion(std::move(attributes), entities, status, offset, list).run(name);
}
