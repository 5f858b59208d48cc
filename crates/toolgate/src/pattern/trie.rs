//! Values by name, found along the bytes of the name.

/// Lists of values by name. Whoever looks a name up meets those of everything it begins with.
///
/// A chain of bytes without a branch is one step, so that a name is left as soon as nothing begins
/// like it, and no byte is looked at twice.
#[derive(Clone, Debug)]
pub(crate) struct Trie<T> {
    nodes: Vec<Node<T>>,
}

#[derive(Clone, Debug)]
struct Node<T> {
    /// What follows the byte by which the node is found.
    label: Box<[u8]>,
    /// The bytes by which the children are found.
    firsts: Vec<u8>,
    /// Where they are, in the same order.
    children: Vec<usize>,
    values: Vec<T>,
}

impl<T> Default for Trie<T> {
    fn default() -> Self {
        Self {
            nodes: vec![Node::new(&[])],
        }
    }
}

impl<T> Node<T> {
    fn new(label: &[u8]) -> Self {
        Self {
            label: label.into(),
            firsts: Vec::new(),
            children: Vec::new(),
            values: Vec::new(),
        }
    }

    #[inline]
    fn child(&self, first: u8) -> Option<usize> {
        let place = self.firsts.iter().position(|&byte| byte == first)?;
        self.children.get(place).copied()
    }
}

impl<T> Trie<T> {
    /// Shows the values of everything that `name` begins with, and what of the name remains.
    #[inline]
    pub(crate) fn walk<'a>(&'a self, name: &[u8], show: impl FnMut(&'a [T], &[u8])) {
        self.follow::<false>(name, show);
    }

    /// The same from the end of `name`, where names were entered backwards.
    #[inline]
    pub(crate) fn walk_back<'a>(&'a self, name: &[u8], show: impl FnMut(&'a [T], &[u8])) {
        self.follow::<true>(name, show);
    }

    #[inline]
    fn follow<'a, const BACK: bool>(&'a self, name: &[u8], mut show: impl FnMut(&'a [T], &[u8])) {
        let (mut node, mut rest) = (self.nodes.first(), name);
        while let Some(here) = node {
            if !here.values.is_empty() {
                show(&here.values, rest);
            }
            let Some((&first, behind)) = (match BACK {
                true => rest.split_last(),
                false => rest.split_first(),
            }) else {
                return;
            };
            node = here.child(first).and_then(|child| self.nodes.get(child));
            match node.and_then(|child| cut::<BACK>(behind, &child.label)) {
                Some(behind) => rest = behind,
                None => return,
            }
        }
    }

    /// The values of a name.
    #[inline]
    pub(crate) fn get(&self, name: &[u8]) -> &[T] {
        let mut found = &[][..];
        self.walk(name, |values, rest| {
            if rest.is_empty() {
                found = values;
            }
        });
        found
    }
}

/// Takes a label off the end from which names are walked.
#[inline]
fn cut<'a, const BACK: bool>(rest: &'a [u8], label: &[u8]) -> Option<&'a [u8]> {
    match BACK {
        true => {
            let (rest, end) = rest.split_at_checked(rest.len().checked_sub(label.len())?)?;
            end.iter().rev().eq(label).then_some(rest)
        }
        false => rest.strip_prefix(label),
    }
}

impl<T> Trie<T> {
    /// The values of a name, to be added to.
    #[expect(clippy::indexing_slicing, reason = "places come from this trie alone")]
    pub(crate) fn entry(&mut self, name: &[u8]) -> &mut Vec<T> {
        let (mut here, mut rest) = (0, name);
        while let Some((&first, behind)) = rest.split_first() {
            let Some(child) = self.nodes[here].child(first) else {
                here = self.grow(here, first, behind);
                break;
            };
            let label = &self.nodes[child].label;
            let common = label.iter().zip(behind).take_while(|(a, b)| a == b);
            let common = common.count();
            if common < label.len() {
                self.split(child, common);
            }
            (here, rest) = (child, &behind[common..]);
        }
        &mut self.nodes[here].values
    }

    /// Adds a child without children.
    #[expect(clippy::indexing_slicing, reason = "places come from this trie alone")]
    fn grow(&mut self, parent: usize, first: u8, label: &[u8]) -> usize {
        let place = self.nodes.len();
        self.nodes.push(Node::new(label));
        self.nodes[parent].firsts.push(first);
        self.nodes[parent].children.push(place);
        place
    }

    /// Puts everything behind the first `length` bytes of a label into a child of its own.
    #[expect(clippy::indexing_slicing, reason = "places come from this trie alone")]
    fn split(&mut self, place: usize, length: usize) {
        let whole = &self.nodes[place].label;
        let (first, label) = (whole[length], whole[length + 1..].into());
        let before = Node::new(&whole[..length]);
        let node = std::mem::replace(&mut self.nodes[place], before);
        let child = self.grow(place, first, &[]);
        self.nodes[child] = Node { label, ..node };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_meets_everything_that_it_begins_with() {
        let names = [
            "", "a", "abc", "abd", "abcdef", "b", "\u{e9}", "abcdeg", "a",
        ];
        let mut trie = Trie::<usize>::default();
        for (number, name) in names.iter().enumerate() {
            trie.entry(name.as_bytes()).push(number);
        }
        for name in [
            "", "a", "ab", "abc", "abcde", "abcdefg", "bb", "\u{e9}a", "\u{c3}", "x",
        ] {
            let mut met = Vec::new();
            trie.walk(name.as_bytes(), |numbers, rest| {
                met.extend(numbers.iter().map(|&number| (number, rest.len())));
            });
            met.sort_unstable();
            let mut back = Vec::new();
            let backwards: Vec<u8> = name.bytes().rev().collect();
            trie.walk_back(&backwards, |numbers, rest| {
                back.extend(numbers.iter().map(|&number| (number, rest.len())));
            });
            back.sort_unstable();
            assert_eq!(back, met, "for {name:?}");
            let expected: Vec<_> = (0..names.len())
                .filter(|&number| name.starts_with(names[number]))
                .map(|number| (number, name.len() - names[number].len()))
                .collect();
            assert_eq!(met, expected, "for {name:?}");
            let whole = trie.get(name.as_bytes());
            let expected: Vec<_> = (0..names.len())
                .filter(|&number| names[number] == name)
                .collect();
            assert_eq!(whole, expected, "for {name:?}");
        }
    }
}
