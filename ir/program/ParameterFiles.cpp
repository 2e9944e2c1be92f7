// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records as attributes of graph.param, and paths as the standard library sees
// them.

#include "ir/program/ParameterFiles.h"

#include "ir/GraphOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/xxhash.h"
#include <filesystem>

using namespace mlir;
using llvm::StringRef;

namespace fs = std::filesystem;

namespace zenith::graph {

static constexpr StringRef checksumPrefix = "xxh3:";

uint64_t checksumOf(StringRef bytes) { return llvm::xxh3_64bits(bytes); }

std::string checksumText(uint64_t checksum) {
  return checksumPrefix.str() +
         llvm::utohexstr(checksum, /*LowerCase=*/true, /*Width=*/16);
}

std::optional<uint64_t> parseChecksum(StringRef text) {
  uint64_t value = 0;
  if (!text.consume_front(checksumPrefix) || text.size() != 16 ||
      text.getAsInteger(16, value))
    return std::nullopt;
  return value;
}

FileRecord fileRecordOf(ParamOp param) {
  FileRecord record;
  if (auto bytes = param->getAttrOfType<IntegerAttr>(fileBytesAttrName))
    record.fileBytes = bytes.getInt();
  if (auto text = param->getAttrOfType<StringAttr>(checksumAttrName))
    record.checksum = parseChecksum(text);
  return record;
}

std::optional<Error> checkFile(StringRef parameter, const FileRecord &record,
                               int64_t fileBytes, StringRef bytes,
                               StringRef path, bool verify) {
  auto differs = [&](const std::string &text) {
    return invalid("parameter '" + parameter.str() + "': " + text, path.str());
  };
  if (record.fileBytes && *record.fileBytes != fileBytes)
    return differs("the file has " + std::to_string(fileBytes) +
                   " bytes, the program was written for one of " +
                   std::to_string(*record.fileBytes));
  if (!verify || !record.checksum)
    return std::nullopt;
  uint64_t found = checksumOf(bytes);
  if (found == *record.checksum)
    return std::nullopt;
  return differs("its bytes have checksum " + checksumText(found) +
                 ", the program was written for " +
                 checksumText(*record.checksum));
}

std::string pathIn(StringRef folder, StringRef file) {
  return (fs::path(folder.str()) / file.str()).string();
}

/// Calls `visit` for each parameter that lies in a file.
static void forEachExternal(ModuleOp module,
                            function_ref<void(ParamOp, ExternalAttr)> visit) {
  for (auto param : module.getOps<ParamOp>())
    if (auto external = dyn_cast_or_null<ExternalAttr>(param.getSourceAttr()))
      visit(param, external);
}

void recordFiles(ModuleOp module, StringRef folder) {
  llvm::StringMap<std::unique_ptr<llvm::MemoryBuffer>> files;
  Builder builder(module.getContext());
  forEachExternal(module, [&](ParamOp param, ExternalAttr external) {
    if (param->hasAttr(checksumAttrName))
      return;
    std::string path = pathIn(folder, external.getFile());
    auto [file, isNew] = files.try_emplace(path);
    if (isNew)
      if (auto opened = llvm::MemoryBuffer::getFile(
              path, /*IsText=*/false, /*RequiresNullTerminator=*/false))
        file->second = std::move(*opened);
    if (!file->second)
      return;
    StringRef bytes = file->second->getBuffer();
    uint64_t offset = external.getOffset(), length = external.getLength();
    if (offset > bytes.size() || length > bytes.size() - offset)
      return;
    param->setAttr(fileBytesAttrName,
                   builder.getI64IntegerAttr(int64_t(bytes.size())));
    param->setAttr(checksumAttrName,
                   builder.getStringAttr(
                       checksumText(checksumOf(bytes.substr(offset, length)))));
  });
}

void relocateFiles(ModuleOp module, StringRef from, StringRef to) {
  std::error_code code;
  auto canonical = [&](StringRef folder) {
    return fs::weakly_canonical(folder.empty() ? "." : folder.str(), code);
  };
  fs::path source = canonical(from), target = canonical(to);
  if (code || source == target)
    return;
  forEachExternal(module, [&](ParamOp param, ExternalAttr external) {
    fs::path file(external.getFile().str());
    if (file.is_absolute())
      return;
    param.setSourceAttr(
        ExternalAttr::get(module.getContext(),
                          (source / file).lexically_relative(target).string(),
                          external.getOffset(), external.getLength()));
  });
}

} // namespace zenith::graph
