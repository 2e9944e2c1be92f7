// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GSPMD's text of shardings, `{devices=[2,4]<=[4,2]T(1,0)}`, and the axes of a
// mesh that such tilings have in common.

#ifndef ZENITH_FRONTENDS_STABLEHLO_SHARDINGS_TILINGTEXT_H
#define ZENITH_FRONTENDS_STABLEHLO_SHARDINGS_TILINGTEXT_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <set>
#include <string>

namespace zenith::stablehlo {

struct Tiling {
  enum Kind { Nothing, Replicated, Tiles };
  /// `size` blocks that lie on devices `stride` apart.
  struct Part {
    int64_t stride, size;
  };
  Kind says = Nothing;
  /// Of each dimension, from major to minor; those behind the value's own have
  /// copies.
  llvm::SmallVector<llvm::SmallVector<Part, 2>> dims;
  int64_t devices = 1;
};

/// nullopt for text of another form, among these devices one by one, maximal
/// shardings, and tuples.
std::optional<Tiling> parseTiling(llvm::StringRef text);

/// The strides at which all tilings of a program can be cut.
class TilingAxes {
public:
  /// What is wrong, for an error; nullopt if the tiling is one of a mesh.
  std::optional<std::string> add(llvm::StringRef text);
  std::optional<std::string> finish() const;
  int64_t devices() const { return total; }
  /// From major to minor.
  llvm::SmallVector<int64_t> strides() const;

private:
  std::set<int64_t> cuts{1};
  int64_t total = 1;
};

/// The axes, by index, that a part goes through.
llvm::SmallVector<unsigned> axesWithin(const Tiling::Part &part,
                                       llvm::ArrayRef<int64_t> strides);
/// axis_0, axis_1 and so on.
std::string tilingAxisName(unsigned axis);

} // namespace zenith::stablehlo

#endif // ZENITH_FRONTENDS_STABLEHLO_SHARDINGS_TILINGTEXT_H
