// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Renames symbols in finished objects: these come from a cache that programs of
// any name share, so their names cannot be chosen when they are compiled.

#include "lowering/cpu/PrefixSymbols.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ObjCopy/ConfigManager.h"
#include "llvm/ObjCopy/ObjCopy.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace zenith::cpu {

/// What entries begin with as compiled; the prefix replaces it.
static constexpr StringLiteral commonPrefix = "zenith_";

using ObjectPointer = std::unique_ptr<object::ObjectFile>;

/// The objects, whose bytes stay in `objects`.
static Expected<std::vector<ObjectPointer>>
openObjects(ArrayRef<EmittedFile> objects) {
  std::vector<ObjectPointer> opened;
  for (const EmittedFile &object : objects) {
    auto file = object::ObjectFile::createObjectFile(
        MemoryBufferRef(object.bytes, object.name));
    if (!file)
      return file.takeError();
    opened.push_back(std::move(*file));
  }
  return std::move(opened);
}

/// Adds the new names of the global symbols that `object` defines.
static llvm::Error addNewNames(const object::ObjectFile &object,
                               StringRef prefix,
                               StringMap<std::string> &newNames) {
  for (const object::SymbolRef &symbol : object.symbols()) {
    Expected<uint32_t> flags = symbol.getFlags();
    if (!flags)
      return flags.takeError();
    if (!(*flags & object::SymbolRef::SF_Global) ||
        (*flags & object::SymbolRef::SF_Undefined))
      continue;
    Expected<StringRef> name = symbol.getName();
    if (!name)
      return name.takeError();
    StringRef stem = *name;
    stem.consume_front(commonPrefix);
    newNames[*name] = (prefix + "_" + stem).str();
  }
  return llvm::Error::success();
}

llvm::Error prefixSymbols(std::vector<EmittedFile> &objects, StringRef prefix) {
  Expected<std::vector<ObjectPointer>> opened = openObjects(objects);
  if (!opened)
    return opened.takeError();
  StringMap<std::string> newNames;
  for (const ObjectPointer &object : *opened)
    if (llvm::Error error = addNewNames(*object, prefix, newNames))
      return error;
  objcopy::ConfigManager config;
  for (const auto &entry : newNames)
    config.Common.SymbolsToRename[entry.first()] = entry.second;
  for (auto [object, file] : zip_equal(*opened, objects)) {
    SmallString<0> bytes;
    raw_svector_ostream stream(bytes);
    if (llvm::Error error =
            objcopy::executeObjcopyOnBinary(config, *object, stream))
      return error;
    object.reset();
    file.bytes = std::string(bytes);
  }
  return llvm::Error::success();
}

} // namespace zenith::cpu
