//! The server whose tools add, and tell how far they have come, written as the documentation does.

use std::sync::Arc;

use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{ProgressNotificationParam, RequestMetaObject};
use rmcp::{ErrorData, Peer, RoleServer, ServerHandler, tool, tool_handler, tool_router};

/// What the server offers, made once for all connections.
#[derive(Clone)]
pub(crate) struct Adding {
    router: Arc<ToolRouter<Adding>>,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Sum {
    a: i64,
    b: i64,
}

#[tool_router]
impl Adding {
    pub(crate) fn new() -> Adding {
        Adding { router: Arc::new(Self::tool_router()) }
    }

    #[tool(description = "Adds.")]
    fn add(&self, Parameters(Sum { a, b }): Parameters<Sum>) -> String {
        (a + b).to_string()
    }

    #[tool(description = "Tells three times how far it has come.")]
    async fn progress(
        &self,
        meta: RequestMetaObject,
        client: Peer<RoleServer>,
    ) -> Result<String, ErrorData> {
        let token = meta.get_progress_token();
        let token = token.ok_or_else(|| ErrorData::invalid_params("no progressToken", None))?;
        for step in 1..=3 {
            let progress = ProgressNotificationParam::new(token.clone(), f64::from(step));
            let sent = client.notify_progress(progress.with_total(3.0)).await;
            sent.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        }
        Ok("done".to_owned())
    }
}

// The macro would otherwise make the tools anew for each call.
#[tool_handler(router = self.router, name = "bench", version = "1.0")]
impl ServerHandler for Adding {}
