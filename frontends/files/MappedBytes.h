// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes that stay where they are: a memory-mapped file or owned memory, ranges
// of them, and errors as values. Weights travel through the whole ONNX door as
// ranges; nothing here copies them.
#ifndef ZENITH_FRONTENDS_FILES_MAPPEDBYTES_H
#define ZENITH_FRONTENDS_FILES_MAPPEDBYTES_H

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace zenith::onnx {

/// What went wrong and where. The codes are the exit codes of the tools.
struct ModelError {
  enum Code { Invalid = 2, Unsupported = 3 };
  Code code = Invalid;
  std::string message;
  /// `graph/node 'name' (OpType)`; empty where the file as a whole is meant.
  std::string place;

  /// Puts an outer place in front, as the error travels outwards.
  ModelError in(const std::string &outer) && {
    place = place.empty() ? outer : outer + "/" + place;
    return std::move(*this);
  }
  std::string text() const {
    return place.empty() ? message : place + ": " + message;
  }
};

inline ModelError invalid(std::string message) {
  return {ModelError::Invalid, std::move(message), {}};
}
inline ModelError unsupported(std::string message) {
  return {ModelError::Unsupported, std::move(message), {}};
}

/// A value or an error.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : state(std::move(value)) {}
  Result(ModelError error) : state(std::move(error)) {}
  explicit operator bool() const { return state.index() == 0; }
  T &operator*() { return std::get<0>(state); }
  const T &operator*() const { return std::get<0>(state); }
  T *operator->() { return &std::get<0>(state); }
  ModelError &error() { return std::get<1>(state); }
  const ModelError &error() const { return std::get<1>(state); }

private:
  std::variant<T, ModelError> state;
};

/// Success or an error.
using Status = Result<std::monostate>;
inline Status noError() { return std::monostate(); }

/// A mapped file or owned memory.
class ByteSource {
public:
  /// Maps a regular file; reads a pipe to its end.
  static Result<std::shared_ptr<const ByteSource>>
  open(const std::string &path);
  static std::shared_ptr<const ByteSource> fromMemory(std::string bytes);
  ~ByteSource();
  ByteSource(const ByteSource &) = delete;
  ByteSource &operator=(const ByteSource &) = delete;

  std::string_view bytes() const { return view; }
  /// The file's path as it was given; empty for memory.
  const std::string &path() const { return file; }

private:
  ByteSource() = default;
  std::string_view view;
  std::string owned;
  std::string file;
  bool mapped = false;
};

/// A part of a source; keeps it alive.
struct ByteRange {
  std::shared_ptr<const ByteSource> source;
  uint64_t offset = 0;
  uint64_t length = 0;

  static ByteRange fromMemory(std::string bytes);
  std::string_view view() const {
    return source ? source->bytes().substr(offset, length) : std::string_view();
  }
  /// True where the bytes are in a file, which later stages may map themselves.
  bool inFile() const { return source && !source->path().empty(); }
};

/// A file that appears under its name only when it is complete: written beside
/// it, then renamed. Links stay, and what they lead to is replaced. Devices,
/// pipes and open files (/dev/stdout) are written to as they are.
class AtomicFile {
public:
  explicit AtomicFile(std::string path) : path(std::move(path)) {}
  ~AtomicFile();
  AtomicFile(const AtomicFile &) = delete;
  AtomicFile &operator=(const AtomicFile &) = delete;
  Status open();
  Status write(std::string_view bytes);
  Status commit();
  uint64_t size() const { return written; }

private:
  Status failure(const char *what);
  std::string path, temporary, buffer;
  uint64_t written = 0;
  int descriptor = -1;
};

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_FILES_MAPPEDBYTES_H
