//! In which orders things happen at the same time.

use std::fmt;

use super::step::Step;

/// One order of what happens at the same time, and whether there is time in between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Order {
    number: usize,
    /// Whether calls get on between two things.
    pub(super) settles: bool,
    only: bool,
}

/// Up to so many things, every order is tried.
const EVERY: usize = 4;

impl Order {
    /// Every order of the steps that happen at the same time; one if there are none.
    pub(super) fn all(steps: &[Step]) -> Vec<Self> {
        let most = steps.iter().filter_map(|step| match step {
            Step::Concurrent { steps } => Some(orders(steps.len())),
            _ => None,
        });
        let Some(most) = most.max() else {
            return vec![Self {
                number: 0,
                settles: true,
                only: true,
            }];
        };
        let each = |number| {
            [false, true].map(|settles| Self {
                number,
                settles,
                only: false,
            })
        };
        (0..most).flat_map(each).collect()
    }

    /// The items in this order.
    pub(super) fn arrange<'a, T>(&self, items: &'a [T]) -> Vec<&'a T> {
        let mut left: Vec<&T> = items.iter().collect();
        if left.is_empty() {
            return left;
        }
        let number = self.number % orders(items.len());
        if items.len() > EVERY {
            match number == items.len() {
                true => left.reverse(),
                false => left.rotate_left(number),
            }
            return left;
        }
        let mut number = number;
        let mut arranged = Vec::new();
        while !left.is_empty() {
            arranged.push(left.remove(number % left.len()));
            number /= left.len() + 1;
        }
        arranged
    }
}

/// How many orders of so many things are tried: every one, or each rotation and the reverse.
fn orders(things: usize) -> usize {
    match things {
        0..=EVERY => (1..=things).product(),
        more => more + 1,
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.only {
            return Ok(());
        }
        let between = if self.settles { "" } else { ", at once" };
        write!(f, "order {}{between}: ", self.number + 1)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_order_of_a_few_things_is_tried() {
        for (things, count) in [(1, 1), (2, 2), (3, 6), (4, 24), (5, 6)] {
            let items: Vec<_> = (0..things).collect();
            let tried: HashSet<Vec<usize>> = (0..orders(things))
                .map(|number| {
                    let order = Order {
                        number,
                        settles: false,
                        only: false,
                    };
                    order.arrange(&items).into_iter().copied().collect()
                })
                .collect();
            assert_eq!(tried.len(), count, "{things}");
            assert!(tried.iter().all(|order| order.len() == things));
        }
    }
}
