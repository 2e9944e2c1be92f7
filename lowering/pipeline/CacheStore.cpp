// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entries as files: a line of format, a line of JSON, the payload. Renaming
// makes them visible, digests make them trustworthy. Eviction: the least
// recently used entries go first.

#include "lowering/pipeline/CacheStore.h"

#include "ir/LLVMError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;

namespace zenith::pipeline {

static constexpr StringLiteral formatLine = "zenith-cache-entry 1\n";
static constexpr StringLiteral entrySuffix = ".zce";
static constexpr StringLiteral partialSuffix = ".partial";
/// A writer that takes longer than this has died.
static constexpr int64_t abandonedSeconds = 3600;

std::string digestOf(StringRef text) {
  BLAKE3 hasher;
  hasher.update(text);
  return toHex(hasher.final(), /*LowerCase=*/true);
}

std::string CacheKey::id() const {
  std::string all;
  for (const auto &[name, text] : parts)
    all += std::to_string(name.size()) + ":" + name + "=" +
           std::to_string(text.size()) + ":" + text + "\n";
  return digestOf(all).substr(0, 40);
}

std::vector<std::string> CacheKey::differences(const CacheKey &other) const {
  auto lacks = [](const CacheKey &key,
                  const std::pair<std::string, std::string> &part) {
    return !is_contained(key.parts, part);
  };
  std::vector<std::string> names;
  auto collect = [&](const CacheKey &from, const CacheKey &to) {
    for (const auto &part : from.parts)
      if (lacks(to, part) && !is_contained(names, part.first))
        names.push_back(part.first);
  };
  collect(*this, other);
  collect(other, *this);
  return names;
}

static std::string headerText(const CacheKey &key, StringRef payload) {
  json::Array parts;
  for (const auto &[name, text] : key.parts)
    parts.push_back(json::Array{json::fixUTF8(name), json::fixUTF8(text)});
  std::string text;
  raw_string_ostream(text) << json::Value(
      json::Object{{"id", key.id()},
                   {"parts", std::move(parts)},
                   {"bytes", int64_t(payload.size())},
                   {"digest", digestOf(payload)}});
  return text + "\n";
}

namespace {
struct Header {
  CacheKey key;
  std::string id, digest;
  StringRef payload;
};
} // namespace

/// The header and where the payload lies; an error says what is wrong with the
/// file. Does not read the payload.
static Expected<Header> parseEntry(StringRef file) {
  auto damaged = [](const Twine &reason) {
    return createStringError(inconvertibleErrorCode(), reason);
  };
  if (!file.consume_front(formatLine))
    return damaged("the format is another one");
  auto [line, payload] = file.split('\n');
  Expected<json::Value> value = json::parse(line);
  if (!value) {
    consumeError(value.takeError());
    return damaged("the header is no JSON");
  }
  const json::Object *object = value->getAsObject();
  const json::Array *parts = object ? object->getArray("parts") : nullptr;
  auto id = object ? object->getString("id") : std::nullopt;
  auto digest = object ? object->getString("digest") : std::nullopt;
  auto bytes = object ? object->getInteger("bytes") : std::nullopt;
  if (!parts || !id || !digest || !bytes)
    return damaged("the header is incomplete");
  if (*bytes != int64_t(payload.size()))
    return damaged("got " + Twine(payload.size()) + " bytes, expected " +
                   Twine(*bytes));
  Header header;
  for (const json::Value &part : *parts) {
    const json::Array *pair = part.getAsArray();
    auto name =
        pair && pair->size() == 2 ? (*pair)[0].getAsString() : std::nullopt;
    auto text = name ? (*pair)[1].getAsString() : std::nullopt;
    if (!text)
      return damaged("the header is incomplete");
    header.key.parts.push_back({name->str(), text->str()});
  }
  header.id = id->str();
  header.digest = digest->str();
  header.payload = payload;
  if (header.key.id() != header.id)
    return damaged("the name does not belong to the parts");
  return header;
}

static Expected<Header> parseWhole(StringRef file, StringRef id) {
  Expected<Header> header = parseEntry(file);
  if (!header)
    return header;
  if (header->id != id)
    return createStringError(inconvertibleErrorCode(),
                             "the file has the name of another entry");
  if (digestOf(header->payload) != header->digest)
    return createStringError(inconvertibleErrorCode(),
                             "the digest of the payload differs");
  return header;
}

Expected<CacheStore> CacheStore::open(std::string folder, int64_t maxBytes) {
  auto refuse = [&](const Twine &reason) {
    return makeError(ErrorCode::Usage,
                     ("cache folder " + folder + ": " + reason).str());
  };
  StringRef parent = sys::path::parent_path(folder);
  if (!parent.empty())
    if (std::error_code code = sys::fs::create_directories(parent))
      return refuse(code.message());
  if (std::error_code code = sys::fs::create_directory(
          folder, /*IgnoreExisting=*/true, sys::fs::owner_all))
    return refuse(code.message());
  struct stat status;
  if (stat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode))
    return refuse("it is no folder");
  // Entries become code of this process: no other user may write them.
  if (status.st_uid != geteuid())
    return refuse("it belongs to another user");
  if (status.st_mode & (S_IWGRP | S_IWOTH))
    return refuse("others may write to it");
  return CacheStore(std::move(folder), maxBytes);
}

std::string CacheStore::fileOf(StringRef id) const {
  SmallString<128> file(path);
  sys::path::append(file, id + entrySuffix);
  return file.str().str();
}

