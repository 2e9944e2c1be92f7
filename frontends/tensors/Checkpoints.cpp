// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes and reads checkpoints: state.safetensors and manifest.json in a folder
// per step.

#include "frontends/tensors/Checkpoints.h"

#include "frontends/files/AtomicFile.h"
#include "frontends/files/JSONText.h"
#include "frontends/files/MappedBytes.h"
#include "frontends/tensors/Safetensors.h"
#include "ir/LLVMError.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <mutex>
#include <sys/file.h>
#include <thread>
#include <unistd.h>

namespace fs = std::filesystem;

namespace zenith::tensors {

static constexpr const char *stateFile = "state.safetensors";
static constexpr const char *manifestFile = "manifest.json";
static constexpr int64_t knownFormat = 1;

template <typename Float> static std::string shortest(Float value) {
  char digits[32];
  auto [end, error] = std::to_chars(digits, digits + sizeof(digits), value);
  return std::string(digits, error == std::errc() ? end : digits);
}
std::string shortestDecimal(double value) { return shortest(value); }
std::string shortestDecimal(float value) { return shortest(value); }

static std::string sha256(std::string_view bytes) {
  auto digest = llvm::SHA256::hash(llvm::ArrayRef(
      reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()));
  return llvm::toHex(digest, /*LowerCase=*/true);
}

static llvm::Error failure(const std::string &what, const std::string &path) {
  return makeError(ErrorCode::Run,
                   what + ": " + std::string(std::strerror(errno)), path);
}

/// Makes what was done in a folder last through a crash.
static llvm::Error syncFolder(const std::string &path) {
  int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY);
  if (descriptor < 0)
    return failure("cannot open the folder", path);
  int result = ::fsync(descriptor);
  ::close(descriptor);
  return result == 0 ? llvm::Error::success()
                     : failure("cannot sync the folder", path);
}

static llvm::Error syncFile(const std::string &path) {
  int descriptor = ::open(path.c_str(), O_RDONLY);
  if (descriptor < 0)
    return failure("cannot open", path);
  int result = ::fsync(descriptor);
  ::close(descriptor);
  return result == 0 ? llvm::Error::success() : failure("cannot sync", path);
}

static std::string folderName(int64_t step) {
  return llvm::formatv("step-{0,0+8}", step).str();
}

/// The steps of a folder's checkpoints, newest first.
static std::vector<int64_t> stepsIn(const std::string &folder) {
  std::vector<int64_t> steps;
  std::error_code ignored;
  for (const fs::directory_entry &entry :
       fs::directory_iterator(folder, ignored)) {
    std::string name = entry.path().filename().string();
    llvm::StringRef digits = name;
    int64_t step;
    if (digits.consume_front("step-") && !digits.getAsInteger(10, step) &&
        step >= 0 && folderName(step) == name)
      steps.push_back(step);
  }
  std::sort(steps.rbegin(), steps.rend());
  return steps;
}

bool hasCheckpoints(const std::string &folder) {
  return !stepsIn(folder).empty();
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

struct Checkpoints::Writer {
  std::string folder;
  Options options;
  int lock = -1;
  std::thread thread;
  mutable std::mutex mutex;
  std::optional<Error> error;

  ~Writer() {
    if (thread.joinable())
      thread.join();
    if (lock >= 0)
      ::close(lock);
  }
  void write(Checkpoint checkpoint);
  llvm::Error writeWhole(Checkpoint &checkpoint);
  llvm::Error writeFiles(Checkpoint &checkpoint, const std::string &to);
  void removeOld(const Checkpoint &newest);
  llvm::Error takeError() {
    std::lock_guard<std::mutex> guard(mutex);
    if (!error)
      return llvm::Error::success();
    return makeError(*error);
  }
};

Checkpoints::Checkpoints(std::string folder, Options options, int lock)
    : writer(std::make_unique<Writer>()) {
  writer->folder = std::move(folder);
  writer->options = std::move(options);
  writer->lock = lock;
}
Checkpoints::~Checkpoints() = default;

llvm::Expected<std::unique_ptr<Checkpoints>>
Checkpoints::open(const std::string &folder, const Options &options) {
  std::error_code code;
  fs::create_directories(folder, code);
  if (code)
    return makeError(ErrorCode::Invalid,
                     "cannot make the folder: " + code.message(), folder);
  std::string path = folder + "/lock";
  int lock = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock < 0)
    return makeError(ErrorCode::Invalid,
                     std::string("cannot make the lock file: ") +
                         std::strerror(errno),
                     path);
  // The lock ends with its process, however that ends.
  if (::flock(lock, LOCK_EX | LOCK_NB) != 0) {
    char pid[32] = {};
    ssize_t length = ::pread(lock, pid, sizeof(pid) - 1, 0);
    ::close(lock);
    return makeError(
        ErrorCode::Usage,
        "another training uses the folder, process " +
            llvm::StringRef(pid, size_t(std::max<ssize_t>(length, 0)))
                .trim()
                .str(),
        folder);
  }
  std::string pid = std::to_string(::getpid()) + "\n";
  if (::ftruncate(lock, 0) != 0 ||
      ::pwrite(lock, pid.data(), pid.size(), 0) != ssize_t(pid.size())) {
    ::close(lock);
    return makeError(ErrorCode::Run,
                     std::string("cannot write the lock file: ") +
                         std::strerror(errno),
                     path);
  }
  for (const fs::directory_entry &entry : fs::directory_iterator(folder, code))
    if (entry.path().filename().native().rfind(".tmp-", 0) == 0)
      fs::remove_all(entry.path(), code);
  return std::unique_ptr<Checkpoints>(new Checkpoints(folder, options, lock));
}

