//! Giving back what was reserved.

/// Gives back what `poll_ready` reserved in a service that will not be called after all.
///
/// A clone has reserved nothing. Without this a refused call would leave, say, the permit of a
/// concurrency limit with the handle that it was refused on, and every other clone would starve.
pub(crate) fn release<S: Clone>(service: &mut S) {
    *service = service.clone();
}
