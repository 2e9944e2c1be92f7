// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes that deal a program over devices, in order.

#include "passes/sharding/partition/ShardProgram.h"

#include "ir/GraphOps.h"
#include "ir/LLVMError.h"
#include "ir/LocationText.h"
#include "ir/program/Shardings.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "passes/GraphPasses.h"
#include "passes/SimplificationPasses.h"
#include "passes/sharding/PropagateShardings.h"
#include "passes/sharding/partition/Communication.h"
#include "passes/sharding/partition/PartitionProgram.h"
#include "passes/sharding/partition/StatedMesh.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::sharding;

// Runs a step; the first error that it emits becomes one that is returned.
static llvm::Error returnErrors(ModuleOp module,
                                function_ref<LogicalResult()> step) {
  std::string text, place;
  ScopedDiagnosticHandler handler(module.getContext(), [&](Diagnostic &d) {
    if (text.empty() && d.getSeverity() == DiagnosticSeverity::Error) {
      text = d.str();
      place = graph::placeOf(d.getLocation());
    }
    return success(d.getSeverity() == DiagnosticSeverity::Error);
  });
  if (succeeded(step()))
    return llvm::Error::success();
  return makeError(ErrorCode::Invalid, text, place);
}

// Of one process: each has ops of its own.
static constexpr int64_t mostDevices = 1024;

template <typename Add> static llvm::Error run(ModuleOp module, Add add) {
  PassManager passes(module.getContext(), ModuleOp::getOperationName());
  add(passes);
  return returnErrors(module, [&] { return passes.run(module); });
}

static llvm::Error propagate(ModuleOp module, const ShardOptions &options) {
  PropagationOptions propagation = options.propagation;
  propagation.explain |= options.explain;
  return returnErrors(module,
                      [&] { return propagateShardings(module, propagation); });
}

// The first op that is for several devices.
static Operation *findMeeting(ModuleOp module) {
  Operation *found = nullptr;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isa<graph::ManualOp>(op) &&
        graph::familyOf(op) != graph::Family::Collective)
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

// A program that is run whole must not meet other devices.
static llvm::Error checkAlone(ModuleOp module, int64_t devices) {
  Operation *meeting = findMeeting(module);
  if (!meeting)
    return llvm::Error::success();
  std::string place = graph::placeOf(meeting->getLoc());
  if (devices > 1)
    return makeError(ErrorCode::Usage,
                     "the program has regions for " + Twine(devices) +
                         " devices: give --mesh-devices=" + Twine(devices),
                     place);
  // A mesh of one device asks for no other.
  if (isa<graph::ManualOp>(meeting))
    return llvm::Error::success();
  return makeError(ErrorCode::Unsupported,
                   "'" + meeting->getName().getStringRef() +
                       "' of a program without a mesh is not supported",
                   place);
}

static llvm::Error applyStated(ModuleOp module, const ShardOptions &options) {
  if (!options.mesh.empty())
    if (llvm::Error error = applyMesh(module, options.mesh))
      return error;
  auto entry = module.lookupSymbol<func::FuncOp>(options.entry);
  for (const std::string &text : options.shards) {
    if (!entry)
      return makeError(ErrorCode::Usage,
                       "--shard=" + text + ": the program has no entry");
    if (llvm::Error error = applyShard(entry, text))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error zenith::sharding::shardProgram(ModuleOp module,
                                           const ShardOptions &options) {
  if (llvm::Error error = applyStated(module, options))
    return error;
  auto devices = meshDevices(module);
  if (!devices)
    return devices.takeError();
  if (options.meshDevices <= 1)
    return checkAlone(module, *devices);
  if (*devices != options.meshDevices)
    return makeError(ErrorCode::Usage,
                     "--mesh-devices=" + Twine(options.meshDevices) +
                         ": the program's mesh has " + Twine(*devices) +
                         " devices");
  if (*devices > mostDevices)
    return makeError(ErrorCode::Unsupported,
                     Twine(*devices) +
                         " devices in one process are not supported, at most " +
                         Twine(mostDevices) + " are");
  if (llvm::Error error = run(module, [](OpPassManager &passes) {
        passes.addPass(createInlineCallsPass());
        passes.addNestedPass<func::FuncOp>(createDecomposeRandomPass());
        addTidy(passes);
      }))
    return error;
  if (llvm::Error error = propagate(module, options))
    return error;
  if (llvm::Error error = partitionProgram(module, options.explain))
    return error;
  if (llvm::Error error =
          run(module, [](OpPassManager &passes) { addTidy(passes); }))
    return error;
  if (options.communication) {
    auto report = communicationReport(module, options.entry);
    if (!report)
      return report.takeError();
    *options.communication = std::move(*report);
  }
  if (options.keepPartitioned)
    return llvm::Error::success();
  return unrollProgram(module);
}
