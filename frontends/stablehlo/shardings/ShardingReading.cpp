// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads Shardy's text: what follows its prefix is the text of GraphIR's own
// attributes.

#include "frontends/stablehlo/shardings/ShardingReading.h"

#include "frontends/stablehlo/dialect/StableHLODialect.h"
#include "frontends/stablehlo/shardings/TilingText.h"
#include "ir/GraphOps.h"
#include "ir/LLVMError.h"
#include "ir/program/Shardings.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;
using llvm::Expected;

static llvm::Error refuse(ErrorCode code, const Twine &text) {
  return makeError(code, text);
}

Expected<Attribute> ShardingReading::parse(const Twine &text) {
  std::string message;
  ScopedDiagnosticHandler handler(source.getContext(), [&](Diagnostic &d) {
    if (message.empty())
      message = d.str();
    return success();
  });
  std::string whole = text.str();
  Attribute attribute = mlir::parseAttribute(whole, source.getContext());
  if (!attribute)
    return refuse(ErrorCode::Invalid, message);
  return attribute;
}

// Text of Shardy's attribute, without `prefix`.
static Expected<StringRef> textOf(Attribute attribute, StringRef prefix) {
  auto text = dyn_cast_or_null<sdy::TextAttr>(attribute);
  StringRef inner = text ? text.getText() : StringRef();
  if (!text || !inner.consume_front(prefix))
    return refuse(ErrorCode::Invalid, "expected #sdy." + prefix);
  return inner;
}

// Length of the part of `text` up to the bracket that closes its first one.
static size_t bracketed(StringRef text) {
  int depth = 0;
  bool isQuoted = false;
  for (auto [i, byte] : llvm::enumerate(text)) {
    if (byte == '"')
      isQuoted = !isQuoted;
    if (isQuoted)
      continue;
    if (StringRef("<[{(").contains(byte))
      ++depth;
    if (StringRef(">]})").contains(byte) && --depth == 0)
      return i + 1;
  }
  return text.size();
}

//===----------------------------------------------------------------------===//
// Meshes
//===----------------------------------------------------------------------===//

llvm::Error ShardingReading::begin(ModuleOp module) {
  target = module;
  OpBuilder builder = OpBuilder::atBlockEnd(target.getBody());
  for (Operation &op : source.getOps()) {
    if (op.getName().getStringRef() != "sdy.mesh")
      continue;
    auto text = textOf(op.getAttr("mesh"), "mesh");
    if (!text)
      return text.takeError();
    auto mesh = parse("#graph.mesh" + *text);
    if (!mesh)
      return mesh.takeError();
    auto name = op.getAttrOfType<StringAttr>("sym_name");
    builder.create<graph::MeshOp>(op.getLoc(), name,
                                  cast<graph::MeshAttr>(*mesh));
    sharded |= cast<graph::MeshAttr>(*mesh).numDevices() > 1;
  }
  // Meshes written inside of shardings.
  source.walk([&](Operation *op) {
    op->getAttrDictionary().walk([&](Attribute inner) {
      if (auto text = dyn_cast<sdy::TextAttr>(inner))
        sharded |= text.getText().contains("<mesh<");
    });
  });
  return addTilingMesh();
}

Expected<FlatSymbolRefAttr> ShardingReading::addMesh(StringRef text) {
  auto [entry, isNew] = inlined.try_emplace(text);
  if (!isNew)
    return entry->second;
  auto mesh = parse("#graph." + text);
  if (!mesh)
    return mesh.takeError();
  OpBuilder builder = OpBuilder::atBlockBegin(target.getBody());
  // A mesh of the same axes is the same mesh.
  for (auto present : target.getOps<graph::MeshOp>())
    if (present.getMesh() == *mesh)
      return entry->second = FlatSymbolRefAttr::get(present.getSymNameAttr());
  auto op = builder.create<graph::MeshOp>(source.getLoc(), "mesh",
                                          cast<graph::MeshAttr>(*mesh));
  SymbolTable(target).insert(op);
  return entry->second = FlatSymbolRefAttr::get(op.getSymNameAttr());
}

//===----------------------------------------------------------------------===//
// Shardings
//===----------------------------------------------------------------------===//

Expected<graph::ShardingAttr> ShardingReading::readText(StringRef text) {
  std::string named = text.str();
  StringRef rest = text;
  if (rest.consume_front("<") && rest.starts_with("mesh<")) {
    size_t end = 4 + bracketed(rest.drop_front(4));
    auto name = addMesh(rest.take_front(end));
    if (!name)
      return name.takeError();
    named = ("<@" + name->getValue() + rest.drop_front(end)).str();
  }
  auto attribute = parse("#graph.sharding" + Twine(named));
  if (!attribute)
    return attribute.takeError();
  return cast<graph::ShardingAttr>(*attribute);
}

Expected<graph::ShardingAttr> ShardingReading::read(Attribute attribute) {
  auto text = textOf(attribute, "sharding");
  if (!text)
    return text.takeError();
  return readText(*text);
}

