// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Combines the key, the store and the image of an executable.

#include "lowering/pipeline/CachedCompile.h"

#include "ir/GraphOps.h"
#include "lowering/pipeline/ModuleKey.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace zenith::pipeline {

using remarks::Code;

llvm::Expected<CachedCompile> CachedCompile::open(ModuleOp module,
                                                  const CompileOptions &options,
                                                  const TargetChoice &target) {
  llvm::Expected<CacheStore> store = CacheStore::open(options.cacheDir);
  if (!store)
    return store.takeError();
  return CachedCompile(std::move(*store), keyOf(module, options, target),
                       options.remark);
}

void CachedCompile::remark(Code code, ArrayRef<remarks::Value> values) {
  if (sink)
    sink(makeRemark(code, values));
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
    remark(Code::CAC101,
           {id.substr(0, 12), explainDifference(key, store.list())});
  if (outcome == CacheStore::Outcome::Damaged)
    remark(Code::CAC102,
           {id.substr(0, 12), "its bytes are not those that were written"});
  if (outcome != CacheStore::Outcome::Found)
    return std::nullopt;
  llvm::Expected<ExecutableImage> image = readImage(bytes);
  if (!image) {
    remark(Code::CAC102, {id.substr(0, 12), llvm::toString(image.takeError())});
    return std::nullopt;
  }
  Executable &executable = *image->executable;
  llvm::StringMap<graph::ParamOp> declared;
  for (auto param : module.getOps<graph::ParamOp>())
    declared[param.getSymName()] = param;
  // Parameters that the module does not declare are constants of the program.
  for (runtime::ParameterSpec &spec : executable.parameters)
    if (auto found = declared.find(spec.name); found != declared.end())
      spec.source = sourceOf(found->second);
  executable.checksums = checksumsOf(module);
  remark(Code::CAC001, {id.substr(0, 12), bytes.size()});
  return std::move(*image);
}

void CachedCompile::keep(const Executable &executable,
                         ArrayRef<cpu::EmittedFile> objects) {
  std::string image = writeImage(executable, objects);
  if (llvm::Error error = store.write(key, image))
    remark(Code::CAC103, {store.folder(), llvm::toString(std::move(error))});
  else
    remark(Code::CAC002, {key.id().substr(0, 12), image.size()});
}

} // namespace zenith::pipeline
