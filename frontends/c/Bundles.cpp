// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executables as bytes: a header with version, target and checksum before what
// the cache of compiled programs keeps.

#include "frontends/c/Executable.h"
#include "frontends/c/FileReasons.h"
#include "frontends/files/MappedBytes.h"
#include "frontends/models/WriteModel.h"
#include "ir/LLVMError.h"
#include "ir/program/ParameterFiles.h"
#include "ir/target/CPUTarget.h"
#include "lowering/pipeline/ExecutableImage.h"
#include "lowering/pipeline/ModuleKey.h"
#include "runtime/MappedFile.h"
#include "llvm/ADT/StringExtras.h"

using namespace zenith;
using namespace zenith::c;

static constexpr char magic[8] = {'Z', 'E', 'N', 'I', 'T', 'H', 'B', '1'};

namespace {
/// Before the texts of compiler and target and the image.
struct Header {
  char magic[8];
  uint64_t checksum; ///< of all that follows this field
  uint32_t compilerBytes, targetBytes;
};
} // namespace

/// Parameters of the model's own file become part of the bundle.
static zenith_status *embed(const zenith_executable &executable,
                            pipeline::Executable &image) {
  for (runtime::ParameterSpec &spec : image.parameters) {
    if (spec.source.file.empty())
      continue;
    auto file = runtime::MappedFile::open(
        runtime::resolvePath(executable.folder, spec.source.file));
    if (!file)
      return failure(file.status().code(), ZENITH_REASON_NO_FILE,
                     file.status().message(), file.status().place());
    auto range = (*file)->range(spec.source.offset, spec.bytes());
    if (!range)
      return failure(range.status().code(), ZENITH_REASON_MALFORMED,
                     range.status().message(), range.status().place());
    std::string bytes(static_cast<const char *>(*range), size_t(spec.bytes()));
    spec.source = runtime::ParameterSource();
    spec.source.inlineBytes = std::move(bytes);
  }
  return nullptr;
}

/// Of code for this machine, what it may use: another may lack some of it.
static std::string targetText(const zenith_executable &executable) {
  bool isHost = executable.target == "cpu";
  return executable.target + "\n" +
         (isHost ? target::CPUTarget::host().features : std::string());
}

/// The processor of a bundle; refuses features that this machine lacks.
static llvm::Expected<target::CPUTarget> processorOf(llvm::StringRef text) {
  auto [name, needed] = text.split('\n');
  target::CPUTarget host = target::CPUTarget::host();
  llvm::SmallVector<llvm::StringRef> here;
  llvm::StringRef(host.features).split(here, ',');
  for (llvm::StringRef feature : llvm::split(needed, ','))
    if (feature.starts_with("+") && !llvm::is_contained(here, feature))
      return makeError(ErrorCode::Invalid, "the bundle needs " +
                                               feature.drop_front().str() +
                                               ", which this machine lacks");
  return target::CPUTarget::parse(name);
}

static uint64_t checksumOf(llvm::StringRef bytes) {
  return graph::checksumOf(bytes.drop_front(offsetof(Header, checksum) + 8));
}

static zenith_status *bytesOf(const zenith_executable &executable,
                              std::string &bytes) {
  if (executable.interpreted || executable.program->device)
    return notYet("a bundle of a program for this target");
  pipeline::Executable image;
  const pipeline::Executable &program = *executable.program;
  image.entries = program.entries;
  image.parameters = program.parameters;
  image.parameterHasValue = program.parameterHasValue;
  image.onlyForPrepare = program.onlyForPrepare;
  image.kernels = program.kernels;
  image.kernelSources = program.kernelSources;
  image.derivedBytes = program.derivedBytes;
  image.hasPrepare = program.hasPrepare;
  if (zenith_status *status = embed(executable, image))
    return status;
  std::string compiler = pipeline::compilerVersion();
  Header header = {};
  std::memcpy(header.magic, magic, sizeof(magic));
  header.compilerBytes = uint32_t(compiler.size());
  std::string target = targetText(executable);
  header.targetBytes = uint32_t(target.size());
  bytes.assign(reinterpret_cast<const char *>(&header), sizeof(header));
  bytes += compiler + target;
  bytes += pipeline::writeImage(image, program.objects());
  header.checksum = checksumOf(bytes);
  std::memcpy(bytes.data(), &header, sizeof(header));
  return nullptr;
}