llvm::Error Checkpoints::Writer::writeFiles(Checkpoint &checkpoint,
                                            const std::string &to) {
  std::string path = to + "/" + stateFile;
  if (llvm::Error error = writeSafetensors(path, checkpoint.tensors))
    return error;
  if (llvm::Error error = syncFile(path))
    return error;
  auto bytes = files::ByteSource::open(path);
  if (!bytes)
    return makeError(bytes.error());
  llvm::json::Object file{{"name", stateFile},
                          {"bytes", int64_t((*bytes)->bytes().size())},
                          {"sha256", sha256((*bytes)->bytes())}};
  llvm::json::Object manifest = checkpoint.manifest;
  manifest["format"] = knownFormat;
  manifest["step"] = checkpoint.step;
  manifest["files"] = llvm::json::Array{std::move(file)};
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::formatv("{0:2}", llvm::json::Value(std::move(manifest))) << "\n";
  path = to + "/" + manifestFile;
  files::AtomicFile target(path);
  Status status = target.open();
  if (status)
    status = target.write(text);
  if (status)
    status = target.commit();
  if (!status)
    return makeError(status.error());
  return syncFile(path);
}

llvm::Error Checkpoints::Writer::writeWhole(Checkpoint &checkpoint) {
  std::string temporary = folder + "/.tmp-" + std::to_string(checkpoint.step) +
                          "-" + std::to_string(::getpid());
  std::string final = folder + "/" + folderName(checkpoint.step);
  std::error_code code;
  fs::remove_all(temporary, code);
  if (!fs::create_directory(temporary, code))
    return makeError(ErrorCode::Run,
                     "cannot make the folder: " + code.message(), temporary);
  llvm::Error error = writeFiles(checkpoint, temporary);
  if (!error)
    error = syncFolder(temporary);
  // A damaged one of the same step is in the way.
  if (!error && fs::exists(final, code)) {
    std::string old = temporary + ".old";
    fs::rename(final, old, code);
    if (code)
      error =
          makeError(ErrorCode::Run, "cannot rename: " + code.message(), final);
    else
      fs::remove_all(old, code);
  }
  if (!error && ::rename(temporary.c_str(), final.c_str()) != 0)
    error = failure("cannot rename", temporary);
  if (error) {
    fs::remove_all(temporary, code);
    return error;
  }
  return syncFolder(folder);
}

void Checkpoints::Writer::removeOld(const Checkpoint &newest) {
  std::optional<int64_t> best;
  if (const llvm::json::Object *given = newest.manifest.getObject("best"))
    best = given->getInteger("step");
  int64_t kept = 0;
  std::error_code ignored;
  for (int64_t step : stepsIn(folder)) {
    if (step > newest.step || kept++ < options.keep || step == best)
      continue;
    // Renamed first: a part of a folder must not look like a checkpoint.
    std::string path = folder + "/" + folderName(step),
                old = folder + "/.tmp-old-" + std::to_string(step);
    fs::rename(path, old, ignored);
    fs::remove_all(old, ignored);
  }
}

