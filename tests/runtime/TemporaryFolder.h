// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A folder of a test's own that disappears with it.

#ifndef ZENITH_TESTS_RUNTIME_TEMPORARYFOLDER_H
#define ZENITH_TESTS_RUNTIME_TEMPORARYFOLDER_H

#include <string>

namespace zenith::runtime {

class TemporaryFolder {
public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  /// The folder's path, without a slash at the end.
  const std::string &path() const { return folder; }

  /// Writes a file into the folder and returns its path.
  std::string write(const std::string &name, const std::string &bytes) const;

  /// How many entries the folder has.
  int entries() const;

private:
  std::string folder;
};

} // namespace zenith::runtime

#endif // ZENITH_TESTS_RUNTIME_TEMPORARYFOLDER_H
