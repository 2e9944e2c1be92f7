// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks LLVM's tables about processors: names, features, and what this machine
// has. The code generator is not needed for that.

#include "ir/target/CPUTarget.h"

#include "ir/target/MachineCaches.h"
#include "ir/target/NamedModels.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/TargetParser/X86TargetParser.h"
#include <tuple>
#include <vector>

using namespace llvm;

namespace zenith::target {

static llvm::Error failure(const Twine &text) {
  return createStringError(inconvertibleErrorCode(), text);
}

/// LLVM's name for the baseline of the architecture, which its table of
/// processors leaves out.
static constexpr StringLiteral baselineName = "generic";

static bool isKnown(StringRef cpu) {
  return cpu == baselineName || X86::parseArchX86(cpu) != X86::CK_None;
}

/// The features of a processor by its name; empty for an unknown one.
static StringMap<bool> featuresOf(StringRef cpu) {
  StringMap<bool> features;
  if (X86::parseArchX86(cpu) == X86::CK_None)
    return features;
  SmallVector<StringRef> names;
  X86::getFeaturesForCPU(cpu, names);
  for (StringRef name : names) {
    features[name] = true;
    X86::updateImpliedFeatures(name, /*Enabled=*/true, features);
  }
  return features;
}

/// Processors with tiles for bf16 multiply pairs in vectors at half the rate of
/// f32, others at twice that rate. The name says which it is: a virtual machine
/// may hide the tiles.
static bool hasSlowPairs(StringRef cpu) {
  return featuresOf(cpu).lookup("amx-bf16");
}

static void fillVectorShape(CPUTarget &target) {
  if (!Triple(target.triple).isX86())
    return;
  StringMap<bool> features = featuresOf(target.cpu);
  SmallVector<StringRef> own;
  StringRef(target.features).split(own, ',', -1, /*KeepEmpty=*/false);
  for (StringRef feature : own)
    features[feature.drop_front()] = feature.starts_with("+");
  auto has = [&](StringRef feature) { return features.lookup(feature); };
  // Masks of 8-, 16- and 32-bit lanes in any vector length are taken for
  // granted with 512 bits.
  target.avx512 =
      has("avx512f") && has("avx512bw") && has("avx512dq") && has("avx512vl");
  target.avx2 = has("avx2");
  target.vectorBits = target.avx512 ? 512 : target.avx2 ? 256 : 128;
  target.fma = has("fma");
  target.bf16Pairs =
      target.avx512 && has("avx512bf16") && !hasSlowPairs(target.cpu);
  target.vnni = (target.avx512 && has("avx512vnni")) || has("avxvnni");
  target.vbmi = target.avx512 && has("avx512vbmi");
}

CPUTarget CPUTarget::host() {
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
  fillVectorShape(target);
  if (modelOfProcessor(target.cpu))
    return target;
  if (std::optional<MachineCaches> caches = cachesOfThisMachine()) {
    target.l1Bytes = caches->l1Bytes;
    target.l2Bytes = caches->l2Bytes;
    target.l3Bytes = caches->l3Bytes;
  }
  return target;
}

static std::string nearestName(StringRef text) {
  SmallVector<StringRef> known;
  X86::fillValidCPUArchList(known);
  return llvm::min_element(known,
                           [&](StringRef a, StringRef b) {
                             return text.edit_distance(a) <
                                    text.edit_distance(b);
                           })
      ->str();
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
  if (!Triple(target.triple).isX86())
    return failure("processor '" + text + "': names are known for x86 only");
  if (!isKnown(text))
    return failure("unknown processor '" + text + "'; did you mean '" +
                   nearestName(text) + "'?");
  fillVectorShape(target);
  if (bits.empty())
    return target;
  if (bits.getAsInteger(10, target.vectorBits) ||
      !is_contained({128u, 256u, 512u}, target.vectorBits))
    return failure("vectors have 128, 256 or 512 bits, not '" + bits + "'");
  return target;
}

CPUTarget CPUTarget::of(const GivenModel &given) {
  CPUTarget target;
  target.triple = given.triple.empty() ? sys::getProcessTriple() : given.triple;
  target.cpu = given.processors.front();
  fillVectorShape(target);
  target.vectorBits = 32 * given.model.lanes;
  return target;
}

/// The table's model of the processor; where it has none, that of vectors of
/// the same width, with the caches that the machine reports.
static TargetModel modelByName(const CPUTarget &target) {
  if (const GivenModel *known = modelOfProcessor(target.cpu))
    return known->model;
  TargetModel model =
      namedModel(target.vectorBits == 512 ? "avx512" : "avx2")->model;
  if (!target.l1Bytes)
    return model;
  model.l1Bytes = target.l1Bytes;
  model.l1Ways = std::max<int64_t>(1, target.l1Bytes / pageBytes);
  model.l2Bytes = target.l2Bytes;
  model.l3Bytes = target.l3Bytes;
  return model;
}

TargetModel CPUTarget::model() const {
  TargetModel model = modelByName(*this);
  bool wide = vectorBits == 512;
  model.f32Gflops *= double(vectorBits / 32) / double(model.lanes);
  model.lanes = vectorBits / 32;
  model.registers = wide ? 32 : 16;
  // The micro-kernel's tile: 6x64 in 32 registers, 6x16 in 16. Without fused
  // multiply-add a temporary per product is live too, so 5x8.
  model.nr = model.lanes * (model.registers / 8);
  model.mr = fma ? 6 : 5;
  model.fma = fma;
  // Wider vectors than the processor has are done in parts, which instructions
  // called by name are not.
  model.avx2 = avx2;
  model.avx512 = wide && avx512;
  // Mask registers and conversions of 64-bit lanes came together.
  model.cheapMasks = model.longConversions = model.avx512;
  model.bf16Pairs = bf16Pairs && wide;
  model.vnni = vnni && (!wide || avx512);
  model.vbmi = vbmi && wide;
  model.kInterleave = model.vnni ? 4 : 2;
  if (wide)
    return model;
  // Narrow vectors are computed by one unit each. They ask for fewer bytes at
  // once, and fill half a line: results don't go past the caches.
  model.vectorFmasPerCycle = TargetModel().vectorFmasPerCycle;
  model.memoryBytesPerCycle = TargetModel().memoryBytesPerCycle;
  model.streamingBytes = 0;
  return model;
}

} // namespace zenith::target
