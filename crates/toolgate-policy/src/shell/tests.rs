//! Lines and what becomes of them.

mod classes;
mod kit;
mod reading;
