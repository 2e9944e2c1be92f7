// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the model that options give, and compares it with the target.

#include "lowering/pipeline/TargetChoice.h"

#include "ir/LLVMError.h"
#include "ir/target/NamedModels.h"
#include "ir/target/OpenCLTarget.h"
#include "lowering/cpu/CPUMachine.h"
#include "lowering/pipeline/CompileOptions.h"
#include "runtime/OpenCLDeviceList.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/TargetParser/Triple.h"

using llvm::StringRef;

namespace zenith::pipeline {

using target::GivenModel;
using target::TargetModel;

static llvm::Error usage(const llvm::Twine &text) {
  return makeError(ErrorCode::Usage, text);
}

static llvm::Error contradiction(const CompileOptions &options, StringRef key,
                                 const llvm::Twine &why) {
  return usage("--target-model=" + options.targetModel + ": '" + key +
               "': " + why);
}

static llvm::Expected<GivenModel> readModelFile(StringRef path,
                                                const TargetModel &base) {
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    return makeError(ErrorCode::Invalid,
                     "cannot read the model: " + file.getError().message(),
                     path);
  target::ModelFault fault;
  if (auto given = target::parseModel((*file)->getBuffer(), base, fault))
    return std::move(*given);
  return makeError(ErrorCode::Invalid, fault.text,
                   (path + ":" + llvm::Twine(fault.line)).str());
}

/// The model that --target-model gives; a file leaves the rest as in `base`.
static llvm::Expected<GivenModel> givenModel(StringRef text,
                                             const TargetModel &base) {
  if (text.ends_with(".json"))
    return readModelFile(text, base);
  if (const GivenModel *named = target::namedModel(text))
    return *named;
  return usage("unknown target model '" + text + "'; did you mean '" +
               target::nearestModelName(text) +
               "'? There are files, FILE.json, and " +
               llvm::join(target::modelNames(), ", "));
}

static llvm::Expected<TargetChoice>
chooseProcessor(const CompileOptions &options) {
  auto processor = target::CPUTarget::parse(options.target);
  if (!processor)
    return usage(llvm::toString(processor.takeError()));
  bool isOpen = options.target == "cpu";
  TargetChoice choice{isOpen ? "cpu:" + processor->cpu : options.target,
                      processor->model(), *processor, 0};
  if (options.targetModel.empty())
    return choice;
  auto given = givenModel(options.targetModel, choice.model);
  if (!given)
    return given.takeError();
  if (isOpen && !given->model.device && !given->processors.empty()) {
    choice.processor = target::CPUTarget::of(*given);
    choice.text = "cpu:" + choice.processor.cpu;
  } else if (StringRef key = target::missingFrom(choice.model, given->model);
             !key.empty())
    return contradiction(options, key,
                         "target '" + options.target + "' lacks it");
  choice.model = given->model;
  choice.processor.vectorBits = 32 * choice.model.lanes;
  return choice;
}

/// What the device of a target says of itself; what is known of any where it is
/// not installed here.
static target::OpenCLTarget askDevice(target::OpenCLTarget target) {
  for (const runtime::OpenCLDeviceInfo &info : runtime::listOpenCLDevices()) {
    if (info.index != target.device)
      continue;
    target.fp64 = info.fp64;
    target.fp16 = info.fp16;
    target.exactDivide = info.exactDivide;
    target.isCPU = info.isCPU;
    target.unified = info.unifiedMemory;
    target.floatVectorWidth = unsigned(info.floatVectorWidth);
    target.units = unsigned(info.computeUnits);
    target.maxWorkGroupSize = info.maxWorkGroupSize;
    target.maxParameterBytes = info.maxParameterBytes;
    target.localBytes = info.localMemoryBytes;
    target.globalBytes = info.globalMemoryBytes;
    target.maxAllocBytes = info.maxAllocBytes;
  }
  return target;
}

static llvm::Expected<TargetChoice>
chooseDevice(const CompileOptions &options) {
  auto device = target::OpenCLTarget::parse(options.target);
  if (!device)
    return usage(llvm::toString(device.takeError()));
  // The host part of the program runs on this machine.
  TargetChoice choice{options.target, askDevice(*device).model(),
                      target::CPUTarget::host(), device->device};
  if (options.targetModel.empty())
    return choice;
  auto given = givenModel(options.targetModel, choice.model);
  if (!given)
    return given.takeError();
  if (!given->model.device)
    return contradiction(options, "device",
                         "target '" + options.target + "' is one");
  choice.model = given->model;
  return choice;
}

llvm::Expected<TargetChoice> chooseTarget(const CompileOptions &options) {
  return target::OpenCLTarget::isTargetName(options.target)
             ? chooseDevice(options)
             : chooseProcessor(options);
}

/// The first limit of `device` that `wanted` exceeds; empty: none. What a
/// device doesn't say, 0, is no limit.
static StringRef exceededLimit(const TargetModel &device,
                               const TargetModel &wanted) {
  auto exceeds = [](int64_t wants, int64_t has) { return has && wants > has; };
  if (exceeds(wanted.maxGroup, device.maxGroup))
    return "max_group";
  if (exceeds(wanted.localBytes, device.localBytes))
    return "local_bytes";
  if (exceeds(wanted.maxParameterBytes, device.maxParameterBytes))
    return "max_parameter_bytes";
  if (exceeds(wanted.maxAllocBytes, device.maxAllocBytes))
    return "max_alloc_bytes";
  return exceeds(wanted.globalBytes, device.globalBytes) ? "global_bytes" : "";
}

/// Whether the device of a choice can do what the given model counts on.
static llvm::Error checkDevice(const CompileOptions &options,
                               const TargetChoice &choice) {
  auto parsed = target::OpenCLTarget::parse(options.target);
  if (!parsed)
    return usage(llvm::toString(parsed.takeError()));
  TargetModel device = askDevice(*parsed).model();
  // Nothing says whether a device has these, which only probes turn on.
  device.int64Atomics = device.subgroupOps = device.dot4x8 = true;
  device.fragments = true;
  StringRef key = target::missingFrom(device, choice.model);
  if (!key.empty())
    return contradiction(options, key, "the device lacks it");
  key = exceededLimit(device, choice.model);
  if (!key.empty())
    return contradiction(options, key, "the device has less");
  return llvm::Error::success();
}

llvm::Expected<TargetChoice> chooseTargetToRun(const CompileOptions &options) {
  llvm::Expected<TargetChoice> choice = chooseTarget(options);
  if (!choice || options.targetModel.empty())
    return choice;
  if (choice->model.device) {
    if (llvm::Error error = checkDevice(options, *choice))
      return std::move(error);
    return choice;
  }
  llvm::Error lacking = cpu::checkRunsHere(choice->processor);
  if (!lacking || options.target != "cpu")
    return llvm::consumeError(std::move(lacking)), std::move(choice);
  std::string why = llvm::toString(std::move(lacking));
  auto host = target::CPUTarget::host();
  StringRef key = target::missingFrom(host.model(), choice->model);
  if (llvm::Triple(choice->processor.triple).getArch() !=
      llvm::Triple(host.triple).getArch())
    key = "triple";
  if (!key.empty())
    return contradiction(options, key, why);
  host.vectorBits = choice->processor.vectorBits;
  choice->processor = host;
  return choice;
}

} // namespace zenith::pipeline
