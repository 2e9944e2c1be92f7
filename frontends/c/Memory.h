// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of a context: the host's allocator or aligned malloc, counted by kind
// and bounded by a budget.

#ifndef ZENITH_FRONTENDS_C_MEMORY_H
#define ZENITH_FRONTENDS_C_MEMORY_H

#include "runtime/include/zenith/types.h"
#include <atomic>
#include <cstddef>
#include <new>
#include <utility>

namespace zenith::c {

class Memory {
public:
  static constexpr int kinds = 5;

  /// An allocator without functions stands for aligned malloc.
  Memory(const zenith_allocator &allocator, int64_t budget)
      : allocator(allocator), budget(budget) {}

  /// Null where there is no more; `overBudget` (may be null) says that the
  /// budget is why. At least one byte.
  void *allocate(size_t bytes, size_t alignment, zenith_memory_kind kind,
                 bool *overBudget = nullptr) noexcept;
  /// Lets the system take the pages of a block until they are written again;
  /// its contents are lost. False for a host's memory, and for little.
  bool lendPages(void *pointer, size_t bytes) const noexcept;
  /// `bytes` and `kind` as allocated; null is allowed.
  void free(void *pointer, size_t bytes, zenith_memory_kind kind) noexcept;

  bool hasBudget() const { return budget > 0; }
  int64_t live(int kind) const { return counts[kind].live; }
  int64_t peak(int kind) const { return counts[kind].peak; }

  /// Calls of allocate() on this thread.
  static int64_t callsOfThread();

  /// Before there is a context: as allocate().
  static void *allocateBy(const zenith_allocator &allocator, size_t bytes,
                          size_t alignment, zenith_memory_kind kind) noexcept;
  static void freeBy(const zenith_allocator &allocator, void *pointer,
                     size_t bytes, zenith_memory_kind kind) noexcept;

private:
  struct Count {
    std::atomic<int64_t> live{0}, peak{0};
  };
  bool reserve(int64_t bytes);

  zenith_allocator allocator;
  const int64_t budget;
  std::atomic<int64_t> bounded{0}; ///< bytes that count for the budget
  Count counts[kinds];
};

/// Objects that several handles and runs hold.
struct Counted {
  std::atomic<int> owners{1};
};

/// One owner of a counted object. Release(object) is found by its type.
template <typename Object> class Ref {
public:
  Ref() = default;
  /// One more owner.
  explicit Ref(Object *object) : object(object) {
    if (object)
      object->owners.fetch_add(1, std::memory_order_relaxed);
  }
  /// Takes over the caller's.
  static Ref taking(Object *object) {
    Ref ref;
    ref.object = object;
    return ref;
  }
  Ref(const Ref &other) : Ref(other.object) {}
  Ref(Ref &&other) noexcept : object(std::exchange(other.object, nullptr)) {}
  Ref &operator=(Ref other) noexcept {
    std::swap(object, other.object);
    return *this;
  }
  ~Ref() { release(object); }

  Object *get() const { return object; }
  Object *operator->() const { return object; }
  Object &operator*() const { return *object; }
  explicit operator bool() const { return object != nullptr; }
  /// Gives the owner away.
  Object *take() { return std::exchange(object, nullptr); }

private:
  Object *object = nullptr;
};

/// True for the last owner.
inline bool drop(Counted &object) {
  return object.owners.fetch_sub(1, std::memory_order_acq_rel) == 1;
}

/// Memory of a context for containers; throws std::bad_alloc.
template <typename T> class ContextAllocator {
public:
  using value_type = T;
  explicit ContextAllocator(Memory &memory) : memory(&memory) {}
  template <typename U>
  ContextAllocator(const ContextAllocator<U> &other) : memory(other.memory) {}

  T *allocate(size_t count) {
    void *bytes =
        memory->allocate(count * sizeof(T), alignof(T), ZENITH_MEMORY_OBJECT);
    if (!bytes)
      throw std::bad_alloc();
    return static_cast<T *>(bytes);
  }
  void deallocate(T *pointer, size_t count) {
    memory->free(pointer, count * sizeof(T), ZENITH_MEMORY_OBJECT);
  }
  template <typename U> bool operator==(const ContextAllocator<U> &o) const {
    return memory == o.memory;
  }
  template <typename U> bool operator!=(const ContextAllocator<U> &o) const {
    return memory != o.memory;
  }

  Memory *memory;
};

/// A block of a kind that frees itself.
class Block {
public:
  Block() = default;
  /// Empty where there is no memory.
  Block(Memory &memory, size_t bytes, size_t alignment, zenith_memory_kind kind,
        bool *overBudget = nullptr)
      : memory(&memory),
        start(memory.allocate(bytes, alignment, kind, overBudget)),
        length(bytes), kind(kind) {}
  /// Takes over `length` bytes at `start` of a kind; data() is `header` bytes
  /// behind.
  Block(Memory &memory, void *start, size_t length, zenith_memory_kind kind,
        size_t header)
      : memory(&memory), start(start), length(length), header(header),
        kind(kind) {}
  Block(Block &&other) noexcept { swap(other); }
  Block &operator=(Block &&other) noexcept {
    swap(other);
    return *this;
  }
  ~Block() {
    if (start)
      memory->free(start, length, kind);
  }
  void *data() const {
    return start ? static_cast<char *>(start) + header : nullptr;
  }
  size_t bytes() const { return start ? length - header : 0; }
  explicit operator bool() const { return start != nullptr; }
  bool lendPages() const { return start && memory->lendPages(start, length); }
  /// Ownership goes to the caller.
  void *take() { return std::exchange(start, nullptr); }

private:
  void swap(Block &other) noexcept {
    std::swap(memory, other.memory);
    std::swap(start, other.start);
    std::swap(length, other.length);
    std::swap(header, other.header);
    std::swap(kind, other.kind);
  }
  Memory *memory = nullptr;
  void *start = nullptr;
  size_t length = 0, header = 0;
  zenith_memory_kind kind = ZENITH_MEMORY_OBJECT;
};

} // namespace zenith::c

#endif // ZENITH_FRONTENDS_C_MEMORY_H
