// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads states from texts and files, and checks them.

#include "frontends/models/SearchStates.h"

#include "frontends/tensors/TensorIO.h"
#include "ir/LLVMError.h"
#include "ir/tensor/Scalar.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cstring>

using namespace mlir;
using namespace zenith;

/// Numbers of some bytes each as 64 bits.
template <typename Stored>
static void widen(const char *from, llvm::MutableArrayRef<int64_t> to) {
  for (int64_t &number : to) {
    Stored stored;
    std::memcpy(&stored, from, sizeof(stored));
    from += sizeof(stored);
    number = int64_t(stored);
  }
}

using Widen = void (*)(const char *, llvm::MutableArrayRef<int64_t>);

/// Null for elements that are no whole bytes.
static Widen widenOf(Type element) {
  const bool isUnsigned = element.isUnsignedInteger();
  switch (element.getIntOrFloatBitWidth()) {
  case 8:
    return isUnsigned ? widen<uint8_t> : widen<int8_t>;
  case 16:
    return isUnsigned ? widen<uint16_t> : widen<int16_t>;
  case 32:
    return isUnsigned ? widen<uint32_t> : widen<int32_t>;
  case 64:
    return widen<int64_t>; // unsigned numbers above 2^63 look negative
  default:
    return nullptr;
  }
}

/// One state, or one per row.
static llvm::Expected<std::vector<cayley::State>>
statesOfFile(const std::string &path, MLIRContext *context) {
  llvm::Expected<Tensor> tensor =
      tensors::readTensor(path, std::nullopt, context);
  if (!tensor)
    return tensor.takeError();
  if (!tensor->elementType().isInteger() || tensor->shape().empty() ||
      tensor->shape().size() > 2)
    return makeError(ErrorCode::Invalid,
                     "a state is a list of integers, several are rows", path);
  if (tensor->size() == 0)
    return makeError(ErrorCode::Invalid, "has no state", path);
  std::vector<cayley::State> states;
  const int64_t positions = tensor->shape().back(),
                rows = tensor->size() / positions;
  states.reserve(size_t(rows));
  const interpreter::ElementAccess access(tensor->elementType());
  const Widen widen = widenOf(tensor->elementType());
  for (int64_t row = 0; row < rows; ++row) {
    cayley::State &state = states.emplace_back(size_t(positions));
    const char *element = tensor->bytes() + row * positions * access.bytes();
    if (widen)
      widen(element, state);
    else
      for (auto [place, number] : llvm::enumerate(state))
        number = access.load(element + place * access.bytes()).integer;
    if (!tensor->elementType().isUnsignedInteger(64))
      continue;
    for (auto [place, number] : llvm::enumerate(state))
      if (number < 0)
        return makeError(
            ErrorCode::Invalid,
            "row " + std::to_string(row) + ": no graph has a number " +
                access.load(element + place * access.bytes()).str(),
            path);
  }
  return states;
}

static bool isConsecutive(llvm::ArrayRef<int64_t> numbers) {
  return !numbers.empty() &&
         numbers.back() - numbers.front() + 1 == int64_t(numbers.size());
}

/// "0 to 4" where a graph's states contain all of these numbers, else those
/// that they contain.
static std::string alphabetText(llvm::ArrayRef<int64_t> numbers) {
  if (isConsecutive(numbers))
    return std::to_string(numbers.front()) + " to " +
           std::to_string(numbers.back());
  constexpr size_t most = 20;
  std::string text;
  size_t listed = 0;
  for (int64_t number : numbers) {
    if (++listed > most)
      return text + ", ...";
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  }
  return text;
}

namespace {

/// What fits a graph.
class StateCheck {
public:
  explicit StateCheck(const cayley::StateGraph &graph) : graph(graph) {
    if (graph.modulus)
      return;
    numbers = graph.central;
    llvm::sort(numbers);
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    areConsecutive = isConsecutive(numbers);
  }

  /// `row` is the state's row in the file, nothing for states that are written
  /// out.
  llvm::Error check(const cayley::State &state, llvm::StringRef place,
                    std::optional<size_t> row) const {
    auto refuse = [&](const llvm::Twine &reason) {
      std::string where = row ? "row " + std::to_string(*row) + ": " : "";
      return makeError(ErrorCode::Invalid, where + reason,
                       place.take_front(80));
    };
    if (state.size() != graph.central.size())
      return refuse("a state of this graph has " +
                    llvm::Twine(graph.central.size()) + " numbers, got " +
                    llvm::Twine(state.size()));
    for (int64_t number : state) {
      if (graph.modulus && (number < 0 || number >= graph.modulus))
        return refuse(
            "numbers of a state are from 0 up and below the modulus " +
            llvm::Twine(graph.modulus) + ", got " + llvm::Twine(number));
      if (!graph.modulus && !hasNumber(number))
        return refuse("the central state has no " + llvm::Twine(number) +
                      "; its numbers are " + alphabetText(numbers));
    }
    return llvm::Error::success();
  }

private:
  bool hasNumber(int64_t number) const {
    return areConsecutive
               ? number >= numbers.front() && number <= numbers.back()
               : llvm::binary_search(numbers, number);
  }

  const cayley::StateGraph &graph;
  /// Of the central state, ascending; none for matrices.
  std::vector<int64_t> numbers;
  bool areConsecutive = false;
};

} // namespace

llvm::Expected<std::vector<cayley::State>>
zenith::models::readStates(llvm::ArrayRef<std::string> texts,
                           const cayley::StateGraph &graph,
                           MLIRContext *context) {
  std::vector<cayley::State> all;
  StateCheck fits(graph);
  for (const std::string &text : texts) {
    if (llvm::StringRef(text).starts_with("@")) {
      std::string path = text.substr(1);
      auto read = statesOfFile(path, context);
      if (!read)
        return read.takeError();
      for (auto [row, state] : llvm::enumerate(*read))
        if (llvm::Error error = fits.check(state, path, row))
          return std::move(error);
      all.insert(all.end(), std::make_move_iterator(read->begin()),
                 std::make_move_iterator(read->end()));
      continue;
    }
    llvm::Expected<cayley::State> state = cayley::parseState(text);
    if (!state)
      return state.takeError();
    if (llvm::Error error = fits.check(*state, text, std::nullopt))
      return std::move(error);
    all.push_back(std::move(*state));
  }
  return all;
}
