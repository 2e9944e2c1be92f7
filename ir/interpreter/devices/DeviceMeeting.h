// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices that run one program in turns and wait for each other where they
// meet.

#ifndef ZENITH_IR_INTERPRETER_DEVICES_DEVICEMEETING_H
#define ZENITH_IR_INTERPRETER_DEVICES_DEVICEMEETING_H

#include "ir/interpreter/OpEvaluation.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <condition_variable>
#include <mutex>

namespace zenith::interpreter {

/// One thread per device, of which one runs at a time: until it ends or waits.
/// So results do not depend on timing, and a wait without end is seen.
class DeviceMeeting {
public:
  explicit DeviceMeeting(int64_t devices) : seats(size_t(devices)) {}

  int64_t devices() const { return int64_t(seats.size()); }

  /// Results of `work` by device. The first device that fails ends all; its
  /// error is given. Code Run where devices wait for each other without end.
  llvm::Expected<std::vector<Results>>
  run(llvm::function_ref<llvm::Expected<Results>(int64_t)> work);

  using Combine = llvm::function_ref<llvm::Expected<std::vector<Results>>(
      llvm::ArrayRef<Results>)>;
  /// Called by the work of `device`: waits until all of `members`, itself among
  /// them, are at `op`; then `combine` makes what each gets of what each gave,
  /// both in the order of `members`. All members give equal lists.
  llvm::Expected<Results> meet(int64_t device, mlir::Operation *op,
                               Results given, llvm::ArrayRef<int64_t> members,
                               Combine combine);

private:
  struct Seat {
    enum { Ready, Waiting, Ended } state = Ready;
    mlir::Operation *op = nullptr; ///< where it waits
    Results values;
  };
  /// Gives the turn to the first device that can go on.
  void pass();
  /// Waits for the turn of `device`; false where the run has failed meanwhile.
  bool wait(std::unique_lock<std::mutex> &lock, int64_t device);
  void fail(llvm::Error error);
  std::string standstill(std::string &place) const;

  std::vector<Seat> seats;
  std::mutex mutex;
  std::condition_variable changed;
  int64_t turn = 0;
  std::optional<llvm::Error> failure;
};

} // namespace zenith::interpreter

#endif // ZENITH_IR_INTERPRETER_DEVICES_DEVICEMEETING_H
