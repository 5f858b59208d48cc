//! Being told to end.

/// Resolves when the program is told to end. Signals are held from the moment of the call on, so
/// that nothing which is started afterwards can be left behind.
#[cfg(unix)]
pub(crate) fn told_to_end() -> impl Future<Output = ()> {
    use tokio::signal::unix::{SignalKind, signal};
    let kinds = [
        // The terminal that it was started from is gone.
        SignalKind::hangup(),
        SignalKind::interrupt(),
        SignalKind::terminate(),
    ];
    let signals = kinds.map(signal);
    async {
        match signals {
            [Ok(mut hangup), Ok(mut interrupt), Ok(mut terminate)] => tokio::select! {
                _ = hangup.recv() => {}
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            },
            // Then they do what they always do.
            _ => std::future::pending().await,
        }
    }
}

#[cfg(not(unix))]
pub(crate) async fn told_to_end() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending().await
    }
}
