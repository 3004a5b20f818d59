//! Accepts connections and serves each until its caller leaves, is silent for too long, or the
//! server stops. The routes answer the requests.

use std::time::Duration;

use axum::Router;
use axum::serve::Listener;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};

use super::in_flight::{InFlight, RequestGuard};
use crate::front::shutdown::Stop;

/// Serves until the server stops and the last connection has ended. `patience` is the time that the
/// head of a request may take to arrive, also the next one on a kept connection.
pub async fn serve_connections(
    mut listener: TcpListener,
    routes: Router,
    patience: Duration,
    stop: Stop,
) {
    let connections = InFlight::default();
    // The library's listener handles errors of `accept` itself: it retries.
    while let Some((stream, _)) = stop.unless_stopped(Listener::accept(&mut listener)).await {
        // Connections have no limit of their own; requests do.
        if let Some(connection) = connections.try_enter(usize::MAX) {
            let (routes, stop) = (routes.clone(), stop.clone());
            tokio::spawn(serve_connection(stream, routes, patience, stop, connection));
        }
    }
    drop(listener);
    connections.wait_until_empty().await;
}

/// Serves one connection. `_connection` counts it until it ends.
async fn serve_connection(
    stream: TcpStream,
    routes: Router,
    patience: Duration,
    stop: Stop,
    _connection: RequestGuard,
) {
    // Without it, an answer in several parts, as in MCP, waits for an acknowledgement of the first.
    let _ = stream.set_nodelay(true);
    let mut connection = std::pin::pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(patience)
            .serve_connection(TokioIo::new(stream), TowerToHyperService::new(routes))
    );
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = stop.wait_until_stopped() => {
            // Closes an idle connection now, and any other after its answer.
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!("a connection ended: {error}");
    }
}
