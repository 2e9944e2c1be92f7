// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes and removes a test's folder.

#include "tests/runtime/TemporaryFolder.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdlib.h>

namespace zenith::runtime {

TemporaryFolder::TemporaryFolder() {
  std::string pattern =
      (std::filesystem::temp_directory_path() / "zenith-XXXXXX").string();
  if (mkdtemp(pattern.data()))
    folder = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!folder.empty())
    std::filesystem::remove_all(folder, ignored);
}

std::string TemporaryFolder::write(const std::string &name,
                                   const std::string &bytes) const {
  std::string path = folder + "/" + name;
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

int TemporaryFolder::entries() const {
  std::filesystem::directory_iterator all(folder);
  return int(std::distance(begin(all), end(all)));
}

} // namespace zenith::runtime
