//! The HTTP server process: starts the routes, and MCP on standard input and output beside them if
//! that is enabled. Stops in order: answers first, then listeners, then threads.
//!
//! The operations decide what can be asked; nothing here has behaviour of its own.

mod auth;
mod body;
mod dispatch;
mod in_flight;
mod jobs;
mod metrics;
mod middleware;
mod openapi;
mod options;
mod problem_details;
mod routes;
mod serve_connections;

use std::io::{ErrorKind, Write};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::executor::Executor;
use super::mcp::{self, ChangeBroadcast, ClientPresence, HttpService, ServerContext};
use super::shutdown::{Stop, StopReason};
use super::signals;
use crate::engine::Engine;
use crate::ops::{ErrorKind as OpErrorKind, OpError};
use in_flight::InFlight;
use routes::HttpServer;

pub use openapi::document;
pub use options::{Options, Transport};

/// The time that event streams get to close after the answers.
const CLOSING: Duration = Duration::from_millis(200);

/// The time that threads and connections to backends get to end after the last answer.
const ENDING: Duration = Duration::from_millis(300);

/// Serves until a signal comes, or until the input ends if an MCP client was on it.
///
/// It blocks the calling thread. The order of the last steps matters: see the comments inside.
pub fn serve(engine: Arc<Engine>, options: Options) -> Result<(), OpError> {
    let failed = |error: std::io::Error| OpError::internal(error.to_string());
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(failed)?;
    let stop = Stop::with_drain_time(options.drain);
    signals::stop_server(&stop, options.drain.saturating_add(signals::PATIENCE));
    // Connections to a server of collections end with the engine, and ending them blocks: that must
    // not be left to a task.
    let outlives_all_tasks = engine.clone();
    engine.watch_while_serving();
    let outcome = runtime.block_on(run(engine, options, stop.clone()));
    // Threads that index or watch are asked to end, and not waited for if they do not.
    if outcome.is_ok() {
        signals::end_server_after(ENDING, stop.reason());
    }
    // A thread may sit in a blocking read of standard input for ever: do not wait for it.
    runtime.shutdown_background();
    drop(outlives_all_tasks);
    outcome?;
    print_status(&format!("{}; shut down", stop.reason()));
    Ok(())
}

/// Runs the server until it is stopped.
async fn run(engine: Arc<Engine>, options: Options, stop: Stop) -> Result<(), OpError> {
    engine.confine(&options.roots);
    let (listener, address) = bind_listener(&options).await?;
    let offer = ServerContext {
        profile: options.name_profile(options.profile.clone()),
        executor: Executor::new(engine.clone(), stop.clone(), options.timeout),
        changes: ChangeBroadcast::default(),
        stop: stop.clone(),
    };
    let _running = mcp::start_background_work(&engine, &offer);
    let stdio = options.stdio.clone().map(|profile| {
        let profile = options.name_profile(profile);
        tokio::spawn(serve_stdio(ServerContext { profile, ..offer.clone() }))
    });
    let end = CancellationToken::new();
    let mcp = HttpService::new(offer.clone(), end.clone(), options.max_body);
    let (arriving, in_flight) = (InFlight::default(), InFlight::default());
    let waited_for = (arriving.clone(), in_flight.clone());
    let server = HttpServer::new(engine, offer, mcp, options, waited_for);
    let (drain, patience) = (server.options.drain, server.options.arrival_timeout());
    let routes = routes::build_routes(Arc::new(server));
    print_status(&format!("listening on http://{address}"));
    let service = serve_connections::serve_connections(listener, routes, patience, stop.clone());
    let serving = tokio::spawn(service);
    stop.wait_until_stopped().await;
    // Answers first, then those who only listen.
    let answered = async {
        arriving.wait_until_empty().await;
        in_flight.wait_until_empty().await;
    };
    let _ = tokio::time::timeout(drain, answered).await;
    signals::set_deadline(signals::PATIENCE);
    end.cancel();
    let _ = tokio::time::timeout(CLOSING, serving).await;
    if let Some(stdio) = stdio {
        let _ = tokio::time::timeout(drain, stdio).await;
    }
    Ok(())
}

/// Binds the address. Each common failure has its own remedy.
async fn bind_listener(options: &Options) -> Result<(TcpListener, SocketAddr), OpError> {
    let (host, port) = (options.host.as_str(), options.port);
    let bound = TcpListener::bind((host, port))
        .await
        .and_then(|listener| Ok((listener.local_addr()?, listener)));
    let (address, listener) = bound.map_err(|error| {
        let place = format!("{host}:{port}");
        match error.kind() {
            ErrorKind::AddrInUse => {
                OpError::new(OpErrorKind::Internal, format!("{place} is in use by another program"))
                    .hint("choose another port with --port or PORT; 0 takes any that is free")
            }
            ErrorKind::PermissionDenied => {
                OpError::internal(format!("{place}: {error}")).hint("choose a port above 1023")
            }
            _ => OpError::bad_argument(format!("cannot listen on {place}: {error}"))
                .hint("--host takes an address of this machine"),
        }
    })?;
    Ok((listener, address))
}

/// Serves MCP on standard input and output. It ends with the server.
///
/// The server ends with it if a client was there: a client that started this process and left does
/// not want it to stay. A process without an input, as in a container, stays.
async fn serve_stdio(offer: ServerContext) {
    let server = offer.stop.clone();
    let own = Stop::default();
    let (stopped, stops) = (server.clone(), own.clone());
    tokio::spawn(async move {
        stopped.wait_until_stopped().await;
        stops.stop(stopped.reason());
    });
    match mcp::stdio(ServerContext { stop: own, ..offer }).await {
        Ok(ClientPresence::Used) => server.stop(StopReason::EndOfInput),
        Ok(ClientPresence::Unused) => tracing::info!("nobody speaks MCP on standard input"),
        Err(error) => tracing::error!("MCP on standard input: {error}"),
    }
}

/// Prints a line on stderr. A closed stderr is no reason to fail.
fn print_status(text: &str) {
    let _ = writeln!(std::io::stderr(), "kenning: {text}");
}
