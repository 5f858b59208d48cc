//! The classes of attacks on shell rules, and what is ordinary beside each.
