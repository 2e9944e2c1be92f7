// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Key, store and image of an executable put together.

#include "lowering/pipeline/CachedCompile.h"

#include "ir/GraphOps.h"
#include "lowering/pipeline/ModuleKey.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace zenith::pipeline {

llvm::Expected<CachedCompile>
CachedCompile::open(ModuleOp module, const CompileOptions &options,
                    const target::CPUTarget &target) {
  llvm::Expected<CacheStore> store = CacheStore::open(options.cacheDir);
  if (!store)
    return store.takeError();
  return CachedCompile(std::move(*store), keyOf(module, options, target),
                       options.remark);
}

void CachedCompile::remark(StringRef code, const std::string &text) {
  if (sink)
    sink({"cache", code.str(), text, ""});
}

std::string explainDifference(const CacheKey &key,
                              ArrayRef<CacheEntry> entries) {
  const std::vector<std::string> *nearest = nullptr;
  std::vector<std::vector<std::string>> differences;
  for (const CacheEntry &entry : entries)
    differences.push_back(key.differences(entry.key));
  const CacheEntry *of = nullptr;
  for (auto [entry, parts] : llvm::zip(entries, differences))
    if (!nearest || parts.size() < nearest->size())
      nearest = &parts, of = &entry;
  if (!nearest)
    return "the cache is empty";
  return "the nearest entry, " + of->id.substr(0, 12) +
         ", differs in: " + llvm::join(*nearest, ", ");
}

std::optional<ExecutableImage> CachedCompile::find(ModuleOp module) {
  std::string id = key.id(), bytes;
  CacheStore::Outcome outcome = store.read(id, bytes);
  if (outcome == CacheStore::Outcome::Missing && sink)
    remark("CAC101", "no entry " + id.substr(0, 12) + "; " +
                         explainDifference(key, store.list()));
  if (outcome == CacheStore::Outcome::Damaged)
    remark("CAC102", "entry " + id.substr(0, 12) + " was damaged");
  if (outcome != CacheStore::Outcome::Found)
    return std::nullopt;
  llvm::Expected<ExecutableImage> image = readImage(bytes);
  if (!image) {
    remark("CAC102", "entry " + id.substr(0, 12) +
                         " was damaged: " + llvm::toString(image.takeError()));
    return std::nullopt;
  }
  Executable &executable = *image->executable;
  llvm::StringMap<graph::ParamOp> declared;
  for (auto param : module.getOps<graph::ParamOp>())
    declared[param.getSymName()] = param;
  // Those that are not declared are constants of the program.
  for (runtime::ParameterSpec &spec : executable.parameters)
    if (auto found = declared.find(spec.name); found != declared.end())
      spec.source = sourceOf(found->second);
  remark("CAC001", "found entry " + id.substr(0, 12) + ", " +
                       std::to_string(bytes.size()) + " bytes");
  return std::move(*image);
}

void CachedCompile::keep(const Executable &executable,
                         ArrayRef<cpu::EmittedFile> objects) {
  std::string image = writeImage(executable, objects);
  if (llvm::Error error = store.write(key, image))
    remark("CAC103", "cannot write to " + store.folder() + ": " +
                         llvm::toString(std::move(error)));
  else
    remark("CAC002", "kept entry " + key.id().substr(0, 12) + ", " +
                         std::to_string(image.size()) + " bytes");
}

} // namespace zenith::pipeline
