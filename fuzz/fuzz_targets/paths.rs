//! Hands libFuzzer's inputs to [`toolgate_fuzz::paths`].

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| toolgate_fuzz::text(bytes, toolgate_fuzz::paths::check));
