//! A listen stream of 2026-07-28: one request that stays open and is told of changes.

use std::sync::Arc;

use crate::batch::Outlet;
use crate::hooks::{Event, Outcome};
use crate::jsonrpc::{Id, write_cancelled, write_result_head};
use crate::lane::Weight;
use crate::model::result::ResultEnd;
use crate::registry::Catalog;
use crate::revision::{Method, Revision};
use crate::server::ServerState;
use crate::subscriptions::{Subscriber, push_tag_member};

/// An open listen request.
#[derive(Debug)]
pub(crate) struct Listen {
    pub(crate) server: Arc<ServerState>,
    pub(crate) subscriber: Arc<Subscriber>,
    /// Of the id, which is compared only where this agrees.
    pub(crate) digest: u64,
    pub(crate) revision: Revision,
    pub(crate) received_us: u64,
}

/// How a listen stream ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The client is gone or wants no more of it.
    Cancelled,
    /// The server has no more to say.
    Graceful,
}

impl Listen {
    pub(crate) fn has_id(&self, id: Id<'_>, digest: u64) -> bool {
        self.digest == digest
            && Id::from_json(self.subscriber.tag()).is_some_and(|own| own.matches(id))
    }

    /// Ends the stream, with an answer if it ends by our will.
    pub(crate) fn end(&self, ending: Ending) {
        let catalog = self.server.catalog();
        let outcome = match ending {
            Ending::Cancelled => {
                self.subscriber.stop();
                Outcome::Cancelled
            }
            Ending::Graceful => {
                self.say_goodbye(&catalog);
                Outcome::Ok
            }
        };
        let hooks = &catalog.hooks;
        if hooks.observer.is_some() {
            hooks.tell(&Event::RequestCompleted {
                method: Method::Listen.name(),
                id: self.subscriber.tag(),
                duration_us: hooks.now_us().saturating_sub(self.received_us),
                outcome,
            });
        }
    }

    fn say_goodbye(&self, catalog: &Catalog) {
        let (Some(lane), Some(id)) = (self.subscriber.lane(), Id::from_json(self.subscriber.tag()))
        else {
            return;
        };
        lane.flush_due();
        self.subscriber.stop();
        let limit = catalog.options.limits.output_bytes;
        let mut meta = vec![b'{'];
        push_tag_member(&mut meta, id.as_json());
        meta.push(b'}');
        let end = ResultEnd {
            meta: std::str::from_utf8(&meta).unwrap_or_default(),
            ..ResultEnd::plain(catalog, self.revision)
        };
        Outlet::Lane(&lane).answer(limit, |out| {
            write_result_head(out, id);
            out.push(b'{');
            end.push(out);
            out.push(b'}');
        });
        if lane.is_of_request() {
            return;
        }
        // The page on cancellation demands this of whoever tears down a stream, the page on
        // subscriptions the result above: on a pipe, where nothing else marks the end, both are sent.
        let sent = lane.push(Weight::Answer, limit, |out| {
            write_cancelled(out, id.as_json(), "the server ends the subscription");
        });
        // A lane that is closed has nobody left to tell.
        drop(sent);
        lane.ring();
    }
}
