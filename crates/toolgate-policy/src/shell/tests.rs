//! Lines and what becomes of them.

mod allowing;
mod bash;
mod compiling;
mod corpus;
mod costs;
mod hiding;
mod kit;
mod laws;
mod reading;
mod refusing;
