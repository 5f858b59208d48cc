//! Lines and what becomes of them.

mod bash;
mod classes;
mod corpus;
mod kit;
mod reading;
