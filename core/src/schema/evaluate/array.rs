//! Arrays.

use super::super::arena::{ArrayRules, Contains, TRUE};
use super::super::equality::{digest, equal};
use super::super::message::{counted, shown};
use super::super::report::{Report, Stop};
use super::evaluator::{Evaluator, Seen};
use crate::json::{Mark, Reader};

impl<'s, R: Report> Evaluator<'s, R> {
    #[inline(never)]
    pub(super) fn array(
        &mut self,
        rules: &'s ArrayRules,
        reader: &mut Reader<'_>,
    ) -> Result<(), Stop> {
        let prefix = self.program.list(rules.prefix);
        let others = rules.items.unwrap_or(TRUE);
        let is_plain = rules.contains.is_none() && !rules.unique;
        let base = self.seen.len();
        let mut count = 0_usize;
        let mut contained = 0;
        let mut more = reader.first_element()?;
        while more {
            let node = prefix.get(count).copied().unwrap_or(others);
            self.report.enter_element(count);
            if is_plain {
                self.value(node, reader)?;
            } else {
                let start = reader.mark();
                self.value(node, reader)?;
                self.watch(rules, start, &mut contained, reader)?;
            }
            self.report.leave();
            count += 1;
            more = reader.next_element()?;
        }
        if (count as u64) < rules.min {
            self.report.fail("minItems", || {
                let least = counted(rules.min, "element", "elements");
                format!("must have at least {least}, but has {count}")
            })?;
        }
        if count as u64 > rules.max {
            self.report.fail("maxItems", || {
                let most = counted(rules.max, "element", "elements");
                format!("must have at most {most}, but has {count}")
            })?;
        }
        if !is_plain {
            self.judge(rules, contained, base, reader)?;
        }
        Ok(())
    }

    /// Looks at an element once more, for `contains` and `uniqueItems`.
    #[inline(never)]
    fn watch(
        &mut self,
        rules: &'s ArrayRules,
        start: Mark,
        contained: &mut u64,
        reader: &mut Reader<'_>,
    ) -> Result<(), Stop> {
        let end = reader.mark();
        if let Some(contains) = &rules.contains
            && *contained <= contains.max
            && (*contained < contains.min || contains.max < u64::MAX)
        {
            self.rewind(reader, start)?;
            if self.nested(|this| this.probe(contains.node, reader))? {
                *contained += 1;
            }
            reader.return_to(end);
        }
        if rules.unique {
            reader.return_to(start);
            let hash = (digest(reader)? >> 32) as u32;
            // Where arrays in arrays are unique, the innermost is digested for each of them.
            let bytes = reader.position().saturating_sub(start.offset());
            self.steps.take_bytes(bytes as u64)?;
            self.seen.push(Seen { hash, mark: start });
        }
        Ok(())
    }

    /// After the last element: what `contains` and `uniqueItems` say.
    #[inline(never)]
    fn judge(
        &mut self,
        rules: &'s ArrayRules,
        contained: u64,
        base: usize,
        reader: &Reader<'_>,
    ) -> Result<(), Stop> {
        if let Some(contains) = &rules.contains {
            self.judge_contains(contains, contained)?;
        }
        if !rules.unique {
            return Ok(());
        }
        let twin = self.find_twin(base, reader)?;
        self.seen.truncate(base);
        match twin {
            Some(twin) => self.report.fail("uniqueItems", || {
                format!("must have no two equal elements, but has {} twice", shown(twin))
            }),
            None => Ok(()),
        }
    }

    fn judge_contains(&mut self, contains: &Contains, contained: u64) -> Result<(), Stop> {
        if contained < contains.min {
            self.report.fail("contains", || {
                let least = counted(contains.min, "element", "elements");
                format!("must have at least {least} that `contains` describes, but has {contained}")
            })?;
        }
        if contained > contains.max {
            self.report.fail("maxContains", || {
                let most = counted(contains.max, "element", "elements");
                format!("must have at most {most} that `contains` describes, but has more")
            })?;
        }
        Ok(())
    }

    /// The text of an element that equals another.
    fn find_twin<'t>(&mut self, base: usize, reader: &Reader<'t>) -> Result<Option<&'t str>, Stop> {
        let seen = self.seen.since(base);
        seen.sort_unstable_by_key(|element| element.hash);
        let (mut one, mut two) = (reader.clone(), reader.clone());
        for (at, element) in seen.iter().enumerate() {
            let alike = seen.iter().skip(at + 1).take_while(|other| other.hash == element.hash);
            for other in alike {
                one.return_to(element.mark);
                two.return_to(other.mark);
                if equal(&mut one, &mut two, &mut self.steps)? {
                    return Ok(Some(reader.slice(element.mark.offset(), one.position())));
                }
            }
        }
        Ok(None)
    }
}
