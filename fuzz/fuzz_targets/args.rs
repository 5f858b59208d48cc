//! Hands libFuzzer's inputs to [`toolgate_fuzz::args`].

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| toolgate_fuzz::args::check(bytes));
