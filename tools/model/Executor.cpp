// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of targets.

#include "tools/model/Executor.h"

using namespace zenith;
using namespace zenith::tools;

std::vector<std::string> zenith::tools::listTargets() {
  std::vector<std::string> lines;
  for (const auto &[name, description] : targetsHere())
    lines.push_back(name +
                    std::string(name.size() < 8 ? 10 - name.size() : 2, ' ') +
                    description);
  return lines;
}
