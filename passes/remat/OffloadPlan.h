// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that wait in a file between two of their readers: which, when their
// bytes move, and what that costs.

#ifndef ZENITH_PASSES_REMAT_OFFLOADPLAN_H
#define ZENITH_PASSES_REMAT_OFFLOADPLAN_H

#include "passes/remat/MemoryTimeline.h"
#include "llvm/ADT/StringRef.h"

namespace zenith::remat {

/// Unit attribute of a graph.barrier of one value: readers of its result may
/// find the value in a file.
inline constexpr llvm::StringLiteral offloadAttrName = "graph.offload";

/// What a transfer costs, one way, in the unit of the steps.
struct FileModel {
  double perByte = 0, perTransfer = 0;
  double costOf(int64_t bytes) const {
    return perTransfer + perByte * double(bytes);
  }
};

/// Two places of an order between which nothing reads an instance of a value.
struct ReadGap {
  unsigned value;
  unsigned made;       ///< place that makes the instance
  unsigned last, next; ///< made or its last reader, and its next reader
};

/// Gaps of values that `mayLeave` has, with a place between.
std::vector<ReadGap> gapsOf(const MemoryGraph &graph,
                            llvm::ArrayRef<unsigned> order,
                            const MemoryTimeline &timeline,
                            const std::vector<bool> &mayLeave);

/// A gap in which the value is in the file. It is written from the end of
/// `made` on, unless an earlier gap of the instance did so.
struct Offload {
  ReadGap gap;
  bool isWritten;
  unsigned written; ///< the writing is waited for before this place
  unsigned begun;   ///< reading starts before this place
};

/// An order in which values are in a file at times.
struct OffloadTimeline {
  std::vector<Offload> offloads; ///< in the order in which they are read
  int64_t peak = 0;              ///< bytes in memory
  double cost = 0;               ///< of the steps, and of waiting for the file
};

/// The transfers of these gaps. Bytes move while steps run, in the order in
/// which transfers are started, each as early or as long as it takes to hide
/// it: but the peak stays what it is if nobody else runs meanwhile.
OffloadTimeline planTransfers(const MemoryGraph &graph,
                              llvm::ArrayRef<unsigned> order,
                              const MemoryTimeline &timeline,
                              std::vector<ReadGap> gaps,
                              const FileModel &model);

/// A plan of the list, with gaps in which values are in the file.
struct OffloadedOrder {
  std::vector<unsigned> order;
  std::vector<ReadGap> gaps;
  int64_t peak = 0;
  double cost = 0;
};

/// Those that no other plan beats in peak and cost: peaks fall, costs rise.
std::vector<OffloadedOrder> bestOrders(std::vector<OffloadedOrder> plans);

/// What orders get by the file: at the fullest place the value leaves that is
/// not read for the longest time, again and again. Peaks fall, costs rise;
/// plans without gaps are among them. Depends on nothing but the arguments.
std::vector<OffloadedOrder>
offloadedOrders(const MemoryGraph &graph,
                llvm::ArrayRef<std::vector<unsigned>> orders,
                const std::vector<bool> &mayLeave, const FileModel &model);

} // namespace zenith::remat

#endif // ZENITH_PASSES_REMAT_OFFLOADPLAN_H
