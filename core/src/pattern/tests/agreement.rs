//! The engines agree with each other and with the `regex` crate, on patterns that are generated as
//! trees so that both dialects can write them.

use proptest::prelude::*;

use super::{Both, compiled};

#[derive(Clone, Debug)]
enum Node {
    Literal(char),
    Dot,
    Shorthand(char),
    Set(bool, Vec<SetItem>),
    Assertion(&'static str),
    Sequence(Vec<Node>),
    Branches(Vec<Node>),
    Repeated(Box<Node>, &'static str),
    Captured(Box<Node>),
}

#[derive(Clone, Debug)]
enum SetItem {
    Range(char, char),
    Shorthand(char),
}

/// The characters of patterns and texts: few enough to meet, and one of each kind that matters.
const CHARACTERS: [char; 16] =
    ['a', 'b', 'c', 'A', '0', '9', '_', '-', ']', ' ', '\n', '\u{85}', 'é', '漢', '😀', '\u{2028}'];
const QUANTIFIERS: [&str; 12] =
    ["*", "+", "?", "*?", "+?", "??", "{2}", "{0,2}", "{1,3}?", "{2,}", "{0}", "{3,7}"];
const SPACE: &str = r"\t\n\x0B\x0C\r \x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}";

/// What a shorthand means in ECMA-262, as the crate writes it.
fn expansion(letter: char) -> String {
    let members = match letter.to_ascii_lowercase() {
        'd' => "0-9",
        'w' => "0-9A-Za-z_",
        _ => SPACE,
    };
    format!("[{}{members}]", if letter.is_uppercase() { "^" } else { "" })
}

impl Node {
    fn ecma(&self) -> String {
        match self {
            Node::Literal(character) => escaped_for_ecma(*character),
            Node::Dot => ".".to_owned(),
            Node::Shorthand(letter) => format!("\\{letter}"),
            Node::Set(negated, items) => {
                let items: String = items.iter().map(SetItem::ecma).collect();
                format!("[{}{items}]", if *negated { "^" } else { "" })
            }
            Node::Assertion(assertion) => (*assertion).to_owned(),
            Node::Sequence(nodes) => {
                nodes.iter().map(|node| format!("(?:{})", node.ecma())).collect()
            }
            Node::Branches(nodes) => nodes.iter().map(Node::ecma).collect::<Vec<_>>().join("|"),
            Node::Repeated(node, quantifier) => format!("(?:{}){quantifier}", node.ecma()),
            Node::Captured(node) => format!("({})", node.ecma()),
        }
    }

    fn theirs(&self) -> String {
        match self {
            Node::Literal(character) => format!("\\x{{{:X}}}", u32::from(*character)),
            Node::Dot => r"[^\n\r\x{2028}\x{2029}]".to_owned(),
            Node::Shorthand(letter) => expansion(*letter),
            Node::Set(negated, items) if items.is_empty() => {
                (if *negated { r"[\s\S]" } else { r"[^\s\S]" }).to_owned()
            }
            Node::Set(negated, items) => {
                let items: String = items.iter().map(SetItem::theirs).collect();
                format!("[{}{items}]", if *negated { "^" } else { "" })
            }
            Node::Assertion("^") => r"\A".to_owned(),
            Node::Assertion("$") => r"\z".to_owned(),
            Node::Assertion(word_boundary) => format!("(?-u:{word_boundary})"),
            Node::Sequence(nodes) => {
                nodes.iter().map(|node| format!("(?:{})", node.theirs())).collect()
            }
            Node::Branches(nodes) => nodes.iter().map(Node::theirs).collect::<Vec<_>>().join("|"),
            Node::Repeated(node, quantifier) => format!("(?:{}){quantifier}", node.theirs()),
            Node::Captured(node) => format!("({})", node.theirs()),
        }
    }

    /// Appends a text that matches, but for assertions; `dice` decides where there is a choice.
    fn sample(&self, dice: &mut u64, out: &mut String) {
        match self {
            Node::Literal(character) => out.push(*character),
            Node::Set(false, items) => match items.get(roll(dice, items.len())) {
                Some(SetItem::Range(first, _)) => out.push(*first),
                _ => out.push('9'),
            },
            Node::Dot | Node::Shorthand(_) | Node::Set(..) => {
                out.push(CHARACTERS[roll(dice, CHARACTERS.len())]);
            }
            Node::Assertion(_) => {}
            Node::Sequence(nodes) => nodes.iter().for_each(|node| node.sample(dice, out)),
            Node::Branches(nodes) => {
                if let Some(node) = nodes.get(roll(dice, nodes.len())) {
                    node.sample(dice, out);
                }
            }
            Node::Repeated(node, quantifier) => {
                let range = match quantifier.as_bytes() {
                    [b'*', ..] => 0..=3,
                    [b'+', ..] => 1..=3,
                    [b'?', ..] => 0..=1,
                    [b'{', least, b'}', ..] => least - b'0'..=least - b'0',
                    [b'{', least, b',', most @ b'0'..=b'9', ..] => least - b'0'..=most - b'0',
                    _ => 2..=4,
                };
                let choices = usize::from(range.end() - range.start()) + 1;
                for _ in 0..usize::from(*range.start()) + roll(dice, choices) {
                    node.sample(dice, out);
                }
            }
            Node::Captured(node) => node.sample(dice, out),
        }
    }
}

impl SetItem {
    fn ecma(&self) -> String {
        match self {
            SetItem::Range(first, last) if first == last => escaped_for_ecma(*first),
            SetItem::Range(first, last) => {
                format!("{}-{}", escaped_for_ecma(*first), escaped_for_ecma(*last))
            }
            SetItem::Shorthand(letter) => format!("\\{letter}"),
        }
    }

    fn theirs(&self) -> String {
        match self {
            SetItem::Range(first, last) => {
                format!("\\x{{{:X}}}-\\x{{{:X}}}", u32::from(*first), u32::from(*last))
            }
            SetItem::Shorthand(letter) => expansion(*letter),
        }
    }
}

/// A character in one of its spellings.
fn escaped_for_ecma(character: char) -> String {
    match character {
        'b' => r"\x62".to_owned(),
        'c' => r"\u0063".to_owned(),
        '\n' => r"\n".to_owned(),
        '漢' => r"\u{6f22}".to_owned(),
        '😀' => r"\uD83D\uDE00".to_owned(),
        '-' | ']' => format!("\\{character}"),
        _ => character.to_string(),
    }
}

/// A number below `sides`, or 0.
fn roll(dice: &mut u64, sides: usize) -> usize {
    *dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    ((*dice >> 33) as usize).checked_rem(sides).unwrap_or(0)
}

fn character() -> impl Strategy<Value = char> {
    proptest::sample::select(&CHARACTERS[..])
}

fn shorthand() -> impl Strategy<Value = char> {
    proptest::sample::select(&['d', 'D', 'w', 'W', 's', 'S'][..])
}

fn node() -> impl Strategy<Value = Node> {
    let range = (character(), character()).prop_map(|(a, b)| SetItem::Range(a.min(b), a.max(b)));
    let item = prop_oneof![3 => range, 1 => shorthand().prop_map(SetItem::Shorthand)];
    let set = (any::<bool>(), proptest::collection::vec(item, 0..4));
    let assertion = proptest::sample::select(&["^", "$", r"\b", r"\B"][..]);
    let leaf = prop_oneof![
        6 => character().prop_map(Node::Literal),
        1 => Just(Node::Dot),
        1 => shorthand().prop_map(Node::Shorthand),
        3 => set.prop_map(|(negated, items)| Node::Set(negated, items)),
        2 => assertion.prop_map(Node::Assertion),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            4 => proptest::collection::vec(inner.clone(), 0..5).prop_map(Node::Sequence),
            2 => proptest::collection::vec(inner.clone(), 1..4).prop_map(Node::Branches),
            3 => (inner.clone(), proptest::sample::select(&QUANTIFIERS[..]))
                .prop_map(|(node, quantifier)| Node::Repeated(Box::new(node), quantifier)),
            1 => inner.prop_map(|node| Node::Captured(Box::new(node))),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn agrees_with_the_regex_crate(
        node in node(),
        texts in proptest::collection::vec(
            proptest::collection::vec(character(), 0..12)
                .prop_map(|text| text.into_iter().collect::<String>()),
            4,
        ),
        mut dice in any::<u64>(),
        anchored in any::<bool>(),
    ) {
        let (mut ours, mut theirs) = (node.ecma(), node.theirs());
        if anchored {
            ours = format!("^(?:{ours})$");
            theirs = format!(r"\A(?:{theirs})\z");
        }
        let pattern = Both::new(&ours);
        // Of bytes, because the crate has no ASCII \B for text.
        let judge = regex::bytes::Regex::new(&theirs).unwrap();
        let samples = (0..4).map(|_| {
            let mut text = String::new();
            node.sample(&mut dice, &mut text);
            text
        });
        for text in texts.into_iter().chain(samples) {
            let found = pattern.is_match(&text);
            // Between two bytes of one character the judge sees no boundary, but there is no position.
            if text.is_ascii() || !ours.contains(r"\B") {
                prop_assert_eq!(found, judge.is_match(text.as_bytes()), "{} on {:?}", ours, text);
            }
        }
    }

    #[test]
    fn any_text_is_a_pattern_or_an_error(
        source in r"([\[\](){}?*+|^$.\\,:<>=!-]|[a-zA-Z0-9]|\\[a-zA-Z]|[éẞ😀]){0,24}",
        text in any::<String>(),
    ) {
        match compiled(&source) {
            Ok(_) => {
                Both::new(&source).is_match(&text);
            }
            Err(error) => {
                prop_assert!(source.is_char_boundary(error.offset()), "{}: {}", source, error);
            }
        }
    }
}