void Checkpoints::Writer::write(Checkpoint checkpoint) {
  llvm::Error failed = writeWhole(checkpoint);
  if (!failed)
    return removeOld(checkpoint);
  Error reason = errorOf(std::move(failed));
  std::lock_guard<std::mutex> guard(mutex);
  error = Error{ErrorCode::Run,
                "the checkpoint of step " + std::to_string(checkpoint.step) +
                    " was not saved: " + reason.text,
                reason.location};
}

llvm::Error Checkpoints::save(Checkpoint checkpoint) {
  if (llvm::Error error = finish())
    return error;
  writer->thread = std::thread(
      [writer = writer.get(), checkpoint = std::move(checkpoint)]() mutable {
        writer->write(std::move(checkpoint));
      });
  return llvm::Error::success();
}

llvm::Error Checkpoints::finish() {
  if (writer->thread.joinable())
    writer->thread.join();
  return writer->takeError();
}

bool Checkpoints::hasFailed() const {
  std::lock_guard<std::mutex> guard(writer->mutex);
  return writer->error.has_value();
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static llvm::Expected<Checkpoint> readCheckpoint(const std::string &folder,
                                                 mlir::MLIRContext *context) {
  auto bytes = files::ByteSource::open(folder + "/" + manifestFile);
  if (!bytes)
    return makeError(bytes.error());
  auto parsed = files::parseJSON((*bytes)->bytes());
  if (!parsed)
    return makeError(ErrorCode::Invalid,
                     "manifest.json is no JSON: " +
                         llvm::toString(parsed.takeError()));
  llvm::json::Object *manifest = parsed->getAsObject();
  auto wrong = [](const char *what) {
    return makeError(ErrorCode::Invalid, std::string("manifest.json ") + what);
  };
  if (!manifest)
    return wrong("is no object");
  if (manifest->getInteger("format") != knownFormat)
    return wrong("is of an unknown format");
  std::optional<int64_t> step = manifest->getInteger("step");
  llvm::json::Array *files = manifest->getArray("files");
  if (!step || !files || files->empty())
    return wrong("lacks step or files");
  Checkpoint checkpoint;
  checkpoint.step = *step;
  checkpoint.folder = folder;
  for (llvm::json::Value &item : *files) {
    llvm::json::Object *file = item.getAsObject();
    auto name = file ? file->getString("name") : std::nullopt;
    auto size = file ? file->getInteger("bytes") : std::nullopt;
    auto digest = file ? file->getString("sha256") : std::nullopt;
    if (!name || !size || !digest || name->contains('/'))
      return wrong("describes a file without name, bytes or sha256");
    std::string path = folder + "/" + name->str();
    auto content = files::ByteSource::open(path);
    if (!content)
      return makeError(content.error());
    if (int64_t((*content)->bytes().size()) != *size)
      return makeError(
          ErrorCode::Invalid,
          name->str() + " has " + std::to_string((*content)->bytes().size()) +
              " bytes, the manifest says " + std::to_string(*size));
    if (sha256((*content)->bytes()) != *digest)
      return makeError(ErrorCode::Invalid,
                       name->str() + " has another checksum than the manifest "
                                     "says");
    auto tensors = Safetensors::open(path, context);
    if (!tensors)
      return tensors.takeError();
    for (const auto &[key, value] : tensors->tensors())
      checkpoint.tensors[key] = value;
  }
  checkpoint.manifest = std::move(*manifest);
  return checkpoint;
}

llvm::Expected<std::optional<Checkpoint>>
readNewestCheckpoint(const std::string &folder, mlir::MLIRContext *context,
                     const std::function<void(const std::string &)> &warn) {
  std::vector<int64_t> steps = stepsIn(folder);
  for (int64_t step : steps) {
    std::string path = folder + "/" + folderName(step);
    llvm::Expected<Checkpoint> checkpoint = readCheckpoint(path, context);
    if (checkpoint && checkpoint->step == step)
      return std::optional<Checkpoint>(std::move(*checkpoint));
    std::string why = checkpoint ? "manifest.json is of another step"
                                 : llvm::toString(checkpoint.takeError());
    warn("checkpoint " + folderName(step) + " is passed over: " + why);
  }
  if (steps.empty())
    return std::optional<Checkpoint>();
  return makeError(ErrorCode::Invalid, "no checkpoint of the folder is whole",
                   folder);
}

} // namespace zenith::tensors
