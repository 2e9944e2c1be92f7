// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plain C contract between compiled programs, the runtime and whoever hosts
// them. Compiled code reads zenith_tensor and otherwise only calls the
// functions below, with the context as an opaque pointer; hosts fill in a
// zenith_run_context, or take one from zenith::runtime::RunContext. Layouts are
// fixed for 64-bit targets: a struct grows at its end only, and struct_size
// says how far the side that filled it in knows it.

#ifndef ZENITH_RUNTIME_ABI_H
#define ZENITH_RUNTIME_ABI_H

#include "runtime/include/zenith/types.h"

#if defined(_WIN32)
#define ZENITH_EXPORT __declspec(dllexport)
#else
#define ZENITH_EXPORT __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// Raised whenever a struct or function below changes incompatibly.
#define ZENITH_ABI_VERSION 3

/// Bytes to which every arena is aligned, and the huge page size it asks for.
#define ZENITH_ARENA_ALIGNMENT 2097152
/// Bytes to which every other allocation of the context is aligned.
#define ZENITH_BUFFER_ALIGNMENT 64

/// Bits of zenith_tensor::flags.
enum {
  /// Argument: the buffer may be overwritten, or become a result's (see
  /// zenith_result_donated).
  ZENITH_TENSOR_DONATED = 1,
  /// Result, set by the callee: data came from the context's alloc and belongs
  /// to the caller.
  ZENITH_TENSOR_OWNS_DATA = 2,
  /// Result, set by the callee: dims came from the context's alloc and belongs
  /// to the caller.
  ZENITH_TENSOR_OWNS_DIMS = 4,
  /// Result, set by the callee: data was a donated argument's; that argument's
  /// owner has lost it.
  ZENITH_TENSOR_TOOK_DONATION = 8
};

/// A dense or strided array in host memory. As an argument it is read only; as
/// a result, data may be null (the callee allocates) or point to capacity
/// writable bytes, dims may be null (the callee allocates) or point to space
/// for rank entries, and strides must be null. Arrays of tensors are stepped by
/// sizeof(zenith_tensor) of ABI version 1, and struct_size must equal it.
typedef struct zenith_tensor {
  uint64_t struct_size; ///< offset 0: sizeof(zenith_tensor)
  int32_t dtype;        ///< offset 8: a zenith_dtype
  int32_t rank;         ///< offset 12: number of dimensions
  void *data; ///< offset 16: first element; may be null where the tensor has no
              ///< elements
  int64_t *dims;    ///< offset 24: rank extents; may be null at rank 0
  int64_t *strides; ///< offset 32: rank distances in elements; null = row-major
                    ///< without gaps
  int64_t capacity; ///< offset 40: bytes from data on that belong to the tensor
  uint64_t flags;   ///< offset 48: ZENITH_TENSOR_* bits
} zenith_tensor;

/// A compiled kernel: does tasks begin..end-1 of a launch. Ranges of one launch
/// are disjoint, run in any order and on any thread; what a task computes
/// depends on its number only.
typedef void (*zenith_task_fn)(void *const *pointers, const int64_t *sizes,
                               int64_t begin, int64_t end);

/// What an allocation is for.
typedef enum zenith_alloc_kind {
  ZENITH_ALLOC_POOL = 0,  ///< data-dependent size inside a run; the context may
                          ///< reclaim it after the run
  ZENITH_ALLOC_RESULT = 1 ///< a result; lives until the caller frees it
} zenith_alloc_kind;

/// What a profile event measured.
typedef enum zenith_event_kind {
  ZENITH_EVENT_KERNEL = 0,        ///< zenith_parallel_for
  ZENITH_EVENT_DEVICE_KERNEL = 1, ///< zenith_device_launch
  ZENITH_EVENT_UPLOAD = 2,        ///< host to device
  ZENITH_EVENT_DOWNLOAD = 3,      ///< device to host
  ZENITH_EVENT_PACK_ARGUMENT =
      4, ///< copy of a strided argument (zenith_arg_data)
  /// No step: what the kernel that follows has to do at least, its arithmetic
  /// in `tasks` and the memory that it moves in `bytes`.
  ZENITH_EVENT_WORK = 5
} zenith_event_kind;

