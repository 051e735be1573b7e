//! The input schemas of the tools, written without white space, as the engine lists them.

/// Two properties, for small calls.
pub(crate) const SMALL: &str = r#"{"type":"object","properties":{"text":{"type":"string","maxLength":200},"count":{"type":"integer","minimum":0,"maximum":100}},"required":["text"],"additionalProperties":false}"#;

/// One string of any length.
pub(crate) const LONG_TEXT: &str = r#"{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}"#;

/// Twenty properties: enumerations, bounds, a pattern, an array of strings, a nested object.
pub(crate) const TWENTY: &str = concat!(
    r#"{"type":"object","properties":{"#,
    r#""title":{"type":"string","minLength":1,"maxLength":120},"#,
    r#""slug":{"type":"string","pattern":"^[a-z0-9-]{3,40}$"},"#,
    r#""status":{"type":"string","enum":["draft","review","published","archived"]},"#,
    r#""priority":{"type":"integer","minimum":1,"maximum":5},"#,
    r#""score":{"type":"number","minimum":0,"maximum":1},"#,
    r#""author":{"type":"string","maxLength":64},"#,
    r#""email":{"type":"string","minLength":3,"maxLength":254},"#,
    r#""language":{"type":"string","enum":["de","en","fr","ja"]},"#,
    r#""created":{"type":"string","maxLength":30},"#,
    r#""updated":{"type":"string","maxLength":30},"#,
    r#""tags":{"type":"array","items":{"type":"string","maxLength":24},"maxItems":10},"#,
    r#""address":{"type":"object","properties":{"street":{"type":"string"},"#,
    r#""city":{"type":"string"},"zip":{"type":"string","maxLength":10},"#,
    r#""country":{"type":"string","enum":["DE","FR","JP","NO","US"]}},"#,
    r#""required":["street","city"],"additionalProperties":false},"#,
    r#""visible":{"type":"boolean"},"#,
    r#""pinned":{"type":"boolean"},"#,
    r#""views":{"type":"integer","minimum":0},"#,
    r#""ratio":{"type":"number","exclusiveMinimum":0,"maximum":10},"#,
    r#""category":{"type":"string","enum":["news","guide","reference","story"]},"#,
    r#""summary":{"type":"string","maxLength":500},"#,
    r#""parent":{"type":["integer","null"]},"#,
    r#""channel":{"type":"string","maxLength":32}},"#,
    r#""required":["title","slug","status","priority","author","tags","address","visible"],"#,
    r#""additionalProperties":false}"#,
);

/// The same twenty properties, with `anyOf`, `$ref` and patterns where they fit.
pub(crate) const COMBINED: &str = concat!(
    r##"{"type":"object","properties":{"##,
    r##""title":{"$ref":"#/$defs/line"},"##,
    r##""slug":{"type":"string","pattern":"^[a-z0-9-]{3,40}$"},"##,
    r##""status":{"type":"string","enum":["draft","review","published","archived"]},"##,
    r##""priority":{"anyOf":[{"type":"string","enum":["low","high"]},{"type":"integer","minimum":1,"maximum":5}]},"##,
    r##""score":{"type":"number","minimum":0,"maximum":1},"##,
    r##""author":{"$ref":"#/$defs/line"},"##,
    r##""email":{"type":"string","pattern":"^[^@ ]+@[^@ ]+$"},"##,
    r##""language":{"type":"string","pattern":"^[a-z]{2}$"},"##,
    r##""created":{"$ref":"#/$defs/time"},"##,
    r##""updated":{"$ref":"#/$defs/time"},"##,
    r##""tags":{"type":"array","items":{"$ref":"#/$defs/tag"},"maxItems":10},"##,
    r##""address":{"anyOf":[{"type":"string"},{"$ref":"#/$defs/address"}]},"##,
    r##""visible":{"type":"boolean"},"##,
    r##""pinned":{"type":"boolean"},"##,
    r##""views":{"type":"integer","minimum":0},"##,
    r##""ratio":{"type":"number","exclusiveMinimum":0,"maximum":10},"##,
    r##""category":{"type":"string","enum":["news","guide","reference","story"]},"##,
    r##""summary":{"type":"string","maxLength":500},"##,
    r##""parent":{"anyOf":[{"type":"null"},{"type":"integer","minimum":1}]},"##,
    r##""channel":{"$ref":"#/$defs/tag"}},"##,
    r##""required":["title","slug","status","priority","author","tags","address","visible"],"##,
    r##""additionalProperties":false,"##,
    r##""$defs":{"line":{"type":"string","minLength":1,"maxLength":120},"##,
    r##""tag":{"type":"string","pattern":"^[a-z][a-z0-9-]*$"},"##,
    r##""time":{"type":"string","pattern":"^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}Z$"},"##,
    r##""address":{"type":"object","properties":{"street":{"type":"string"},"##,
    r##""city":{"type":"string"},"zip":{"type":"string","pattern":"^[0-9]{4,6}$"},"##,
    r##""country":{"type":"string","enum":["DE","FR","JP","NO","US"]}},"##,
    r##""required":["street","city"],"additionalProperties":false}}}"##,
);

/// About five hundred bytes, for lists.
pub(crate) const LISTED: &str = concat!(
    r#"{"type":"object","properties":{"#,
    r#""query":{"type":"string","description":"What to look for, in plain words.","minLength":1},"#,
    r#""limit":{"type":"integer","description":"How many results at most.","minimum":1,"maximum":100,"default":10},"#,
    r#""order":{"type":"string","description":"What comes first.","enum":["newest","oldest","relevance"]},"#,
    r#""fields":{"type":"array","description":"Which fields to return.","items":{"type":"string","maxLength":40}}},"#,
    r#""required":["query"],"additionalProperties":false}"#,
);
