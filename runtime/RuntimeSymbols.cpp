// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table by which a JIT binds compiled code to the runtime.

#include "runtime/ABI.h"
#include "runtime/Routines.h"

#define ZENITH_SYMBOL(name) {#name, reinterpret_cast<void *>(name)}

const zenith_symbol *zenith_runtime_symbols(size_t *count) {
  static const zenith_symbol symbols[] = {
      ZENITH_SYMBOL(zenith_alloc),
      ZENITH_SYMBOL(zenith_arena),
      ZENITH_SYMBOL(zenith_arg_data),
      ZENITH_SYMBOL(zenith_check_arg),
      ZENITH_SYMBOL(zenith_check_counts),
      ZENITH_SYMBOL(zenith_device_buffer),
      ZENITH_SYMBOL(zenith_device_copy),
      ZENITH_SYMBOL(zenith_device_download),
      ZENITH_SYMBOL(zenith_device_drop),
      ZENITH_SYMBOL(zenith_device_finish),
      ZENITH_SYMBOL(zenith_device_launch),
      ZENITH_SYMBOL(zenith_device_take),
      ZENITH_SYMBOL(zenith_device_upload),
      ZENITH_SYMBOL(zenith_fail),
      ZENITH_SYMBOL(zenith_fail_assert),
      ZENITH_SYMBOL(zenith_fail_dim),
      ZENITH_SYMBOL(zenith_free),
      ZENITH_SYMBOL(zenith_grow),
      ZENITH_SYMBOL(zenith_parallel_for),
      ZENITH_SYMBOL(zenith_param_done),
      ZENITH_SYMBOL(zenith_progress),
      ZENITH_SYMBOL(zenith_result),
      ZENITH_SYMBOL(zenith_result_dims),
      ZENITH_SYMBOL(zenith_result_donated),
      ZENITH_SYMBOL(zenith_result_release),
      ZENITH_SYMBOL(zenith_routine_bit_positions),
      ZENITH_SYMBOL(zenith_routine_cholesky),
      ZENITH_SYMBOL(zenith_routine_compact),
      ZENITH_SYMBOL(zenith_routine_compact_count),
      ZENITH_SYMBOL(zenith_routine_custom_call),
      ZENITH_SYMBOL(zenith_routine_fourier),
      ZENITH_SYMBOL(zenith_routine_fourier_table),
      ZENITH_SYMBOL(zenith_routine_fresh_bit_rows_count),
      ZENITH_SYMBOL(zenith_routine_fresh_bit_rows_move),
      ZENITH_SYMBOL(zenith_routine_fresh_bit_rows_sum),
      ZENITH_SYMBOL(zenith_routine_fresh_bits_clear),
      ZENITH_SYMBOL(zenith_routine_fresh_bits_count),
      ZENITH_SYMBOL(zenith_routine_fresh_bits_set),
      ZENITH_SYMBOL(zenith_routine_fresh_bits_sum),
      ZENITH_SYMBOL(zenith_routine_fresh_keys_deal),
      ZENITH_SYMBOL(zenith_routine_fresh_keys_gather),
      ZENITH_SYMBOL(zenith_routine_fresh_keys_merge),
      ZENITH_SYMBOL(zenith_routine_fresh_keys_plan),
      ZENITH_SYMBOL(zenith_routine_is_in),
      ZENITH_SYMBOL(zenith_routine_is_in_table),
      ZENITH_SYMBOL(zenith_routine_mark_bits_copy),
      ZENITH_SYMBOL(zenith_routine_mark_bits_end),
      ZENITH_SYMBOL(zenith_routine_mark_bits_set),
      ZENITH_SYMBOL(zenith_routine_searchsorted),
      ZENITH_SYMBOL(zenith_routine_sort),
      ZENITH_SYMBOL(zenith_routine_sort_with),
      ZENITH_SYMBOL(zenith_routine_suppress),
      ZENITH_SYMBOL(zenith_routine_suppress_gather),
      ZENITH_SYMBOL(zenith_routine_top_k),
      ZENITH_SYMBOL(zenith_routine_top_k_count),
      ZENITH_SYMBOL(zenith_routine_top_k_take),
      ZENITH_SYMBOL(zenith_routine_triangular_solve),
      ZENITH_SYMBOL(zenith_routine_unique_deal),
      ZENITH_SYMBOL(zenith_routine_unique_find),
      ZENITH_SYMBOL(zenith_routine_unique_invert),
      ZENITH_SYMBOL(zenith_routine_unique_keep),
      ZENITH_SYMBOL(zenith_routine_unique_sort),
      ZENITH_SYMBOL(zenith_serial_for),
      ZENITH_SYMBOL(zenith_status),
  };
  *count = sizeof(symbols) / sizeof(symbols[0]);
  return symbols;
}