/// Null where there is no such file; without bytes where it is no regular file
/// that this user alone may write: links and devices lead anywhere, pipes never
/// end. Copies, because another process may cut the file while it is read.
static std::unique_ptr<MemoryBuffer> contents(const std::string &file) {
  int descriptor =
      ::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0 && errno == ENOENT)
    return nullptr;
  struct stat status;
  std::unique_ptr<MemoryBuffer> bytes = MemoryBuffer::getMemBuffer("");
  if (descriptor >= 0 && fstat(descriptor, &status) == 0 &&
      S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
      !(status.st_mode & (S_IWGRP | S_IWOTH)))
    if (auto read = MemoryBuffer::getOpenFile(
            descriptor, file, uint64_t(status.st_size),
            /*RequiresNullTerminator=*/false, /*IsVolatile=*/true))
      bytes = std::move(*read);
  if (descriptor >= 0)
    ::close(descriptor);
  return bytes;
}

CacheStore::Outcome CacheStore::read(StringRef id, std::string &payload) {
  std::string file = fileOf(id);
  std::unique_ptr<MemoryBuffer> buffer = contents(file);
  if (!buffer)
    return Outcome::Missing;
  Expected<Header> header = parseWhole(buffer->getBuffer(), id);
  if (!header) {
    consumeError(header.takeError());
    sys::fs::remove(file);
    return Outcome::Damaged;
  }
  payload = header->payload.str();
  // The time of modification is the time of the last use; a folder that only
  // may be read keeps the old one.
  utimensat(AT_FDCWD, file.c_str(), nullptr, 0);
  return Outcome::Found;
}

llvm::Error CacheStore::write(const CacheKey &key, StringRef payload) {
  std::string id = key.id();
  SmallString<128> partial;
  int descriptor = -1;
  if (std::error_code code = sys::fs::createUniqueFile(
          path + "/" + id + "-%%%%%%%%" + partialSuffix, descriptor, partial,
          sys::fs::OF_None, sys::fs::owner_read | sys::fs::owner_write))
    return errorCodeToError(code);
  raw_fd_ostream file(descriptor, /*shouldClose=*/true);
  file << formatLine << headerText(key, payload) << payload;
  file.close();
  std::error_code code = file.error();
  file.clear_error();
  if (!code)
    code = sys::fs::rename(partial, fileOf(id));
  if (code) {
    sys::fs::remove(partial);
    return errorCodeToError(code);
  }
  dropOldest(limit);
  return llvm::Error::success();
}

namespace {
struct FoundFile {
  std::string path;
  int64_t bytes, seconds;
};
} // namespace

/// Files of the folder with that suffix, by name.
static std::vector<FoundFile> filesOf(const std::string &folder,
                                      StringRef suffix) {
  std::vector<FoundFile> files;
  std::error_code code;
  for (sys::fs::directory_iterator at(folder, code), end; !code && at != end;
       at.increment(code)) {
    struct stat status;
    if (StringRef(at->path()).ends_with(suffix) &&
        stat(at->path().c_str(), &status) == 0 && S_ISREG(status.st_mode))
      files.push_back({at->path(), int64_t(status.st_size),
                       int64_t(status.st_mtim.tv_sec)});
  }
  sort(files,
       [](const FoundFile &a, const FoundFile &b) { return a.path < b.path; });
  return files;
}

std::vector<CacheEntry> CacheStore::list() const {
  std::vector<CacheEntry> entries;
  for (const FoundFile &file : filesOf(path, entrySuffix)) {
    std::unique_ptr<MemoryBuffer> buffer = contents(file.path);
    Expected<Header> header =
        parseEntry(buffer ? buffer->getBuffer() : StringRef());
    if (header)
      entries.push_back({header->id, file.path, std::move(header->key),
                         file.bytes, file.seconds});
    else
      consumeError(header.takeError());
  }
  return entries;
}

std::vector<DamagedEntry> CacheStore::verify() const {
  std::vector<DamagedEntry> damaged;
  for (const FoundFile &file : filesOf(path, entrySuffix)) {
    std::unique_ptr<MemoryBuffer> buffer = contents(file.path);
    Expected<Header> header = parseWhole(
        buffer ? buffer->getBuffer() : StringRef(), sys::path::stem(file.path));
    if (!header)
      damaged.push_back({file.path, toString(header.takeError())});
  }
  return damaged;
}

int64_t CacheStore::dropOldest(int64_t maxBytes) {
  std::vector<FoundFile> files = filesOf(path, entrySuffix);
  int64_t total = 0, freed = 0;
  for (const FoundFile &file : files)
    total += file.bytes;
  sort(files, [](const FoundFile &a, const FoundFile &b) {
    return std::tie(a.seconds, a.path) < std::tie(b.seconds, b.path);
  });
  for (const FoundFile &file : files) {
    if (total - freed <= maxBytes)
      break;
    if (!sys::fs::remove(file.path))
      freed += file.bytes;
  }
  return freed;
}

int64_t CacheStore::collect(int64_t maxBytes) {
  int64_t freed = 0;
  auto drop = [&](const std::string &file) {
    uint64_t bytes = 0;
    if (!sys::fs::file_size(file, bytes) && !sys::fs::remove(file))
      freed += int64_t(bytes);
  };
  for (const DamagedEntry &entry : verify())
    drop(entry.path);
  int64_t now = int64_t(time(nullptr));
  for (const FoundFile &file : filesOf(path, partialSuffix))
    if (file.seconds + abandonedSeconds < now)
      drop(file.path);
  return freed + dropOldest(maxBytes);
}

std::string defaultCacheFolder() {
  if (auto folder = sys::Process::GetEnv("ZENITH_CACHE_DIR");
      folder && !folder->empty())
    return *folder;
  SmallString<128> path;
  if (!sys::path::cache_directory(path))
    return "";
  sys::path::append(path, "zenith");
  return path.str().str();
}

} // namespace zenith::pipeline
