//! Hands libFuzzer's inputs to [`toolgate_fuzz::layers`].

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| toolgate_fuzz::text(
    bytes,
    toolgate_fuzz::layers::check
));
