//! Lines and what becomes of them.

mod bash;
mod classes;
mod corpus;
mod costs;
mod kit;
mod reading;
