// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns of devices, and where no device can go on.

#include "ir/interpreter/devices/DeviceMeeting.h"

#include "ir/LocationText.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include <thread>

using namespace mlir;
using namespace zenith;
using namespace zenith::interpreter;
using llvm::Expected;

void DeviceMeeting::fail(llvm::Error error) {
  if (failure)
    llvm::consumeError(std::move(error));
  else
    failure = std::move(error);
  changed.notify_all();
}

// What each device waits for, when none can go on.
std::string DeviceMeeting::standstill(std::string &place) const {
  llvm::MapVector<Operation *, std::string> places;
  for (auto [device, seat] : llvm::enumerate(seats)) {
    std::string &text = places[seat.state == Seat::Ended ? nullptr : seat.op];
    text += (text.empty() ? "" : ", ") + std::to_string(device);
  }
  std::string text = "devices wait for each other without end: ";
  bool isFirst = true;
  for (auto &[op, devices] : places) {
    text += (isFirst ? "device " : "; device ") + devices;
    isFirst = false;
    if (!op) {
      text += " ended";
      continue;
    }
    text += " in '" + op->getName().getStringRef().str() + "' at " +
            graph::placeOf(op->getLoc());
    if (place.empty())
      place = graph::placeOf(op->getLoc());
  }
  return text;
}

void DeviceMeeting::pass() {
  bool isWaiting = false;
  for (auto [device, seat] : llvm::enumerate(seats)) {
    isWaiting |= seat.state == Seat::Waiting;
    if (seat.state != Seat::Ready)
      continue;
    turn = int64_t(device);
    changed.notify_all();
    return;
  }
  if (!isWaiting)
    return;
  std::string place, text = standstill(place);
  fail(makeError(ErrorCode::Run, text, place));
}

bool DeviceMeeting::wait(std::unique_lock<std::mutex> &lock, int64_t device) {
  changed.wait(lock, [&] { return failure || turn == device; });
  return !failure;
}

Expected<Results> DeviceMeeting::meet(int64_t device, Operation *op,
                                      Results given, ArrayRef<int64_t> members,
                                      Combine combine) {
  std::unique_lock<std::mutex> lock(mutex);
  Seat &own = seats[size_t(device)];
  own.state = Seat::Waiting;
  own.op = op;
  own.values = std::move(given);
  bool isLast = llvm::all_of(members, [&](int64_t member) {
    const Seat &seat = seats[size_t(member)];
    return seat.state == Seat::Waiting && seat.op == op;
  });
  if (isLast) {
    std::vector<Results> values;
    for (int64_t member : members)
      values.push_back(std::move(seats[size_t(member)].values));
    Expected<std::vector<Results>> results = combine(values);
    if (!results)
      return results.takeError();
    for (auto [member, result] : llvm::zip_equal(members, *results)) {
      seats[size_t(member)].values = std::move(result);
      seats[size_t(member)].state = Seat::Ready;
    }
    return std::move(own.values);
  }
  pass();
  if (!wait(lock, device))
    return makeError(ErrorCode::Run, "another device has failed");
  return std::move(own.values);
}

Expected<std::vector<Results>>
DeviceMeeting::run(llvm::function_ref<Expected<Results>(int64_t)> work) {
  std::vector<Results> results(seats.size());
  std::vector<std::thread> threads;
  for (int64_t device = 0; device < devices(); ++device)
    threads.emplace_back([&, device] {
      std::unique_lock<std::mutex> lock(mutex);
      if (!wait(lock, device))
        return;
      lock.unlock();
      Expected<Results> own = work(device);
      lock.lock();
      if (!own)
        return fail(own.takeError());
      results[size_t(device)] = std::move(*own);
      seats[size_t(device)].state = Seat::Ended;
      pass();
    });
  for (std::thread &thread : threads)
    thread.join();
  if (failure)
    return std::move(*failure);
  return results;
}
