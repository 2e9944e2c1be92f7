// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file for values that leave memory for a while, and the thread that moves
// their bytes while kernels run.

#ifndef ZENITH_RUNTIME_FILES_OFFLOADFILE_H
#define ZENITH_RUNTIME_FILES_OFFLOADFILE_H

#include "runtime/SpillSpace.h"
#include "runtime/files/NamelessFile.h"

#include <vector>

namespace zenith::runtime {

/// One file without a name, kept from run to run, and a thread that does
/// transfers in the order in which they are started. Serves one run at a time.
/// Nothing is allocated between begin() and end().
class OffloadFile {
public:
  explicit OffloadFile(SpillOptions options);
  ~OffloadFile();
  OffloadFile(const OffloadFile &) = delete;
  OffloadFile &operator=(const OffloadFile &) = delete;

  /// The callbacks, valid as long as this object; null where the options have
  /// no folder.
  const zenith_file *abi() const {
    return options.folder.empty() ? nullptr : &callbacks;
  }

  /// As zenith_file::begin: ZENITH_OUT_OF_MEMORY where the folder, or
  /// SpillOptions::mostBytes, has no room for `bytes`.
  Status begin(int64_t bytes, int64_t transfers);
  void write(const void *from, int64_t offset, int64_t bytes) {
    start({const_cast<void *>(from), offset, bytes, false});
  }
  void read(void *to, int64_t offset, int64_t bytes) {
    start({to, offset, bytes, true});
  }
  /// ZENITH_RUN_FAILED where one of the transfers failed.
  Status await(int64_t transfers);
  void end();

private:
  struct Transfer {
    void *memory;
    int64_t offset, bytes;
    bool isRead;
  };

  void start(Transfer transfer);
  void work();
  Status reserve(int64_t bytes);

  const SpillOptions options;
  zenith_file callbacks;
  Descriptor file;
  int64_t reservedBytes = 0;
  std::mutex mutex; ///< of what follows
  std::condition_variable started, finished;
  /// Those that are not done, each where the remainder of its number says.
  std::vector<Transfer> pending;
  size_t begun = 0, done = 0; ///< transfers since begin()
  int failure = 0;            ///< errno of the first that failed
  bool stopping = false;
  std::thread worker;
};

} // namespace zenith::runtime

#endif // ZENITH_RUNTIME_FILES_OFFLOADFILE_H
