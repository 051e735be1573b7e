//! Sorting where the size of the code counts for more than its speed.

/// The places of `count` things in their order, where `before` says of two whether the first comes before
/// the second. Things of which neither does keep the order they have.
///
/// A sort of the standard library is several kilobytes of code for each type that it sorts; this is a few
/// hundred bytes for all of them, and as safe from lists that were made to be slow.
pub(crate) fn order(count: usize, before: &dyn Fn(usize, usize) -> bool) -> Vec<usize> {
    let precedes = |one: usize, two: usize| before(one, two) || (one < two && !before(two, one));
    let mut heap: Vec<usize> = (0..count).collect();
    for root in (0..count / 2).rev() {
        sift_down(&mut heap, root, &precedes);
    }
    for end in (1..count).rev() {
        heap.swap(0, end);
        sift_down(heap.get_mut(..end).unwrap_or_default(), 0, &precedes);
    }
    heap
}

/// Lets the element at `root` sink until nothing below it belongs behind it.
fn sift_down(heap: &mut [usize], mut root: usize, precedes: &dyn Fn(usize, usize) -> bool) {
    let is_less = |heap: &[usize], one: usize, two: usize| match (heap.get(one), heap.get(two)) {
        (Some(one), Some(two)) => precedes(*one, *two),
        _ => false,
    };
    loop {
        let left = 2 * root + 1;
        let child = if is_less(heap, left, left + 1) { left + 1 } else { left };
        if !is_less(heap, root, child) {
            return;
        }
        heap.swap(root, child);
        root = child;
    }
}

#[cfg(test)]
mod tests {
    use super::order;

    fn sorted(values: &[u8]) -> Vec<usize> {
        order(values.len(), &|one, two| values.get(one) < values.get(two))
    }

    #[test]
    fn agrees_with_the_stable_sort_of_the_standard_library() {
        let mut seed = 1_u32;
        for count in 0..200 {
            let values: Vec<u8> = (0..count)
                .map(|_| {
                    seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (seed >> 28) as u8
                })
                .collect();
            let mut expected: Vec<usize> = (0..values.len()).collect();
            expected.sort_by_key(|place| values.get(*place).copied());
            assert_eq!(sorted(&values), expected, "{values:?}");
        }
    }
}
