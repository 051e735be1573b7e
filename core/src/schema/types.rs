//! The types that JSON Schema gives to values, as a set.

/// A set of types. Integers and other numbers are apart, so that `number` is both of them and sets
/// unite and intersect bit by bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Types(u8);

impl Types {
    pub(super) const NULL: Types = Types(1);
    pub(super) const BOOLEAN: Types = Types(2);
    pub(super) const INTEGER: Types = Types(4);
    pub(super) const FRACTION: Types = Types(8);
    pub(super) const STRING: Types = Types(16);
    pub(super) const ARRAY: Types = Types(32);
    pub(super) const OBJECT: Types = Types(64);
    pub(super) const NUMBER: Types = Types(4 | 8);
    pub(super) const NONE: Types = Types(0);
    pub(super) const ANY: Types = Types(127);

    /// The type of that name in a schema.
    pub(super) fn named(name: &str) -> Option<Types> {
        Some(match name {
            "null" => Types::NULL,
            "boolean" => Types::BOOLEAN,
            "integer" => Types::INTEGER,
            "number" => Types::NUMBER,
            "string" => Types::STRING,
            "array" => Types::ARRAY,
            "object" => Types::OBJECT,
            _ => return None,
        })
    }

    #[inline]
    pub(super) fn contains(self, other: Types) -> bool {
        self.0 & other.0 == other.0
    }

    #[inline]
    pub(super) fn meets(self, other: Types) -> bool {
        self.0 & other.0 != 0
    }

    pub(super) fn union(self, other: Types) -> Types {
        Types(self.0 | other.0)
    }

    pub(super) fn intersection(self, other: Types) -> Types {
        Types(self.0 & other.0)
    }

    /// The same with each kind of number standing for all of them: what the first byte of a value
    /// can tell apart.
    pub(super) fn by_first_byte(self) -> Types {
        if self.meets(Types::NUMBER) { self.union(Types::NUMBER) } else { self }
    }

    /// The kinds of values that the first byte tells apart.
    pub(super) const FIRST_BYTES: [Types; 6] =
        [Types::NULL, Types::BOOLEAN, Types::NUMBER, Types::STRING, Types::ARRAY, Types::OBJECT];

    /// Where a value that starts with `byte` stands in `FIRST_BYTES`.
    #[inline]
    pub(super) fn index_of_first_byte(byte: u8) -> Option<usize> {
        match byte {
            b'n' => Some(0),
            b't' | b'f' => Some(1),
            b'-' | b'0'..=b'9' => Some(2),
            b'"' => Some(3),
            b'[' => Some(4),
            b'{' => Some(5),
            _ => None,
        }
    }

    /// "a string", "an integer or null" and so on.
    pub(super) fn describe(self) -> String {
        let named = [
            (Types::STRING, "a string"),
            (Types::NUMBER, "a number"),
            (Types::INTEGER, "an integer"),
            (Types::FRACTION, "a number with a fraction"),
            (Types::BOOLEAN, "a boolean"),
            (Types::OBJECT, "an object"),
            (Types::ARRAY, "an array"),
            (Types::NULL, "null"),
        ];
        let mut left = self;
        let mut names = Vec::new();
        for (types, name) in named {
            if left.contains(types) {
                left = Types(left.0 & !types.0);
                names.push(name);
            }
        }
        match names.split_last() {
            None => "nothing".to_owned(),
            Some((last, [])) => (*last).to_owned(),
            Some((last, others)) => format!("{} or {last}", others.join(", ")),
        }
    }
}
