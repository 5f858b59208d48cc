//! What is used once: answers, and the uses of grants.

use loom::thread;

use super::model;
use crate::{
    ApprovalDecision, Args,
    memory::Ticket,
    round::{Answer, AnsweredBy},
};

#[test]
fn an_answer_is_used_once_however_many_clones_there_are() {
    model(|| {
        let yes = ApprovalDecision::approve();
        let answer = Answer::new(Vec::new(), &Args::new(), yes, AnsweredBy::Handler);
        let clone = answer.clone();
        let other = thread::spawn(move || clone.use_up());
        let here = answer.use_up();
        assert!(here ^ other.join().unwrap());
    });
}

#[test]
fn the_last_use_of_a_grant_is_taken_once() {
    model(|| {
        let ticket = Ticket::limited(1);
        let clone = ticket.clone();
        let other = thread::spawn(move || clone.take());
        let here = ticket.take();
        assert!(here ^ other.join().unwrap());
        assert_eq!(ticket.left(), Some(0));
    });
}

#[test]
fn a_use_that_is_given_back_is_there_again() {
    model(|| {
        let ticket = Ticket::limited(1);
        let clone = ticket.clone();
        let other = thread::spawn(move || {
            if clone.take() {
                clone.give_back();
            }
        });
        let here = ticket.take();
        other.join().unwrap();
        assert_eq!(ticket.left(), Some(u32::from(!here)));
    });
}
