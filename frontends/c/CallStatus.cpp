// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A status is one block of malloc with its texts behind it, so that it can be
// made where memory is short, and fails as a whole.

#include "frontends/c/CallStatus.h"

#include "ir/LLVMError.h"
#include <cstdlib>
#include <cstring>

using namespace zenith;
using namespace zenith::c;

struct zenith_status {
  zenith_code code;
  zenith_reason reason;
  const char *message, *place, *json;
};

static const zenith_status outOfMemory = {
    ZENITH_OUT_OF_MEMORY, ZENITH_REASON_ALLOCATION, "an allocation failed", "",
    "{\"code\":5,\"reason\":501,\"message\":\"an allocation failed\","
    "\"place\":\"\",\"notes\":[]}"};

zenith_status *zenith::c::noMemory() noexcept {
  // Callers read a status only; free knows this one.
  return const_cast<zenith_status *>(&outOfMemory);
}

/// Length of the UTF-8 sequence at the beginning of `text`; 0 where it is none.
static size_t sequenceLength(const char *text, size_t left) {
  unsigned char first = text[0];
  size_t length = first < 0x80   ? 1
                  : first < 0xc2 ? 0
                  : first < 0xe0 ? 2
                  : first < 0xf0 ? 3
                  : first < 0xf5 ? 4
                                 : 0;
  if (length > left)
    return 0;
  for (size_t i = 1; i < length; ++i)
    if ((text[i] & 0xc0) != 0x80)
      return 0;
  return length;
}

std::string zenith::c::quoted(const std::string &text) {
  std::string out = "\"";
  for (size_t at = 0; at < text.size();) {
    size_t length = sequenceLength(text.data() + at, text.size() - at);
    char byte = text[at];
    if (length == 0)
      out += '?';
    else if (byte == '"' || byte == '\\')
      out += std::string("\\") + byte;
    else if (byte == '\n')
      out += "\\n";
    else if (static_cast<unsigned char>(byte) < 0x20)
      out += ' ';
    else
      out.append(text, at, length);
    at += length ? length : 1;
  }
  return out + "\"";
}

static std::string jsonOf(zenith_code code, zenith_reason reason,
                          const std::string &message, const std::string &place,
                          const std::vector<Note> &notes) {
  std::string json = "{\"code\":" + std::to_string(code) +
                     ",\"reason\":" + std::to_string(reason) +
                     ",\"message\":" + quoted(message) +
                     ",\"place\":" + quoted(place) + ",\"notes\":[";
  for (const Note &note : notes)
    json += (&note == notes.data() ? "" : ",") +
            ("{\"message\":" + quoted(note.text)) +
            ",\"place\":" + quoted(note.place) + "}";
  return json + "]}";
}

zenith_status *zenith::c::failure(zenith_code code, zenith_reason reason,
                                  const std::string &message,
                                  const std::string &place,
                                  const std::vector<Note> &notes) {
  const std::string texts[] = {message.empty() ? "failed" : message, place,
                               jsonOf(code, reason, message, place, notes)};
  size_t bytes = sizeof(zenith_status);
  for (const std::string &text : texts)
    bytes += text.size() + 1;
  auto *status = static_cast<zenith_status *>(std::malloc(bytes));
  if (!status)
    return noMemory();
  char *at = reinterpret_cast<char *>(status + 1);
  auto copy = [&](const std::string &text) {
    std::memcpy(at, text.c_str(), text.size() + 1);
    at += text.size() + 1;
    return at - text.size() - 1;
  };
  *status = {code, reason, nullptr, nullptr, nullptr};
  status->message = copy(texts[0]);
  status->place = copy(texts[1]);
  status->json = copy(texts[2]);
  return status;
}

zenith_status *zenith::c::notYet(const std::string &what) {
  return failure(ZENITH_UNSUPPORTED, ZENITH_REASON_NONE,
                 what + " is not supported yet");
}

/// Reasons that codes other than 2 stand for.
static zenith_reason reasonOf(ErrorCode code, zenith_reason invalid) {
  if (code == ErrorCode::Invalid)
    return invalid;
  return code == ErrorCode::Memory ? ZENITH_REASON_BUDGET : ZENITH_REASON_NONE;
}

zenith_status *zenith::c::failure(const Error &error, zenith_reason invalid) {
  // Notes follow the sentence on lines of their own.
  std::string message = error.text;
  std::vector<Note> notes;
  if (size_t end = message.find("\nnote: "); end != std::string::npos) {
    notes.push_back({message.substr(end + 7), ""});
    message.resize(end);
  }
  return failure(error.code == ErrorCode::Differs ? ZENITH_RUN_FAILED
                                                  : zenith_code(error.code),
                 reasonOf(error.code, invalid), message, error.location, notes);
}

zenith_status *zenith::c::failure(llvm::Error error, zenith_reason invalid) {
  return failure(errorOf(std::move(error)), invalid);
}

zenith_code zenith_status_code(const zenith_status *status) noexcept {
  return status ? status->code : ZENITH_OK;
}

zenith_reason zenith_status_reason(const zenith_status *status) noexcept {
  return status ? status->reason : ZENITH_REASON_NONE;
}

const char *zenith_status_message(const zenith_status *status) noexcept {
  return status ? status->message : "";
}

const char *zenith_status_place(const zenith_status *status) noexcept {
  return status ? status->place : "";
}

const char *zenith_status_json(const zenith_status *status) noexcept {
  return status ? status->json : "{}";
}

void zenith_status_free(zenith_status *status) noexcept {
  if (status != &outOfMemory)
    std::free(status);
}

zenith_status *zenith_status_create(zenith_code code,
                                    const char *message) noexcept {
  bool known = code > ZENITH_OK && code <= ZENITH_RUN_FAILED;
  return guarded([&] {
    return failure(known ? code : ZENITH_RUN_FAILED, ZENITH_REASON_NONE,
                   message ? message : "failed");
  });
}
