//! Hands libFuzzer's inputs to [`toolgate_fuzz::options`].

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| toolgate_fuzz::text(
    bytes,
    toolgate_fuzz::options::check
));
