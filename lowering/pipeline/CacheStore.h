// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A folder of checked entries by content address, shared by any number of
// processes.

#ifndef ZENITH_LOWERING_PIPELINE_CACHESTORE_H
#define ZENITH_LOWERING_PIPELINE_CACHESTORE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace zenith::pipeline {

/// What an entry was made from: named parts, each a short text or the digest
/// of a long one.
struct CacheKey {
  std::vector<std::pair<std::string, std::string>> parts;

  /// Hexadecimal digest of all parts: the name of the entry.
  std::string id() const;
  /// Names of the parts that `other` has differently, or that only one has.
  std::vector<std::string> differences(const CacheKey &other) const;
};

/// Hexadecimal digest of a text.
std::string digestOf(llvm::StringRef text);

/// An entry as its file says.
struct CacheEntry {
  std::string id, path;
  CacheKey key;
  int64_t bytes = 0;    ///< of the file
  int64_t lastUsed = 0; ///< seconds since 1970
};

/// An entry that is damaged or has a foreign format.
struct DamagedEntry {
  std::string path, reason;
};

class CacheStore {
public:
  /// Bytes of all entries together that write() keeps to.
  static constexpr int64_t defaultMaxBytes = int64_t(1) << 30;

  /// Makes the folder (mode 0700) where it is missing. Errors are LLVMErrors
  /// of code 1: it cannot be made, is no folder, or others may write to it.
  static llvm::Expected<CacheStore> open(std::string folder,
                                         int64_t maxBytes = defaultMaxBytes);

  enum class Outcome { Found, Missing, Damaged };
  /// The payload under `id`. A damaged entry is removed.
  Outcome read(llvm::StringRef id, std::string &payload);
  /// Renames a complete file into the folder, so that readers see all of an
  /// entry or nothing; then drops the least recently used entries, down to the
  /// limit. On failure the folder is as it was.
  llvm::Error write(const CacheKey &key, llvm::StringRef payload);

  /// Entries whose headers make sense, by id.
  std::vector<CacheEntry> list() const;
  /// Reads every entry as read() does, without removing anything.
  std::vector<DamagedEntry> verify() const;
  /// Drops damaged entries, temporary files of ended writers, and the least
  /// recently used entries until at most `maxBytes` remain; returns the bytes
  /// that became free.
  int64_t collect(int64_t maxBytes);

  const std::string &folder() const { return path; }

private:
  CacheStore(std::string folder, int64_t maxBytes)
      : path(std::move(folder)), limit(maxBytes) {}
  std::string fileOf(llvm::StringRef id) const;
  int64_t dropOldest(int64_t maxBytes);

  std::string path;
  int64_t limit;
};

/// The default folder of caches: $ZENITH_CACHE_DIR, else zenith in
/// $XDG_CACHE_HOME or ~/.cache; empty where none of them is set.
std::string defaultCacheFolder();

} // namespace zenith::pipeline

#endif // ZENITH_LOWERING_PIPELINE_CACHESTORE_H
