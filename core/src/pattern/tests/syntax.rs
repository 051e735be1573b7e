use super::{Both, compiled};

/// Each row: a pattern, texts that match, and texts that do not.
type Row = (&'static str, &'static [&'static str], &'static [&'static str]);

fn check(rows: &[Row]) {
    for (source, matching, others) in rows {
        let pattern = Both::new(source);
        for text in *matching {
            assert!(pattern.is_match(text), "{source} must match {text:?}");
        }
        for text in *others {
            assert!(!pattern.is_match(text), "{source} must not match {text:?}");
        }
    }
}

#[test]
fn matches_anywhere_unless_anchored() {
    check(&[
        ("", &["", "a"], &[]),
        ("b", &["b", "abc", "aab"], &["", "ac"]),
        ("^b", &["b", "bc"], &["ab", "", "a\nb"]),
        ("b$", &["b", "ab"], &["bc", "", "b\n"]),
        ("^b$", &["b"], &["", "bb", "ab", "ba", "b\n"]),
        ("^$", &[""], &["a", "\n"]),
        ("$^", &[""], &["a"]),
        ("a^b", &[], &["ab", "a^b", "a\nb"]),
        ("a$b", &[], &["ab", "a$b", "a\nb"]),
        ("^a|b$", &["ax", "xb"], &["xa", "bx"]),
        ("(^a|b)c", &["acx", "xbc"], &["xac"]),
        ("(?:^|,)a(?:,|$)", &["a", "b,a", "a,b", "b,a,c"], &["ba", "ab", "b,ab"]),
    ]);
}

#[test]
fn groups_and_alternatives() {
    check(&[
        ("^(?:ab|cd|)$", &["ab", "cd", ""], &["abcd", "a", "d"]),
        ("^(a|b(c|d)e)f$", &["af", "bcef", "bdef"], &["bef", "f"]),
        ("^(?<year>\\d{4})$", &["2024"], &["24"]),
        ("^(?P<year>\\d{4})$", &["2024"], &["24"]),
        ("^(?<été_$1>x)$", &["x"], &["y"]),
        ("^()$", &[""], &["a"]),
        ("^(|a)+$", &["", "a", "aaa"], &["b"]),
        ("^(a*)*$", &["", "aaa"], &["b", "aab"]),
        ("^(a*)+b$", &["b", "aaab"], &["a", ""]),
        ("^(?:a?){3}$", &["", "a", "aaa"], &["aaaa"]),
        ("|", &["", "x"], &[]),
        ("^(?:a||b)c$", &["ac", "c", "bc"], &["abc"]),
    ]);
}

#[test]
fn quantifiers() {
    check(&[
        ("^a*$", &["", "a", "aaaa"], &["b", "ab"]),
        ("^a+$", &["a", "aaaa"], &["", "b"]),
        ("^a?$", &["", "a"], &["aa"]),
        ("^a{3}$", &["aaa"], &["aa", "aaaa"]),
        ("^a{2,}$", &["aa", "aaaaa"], &["a", ""]),
        ("^a{2,3}$", &["aa", "aaa"], &["a", "aaaa"]),
        ("^a{0}$", &[""], &["a"]),
        ("^a{0,0}b$", &["b"], &["ab"]),
        ("^a{0,}$", &["", "aaa"], &["b"]),
        ("^(ab|c){2}$", &["abab", "abc", "cc"], &["ab", "ccc"]),
        ("^(a{2}){2,3}$", &["aaaa", "aaaaaa"], &["aa", "aaa", "aaaaa", "aaaaaaaa"]),
        ("^(){99999999}$", &[""], &["a"]),
        ("^a*?b+?c??d{1,2}?$", &["bd", "aabbcdd"], &["ad", "bddd"]),
        ("^a{00002}$", &["aa"], &["a", "aaa"]),
    ]);
}

#[test]
fn classes() {
    check(&[
        ("^[abc]$", &["a", "b", "c"], &["d", "", "ab"]),
        ("^[a-c]$", &["a", "b", "c"], &["d", "-"]),
        ("^[^a-c]$", &["d", "é", "😀", "\n"], &["a", "b", ""]),
        ("^[^]$", &["a", "\n", "😀"], &[""]),
        ("[]", &[], &["", "a"]),
        ("^[]?$", &[""], &["a"]),
        ("^[-a]$", &["-", "a"], &["b"]),
        ("^[a-]$", &["-", "a"], &["b"]),
        ("^[a-c-e]$", &["a", "b", "-", "e"], &["d"]),
        ("^[+--]$", &["+", ",", "-"], &["."]),
        ("^[\\w-.]$", &["a", "_", "-", "."], &[",", "/"]),
        ("^[+-\\d]$", &["+", "-", "7"], &[",", "a"]),
        ("^[\\d-\\w]$", &["-", "x"], &["."]),
        ("^[a^]$", &["a", "^"], &["b"]),
        ("^[\\]\\[\\\\\\-\\^]$", &["]", "[", "\\", "-", "^"], &["a"]),
        ("^[[]$", &["["], &["]"]),
        ("^[[::]x]$", &["[x]", ":x]"], &["x]"]),
        ("^[[:]$", &["[", ":"], &["]"]),
        ("^[.$|()*+?{}]$", &[".", "$", "|", "(", ")", "*", "+", "?", "{", "}"], &["a"]),
        ("^[\\b]$", &["\u{8}"], &["b"]),
        ("^[^\\d\\s]+$", &["ab"], &["a1", "a ", ""]),
        ("^[\\D]$", &["a", "é"], &["1"]),
        ("^[\\s\\S]$", &["a", "\n", "😀"], &["", "ab"]),
        ("^[α-ω]+$", &["λ", "αβγω"], &["Ω", "a"]),
        ("^[\\u{1F600}-\\u{1F64F}]$", &["😀", "🙏"], &["🚀", "a"]),
        ("^[\\uD83D\\uDE00-\\uD83D\\uDE4F]$", &["😀", "🙏"], &["🚀", "\u{D7FF}"]),
        ("^[^\\uD800-\\uDFFF]$", &["😀", "a", "\u{D7FF}", "\u{E000}"], &["", "ab"]),
    ]);
}

#[test]
fn escapes() {
    check(&[
        ("^\\d$", &["0", "9"], &["a", "٣", "/", ":"]),
        ("^\\D$", &["a", "٣"], &["0"]),
        ("^\\w$", &["a", "Z", "_", "5"], &["é", "-", "@", "[", "`", "{", "ſ"]),
        ("^\\W$", &["é", "-", "ſ", "\u{212a}"], &["a", "_"]),
        (
            "^\\s$",
            &[
                "\t", "\n", "\u{b}", "\u{c}", "\r", " ", "\u{a0}", "\u{1680}", "\u{2000}",
                "\u{200a}", "\u{2028}", "\u{2029}", "\u{202f}", "\u{205f}", "\u{3000}", "\u{feff}",
            ],
            &["a", "\u{85}", "\u{200b}", "\u{180e}", "\u{1c}", "\u{8}", "\u{e}"],
        ),
        ("^\\S$", &["a", "\u{85}"], &[" ", "\u{feff}"]),
        ("^.$", &["a", "é", "😀", "\u{85}", "\0"], &["\n", "\r", "\u{2028}", "\u{2029}", ""]),
        ("^\\t\\n\\v\\f\\r\\0$", &["\t\n\u{b}\u{c}\r\0"], &["tnvfr0"]),
        ("^\\x41\\x7a\\xe9$", &["Azé"], &["x41"]),
        ("^\\u0041\\u00E9$", &["Aé"], &["u0041"]),
        ("^\\uD83D\\uDE00$", &["😀"], &["\u{fffd}"]),
        ("^\\u{41}\\u{0001F600}\\u{0}$", &["A😀\0"], &["A"]),
        ("\\uD83D", &[], &["😀", "\u{fffd}"]),
        ("\\uD83D\\u0041", &[], &["😀", "A"]),
        ("^\\cJ\\ca$", &["\n\u{1}"], &["cJ"]),
        ("^\\^\\$\\\\\\.\\*\\+\\?\\(\\)\\[\\]\\{\\}\\|\\/$", &["^$\\.*+?()[]{}|/"], &["a"]),
        (
            "^\\-\\_\\@\\:\\#\\ \\'\\\"\\<\\>\\%\\&\\,\\;\\=\\~\\`\\!$",
            &["-_@:# '\"<>%&,;=~`!"],
            &["-"],
        ),
        ("^\\é$", &["é"], &["e"]),
    ]);
}

#[test]
fn word_boundaries() {
    check(&[
        ("\\bcat\\b", &["cat", "a cat.", "é cat", "écaté"], &["cats", "concat", "cat_"]),
        ("\\Bcat\\B", &["scats"], &["cat", "a cat.", "cats", "concat", "écaté"]),
        ("^\\b$", &[], &["", "a"]),
        ("^\\B$", &[""], &["a"]),
        ("\\b", &["a", " a", "é_"], &["", " ", "é"]),
        ("\\B", &["", " ", "ab", "é", " a b "], &["a"]),
        ("a\\b-", &["a-"], &["a", "aa"]),
        ("(?:\\b|x)y", &["y", " y", "xy"], &["ay"]),
        ("^\\b\\ba", &["a"], &[" a"]),
        ("\\b^a", &["a"], &[" a", "-a"]),
        ("a$\\b", &["a", "ba"], &["a "]),
        ("-$\\B", &["-", "a-"], &["-a"]),
        ("(?:\\b){2}a", &["a", "-a"], &["_a"]),
        ("(?:\\ba|\\B-)+$", &["a", " a", "--", "xa--"], &["xa", "x-"]),
    ]);
}

#[test]
fn braces_and_brackets_that_mean_nothing_stand_for_themselves() {
    check(&[
        ("^a]$", &["a]"], &["a"]),
        ("^a}$", &["a}"], &["a"]),
        ("^{$", &["{"], &[""]),
        ("^a{$", &["a{"], &["a"]),
        ("^a{1$", &["a{1"], &["a"]),
        ("^a{1,$", &["a{1,"], &["a"]),
        ("^a{x}$", &["a{x}"], &["a"]),
        ("^a{ 1}$", &["a{ 1}"], &["a"]),
        ("^{{name}}$", &["{{name}}"], &["name"]),
        ("^a{1,2$", &["a{1,2"], &["aa"]),
        ("^a{}$", &["a{}"], &["a"]),
        ("^a{,}$", &["a{,}"], &["a"]),
        ("^a{1,x}$", &["a{1,x}"], &["a"]),
    ]);
}

#[test]
fn properties() {
    check(&[
        (r"^\p{L}+$", &["aéß漢"], &["1", "", "Ⅷ"]),
        (r"^[\p{L}\p{N}_ -]+$", &["Größe 漢-٣_Ⅷ"], &["a.b", "😀"]),
        (r"^\p{Lu}\P{Lu}$", &["Éa", "É1"], &["ÉA", "aa"]),
        (r"^\p{General_Category=Decimal_Number}\p{gc=Sc}$", &["٣€"], &["a€", "3a"]),
        ("^\\p{L}+$", &["aéß漢"], &["1", "", "Ⅷ"]),
        ("^\\p{Lu}$", &["A", "É", "Ω"], &["a", "1"]),
        ("^\\p{Ll}$", &["a", "é"], &["A", "漢"]),
        ("^\\P{Ll}$", &["A", "漢"], &["a"]),
        ("^[\\p{Lu}\\d_]+$", &["É1_"], &["é"]),
        ("^\\p{White_Space}$", &[" ", "\u{85}"], &["\u{feff}", "a"]),
        ("^\\p{ASCII}$", &["a", "\x7f"], &["\u{80}"]),
        ("^\\p{Any}$", &["a", "😀", "\n"], &[""]),
    ]);
}

#[test]
fn patterns_from_the_field() {
    check(&[
        (
            "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-5][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$",
            &["123e4567-e89b-12d3-a456-426614174000"],
            &["123e4567-e89b-12d3-a456-42661417400", "g23e4567-e89b-12d3-a456-426614174000"],
        ),
        (
            "^[\\w-\\.]+@([\\w-]+\\.)+[\\w-]{2,4}$",
            &["jane.doe@example.com", "a-b@c.d.org"],
            &["jane@", "jane@example", "@example.com"],
        ),
        (
            "^(25[0-5]|2[0-4]\\d|1?\\d?\\d)(\\.(25[0-5]|2[0-4]\\d|1?\\d?\\d)){3}$",
            &["127.0.0.1", "255.255.255.255"],
            &["256.0.0.1", "1.2.3", "1.2.3.4.5"],
        ),
        (
            "^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(?:-((?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\\.(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\\+([0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*))?$",
            &["1.2.3", "1.0.0-alpha.1", "1.0.0-0A.is.legal", "1.0.0+build.5"],
            &["1.2", "01.2.3", "1.0.0-01", "1.0.0-"],
        ),
        ("^x-", &["x-a"], &["ax-"]),
        ("^\\$\\{[A-Z_]+\\}$", &["${HOME}"], &["$HOME"]),
    ]);
}

#[test]
fn refuses_what_is_not_a_pattern() {
    for (source, offset, words) in [
        ("*a", 0, "nothing to repeat"),
        ("a|*", 2, "nothing to repeat"),
        ("(+)", 1, "nothing to repeat"),
        ("{1}", 0, "nothing to repeat"),
        ("^*", 1, "nothing to repeat"),
        ("a\\b+", 3, "nothing to repeat"),
        ("a**", 2, "nothing to repeat"),
        ("a{1}{2}", 4, "nothing to repeat"),
        ("a*??", 3, "nothing to repeat"),
        ("a*+", 2, "possessive"),
        ("a{2}+", 4, "possessive"),
        ("a++", 2, "possessive"),
        ("a{2,1}", 1, "out of order"),
        ("a{,2}", 1, "{0,n}"),
        ("{,2}", 0, "{0,n}"),
        ("a)", 1, "nothing is open"),
        ("b(a", 1, "not closed"),
        ("(a(b)", 0, "not closed"),
        ("a[bc", 1, "not closed"),
        ("[a-", 0, "not closed"),
        ("[z-a]", 1, "out of order"),
        ("[\\B]", 1, "\\B"),
        ("[[:alpha:]]", 1, "[:alpha:]"),
        ("[a[:^digit:]]", 2, "[:alpha:]"),
        ("a\\", 1, "nothing follows"),
        ("\\A", 0, "write ^"),
        ("\\Z", 0, "write $"),
        ("\\z", 0, "write $"),
        ("\\h", 0, "\\h does not exist"),
        ("[\\e]", 1, "\\e does not exist"),
        ("\\01", 0, "octal"),
        ("[\\1]", 1, "octal"),
        ("\\x4", 0, "two hex digits"),
        ("\\x+1", 0, "two hex digits"),
        ("\\u12", 0, "four hex digits"),
        ("\\u12é", 0, "four hex digits"),
        ("\\u{110000}", 0, "10FFFF"),
        ("\\u{}", 0, "10FFFF"),
        ("\\u{+1}", 0, "10FFFF"),
        ("\\u{1", 0, "10FFFF"),
        ("\\c1", 0, "letter"),
        ("\\p", 0, "property"),
        ("\\pL", 0, "property"),
        ("(?i)a", 0, "inline flags"),
        ("(?>a)", 0, "unknown kind of group"),
        ("(?#a)", 0, "unknown kind of group"),
        ("(?<1a>b)", 3, "group name"),
        ("(?<>b)", 3, "group name"),
        ("(?<ab)", 3, "group name"),
        ("(?P=a)", 0, "unknown kind of group"),
        ("(?", 0, "unknown kind of group"),
    ] {
        let error = compiled(source).expect_err(source);
        assert!(error.to_string().contains(words), "{source}: {error}");
        assert_eq!(error.offset(), offset, "{source}: {error}");
        assert!(!error.is_unsupported() && !error.is_too_large(), "{source}: {error}");
    }
}

#[test]
fn refuses_by_name_what_it_does_not_do() {
    for (source, offset, words) in [
        ("a(?=b)", 1, "look-ahead"),
        ("(?!b)", 0, "look-ahead"),
        ("(?<=b)", 0, "look-behind"),
        ("(?<!b)", 0, "look-behind"),
        ("(a)\\1", 3, "backreferences"),
        ("(?<n>a)\\k<n>", 7, "backreferences"),
        ("(?i:a)", 0, "modifiers"),
        ("(?-i:a)", 0, "modifiers"),
        ("\\p{Script=Greek}", 0, "property"),
    ] {
        let error = compiled(source).expect_err(source);
        assert!(error.to_string().contains(words), "{source}: {error}");
        assert_eq!(error.offset(), offset, "{source}: {error}");
        assert!(error.is_unsupported(), "{source}: {error}");
    }
}