/// One measured step of a run.
typedef struct zenith_profile_event {
  uint64_t struct_size;
  int32_t kind;         ///< a zenith_event_kind
  int32_t reserved;     ///< 0
  int64_t kernel_index; ///< index in the program's kernel table; argument index
                        ///< for copies; -1 unknown
  int64_t tasks;        ///< tasks launched; 0 for copies
  int64_t begin_ns;     ///< monotonic clock
  int64_t ns;           ///< duration
  int64_t bytes;        ///< bytes copied; 0 for kernels
  const int64_t *
      sizes; ///< the launch's sizes, valid during the callback; null for copies
} zenith_profile_event;

/// First error of a run. Strings are terminated and cut to fit.
typedef struct zenith_error {
  int32_t code;       ///< a zenith_code; 0 = none yet
  int32_t reason;     ///< a zenith_reason; 0 where the code says all
  char message[1016]; ///< lower case, one sentence
  char op_path[504];  ///< op that failed, e.g. "main/graph.gather %7 at
                      ///< model.mlir:3:5"; may be empty
} zenith_error;

/// Bytes on a device: a handle of the device's own kind (OpenCL: cl_mem) and a
/// byte offset into it.
typedef struct zenith_buffer_ref {
  void *handle;
  int64_t offset;
} zenith_buffer_ref;

/// Classes of device buffers that a device keeps from run to run.
typedef enum zenith_device_class {
  ZENITH_DEVICE_ARENA = 0,
  ZENITH_DEVICE_ARGUMENT = 1,
  ZENITH_DEVICE_RESULT = 2,
  ZENITH_DEVICE_POOL = 3
} zenith_device_class;

/// What a device offers to a run. Functions return a zenith_code and have then
/// written the reason into *error. Calls take effect in the order in which they
/// are made.
typedef struct zenith_device {
  uint64_t struct_size;
  void *user; ///< first argument of every function
  /// Buffer number index of a zenith_device_class with at least bytes bytes.
  /// The same (class, index) gives the same buffer until a larger size is asked
  /// for; growing loses the contents.
  int32_t (*buffer)(void *user, int32_t device_class, int64_t index,
                    int64_t bytes, void **handle, zenith_error *error);
  /// Copies bytes from host memory; host may be reused when it returns.
  int32_t (*upload)(void *user, zenith_buffer_ref to, const void *host,
                    int64_t bytes, zenith_error *error);
  /// Copies bytes to host memory, after everything that was launched before.
  int32_t (*download)(void *user, void *host, zenith_buffer_ref from,
                      int64_t bytes, zenith_error *error);
  /// Copies within the device; ranges must not overlap.
  int32_t (*copy)(void *user, zenith_buffer_ref to, zenith_buffer_ref from,
                  int64_t bytes, zenith_error *error);
  /// Runs tasks 0..tasks-1 of a kernel of the program that the device was
  /// loaded with.
  int32_t (*launch)(void *user, int64_t kernel_index,
                    const zenith_buffer_ref *pointers, int64_t npointers,
                    const int64_t *sizes, int64_t nsizes, int64_t tasks,
                    zenith_error *error);
  /// Waits until everything launched is done; reports errors of launches.
  int32_t (*finish)(void *user, zenith_error *error);
  /// A buffer of its own for a data-dependent size, until drop or the end of
  /// the run; null handles may be dropped.
  int32_t (*take)(void *user, int64_t bytes, void **handle,
                  zenith_error *error);
  void (*drop)(void *user, void *handle);
  /// Drops what a run has left.
  void (*reclaim)(void *user);
} zenith_device;

/// The file of a run, for values that leave memory for a while. Functions
/// return a zenith_code and have then written the reason into *error.
typedef struct zenith_file {
  uint64_t struct_size;
  void *user; ///< first argument of every function
  /// Makes sure that the file has blocks for bytes bytes before anything is
  /// written, and room for so many transfers that wait for others. Transfers
  /// are counted from here.
  int32_t (*begin)(void *user, int64_t bytes, int64_t transfers,
                   zenith_error *error);
  /// Starts a transfer, where there is room, else when there is; transfers are
  /// done one after the other. The memory must stay as it is, or unread, until
  /// await.
  void (*write)(void *user, const void *from, int64_t offset, int64_t bytes);
  void (*read)(void *user, void *to, int64_t offset, int64_t bytes);
  /// Waits until so many transfers are done.
  int32_t (*await)(void *user, int64_t transfers, zenith_error *error);
  /// Waits for all; the contents of the file are lost.
  void (*end)(void *user);
} zenith_file;

