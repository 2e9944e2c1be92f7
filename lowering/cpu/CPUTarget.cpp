// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks LLVM about processors: names, features, and what this machine has.

#include "lowering/cpu/CPUTarget.h"

#include "lowering/builder/KernelPlan.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Host.h"
#include <mutex>
#include <tuple>

using namespace llvm;

namespace zenith::cpu {

/// LLVM keeps its targets in a registry of the process; filling it twice does
/// no harm, but not at once.
static void registerNativeTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
  });
}

static Error failure(const Twine &text) {
  return createStringError(inconvertibleErrorCode(), text);
}

static Expected<const Target *> findTarget(const std::string &triple) {
  registerNativeTarget();
  std::string reason;
  if (const Target *target = TargetRegistry::lookupTarget(triple, reason))
    return target;
  return failure("no code generator for " + triple + ": " + reason);
}

static Expected<std::unique_ptr<MCSubtargetInfo>>
subtarget(const CPUTarget &target, StringRef features) {
  Expected<const Target *> found = findTarget(target.triple);
  if (!found)
    return found.takeError();
  return std::unique_ptr<MCSubtargetInfo>(
      (*found)->createMCSubtargetInfo(target.triple, target.cpu, features));
}

/// Processors with tiles for bf16 multiply pairs in vectors at half the rate of
/// f32 (Emerald Rapids: 80 beside 177 GFLOP/s), others at twice that rate. The
/// name says which it is: a virtual machine may hide the tiles.
static Expected<bool> hasSlowPairs(const CPUTarget &target) {
  Expected<std::unique_ptr<MCSubtargetInfo>> named = subtarget(target, "");
  if (!named)
    return named.takeError();
  return (*named)->checkFeatures("+amx-bf16");
}

static Error fillVectorShape(CPUTarget &target) {
  Expected<std::unique_ptr<MCSubtargetInfo>> info =
      subtarget(target, target.features);
  if (!info)
    return info.takeError();
  Expected<bool> slowPairs = hasSlowPairs(target);
  if (!slowPairs)
    return slowPairs.takeError();
  auto has = [&](const char *feature) {
    return (*info)->checkFeatures(std::string("+") + feature);
  };
  if (!Triple(target.triple).isX86())
    return Error::success();
  // Masks of 8-, 16- and 32-bit lanes in any vector length are taken for
  // granted with 512 bits.
  target.avx512 =
      has("avx512f") && has("avx512bw") && has("avx512dq") && has("avx512vl");
  target.vectorBits = target.avx512 ? 512 : has("avx2") ? 256 : 128;
  target.fma = has("fma");
  target.bf16Pairs = target.avx512 && has("avx512bf16") && !*slowPairs;
  target.vnni = (target.avx512 && has("avx512vnni")) || has("avxvnni");
  target.vbmi = target.avx512 && has("avx512vbmi");
  return Error::success();
}

Expected<CPUTarget> CPUTarget::host() {
  CPUTarget target;
  target.triple = sys::getProcessTriple();
  target.cpu = sys::getHostCPUName().str();
  std::vector<std::string> features;
  for (const auto &feature : sys::getHostCPUFeatures())
    features.push_back((feature.second ? "+" : "-") + feature.first().str());
  llvm::sort(features, [](const std::string &a, const std::string &b) {
    return a.substr(1) < b.substr(1);
  });
  target.features = join(features, ",");
  if (Error error = fillVectorShape(target))
    return error;
  return target;
}

