//! The server over HTTP, as the documentation has it: a service of rmcp in a router of axum.

use std::sync::Arc;

use axum::Router;
use axum::serve::ListenerExt;
use playing::Stop;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;

use crate::adding::Adding;
use crate::runtime;

/// Serves until it is ended from outside.
pub(crate) fn serve(words: &[&str]) -> Result<(), Stop> {
    let has_sessions = words.contains(&"session");
    runtime(words)?.block_on(async {
        let server = Adding::new();
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(has_sessions)
            .with_json_response(!has_sessions);
        let sessions = Arc::new(LocalSessionManager::default());
        let service = StreamableHttpService::new(move || Ok(server.clone()), sessions, config);
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        println!("{}", listener.local_addr()?.port());
        let quick = listener.tap_io(|stream| {
            // Without it, answers that leave in two pieces would wait for each other.
            let _ = stream.set_nodelay(true);
        });
        axum::serve(quick, Router::new().nest_service("/mcp", service)).await?;
        Ok(())
    })
}
