//! A workload in one process: a message in, its answer out, then the next.

use std::sync::Arc;

use playing::{Deed, Stop, Watch, Workload};
use rmcp::handler::server::router::tool::{ToolRoute, ToolRouter};
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{CallToolResult, ContentBlock, Tool};
use rmcp::{ServerHandler, ServiceExt, tool_handler};
use serde_json::json;

use crate::arguments::{Long, Small, Twenty};
use crate::pipe::Pipe;

/// The server of a workload.
#[derive(Clone)]
pub(crate) struct Stage {
    router: Arc<ToolRouter<Stage>>,
}

#[tool_handler(router = self.router, name = "bench", version = "1.0")]
impl ServerHandler for Stage {}

impl Stage {
    pub(crate) fn new(workload: &Workload) -> Result<Stage, Stop> {
        let mut router = ToolRouter::new();
        for tool in serde_json::from_str::<Vec<Tool>>(&workload.tools)? {
            router.add_route(match (&*tool.name, workload.deed) {
                ("publish", _) => ToolRoute::new(tool, publish),
                ("echo", Deed::Splice) => ToolRoute::new(tool, splice),
                ("echo", _) => ToolRoute::new(tool, echo),
                _ => ToolRoute::new(tool, say),
            });
        }
        Ok(Stage { router: Arc::new(router) })
    }

    /// A session; it has shaken hands unless messages do without.
    pub(crate) async fn connect(&self, workload: &Workload) -> Result<Pipe, Stop> {
        let (pipe, server) = (Pipe::default(), self.clone());
        let other_end = pipe.clone();
        tokio::spawn(async move {
            let running = server.serve(other_end).await.map_err(|error| error.to_string())?;
            running.waiting().await.map_err(|error| error.to_string())
        });
        if !workload.is_modern() {
            let [hello, greeted] = workload.handshake.as_slice() else {
                return Err("a handshake has two messages".into());
            };
            pipe.ask(&Arc::from(hello.as_bytes()), &mut Vec::new()).await?;
            pipe.tell(&Arc::from(greeted.as_bytes()));
        }
        Ok(pipe)
    }
}

/// Plays a workload.
pub(crate) async fn play(workload: &Workload, rounds: u64) -> Result<String, Stop> {
    let pipe = Stage::new(workload)?.connect(workload).await?;
    let request: Arc<[u8]> = Arc::from(workload.request.as_slice());
    let mut answer = Vec::new();
    pipe.ask(&request, &mut answer).await?;
    playing::check(workload, &answer)?;
    let watch = Watch::start()?;
    for _ in 0..rounds {
        pipe.ask(&request, &mut answer).await?;
    }
    let times = watch.stop()?;
    playing::check(workload, &answer)?;
    Ok(times.figures(rounds, request.len(), answer.len()))
}

fn say(Parameters(Small { text, .. }): Parameters<Small>) -> String {
    text
}

fn echo(Parameters(Long { text }): Parameters<Long>) -> String {
    text
}

fn publish(Parameters(Twenty { slug, .. }): Parameters<Twenty>) -> String {
    slug
}

/// There is no way to hand JSON on as it came, so that it goes through a tree.
fn splice(Parameters(Long { text }): Parameters<Long>) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text("")]);
    result.structured_content = Some(json!({ "text": text }));
    result
}
