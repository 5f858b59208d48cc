//! Lines and what becomes of them.

mod bash;
mod classes;
mod compiling;
mod corpus;
mod costs;
mod kit;
mod laws;
mod reading;