/// What a run may use. Every callback may be null: then the runtime's default
/// applies. One context serves one run at a time.
typedef struct zenith_run_context {
  uint64_t struct_size;
  void *user; ///< first argument of every callback
  /// bytes > 0 at ZENITH_BUFFER_ALIGNMENT; null where the budget or the machine
  /// has no more. Default: aligned_alloc without a budget.
  void *(*alloc)(void *user, int64_t bytes, int32_t alloc_kind);
  /// Frees what alloc gave; null is allowed. Default: free.
  void (*free)(void *user, void *data);
  /// The run's arena: at least bytes, aligned to ZENITH_ARENA_ALIGNMENT,
  /// contents unspecified, valid until the next call; kept from run to run.
  /// null = no memory. No default: a program with an arena fails without it.
  void *(*arena)(void *user, int64_t bytes);
  /// Calls fn on ranges that cover 0..tasks-1 and returns when all are done.
  /// Default: fn(0, tasks).
  void (*parallel_for)(void *user, zenith_task_fn fn, void *const *pointers,
                       const int64_t *sizes, int64_t tasks);
  /// Becomes nonzero when the run should end; read between kernels. Default:
  /// never.
  const volatile int32_t *cancel;
  /// Called after each step, from the thread that runs the entry. Default:
  /// nothing is measured.
  void (*profile)(void *user, const zenith_profile_event *event);
  /// Null for programs that run on the host.
  const zenith_device *device;
  zenith_error
      error; ///< set by zenith_fail; the host clears its code before a run
  /// @prepare will not read parameter index again, and no other entry reads
  /// it: its memory may go. Default: nothing happens.
  void (*param_done)(void *user, int64_t index);
  /// Loop number `loop` of the entry (loops inside of others don't count) has
  /// come to its condition with these carried integer scalars, in order.
  /// Called from the thread that runs the entry. The word after the numbers is
  /// 0 and the host's: another value ends the loop as if its condition did not
  /// hold. Default: nothing happens.
  void (*progress)(void *user, int64_t loop, const int64_t *numbers,
                   int64_t count);
  /// Nanoseconds of the monotonic clock after which the run should end; read
  /// between kernels. 0 = none.
  int64_t deadline;
  /// For values that wait in a file. Null: a program that has such values fails
  /// with ZENITH_USAGE.
  const zenith_file *file;
  /// A buffer that alloc gave as ZENITH_ALLOC_POOL, with more bytes > 0 where
  /// it is, if it can grow there; else another one, and the first stays as it
  /// is. Null where there are no more. Default: alloc.
  void *(*extend)(void *user, void *data, int64_t bytes);
  /// Makes a buffer that alloc or extend gave as ZENITH_ALLOC_POOL, of which
  /// bytes are needed, what alloc gives as ZENITH_ALLOC_RESULT; 0 where another
  /// one should be allocated and the bytes copied. Default: 0.
  int32_t (*keep)(void *user, void *data, int64_t bytes);
} zenith_run_context;

/// A compiled entry. args and results are the function's, in order. params
/// holds one base pointer per parameter and then that of the derived
/// parameters' arena; device programs get device handles there. Returns a
/// zenith_code, with the reason in context->error. On failure the results'
/// owned buffers still belong to the caller.
typedef int32_t (*zenith_entry_fn)(zenith_run_context *context,
                                   const zenith_tensor *args, int64_t nargs,
                                   zenith_tensor *results, int64_t nresults,
                                   void *const *params);

// ---- What compiled code calls
// -------------------------------------------------------------------

/// Runs a kernel. Returns ZENITH_OK, or ZENITH_RUN_FAILED where the run was
/// cancelled. No tasks are no call.
ZENITH_EXPORT int32_t zenith_parallel_for(zenith_run_context *context,
                                          zenith_task_fn fn,
                                          void *const *pointers,
                                          const int64_t *sizes, int64_t tasks,
                                          int64_t kernel_index);

/// As zenith_parallel_for, on the calling thread alone: for launches so small
/// that waking others takes longer.
ZENITH_EXPORT int32_t zenith_serial_for(zenith_run_context *context,
                                        zenith_task_fn fn,
                                        void *const *pointers,
                                        const int64_t *sizes, int64_t tasks,
                                        int64_t kernel_index);

/// Says what the launch that follows has to do, for the profile: arithmetic,
/// and bytes that it moves at least; 0 where that is not known.
ZENITH_EXPORT void zenith_report_work(zenith_run_context *context,
                                      int64_t kernel_index, int64_t flops,
                                      int64_t bytes);