Expected<CPUTarget> CPUTarget::parse(StringRef text) {
  if (text == "cpu")
    return host();
  if (!text.consume_front("cpu:") || text.empty())
    return failure("target '" + text +
                   "' is not cpu, cpu:NAME or cpu:NAME:BITS");
  StringRef bits;
  std::tie(text, bits) = text.split(':');
  CPUTarget target;
  target.triple = sys::getProcessTriple();
  target.cpu = text.str();
  Expected<const Target *> found = findTarget(target.triple);
  if (!found)
    return found.takeError();
  // A subtarget without a name knows the names; asking one for an unknown name
  // prints to standard error.
  std::unique_ptr<MCSubtargetInfo> names(
      (*found)->createMCSubtargetInfo(target.triple, "", ""));
  if (!names->isCPUStringValid(text)) {
    StringRef nearest;
    unsigned best = ~0u;
    for (const SubtargetSubTypeKV &known : names->getAllProcessorDescriptions())
      if (unsigned distance = text.edit_distance(known.Key); distance < best)
        best = distance, nearest = known.Key;
    return failure("unknown processor '" + text + "'; did you mean '" +
                   nearest + "'?");
  }
  if (Error error = fillVectorShape(target))
    return error;
  if (bits.empty())
    return target;
  if (bits.getAsInteger(10, target.vectorBits) ||
      !is_contained({128u, 256u, 512u}, target.vectorBits))
    return failure("vectors have 128, 256 or 512 bits, not '" + bits + "'");
  return target;
}

/// Ordinary stores read each line before it is written. What that costs beyond
/// the second-level cache depends on the third: on Emerald Rapids, where all
/// cores share one, a copy of 1.5 to 24 MB takes 1.3 times as long as one past
/// the caches and a copy of 64 MB twice (of 1 MB, within the second level, 0.8
/// times); on Zen 4, whose cores have 32 MB near them, a copy of 6 MB takes
/// half the time.
static int64_t cachedBytes(StringRef cpu) {
  constexpr int64_t near = int64_t(32) << 20, shared = int64_t(5) << 19;
  return cpu.starts_with("znver") ? near : shared;
}

kernels::KernelTarget CPUTarget::kernelTarget() const {
  kernels::KernelTarget shape;
  shape.lanes = vectorBits / 32;
  // Columns of a packed panel and rows of the register tile: 6x64 in 32
  // registers, 6x16 in 16; without fused multiply-add a temporary per product
  // is live too, so 5x8.
  bool wide = vectorBits == 512;
  shape.panel = wide ? 64 : vectorBits == 256 ? 16 : 8;
  shape.rows = fma ? 6 : 5;
  shape.fma = fma;
  shape.avx512 = wide;
  shape.bf16Pairs = bf16Pairs && wide;
  // Wider vectors than the processor has are done in parts, which instructions
  // called by name are not.
  shape.vnni = vnni && (!wide || avx512);
  shape.vbmi = vbmi && wide;
  shape.cachedBytes = wide ? cachedBytes(cpu) : 0;
  return shape;
}

Error CPUTarget::checkRunsHere() const {
  Expected<CPUTarget> here = host();
  if (!here)
    return here.takeError();
  if (Triple(triple).getArch() != Triple(here->triple).getArch())
    return failure("this machine cannot run code for " + triple);
  Expected<std::unique_ptr<MCSubtargetInfo>> wanted =
      subtarget(*this, features);
  if (!wanted)
    return wanted.takeError();
  std::vector<std::string> missing;
  for (const auto &feature : sys::getHostCPUFeatures())
    if (!feature.second &&
        (*wanted)->checkFeatures("+" + feature.first().str()))
      missing.push_back(feature.first().str());
  llvm::sort(missing);
  if (missing.empty())
    return Error::success();
  return failure("this machine cannot run code for " + cpu + ": it lacks " +
                 join(missing, ", "));
}

Expected<std::unique_ptr<TargetMachine>> CPUTarget::createMachine() const {
  Expected<const Target *> found = findTarget(triple);
  if (!found)
    return found.takeError();
  TargetOptions options;
  options.AllowFPOpFusion = FPOpFusion::Strict;
  // Less: the same code as Default for these kernels, earlier.
  std::unique_ptr<TargetMachine> machine(
      (*found)->createTargetMachine(triple, cpu, features, options, Reloc::PIC_,
                                    CodeModel::Small, CodeGenOptLevel::Less));
  if (!machine)
    return failure("no code generator for " + triple);
  return machine;
}

} // namespace zenith::cpu
