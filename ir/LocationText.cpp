// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A location as the text that messages begin with.

#include "ir/LocationText.h"

using namespace mlir;

namespace zenith::graph {

std::string placeOf(Location location) {
  if (auto file = location->findInstanceOf<FileLineColLoc>())
    return (file.getFilename().getValue() + ":" + Twine(file.getLine()) + ":" +
            Twine(file.getColumn()))
        .str();
  if (auto name = location->findInstanceOf<NameLoc>())
    return name.getName().str();
  return "";
}

} // namespace zenith::graph