zenith_status *zenith_executable_save(zenith_executable *executable,
                                      const char *path,
                                      zenith_blob **bytes) noexcept {
  return guarded([&]() -> zenith_status * {
    if (bytes)
      *bytes = nullptr;
    if (!executable || (!path && !bytes))
      return nullPointer(executable ? "bytes" : "executable");
    std::string text;
    if (zenith_status *status = bytesOf(*executable, text))
      return status;
    if (!path)
      return makeBlob(text, bytes);
    if (llvm::Error error = models::writeFile(path, text))
      return failure(std::move(error), ZENITH_REASON_NO_FILE);
    return nullptr;
  });
}

static zenith_status *malformed(const std::string &why,
                                const std::string &place) {
  return failure(ZENITH_INVALID_INPUT, ZENITH_REASON_MALFORMED,
                 "is no bundle: " + why, place);
}

static zenith_status *load(zenith_context &context, llvm::StringRef bytes,
                           const std::string &place,
                           zenith_executable **executable) {
  Header header;
  if (bytes.size() < sizeof(header) || !bytes.starts_with({magic, 8}))
    return malformed("it does not begin as one", place);
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (header.checksum != checksumOf(bytes))
    return malformed("its checksum differs", place);
  llvm::StringRef rest = bytes.drop_front(sizeof(header));
  if (uint64_t(header.compilerBytes) + header.targetBytes > rest.size())
    return malformed("it ends early", place);
  llvm::StringRef compiler = rest.take_front(header.compilerBytes);
  llvm::StringRef target =
      rest.substr(header.compilerBytes, header.targetBytes);
  if (compiler != pipeline::compilerVersion())
    return failure(ZENITH_INVALID_INPUT, ZENITH_REASON_VERSION,
                   "the bundle is of another version of the compiler", place);
  auto processor = processorOf(target);
  if (!processor)
    return failure(ZENITH_INVALID_INPUT, ZENITH_REASON_TARGET,
                   llvm::toString(processor.takeError()), place);
  auto image = pipeline::readImage(
      rest.drop_front(header.compilerBytes + header.targetBytes));
  if (!image)
    return failure(image.takeError(), ZENITH_REASON_MALFORMED);
  if (llvm::Error error =
          image->executable->link(std::move(image->objects), *processor))
    return failure(ZENITH_INVALID_INPUT, ZENITH_REASON_TARGET,
                   llvm::toString(std::move(error)), place);
  auto made = Ref<zenith_executable>::taking(
      create<zenith_executable>(context, context));
  made->program = image->executable;
  made->target = target.split('\n').first.str();
  describeValues(*made);
  *executable = made.take();
  return nullptr;
}

zenith_status *
zenith_executable_load_file(zenith_context *context, const char *path,
                            zenith_executable **executable) noexcept {
  return guarded([&]() -> zenith_status * {
    if (executable)
      *executable = nullptr;
    if (!context || !path || !executable)
      return nullPointer(!context ? "context" : path ? "executable" : "path");
    if (zenith_status *status = checkReadable(path))
      return status;
    auto file = files::ByteSource::open(path);
    if (!file)
      return failure(file.error(), ZENITH_REASON_NO_FILE);
    return load(*context, (*file)->bytes(), path, executable);
  });
}

zenith_status *
zenith_executable_load_memory(zenith_context *context, const void *bytes,
                              size_t size,
                              zenith_executable **executable) noexcept {
  return guarded([&]() -> zenith_status * {
    if (executable)
      *executable = nullptr;
    if (!context || !executable || (!bytes && size))
      return nullPointer(!context     ? "context"
                         : executable ? "bytes"
                                      : "executable");
    return load(*context, {static_cast<const char *>(bytes), size}, "<memory>",
                executable);
  });
}
