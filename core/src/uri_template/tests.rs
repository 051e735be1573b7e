use proptest::prelude::*;

use super::*;

/// A template, a URI, and the variables that it has to give.
type Case<'a> = (&'a str, &'a str, Option<&'a [(&'a str, &'a str)]>);

fn check(cases: &[Case<'_>]) {
    for (template, uri, expected) in cases {
        let parsed = UriTemplate::parse(template);
        assert!(parsed.is_ok(), "{template}: {parsed:?}");
        let found = parsed.iter().find_map(|parsed| parsed.matches(uri));
        let expected = expected.map(|pairs| {
            let owned = pairs.iter().map(|(name, value)| (*name, (*value).to_owned()));
            owned.collect::<Vec<_>>()
        });
        assert_eq!(found, expected, "{template} on {uri}");
    }
}

fn check_refused(template: &str, offset: usize, reason: &str) {
    let refusal = UriTemplate::parse(template).err();
    let refusal = refusal.map(|error| (error.offset, error.reason));
    assert_eq!(refusal, Some((offset, reason)), "{template}");
}

#[test]
fn rfc_examples_of_levels_1_to_3_match_back() {
    let hello = ("hello", "Hello World!");
    let (var, path, empty) = (("var", "value"), ("path", "/foo/bar"), ("empty", ""));
    let (x, y) = (("x", "1024"), ("y", "768"));
    check(&[
        ("{var}", "value", Some(&[var])),
        ("{hello}", "Hello%20World%21", Some(&[hello])),
        ("{+var}", "value", Some(&[var])),
        ("{+hello}", "Hello%20World!", Some(&[hello])),
        ("{+path}/here", "/foo/bar/here", Some(&[path])),
        ("here?ref={+path}", "here?ref=/foo/bar", Some(&[path])),
        ("X{#var}", "X#value", Some(&[var])),
        ("X{#hello}", "X#Hello%20World!", Some(&[hello])),
        ("map?{x,y}", "map?1024,768", Some(&[x, y])),
        ("{x,hello,y}", "1024,Hello%20World%21,768", Some(&[x, hello, y])),
        ("{+x,hello,y}", "1024,Hello%20World!,768", Some(&[x, hello, y])),
        ("{+path,x}/here", "/foo/bar,1024/here", Some(&[path, x])),
        ("{#x,hello,y}", "#1024,Hello%20World!,768", Some(&[x, hello, y])),
        ("{#path,x}/here", "#/foo/bar,1024/here", Some(&[path, x])),
        ("X{.var}", "X.value", Some(&[var])),
        ("X{.x,y}", "X.1024.768", Some(&[x, y])),
        ("{/var}", "/value", Some(&[var])),
        ("{/var,x}/here", "/value/1024/here", Some(&[var, x])),
        ("{;x,y}", ";x=1024;y=768", Some(&[x, y])),
        ("{;x,y,empty}", ";x=1024;y=768;empty", Some(&[x, y, empty])),
        ("{?x,y}", "?x=1024&y=768", Some(&[x, y])),
        ("{?x,y,empty}", "?x=1024&y=768&empty=", Some(&[x, y, empty])),
        ("?fixed=yes{&x}", "?fixed=yes&x=1024", Some(&[x])),
        ("{&x,y,empty}", "&x=1024&y=768&empty=", Some(&[x, y, empty])),
    ]);
}

#[test]
fn the_whole_uri_has_to_match() {
    check(&[
        ("", "", Some(&[])),
        ("", "a", None),
        ("test://static", "test://static", Some(&[])),
        ("test://static", "test://static/", None),
        ("test://static", "TEST://static", None),
        ("test://{id}/data", "test://123/data", Some(&[("id", "123")])),
        ("test://{id}/data", "test://123/Data", None),
        ("test://{id}/data", "xtest://123/data", None),
        ("test://{id}/data", "test://123/data2", None),
        ("test://{id}/data", "test:///data", None),
        ("test://{id}/data", "test://1/2/data", None),
        ("ab{x}ba", "aba", None),
        ("{x}", "", None),
        ("{+x}", "", None),
        ("{#x}", "#", None),
        ("{x,y}", "1", None),
        ("{x,y}", "1,", None),
        ("{x,y}", "1,2,3", None),
        ("{.x,y}", ".1", None),
        ("{.x}", ".1.2", None),
        ("{/x,y}", "/1", None),
        ("{/x,y}", "/1/2/3", None),
        ("{/x}", "1", None),
    ]);
}

#[test]
fn simple_values_tolerate_what_has_no_meaning_there() {
    check(&[
        ("{x}", "a:b@c!$&'()*+;=", Some(&[("x", "a:b@c!$&'()*+;=")])),
        ("{x}", "größe", Some(&[("x", "größe")])),
        ("{x}", "a b", None),
        ("{x}", "a%20b", Some(&[("x", "a b")])),
        ("{x}", "a?b", None),
        ("{x}", "a#b", None),
        ("{x}", "a,b", None),
        ("{x}", "a%2Cb%3F%23", Some(&[("x", "a,b?#")])),
        ("{x}", "...", Some(&[("x", "...")])),
        ("{x}", ".hidden", Some(&[("x", ".hidden")])),
    ]);
}

#[test]
fn a_simple_value_ends_at_the_first_occurrence_of_the_next_literal() {
    check(&[
        ("{a}-{b}", "1-2-3", Some(&[("a", "1"), ("b", "2-3")])),
        ("{a}-{b}", "--1", Some(&[("a", "-"), ("b", "1")])),
        ("{a}aa{b}", "aaab", Some(&[("a", "a"), ("b", "b")])),
        ("{a}é{b}", "ééé", Some(&[("a", "é"), ("b", "é")])),
        ("{a}/v/{b}", "1/2/v/3", None),
        ("{a}-{b}", "1?2-3", None),
        ("{a,b}-{c}", "1?,2-3", None),
        ("{.a}-{b}", ".1.2-3", None),
        ("{?a}-{b}", "?a=1,2-3", None),
        ("{/a,b}/v/{c}", "/v/v/v/v", Some(&[("a", "v"), ("b", "v"), ("c", "v")])),
        ("{a}2{b}", "%20x2%32", Some(&[("a", " x"), ("b", "2")])),
        ("{name}.json", "a.json.json", Some(&[("name", "a.json")])),
        ("{a}-{b}.md", "1-2.md-3.md", Some(&[("a", "1"), ("b", "2.md-3")])),
    ]);
}

#[test]
fn a_reserved_value_ends_at_the_last_occurrence_that_leaves_room() {
    let (a, b) = (("a", "p/q"), ("b", "r"));
    check(&[
        ("{+a}/{b}", "p/q/r", Some(&[a, b])),
        ("{+a}/{b}/end", "p/q/r/end", Some(&[a, b])),
        ("{+a}/{b}/{c}", "p/q/r/s", Some(&[a, b, ("c", "s")])),
        ("{+a}/{b}/{c}", "r/s", None),
        ("{+a}/x{/b}", "p/q/x/r", Some(&[a, b])),
        ("{+a}/x{/b}", "p/q/x/xyz", Some(&[a, ("b", "xyz")])),
        ("{+a}.md{#b}", "p/q.md#r", Some(&[a, b])),
        ("{+a}.md{#b}", "p/q.md#r.md", Some(&[a, ("b", "r.md")])),
        ("{+a}/{b}-{c}", "p/q/r-1-2", Some(&[a, b, ("c", "1-2")])),
        ("{+a}:{+b}", "x:y:z", Some(&[("a", "x:y"), ("b", "z")])),
        ("{+a}2{b}", "x2%20", Some(&[("a", "x"), ("b", " ")])),
        ("{+a}-{b}", "1-2-", Some(&[("a", "1"), ("b", "2-")])),
        ("{+a}é{b}", "éé漢", Some(&[("a", "é"), ("b", "漢")])),
        ("{+a,b}", "1,2,3", Some(&[("a", "1"), ("b", "2,3")])),
        ("{+a}", "//a//?b#c d", Some(&[("a", "//a//?b#c d")])),
    ]);
}

#[test]
fn named_pairs_may_be_absent_but_not_unknown_or_repeated() {
    let (x, y) = (("x", "1"), ("y", "2"));
    check(&[
        ("a{?x,y}", "a?y=2&x=1", Some(&[x, y])),
        ("a{?x,y}", "a?y=2", Some(&[y])),
        ("a{?x,y}", "a", Some(&[])),
        ("a{?x,y}", "a?", None),
        ("a{?x,y}", "a?x", None),
        ("a{?x,y}", "a?x=1&", None),
        ("a{?x,y}", "a?x=1&z=3", None),
        ("a{?x,y}", "a?x=1&x=1", None),
        ("a{?x,y}", "a?X=1", None),
        ("a{?x,y}", "a&x=1", None),
        ("a{?x}", "a?x=", Some(&[("x", "")])),
        ("a{?x}", "a?x=b=c", Some(&[("x", "b=c")])),
        ("a{?x}", "a?x=1+1", Some(&[("x", "1+1")])),
        ("a?k=v{&x,y}", "a?k=v&y=2&x=1", Some(&[x, y])),
        ("a?k=v{&x,y}", "a?k=v", Some(&[])),
        ("a?k=v{&x,y}", "a?k=v?x=1", None),
        ("a{&x}&k=v{&y}", "a&k=v&y=2", Some(&[y])),
        ("a{&x}&k=v{&y}", "a&x=1&k=v&y=2", Some(&[x, y])),
        ("a{;x,y}", "a;x=1;y=2", Some(&[x, y])),
        ("a{;x,y}", "a;y=2;x=1", None),
        ("a{;x,y}", "a;x=1;x=1", None),
        ("a{;x,y}", "a;y=2", Some(&[y])),
        ("a{;x}", "a;x", Some(&[("x", "")])),
        ("a{;x}", "a;x=", Some(&[("x", "")])),
        ("a{;x.%41}", "a;x.%41=1", Some(&[("x.%41", "1")])),
    ]);
}

#[test]
fn adjacent_expressions_are_told_apart_by_their_prefix() {
    let (a, b, c) = (("a", "1"), ("b", "2"), ("c", "3"));
    check(&[
        ("{a}{/b}", "1/2", Some(&[a, b])),
        ("{a}{?b}", "1?b=2", Some(&[a, b])),
        ("{a}{?b}", "1", Some(&[a])),
        ("{a}{#b}", "1#2", Some(&[a, b])),
        ("{a}{;b}{?c}", "1;b=2?c=3", Some(&[a, b, c])),
        ("{a}{;b}{?c}", "1?c=3", Some(&[a, c])),
        ("{a}{;b}{&c}", "1&c=3", Some(&[a, c])),
        ("{a}{?b}/x/{c}", "1/x/3", Some(&[a, c])),
        ("{/a}{/b}{?c}", "/1/2?c=3", Some(&[a, b, c])),
        ("{.a}{.b}", ".1.2", Some(&[a, b])),
        ("{a}{/b}x{c}", "1/2x3", Some(&[a, b, c])),
        ("{a}{/b}", "1;1/2", None),
        ("{?a}{;b}{#c}", ";b=2#3", Some(&[b, c])),
    ]);
}

#[test]
fn values_cannot_smuggle_paths() {
    let never = concat!(
        ". .. %2e %2E%2e .%2e %2e. a%5cb a\\b ..%2f..%2fetc /.. ../x a/../b a/./b a%2f..%2Fb ",
        "a/%2e%2e a/%2e/b a%2f%2e%2e ",
        "%00 a%00.txt %0a %0d %1b %7f %c2%80 \u{1} \u{0} a\u{7f} ",
        "% %4 a% %zz %4g %+1 %é %ff %c0%ae %ed%a0%80 a%c3",
    );
    let only_reserved = "a%2fb %2F / a/b /a %2f%2fa";
    for (prefix, template, suffix) in [
        ("", "{x}", ""),
        ("", "{x,y}", ",b"),
        ("a,", "{y,x}", ""),
        ("/", "{/x}", ""),
        ("/", "{/x,y}", "/b"),
        (".", "{.x}", ""),
        (";x=", "{;x}", ""),
        ("?x=", "{?x}", ""),
        ("&x=", "{&x}", ""),
        ("", "{x}{/y}", "/b"),
        ("", "{+x}", ""),
        ("", "{+x,y}", ",b"),
        ("", "{+x}:{y}", ":b"),
        ("#", "{#x}", ""),
    ] {
        let is_reserved = template.contains(['+', '#']);
        for value in never.split(' ') {
            check(&[(template, &format!("{prefix}{value}{suffix}"), None)]);
        }
        for value in only_reserved.split(' ').filter(|_| !is_reserved) {
            check(&[(template, &format!("{prefix}{value}{suffix}"), None)]);
        }
    }
    check(&[
        ("file:///docs/{name}", "file:///docs/..%2F..%2Fetc%2Fpasswd", None),
        ("{x}", "a\nb", None),
        ("{+x}", "a\nb", None),
        ("{+x}", "a/..?b", None),
        ("{+x}", "a%2Fb", Some(&[("x", "a/b")])),
        ("{+x}", "a/..b/c..", Some(&[("x", "a/..b/c..")])),
    ]);
}

#[test]
fn percent_decoding_happens_exactly_once() {
    let once = [("x", "%2e%2e%2f")];
    check(&[
        ("{x}", "%252e%252e%252f", Some(&once)),
        ("{+x}", "%252e%252e%252f", Some(&once)),
        ("{?x}", "?x=%252e%252e%252f", Some(&once)),
        ("{x}", "%2500", Some(&[("x", "%00")])),
        ("{x}", "%e6%BC%A2", Some(&[("x", "漢")])),
        ("a%20{x}", "a%20b", Some(&[("x", "b")])),
        ("a%20{x}", "a b", None),
    ]);
}

#[test]
fn malformed_templates_are_refused_with_a_reason() {
    check_refused("a{b", 1, "unclosed brace");
    check_refused("ab}", 2, "unopened brace");
    check_refused("{a}}", 3, "unopened brace");
    check_refused("{a{b}", 2, "brace inside an expression");
    check_refused("x{}", 2, "empty expression");
    check_refused("{?}", 2, "empty variable name");
    check_refused("{a,}", 3, "empty variable name");
    check_refused("{?a,,b}", 4, "empty variable name");
    for operator in ["=", ",", "!", "@", "|"] {
        check_refused(&format!("{{{operator}a}}"), 1, "operator reserved by RFC 6570");
    }
    check_refused("{a:3}", 2, "prefix modifier of level 4 is not supported");
    check_refused("{?a,b*}", 5, "explode modifier of level 4 is not supported");
    for name in ["a-b", "a b", "a+b", "aé", "a\u{0}", "a$"] {
        check_refused(&format!("{{{name}}}"), 2, "invalid character in variable name");
    }
    for name in ["a.", "..a", "a..b"] {
        check_refused(&format!("{{/{name}}}"), 2, "misplaced dot in variable name");
    }
    for name in ["%", "%4", "a%zz"] {
        check_refused(&format!("{{{name}}}"), 1, "invalid percent triplet in variable name");
    }
    check_refused("{a}/{b,a}", 7, "variable used twice");
    check_refused("{a,a}", 3, "variable used twice");
    for literal in ["a b", "a\u{0}", "a\n", "a\u{7f}", "a\u{85}"] {
        check_refused(&format!("{literal}{{x}}"), 1, "space or control character in literal");
    }
}

#[test]
fn ambiguous_adjacency_is_refused() {
    let refused = [
        ("{a}", "{b}"),
        ("{a}", "{+b}"),
        ("{+a}", "{b}"),
        ("{+a}", "{?b}"),
        ("{+a}", "{/b}"),
        ("{#a}", "{b}"),
        ("{#a}", "{&b}"),
        ("{a}", "{.b}"),
        ("{/a}", "{.b}"),
        ("{/a}", "{b}"),
        ("{?a}", "{b}"),
        ("{?a}", "{&b}"),
        ("{?a}", "{?b}"),
        ("{;a}", "{;b}"),
        ("{&a}", "{&b}"),
        ("{a}{?b}", "{.c}"),
        ("{;a}{?b}", "{;c}"),
        ("{?a}{;b}", "{&c}"),
    ];
    for (before, after) in refused {
        let reason = "expression ambiguous after the one before it";
        check_refused(&format!("{before}{after}"), before.len(), reason);
    }
    for (before, after) in [("{a}{?b}", "x"), ("{a}{;b}", ".x"), ("{?a}{;b}", "&x")] {
        let reason = "literal ambiguous after an optional expression";
        check_refused(&format!("{before}{after}"), before.len(), reason);
    }
}

#[test]
fn limits_are_exact() {
    assert!(UriTemplate::parse(&"a".repeat(2048)).is_ok());
    check_refused(&"a".repeat(2049), 2048, "template longer than 2048 bytes");
    let list = |count: usize| (0..count).map(|n| format!("v{n}")).collect::<Vec<_>>().join(",");
    let (most, too_many) = (format!("{{?{}}}", list(32)), format!("{{?{}}}", list(33)));
    assert!(UriTemplate::parse(&most).is_ok());
    check_refused(&too_many, most.len(), "more than 32 variables");
}

#[test]
fn accessors_and_errors_read_well() {
    let parsed = UriTemplate::parse("test://{a,b}/{+c}{x").map_err(|error| error.to_string());
    assert_eq!(parsed.err().as_deref(), Some("unclosed brace at byte 17"));
    let parsed = UriTemplate::parse("test://{a,b}/{+c}").ok();
    assert_eq!(parsed.as_ref().map(UriTemplate::as_str), Some("test://{a,b}/{+c}"));
    let names = parsed.iter().flat_map(UriTemplate::variables);
    assert_eq!(names.collect::<Vec<_>>(), ["a", "b", "c"]);
}

#[test]
fn a_megabyte_of_hostility_is_harmless() {
    let repeated = |operator: &str, literal: &str| {
        let parts = (0..32).map(|n| format!("{{{operator}v{n}}}{literal}"));
        parts.collect::<String>()
    };
    let templates = "{x} {x,y} {+x,y} {/x,y} {.x,y} {;x,y} {?x,y} a{&x} {#x}/{y}";
    let worst = [repeated("", "-"), repeated("+", "2"), repeated("/", "")];
    let units = ", % / %2 %22 ../ a/ - 2 é ?x= &x=1 ;x \\ \u{0}";
    for unit in units.split(' ') {
        let uri = unit.repeat(1_000_000 / unit.len());
        for template in templates.split(' ').chain(worst.iter().map(String::as_str)) {
            let parsed = UriTemplate::parse(template);
            assert!(parsed.is_ok(), "{template}: {parsed:?}");
            let found = parsed.iter().find_map(|parsed| parsed.matches(&uri));
            let total = found.iter().flatten().map(|(_, value)| value.len());
            assert!(total.sum::<usize>() <= uri.len());
        }
    }
}

/// One expression to be expanded: operator, values (`None` is undefined) and the literal after it.
type Piece = (&'static str, Vec<Option<String>>, &'static str);

fn is_reserved(operator: &str) -> bool {
    matches!(operator, "+" | "#")
}

fn expand_value(operator: &str, value: &str) -> String {
    let kept = if is_reserved(operator) { "-._~:/?#[]@!$&'()*+,;=" } else { "-._~" };
    let encode = |byte: u8| match char::from(byte) {
        c if c.is_ascii_alphanumeric() || kept.contains(c) => c.to_string(),
        _ => format!("%{byte:02X}"),
    };
    value.bytes().map(encode).collect()
}

/// Expands as RFC 6570 does, except that `{+x}` encodes every percent sign: a triplet that passes
/// through unchanged could not be told from an encoded one.
fn expand(operator: &str, named: &[(String, Option<String>)]) -> String {
    let (prefix, separator) = match operator {
        "" | "+" => ("", ","),
        "#" => ("#", ","),
        "?" => ("?", "&"),
        same => (same, same),
    };
    let defined = named.iter().filter_map(|(name, value)| {
        let value = expand_value(operator, value.as_deref()?);
        Some(match operator {
            ";" if value.is_empty() => name.clone(),
            ";" | "?" | "&" => format!("{name}={value}"),
            _ => value,
        })
    });
    let defined = defined.collect::<Vec<_>>();
    if defined.is_empty() { String::new() } else { format!("{prefix}{}", defined.join(separator)) }
}

fn is_safe(operator: &str, value: &str) -> bool {
    let has_dots = |ends: &[char]| value.split(ends).any(|s| s == "." || s == "..");
    let is_plain = !value.contains(|c: char| c.is_control() || c == '\\');
    match is_reserved(operator) {
        true => is_plain && !has_dots(&['/', '?', '#']),
        false => is_plain && !value.contains('/') && !has_dots(&[]),
    }
}

/// Whether expansion keeps the end of each value recognisable.
fn is_recoverable((operator, values, _): &Piece) -> bool {
    let leading = values.iter().rev().skip(1).flatten();
    match *operator {
        "." => !values.iter().flatten().any(|value| value.contains('.')),
        "+" | "#" => !leading.into_iter().any(|value| value.contains(',')),
        _ => true,
    }
}

fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-c2]{1,4}",
        2 => "[a.%/?#,;&=v2 é-]{1,6}",
        1 => "[./\\\\\u{0}\n%]{1,3}",
        1 => "\\PC{1,5}",
    ]
}