Expected<SmallVector<graph::ShardingAttr>>
ShardingReading::readList(Attribute attribute) {
  auto text = textOf(attribute, "sharding_per_value");
  if (!text)
    return text.takeError();
  StringRef rest = *text;
  SmallVector<graph::ShardingAttr> list;
  if (!rest.consume_front("<[") || !rest.consume_back("]>"))
    return refuse(ErrorCode::Invalid,
                  "expected #sdy.sharding_per_value<[...]>");
  while (!(rest = rest.ltrim(" ,")).empty()) {
    size_t length = bracketed(rest);
    auto sharding = readText(rest.take_front(length));
    if (!sharding)
      return sharding.takeError();
    list.push_back(*sharding);
    rest = rest.drop_front(length);
  }
  return list;
}

Expected<ArrayAttr> ShardingReading::readAxes(Attribute attribute) {
  auto text = dyn_cast_or_null<sdy::TextAttr>(attribute);
  StringRef rest = text ? text.getText() : StringRef();
  rest.consume_front("<");
  rest.consume_back(">");
  if (!rest.consume_front("manual_axes{") || !rest.consume_back("}"))
    return refuse(ErrorCode::Invalid, "expected #sdy<manual_axes{...}>");
  auto axes = parse("[" + Twine(rest) + "]");
  if (!axes)
    return axes.takeError();
  return cast<ArrayAttr>(*axes);
}

Expected<graph::ShardingAttr>
ShardingReading::ofSignature(DictionaryAttr attributes, Type type) {
  if (!attributes || !sharded)
    return graph::ShardingAttr();
  if (Attribute text = attributes.get("sdy.sharding"))
    return read(text);
  auto tiling = attributes.getAs<StringAttr>("mhlo.sharding");
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tiling || !tensor || !devices)
    return graph::ShardingAttr();
  return readTiling(tiling, tensor.getRank());
}

//===----------------------------------------------------------------------===//
// GSPMD
//===----------------------------------------------------------------------===//

// One mesh of which every tiling of the program is a list of axes per
// dimension.
llvm::Error ShardingReading::addTilingMesh() {
  TilingAxes axes;
  std::optional<std::string> mistake;
  auto collect = [&](DictionaryAttr attributes) {
    auto text = attributes ? attributes.getAs<StringAttr>("mhlo.sharding")
                           : StringAttr();
    std::optional<std::string> wrong = text ? axes.add(text) : std::nullopt;
    if (!mistake)
      mistake = wrong;
  };
  source.walk([&](Operation *op) {
    collect(op->getAttrDictionary());
    auto function = dyn_cast<func::FuncOp>(op);
    if (!function)
      return;
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      collect(function.getArgAttrDict(i));
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      collect(function.getResultAttrDict(i));
  });
  // Shardy's own annotations say it better.
  if (sharded || axes.devices() <= 1)
    return llvm::Error::success();
  if (!mistake)
    mistake = axes.finish();
  if (mistake)
    return refuse(ErrorCode::Unsupported, *mistake);
  strides = axes.strides();
  devices = axes.devices();
  sharded = true;
  SmallVector<graph::MeshAxisAttr> list;
  int64_t outer = devices;
  for (auto [i, stride] : llvm::enumerate(strides)) {
    list.push_back(graph::MeshAxisAttr::get(source.getContext(),
                                            tilingAxisName(i), outer / stride));
    outer = stride;
  }
  OpBuilder builder = OpBuilder::atBlockEnd(target.getBody());
  builder.create<graph::MeshOp>(
      source.getLoc(), "mesh",
      graph::MeshAttr::get(source.getContext(), list, {}));
  return llvm::Error::success();
}

Expected<graph::ShardingAttr> ShardingReading::readTiling(StringRef text,
                                                          int64_t rank) {
  std::optional<Tiling> tiling = parseTiling(text);
  if (!tiling)
    return refuse(ErrorCode::Unsupported,
                  "sharding '" + text + "' is no tiling of a mesh");
  if (tiling->says == Tiling::Nothing)
    return graph::ShardingAttr();
  MLIRContext *context = source.getContext();
  SmallVector<graph::DimShardingAttr> dims;
  if (tiling->says == Tiling::Tiles && int64_t(tiling->dims.size()) < rank)
    return refuse(ErrorCode::Invalid,
                  "sharding '" + text +
                      "' has fewer dimensions than its value");
  for (int64_t dim = 0; dim < rank; ++dim) {
    SmallVector<graph::AxisRefAttr> axes;
    if (tiling->says == Tiling::Tiles)
      for (const Tiling::Part &part : tiling->dims[dim])
        for (unsigned axis : axesWithin(part, strides))
          axes.push_back(
              graph::AxisRefAttr::get(context, tilingAxisName(axis), 1, 0));
    dims.push_back(graph::DimShardingAttr::get(context, axes, /*open=*/false,
                                               /*priority=*/0));
  }
  return graph::ShardingAttr::get(
      context, FlatSymbolRefAttr::get(context, "mesh"), dims, {}, {});
}
