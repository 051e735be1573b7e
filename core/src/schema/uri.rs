//! Resolving URI references, as RFC 3986 has it, on the text.

/// A reference without its fragment, and the fragment.
pub(super) fn split_fragment(reference: &str) -> (&str, &str) {
    reference.split_once('#').unwrap_or((reference, ""))
}

/// What `reference`, which has no fragment, means where `base` is the base URI. A base that is not
/// absolute is taken as it is, so that documents without a URI of their own can refer to each other.
pub(super) fn resolve(base: &str, reference: &str) -> String {
    if reference.is_empty() {
        return base.to_owned();
    }
    if scheme(reference).is_some() {
        return reference.to_owned();
    }
    let (root, base_path) = split_path(base);
    if let Some(rest) = reference.strip_prefix("//") {
        let scheme = scheme(base).map(|scheme| format!("{scheme}:")).unwrap_or_default();
        return format!("{scheme}//{rest}");
    }
    let (path, query) = match reference.find('?') {
        Some(at) => reference.split_at(at),
        None => (reference, ""),
    };
    let base_path = base_path.split('?').next().unwrap_or("");
    if path.is_empty() {
        return format!("{root}{base_path}{query}");
    }
    let merged = if path.starts_with('/') {
        path.to_owned()
    } else {
        match base_path.rfind('/') {
            Some(slash) => format!("{}/{path}", base_path.get(..slash).unwrap_or("")),
            None if root.contains("//") => format!("/{path}"),
            None => path.to_owned(),
        }
    };
    format!("{root}{}{query}", without_dots(&merged))
}

/// The text that percent-encoding stands for; `None` if it is broken or not UTF-8.
pub(super) fn percent_decoded(text: &str) -> Option<String> {
    if !text.contains('%') {
        return Some(text.to_owned());
    }
    let mut bytes = text.bytes();
    let mut decoded = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            decoded.push(byte);
            continue;
        }
        let high = (bytes.next()? as char).to_digit(16)?;
        let low = (bytes.next()? as char).to_digit(16)?;
        decoded.push((high * 16 + low) as u8);
    }
    String::from_utf8(decoded).ok()
}

/// The scheme of an absolute URI.
fn scheme(uri: &str) -> Option<&str> {
    let (scheme, _) = uri.split_once(':')?;
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    is_scheme.then_some(scheme)
}

/// Scheme and authority of a URI, and the rest.
fn split_path(uri: &str) -> (&str, &str) {
    let path = scheme(uri).map_or(0, |scheme| scheme.len() + 1);
    let rest = uri.get(path..).unwrap_or("");
    let authority = match rest.strip_prefix("//") {
        Some(host) => 2 + host.find(['/', '?']).unwrap_or(host.len()),
        None => 0,
    };
    uri.split_at_checked(path + authority).unwrap_or((uri, ""))
}

/// A path without its `.` and `..` segments.
fn without_dots(path: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let absolute = path.starts_with('/');
    let mut open = false;
    for segment in path.strip_prefix('/').unwrap_or(path).split('/') {
        open = matches!(segment, "." | "..");
        match segment {
            "." => {}
            ".." => {
                kept.pop();
            }
            other => kept.push(other),
        }
    }
    let mut result = if absolute { "/".to_owned() } else { String::new() };
    result.push_str(&kept.join("/"));
    if open && !result.ends_with('/') && !result.is_empty() {
        result.push('/');
    }
    result
}