/// Transfers of the run's file (zenith_file): begin precedes and end follows
/// all others, also where the run fails. A nonzero code is a failure.
ZENITH_EXPORT int32_t zenith_file_begin(zenith_run_context *context,
                                        int64_t bytes, int64_t transfers);
ZENITH_EXPORT void zenith_file_write(zenith_run_context *context,
                                     const void *from, int64_t offset,
                                     int64_t bytes);
ZENITH_EXPORT void zenith_file_read(zenith_run_context *context, void *to,
                                    int64_t offset, int64_t bytes);
ZENITH_EXPORT int32_t zenith_file_await(zenith_run_context *context,
                                        int64_t transfers);
ZENITH_EXPORT void zenith_file_end(zenith_run_context *context);

/// The run's arena; null after recording ZENITH_OUT_OF_MEMORY. bytes == 0 gives
/// a pointer that must not be dereferenced.
ZENITH_EXPORT void *zenith_arena(zenith_run_context *context, int64_t bytes);

/// bytes from the pool (data-dependent sizes); null after recording
/// ZENITH_OUT_OF_MEMORY. bytes == 0 gives a valid pointer. What a failed run
/// leaves allocated, the context reclaims.
ZENITH_EXPORT void *zenith_alloc(zenith_run_context *context, int64_t bytes);

/// Gives pool bytes back; null is allowed.
ZENITH_EXPORT void zenith_free(zenith_run_context *context, void *data);

/// The pool buffer data with bytes where it is, if it can grow there; else
/// another buffer, and data stays as it is. null after recording
/// ZENITH_OUT_OF_MEMORY.
ZENITH_EXPORT void *zenith_extend(zenith_run_context *context, void *data,
                                  int64_t bytes);

/// Says that a parameter is not read any more (param_done of the context).
ZENITH_EXPORT void zenith_param_done(zenith_run_context *context,
                                     int64_t index);

/// Says where a loop of the entry is (progress of the context).
ZENITH_EXPORT void zenith_progress(zenith_run_context *context, int64_t loop,
                                   const int64_t *numbers, int64_t count);

/// Checks the counts an entry was called with; ZENITH_OK or
/// ZENITH_INVALID_INPUT.
ZENITH_EXPORT int32_t zenith_check_counts(zenith_run_context *context,
                                          int64_t nargs, int64_t expected_args,
                                          int64_t nresults,
                                          int64_t expected_results);

/// Checks struct size, type, rank and extents (-1 = any) of an argument;
/// ZENITH_OK or ZENITH_INVALID_INPUT. name may be null.
ZENITH_EXPORT int32_t zenith_check_arg(zenith_run_context *context,
                                       int64_t index, const char *name,
                                       const zenith_tensor *arg, int32_t dtype,
                                       int64_t rank, const int64_t *dims);

/// Records that dimension axis of argument index is got where the named
/// dimension (or expression) is expected; returns ZENITH_INVALID_INPUT.
ZENITH_EXPORT int32_t zenith_fail_dim(zenith_run_context *context,
                                      int64_t index, int64_t axis, int64_t got,
                                      int64_t expected, const char *dim_name);

/// Row-major elements of an argument: its data, or a packed copy in the pool
/// where strides say that they are not row-major. null after recording an
/// error.
ZENITH_EXPORT void *zenith_arg_data(zenith_run_context *context, int64_t index,
                                    const zenith_tensor *arg);

/// Where a result's bytes go: result->data where the caller gave one with
/// capacity >= bytes, else allocated. Sets dtype, rank, dims and flags. null
/// after recording an error (ZENITH_INVALID_INPUT where capacity is too small).
/// bytes may exceed what dims need; call zenith_result_dims afterwards where
/// the extents were upper bounds.
ZENITH_EXPORT void *zenith_result(zenith_run_context *context,
                                  int64_t result_index, zenith_tensor *result,
                                  int32_t dtype, int64_t rank,
                                  const int64_t *dims, int64_t bytes);

/// As zenith_result, but a result without data takes over the buffer of a
/// donated argument that is large enough and row-major. The caller compares the
/// returned pointer with arg->data.
ZENITH_EXPORT void *zenith_result_donated(zenith_run_context *context,
                                          int64_t result_index,
                                          zenith_tensor *result,
                                          const zenith_tensor *arg,
                                          int32_t dtype, int64_t rank,
                                          const int64_t *dims, int64_t bytes);

