//! Passing over a value without looking into it, and as strictly as if one did.

use super::fault::Fault;
use super::reader::{MAX_DEPTH, Reader};

/// One bit a level of a container that is being skipped: whether it is an object.
struct Levels {
    near: u64,
    far: [u64; MAX_DEPTH as usize / 64],
}

impl<'a> Reader<'a> {
    /// Passes over one value of any kind and gives its text.
    #[inline]
    pub fn skip(&mut self) -> Result<&'a str, Fault> {
        let first = self.peek();
        let start = self.position();
        match first {
            Some(b'"') => self.pass_string()?,
            Some(b'{' | b'[') => self.skip_container()?,
            _ => {
                self.scalar()?;
            }
        }
        Ok(self.slice(start, self.position()))
    }

    /// Without recursion, so that there is no stack to exhaust, whatever the limit is.
    fn skip_container(&mut self) -> Result<(), Fault> {
        let base = self.depth;
        let mut levels = Levels { near: 0, far: [0; MAX_DEPTH as usize / 64] };
        loop {
            let has_members = match self.peek() {
                Some(b'{') => {
                    let has_members = self.first_member()?;
                    if has_members {
                        self.pass_key()?;
                    }
                    levels.note(self.depth - base, has_members, true);
                    has_members
                }
                Some(b'[') => {
                    let has_members = self.first_element()?;
                    levels.note(self.depth - base, has_members, false);
                    has_members
                }
                Some(b'"') => {
                    self.pass_string()?;
                    false
                }
                _ => {
                    self.scalar()?;
                    false
                }
            };
            if has_members {
                continue;
            }
            loop {
                if self.depth == base {
                    return Ok(());
                }
                let in_object = levels.is_object(self.depth - base);
                let more = if in_object { self.next_member()? } else { self.next_element()? };
                if more && in_object {
                    self.pass_key()?;
                }
                if more {
                    break;
                }
            }
        }
    }
}

impl Levels {
    /// Remembers whether the container just entered is an object.
    #[inline]
    fn note(&mut self, level: u32, entered: bool, object: bool) {
        if !entered {
            return;
        }
        let bit = 1_u64 << (level % 64);
        let word = match level / 64 {
            0 => &mut self.near,
            far => match self.far.get_mut(far as usize - 1) {
                Some(word) => word,
                None => return,
            },
        };
        *word = if object { *word | bit } else { *word & !bit };
    }

    #[inline]
    fn is_object(&self, level: u32) -> bool {
        let word = match level / 64 {
            0 => self.near,
            far => self.far.get(far as usize - 1).copied().unwrap_or(0),
        };
        word & (1_u64 << (level % 64)) != 0
    }
}
