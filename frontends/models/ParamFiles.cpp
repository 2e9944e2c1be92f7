// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps each file once and checks that parameters lie inside it.

#include "frontends/models/ParamFiles.h"

#include "frontends/files/ElementNames.h"
#include "frontends/models/Diagnostics.h"
#include "ir/GraphOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::models;

llvm::Expected<ParamFiles> ParamFiles::open(std::string folder,
                                            const std::string &replacements,
                                            MLIRContext *context) {
  ParamFiles params;
  params.folder = std::move(folder);
  if (replacements.empty())
    return params;
  llvm::Expected<tensors::Safetensors> file =
      tensors::Safetensors::open(replacements, context);
  if (!file)
    return file.takeError();
  params.replacementPath = replacements;
  params.replaced = std::move(*file);
  return params;
}

void ParamFiles::expect(ModuleOp module, bool verifies) {
  verify = verifies;
  for (auto param : module.getOps<graph::ParamOp>())
    records[param.getSymName().str()] = graph::fileRecordOf(param);
}

llvm::Error ParamFiles::checkReplacements(ModuleOp module,
                                          Diagnostics *diagnostics) {
  if (!replaced)
    return llvm::Error::success();
  for (const auto &[name, value] : replaced->tensors()) {
    auto param = module.lookupSymbol<graph::ParamOp>(name);
    if (!param) {
      leftOut.insert(name);
      continue;
    }
    auto type = cast<RankedTensorType>(param.getType());
    if (value.type() != type)
      return makeError(ErrorCode::Invalid,
                       "parameter '" + name + "' is " + files::typeText(type) +
                           ", the file has " + files::typeText(value.type()),
                       replacementPath);
  }
  if (leftOut.empty())
    return llvm::Error::success();
  std::string text =
      "the program has no parameter '" + llvm::join(leftOut, "', '") + "'";
  if (leftOut.size() == replaced->tensors().size())
    return makeError(ErrorCode::Invalid, text, replacementPath);
  // A state dictionary may hold more than the program reads.
  if (diagnostics)
    diagnostics->warning(text, replacementPath);
  return llvm::Error::success();
}

std::map<std::string, std::pair<std::string, int64_t>>
ParamFiles::replacementSources() const {
  std::map<std::string, std::pair<std::string, int64_t>> sources;
  SmallString<256> path(replacementPath);
  llvm::sys::fs::make_absolute(path);
  if (replaced)
    for (const auto &[name, value] : replaced->tensors())
      if (!leftOut.count(name))
        sources[name] = {path.str().str(), int64_t(replaced->offsetOf(name))};
  return sources;
}

llvm::Expected<Tensor> ParamFiles::mapExternal(StringRef name,
                                               RankedTensorType type,
                                               StringRef file, int64_t offset,
                                               int64_t length) {
  SmallString<256> path(file);
  if (!llvm::sys::path::is_absolute(path)) {
    path = folder;
    llvm::sys::path::append(path, file);
  }
  auto &source = mapped[path.str().str()];
  if (!source) {
    auto opened = files::ByteSource::open(path.str().str());
    if (!opened)
      return makeError(ErrorCode::Invalid, "parameter '" + name.str() + "': " +
                                               opened.error().message());
    source = *opened;
  }
  uint64_t size = source->bytes().size();
  std::optional<int64_t> bytes = tensorBytes(type);
  if (!bytes || length != *bytes || offset < 0 || uint64_t(offset) > size ||
      uint64_t(length) > size - uint64_t(offset))
    return makeError(ErrorCode::Invalid,
                     "parameter '" + name.str() + "' lies outside of the file",
                     path.str().str());
  const char *data = source->bytes().data() + offset;
  if (auto record = records.find(name); record != records.end())
    if (auto error = graph::checkFile(name, record->second, int64_t(size),
                                      {data, size_t(length)}, path, verify))
      return makeError(std::move(*error));
  return Tensor(type, data, source);
}

llvm::Expected<Tensor> ParamFiles::load(StringRef name, RankedTensorType type,
                                        Attribute source) {
  if (const Tensor *value = replaced ? replaced->find(name) : nullptr)
    return *value;
  if (auto external = dyn_cast_or_null<graph::ExternalAttr>(source))
    return mapExternal(name, type, external.getFile(), external.getOffset(),
                       external.getLength());
  return Tensor();
}
