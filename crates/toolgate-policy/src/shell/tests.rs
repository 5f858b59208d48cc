//! Lines and what becomes of them.

mod bash;
mod classes;
mod kit;
mod reading;
