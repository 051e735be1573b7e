//! Noticing that an object says the same name twice.

use std::borrow::Cow;

use crate::json::Str;

/// Member names seen in one object, compared as the text they stand for.
///
/// A handful is kept in place. A crowd, which no honest message has, is sorted once at the end, so
/// that the cost stays near linear whatever names an attacker picks.
#[derive(Default)]
pub(crate) struct Names<'a> {
    few: [Option<Str<'a>>; FEW],
    count: usize,
    crowd: Vec<Cow<'a, str>>,
    twice: bool,
}

const FEW: usize = 8;

impl<'a> Names<'a> {
    pub(crate) fn add(&mut self, name: Str<'a>) {
        if let Some(slot) = self.few.get_mut(self.count) {
            *slot = Some(name);
            let earlier = self.few.iter().take(self.count).flatten();
            self.twice |= earlier.into_iter().any(|seen| same(*seen, name));
            self.count += 1;
        } else {
            self.crowd.push(name.decode());
        }
    }

    pub(crate) fn has_duplicate(mut self) -> bool {
        if self.twice || self.crowd.is_empty() {
            return self.twice;
        }
        self.crowd.extend(self.few.iter().flatten().map(|name| name.decode()));
        self.crowd.sort_unstable();
        self.crowd.windows(2).any(|pair| pair.first() == pair.last())
    }
}

fn same(one: Str<'_>, two: Str<'_>) -> bool {
    match (one.plain(), two.plain()) {
        (Some(one), Some(two)) => one == two,
        _ => one.decode() == two.decode(),
    }
}