/// As zenith_result, but with the bytes of a pool buffer, which becomes the
/// result's where that has no data and the context keeps it, and is freed
/// otherwise.
ZENITH_EXPORT void *zenith_result_pooled(zenith_run_context *context,
                                         int64_t result_index,
                                         zenith_tensor *result, void *data,
                                         int32_t dtype, int64_t rank,
                                         const int64_t *dims, int64_t bytes);

/// Sets the final extents of a result that zenith_result prepared with the same
/// rank.
ZENITH_EXPORT void zenith_result_dims(zenith_tensor *result,
                                      const int64_t *dims);

/// Frees what the callee allocated for a result, and clears it.
ZENITH_EXPORT void zenith_result_release(zenith_run_context *context,
                                         zenith_tensor *result);

/// Records an error, unless an earlier one is there. Strings are copied and may
/// be null. Returns the code of the recorded error, so that compiled code can
/// return it.
ZENITH_EXPORT int32_t zenith_fail(zenith_run_context *context, int32_t code,
                                  const char *message, const char *op_path);

/// As zenith_fail, with a zenith_reason.
ZENITH_EXPORT int32_t zenith_fail_because(zenith_run_context *context,
                                          int32_t code, int32_t reason,
                                          const char *message,
                                          const char *op_path);

/// An assertion of the program that does not hold: as zenith_fail, with a
/// message in which {k} stands for detail k.
ZENITH_EXPORT int32_t zenith_fail_assert(zenith_run_context *context,
                                         int32_t code, const char *message,
                                         const int64_t *details,
                                         int64_t ndetails, const char *place);

/// Code of the recorded error; records a cancellation or the end of the
/// deadline.
ZENITH_EXPORT int32_t zenith_run_status(zenith_run_context *context);

/// Device part: as the functions of zenith_device, with the error recorded in
/// the context. A null handle or a nonzero code is a failure; a context without
/// a device is ZENITH_RUN_FAILED.
ZENITH_EXPORT void *zenith_device_buffer(zenith_run_context *context,
                                         int32_t device_class, int64_t index,
                                         int64_t bytes);
/// index: the argument's or result's number, for profiles; -1 otherwise.
/// Offsets are bytes.
ZENITH_EXPORT int32_t zenith_device_upload(zenith_run_context *context,
                                           int64_t index, void *handle,
                                           int64_t offset, const void *host,
                                           int64_t bytes);
ZENITH_EXPORT int32_t zenith_device_download(zenith_run_context *context,
                                             int64_t index, void *host,
                                             void *handle, int64_t offset,
                                             int64_t bytes);
ZENITH_EXPORT int32_t zenith_device_copy(zenith_run_context *context, void *to,
                                         int64_t to_offset, void *from,
                                         int64_t from_offset, int64_t bytes);
/// With a profile callback each launch is followed by a wait, so that its time
/// is its own.
ZENITH_EXPORT int32_t zenith_device_launch(zenith_run_context *context,
                                           int64_t kernel_index,
                                           const zenith_buffer_ref *pointers,
                                           int64_t npointers,
                                           const int64_t *sizes, int64_t nsizes,
                                           int64_t tasks);
ZENITH_EXPORT int32_t zenith_device_finish(zenith_run_context *context);
/// A device buffer for a data-dependent size; null after recording an error.
ZENITH_EXPORT void *zenith_device_take(zenith_run_context *context,
                                       int64_t bytes);
/// Gives it back; null is allowed.
ZENITH_EXPORT void zenith_device_drop(zenith_run_context *context,
                                      void *handle);

// ---- For hosts
// ----------------------------------------------------------------------------------

/// Bytes of one element; 0 for an unknown code.
ZENITH_EXPORT int64_t zenith_dtype_bytes(int32_t dtype) ZENITH_NOEXCEPT;

/// Name of an element type as MLIR spells it ("f32", "ui8", "bf16",
/// "complex<f32>"); "unknown" otherwise.
ZENITH_EXPORT const char *zenith_dtype_name(int32_t dtype) ZENITH_NOEXCEPT;

/// A function above by name, for a JIT that binds symbols by address.
typedef struct zenith_symbol {
  const char *name;
  void *address;
} zenith_symbol;

/// All functions that compiled code may call, sorted by name. *count receives
/// their number. The table is constant and lives as long as the process.
ZENITH_EXPORT const zenith_symbol *zenith_runtime_symbols(size_t *count);

#ifdef __cplusplus
}
#endif

#endif // ZENITH_RUNTIME_ABI_H