fn piece() -> impl Strategy<Value = Piece> {
    let positional = prop::collection::vec(value().prop_map(Some), 1..4);
    let positional = (prop::sample::select(vec!["", "+", "#", ".", "/"]), positional);
    let optional = prop::option::of(prop_oneof![value(), Just(String::new())]);
    let optional = prop::collection::vec(optional, 1..4);
    let named = (prop::sample::select(vec![";", "?", "&"]), optional);
    let literal = prop::sample::select(vec!["", "/", "/v/", "/v2.", "/a-é"]);
    (prop_oneof![positional, named], literal)
        .prop_map(|((op, values), literal)| (op, values, literal))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Literals start with a slash here, which no value but a reserved one holds, so with at most
    /// one of those the matching rules have to find exactly the values that were put in.
    #[test]
    fn an_expanded_template_gives_its_values_back(pieces in prop::collection::vec(piece(), 1..5)) {
        prop_assume!(pieces.iter().filter(|piece| is_reserved(piece.0)).count() <= 1);
        prop_assume!(pieces.iter().all(is_recoverable));
        let (mut template, mut uri) = ("test://".to_owned(), "test://".to_owned());
        let (mut expected, mut all_safe, mut count) = (Vec::new(), true, 0);
        for (operator, values, literal) in pieces {
            let named = values.into_iter().enumerate();
            let named = named.map(|(index, value)| (format!("v{}", count + index), value));
            let named = named.collect::<Vec<_>>();
            let names = named.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(",");
            template += &format!("{{{operator}{names}}}{literal}");
            uri += &format!("{}{literal}", expand(operator, &named));
            count += named.len();
            for (name, value) in named {
                let Some(value) = value else { continue };
                all_safe &= is_safe(operator, &value);
                expected.push((name, value));
            }
        }
        if let Ok(parsed) = UriTemplate::parse(&template) {
            let found = parsed.matches(&uri).map(|found| {
                found.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<Vec<_>>()
            });
            prop_assert_eq!(found, all_safe.then_some(expected), "{} on {}", template, uri);
        }
    }

    #[test]
    fn no_template_and_no_uri_panics(
        template in "(\\{[+#./;?&]?[a-c](,[d-f])?\\}|[{}]|[-/.2a%é?&;,]){0,8}",
        uri in prop_oneof!["[-/.2a-f%é?&;,=#\\\\ \u{0}]{0,24}", "\\PC{0,16}", any::<String>()],
    ) {
        if let Ok(parsed) = UriTemplate::parse(&template) {
            for (_, value) in parsed.matches(&uri).unwrap_or_default() {
                prop_assert!(is_safe("+", &value) || is_safe("", &value), "{:?}", value);
            }
        }
        let _ = UriTemplate::parse(&uri);
    }
}
