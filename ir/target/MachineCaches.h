// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How large the caches of this machine are, as far as decisions count on them.

#ifndef ZENITH_IR_TARGET_MACHINECACHES_H
#define ZENITH_IR_TARGET_MACHINECACHES_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace zenith::target {

/// First-level caches have ways of a page each.
inline constexpr int64_t pageBytes = 4096;

/// In bytes of one core. Sizes are rounded so that machines of a class, which
/// differ in cores and in what virtual machines report, are equal.
struct MachineCaches {
  /// As reported, in whole pages.
  int64_t l1Bytes;
  /// Half of what is reported, as the other half holds what streams by, but all
  /// of 512 KiB and less; a power of two.
  int64_t l2Bytes;
  /// A core's part, and at least two second levels; a power of two.
  int64_t l3Bytes;
};

/// `root` has folders index0, index1 ... with files level, type, size and
/// shared_cpu_list, as Linux writes them for each core. Nullopt where the first
/// two levels are not said.
std::optional<MachineCaches> readCaches(llvm::StringRef root);
/// Of the first core; nullopt where the system doesn't say.
std::optional<MachineCaches> cachesOfThisMachine();

} // namespace zenith::target

#endif // ZENITH_IR_TARGET_MACHINECACHES_H
