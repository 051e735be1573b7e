//! Authorisation: the host decides, the endpoint says why not.

use crate::model::definition::text_member;

use super::options::HttpOptions;
use super::request::HttpRequest;
use super::response::Response;

/// Decides whether a request may go on, when all of its headers are there. Runs in the call that brings the
/// last of them, with no lock held; nothing can be fed from inside of it.
pub trait Authorizer: Send + Sync {
    /// Looks at the request and says who sent it with [`HttpRequest::set_principal`].
    fn authorize(&self, request: &HttpRequest) -> Verdict;
}

/// What an [`Authorizer`] says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The request may go on.
    Granted,
    /// There is no usable credential: 401.
    Unauthorized,
    /// The credential is not good enough: 403.
    Forbidden,
}

/// Where the metadata of protected resources is, before the path of the resource.
const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// The response to a request that may not go on. `details` are parameters of the challenge, such as
/// `scope="files:read"`.
pub(super) fn challenge(
    verdict: Verdict,
    details: Option<&str>,
    options: &HttpOptions,
) -> Option<Response> {
    let (status, error, text) = match verdict {
        Verdict::Granted => return None,
        Verdict::Unauthorized => (401, None, "authorization is required"),
        Verdict::Forbidden => (403, Some("error=\"insufficient_scope\""), "this is not permitted"),
    };
    let metadata = metadata_url(options).map(|url| format!("resource_metadata=\"{url}\""));
    // What the host says of the error takes the place of what is said otherwise.
    let has_own = details.is_some_and(|details| details.contains("error="));
    let error = error.filter(|_| !has_own).map(str::to_owned);
    let details = details.map(str::to_owned);
    let parameters: Vec<_> = [error, metadata, details].into_iter().flatten().collect();
    let challenge = match parameters.is_empty() {
        true => "Bearer".to_owned(),
        false => format!("Bearer {}", parameters.join(", ")),
    };
    Some(Response::refusal(status, None, text).with("WWW-Authenticate", challenge))
}

/// The metadata, if that is what the path leads to.
pub(super) fn metadata<'o>(path: &str, options: &'o HttpOptions) -> Option<&'o str> {
    let document = options.resource_metadata.as_deref()?;
    let rest = path.strip_prefix(WELL_KNOWN)?;
    let own = resource_parts(options).map(|(_, path)| path);
    (rest.is_empty() || own.is_some_and(|own| own == rest)).then_some(document)
}

fn metadata_url(options: &HttpOptions) -> Option<String> {
    let (origin, path) = resource_parts(options)?;
    Some(format!("{origin}{WELL_KNOWN}{path}"))
}

/// The resource: its origin, and its path without a slash at the end.
fn resource_parts(options: &HttpOptions) -> Option<(String, String)> {
    let resource = text_member(options.resource_metadata.as_deref()?, "resource")?;
    let authority = resource.find("://")? + 3;
    let path = resource.get(authority..)?.find('/').map_or(resource.len(), |at| authority + at);
    let (origin, path) = resource.split_at_checked(path)?;
    Some((origin.to_owned(), path.trim_end_matches('/').to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(resource: &str) -> HttpOptions {
        HttpOptions {
            resource_metadata: Some(format!("{{\"resource\":\"{resource}\"}}")),
            ..HttpOptions::default()
        }
    }

    fn header(verdict: Verdict, details: Option<&str>, options: &HttpOptions) -> String {
        let response = challenge(verdict, details, options).unwrap();
        response.headers.into_iter().find(|it| it.0 == "WWW-Authenticate").unwrap().1.into_owned()
    }

    #[test]
    fn challenges_say_where_to_read_more_and_what_is_missing() {
        assert!(challenge(Verdict::Granted, None, &HttpOptions::default()).is_none());
        assert_eq!(header(Verdict::Unauthorized, None, &HttpOptions::default()), "Bearer");
        let known = options("https://example.org/mcp");
        assert_eq!(
            header(Verdict::Unauthorized, Some("scope=\"read\""), &known),
            "Bearer resource_metadata=\"https://example.org/.well-known/oauth-protected-resource/mcp\", scope=\"read\""
        );
        assert_eq!(
            header(Verdict::Forbidden, None, &HttpOptions::default()),
            "Bearer error=\"insufficient_scope\""
        );
        assert_eq!(
            header(Verdict::Forbidden, Some("error=\"invalid_token\""), &HttpOptions::default()),
            "Bearer error=\"invalid_token\""
        );
    }

    #[test]
    fn metadata_is_where_the_rfc_puts_it() {
        let known = options("https://example.org/mcp/");
        for path in [WELL_KNOWN, "/.well-known/oauth-protected-resource/mcp"] {
            assert!(metadata(path, &known).is_some(), "{path}");
        }
        for path in ["/.well-known/oauth-protected-resource/other", "/mcp"] {
            assert!(metadata(path, &known).is_none(), "{path}");
        }
        assert!(metadata(WELL_KNOWN, &HttpOptions::default()).is_none());
        let root = options("http://localhost:3000");
        assert_eq!(
            metadata_url(&root).unwrap(),
            "http://localhost:3000/.well-known/oauth-protected-resource"
        );
    }
}
