// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parameters of a program and the values that @prepare derives from them.

#ifndef ZENITH_RUNTIME_PARAMETERS_H
#define ZENITH_RUNTIME_PARAMETERS_H

#include "runtime/ABI.h"
#include "runtime/PageBlock.h"
#include "runtime/Status.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace zenith::runtime {

class MappedFile;
class RunContext;

/// Where the row-major, little-endian bytes of a parameter are.
struct ParameterSource {
  std::string
      file; ///< relative to the set's base directory; empty = inlineBytes
  int64_t offset = 0; ///< bytes into the file; any alignment
  std::string inlineBytes;
  int64_t fileBytes = -1; ///< that the file must have; -1 = any number
};

/// A parameter as the program declares it.
struct ParameterSpec {
  std::string name;
  int32_t dtype = 0; ///< a zenith_dtype
  std::vector<int64_t> dims;
  ParameterSource source;

  /// Bytes that type and dims need; -1 where there is no such number.
  int64_t bytes() const;
};

/// Parameters in the order of the program's declarations. Files are opened on
/// first use and mapped, so a value costs memory once it is read. Not safe for
/// use from several threads until prepare() has returned; reading is, from then
/// on.
class Parameters {
public:
  /// Relative file names start at baseDir; empty = the current directory.
  explicit Parameters(std::string baseDir);
  ~Parameters();
  Parameters(const Parameters &) = delete;
  Parameters &operator=(const Parameters &) = delete;

  /// Appends a parameter. ZENITH_INVALID_INPUT where the name is taken, type or
  /// extents make no sense, or inline bytes are not as many as these need.
  Status add(ParameterSpec spec);

  size_t size() const { return entries.size(); }
  const ParameterSpec &spec(size_t index) const { return entries[index].spec; }

  /// Index of a name; -1 where there is none.
  int64_t find(const std::string &name) const;

  /// Gives a parameter another value of the same type. ZENITH_INVALID_INPUT
  /// where the name is unknown or inline bytes don't fit. What was derived is
  /// derived anew by the next prepare().
  Status rebind(const std::string &name, ParameterSource source);

  /// First byte of a parameter, aligned to its element; null where it has none.
  /// Maps the file, or copies where the offset is not aligned.
  /// ZENITH_INVALID_INPUT where file or range don't exist. Valid until
  /// release(), rebind() or the end of the set.
  StatusOr<const void *> data(size_t index);

  /// Gives the memory of a parameter back; data() gets it again.
  void release(size_t index);

  /// Makes pointers() valid: reads every parameter, provides the arena of the
  /// derived ones and runs
  /// @prepare (null where the program has none) with no arguments and no
  /// results; it finds parameters and arena in its params. Then releases the
  /// parameters that only @prepare reads. Does nothing where nothing has
  /// changed since the last call. Errors are those of data() and of the entry.
  Status prepare(RunContext &context, zenith_entry_fn entry,
                 int64_t derivedBytes,
                 const std::vector<size_t> &onlyForPrepare = {});

  /// What an entry takes as params: one pointer per parameter (null for those
  /// that only @prepare reads), then the derived arena. Valid after prepare()
  /// until rebind().
  void *const *pointers() const { return pointerTable.data(); }

  /// The derived parameters' arena, aligned to ZENITH_ARENA_ALIGNMENT; null
  /// where there is none.
  void *derivedData() const { return derived.data(); }
  int64_t derivedBytes() const { return derivedLength; }

private:
  struct Entry {
    ParameterSpec spec;
    std::shared_ptr<MappedFile> file;
    PageBlock copy; ///< of a value whose place in the file is not aligned
  };

  StatusOr<std::shared_ptr<MappedFile>> openFile(const std::string &name);

  std::string baseDir;
  std::vector<Entry> entries;
  std::map<std::string, size_t> indexOfName;
  std::map<std::string, std::weak_ptr<MappedFile>> openFiles;
  std::vector<void *> pointerTable;
  PageBlock derived;
  int64_t derivedLength = 0;
  bool prepared = false;
};

} // namespace zenith::runtime

#endif // ZENITH_RUNTIME_PARAMETERS_H
