//! Rust for tests/edit/corpus.sh: traits, closures, iterators, maps, formatted text, matches that
//! become jump tables, and panics that unwind through frames with values to drop.
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fmt;
use std::panic::catch_unwind;
use std::rc::Rc;

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Number(i64),
    Operator(char),
    Open,
    Close,
}

#[derive(Debug)]
enum Trouble {
    Character(char, usize),
    End,
    Zero,
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Trouble::Character(c, at) => write!(f, "unexpected {:?} at {}", c, at),
            Trouble::End => write!(f, "unexpected end"),
            Trouble::Zero => write!(f, "division by zero"),
        }
    }
}

fn tokens(text: &str) -> Result<VecDeque<Token>, Trouble> {
    let mut found = VecDeque::new();
    let mut rest = text.chars().enumerate().peekable();
    while let Some((at, c)) = rest.next() {
        found.push_back(match c {
            '0'..='9' => {
                let mut n = i64::from(c.to_digit(10).unwrap());
                while let Some(d) = rest.peek().and_then(|(_, d)| d.to_digit(10)) {
                    n = n * 10 + i64::from(d);
                    rest.next();
                }
                Token::Number(n)
            }
            '+' | '-' | '*' | '/' | '%' => Token::Operator(c),
            '(' => Token::Open,
            ')' => Token::Close,
            ' ' => continue,
            _ => return Err(Trouble::Character(c, at)),
        });
    }
    Ok(found)
}

fn factor(of: &mut VecDeque<Token>) -> Result<i64, Trouble> {
    match of.pop_front().ok_or(Trouble::End)? {
        Token::Number(n) => Ok(n),
        Token::Operator('-') => Ok(-factor(of)?),
        Token::Open => {
            let n = sum(of)?;
            of.pop_front().ok_or(Trouble::End).map(|_| n)
        }
        Token::Operator(c) => Err(Trouble::Character(c, 0)),
        Token::Close => Err(Trouble::Character(')', 0)),
    }
}

fn product(of: &mut VecDeque<Token>) -> Result<i64, Trouble> {
    let mut n = factor(of)?;
    while let Some(Token::Operator(c @ ('*' | '/' | '%'))) = of.front().cloned() {
        of.pop_front();
        let by = factor(of)?;
        n = match c {
            '*' => n.wrapping_mul(by),
            '/' => n.checked_div(by).ok_or(Trouble::Zero)?,
            _ => n.checked_rem(by).ok_or(Trouble::Zero)?,
        };
    }
    Ok(n)
}

fn sum(of: &mut VecDeque<Token>) -> Result<i64, Trouble> {
    let mut n = product(of)?;
    while let Some(Token::Operator(c @ ('+' | '-'))) = of.front().cloned() {
        of.pop_front();
        let more = product(of)?;
        n = if c == '+' { n.wrapping_add(more) } else { n.wrapping_sub(more) };
    }
    Ok(n)
}

trait Shape {
    fn area(&self) -> f64;
    fn name(&self) -> String {
        "shape".to_string()
    }
}

struct Circle(f64);
struct Polygon {
    corners: Vec<(f64, f64)>,
}

impl Shape for Circle {
    fn area(&self) -> f64 {
        std::f64::consts::PI * self.0 * self.0
    }
    fn name(&self) -> String {
        format!("circle of {:.1}", self.0)
    }
}

impl Shape for Polygon {
    fn area(&self) -> f64 {
        let next = self.corners.iter().cycle().skip(1);
        self.corners.iter().zip(next).map(|(a, b)| a.0 * b.1 - b.0 * a.1).sum::<f64>().abs() / 2.0
    }
}

struct Dropped<'a>(&'a std::cell::Cell<u32>);

impl Drop for Dropped<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() + 1);
    }
}

/* Unwinds through `depth` frames, each with a value to drop. */
#[inline(never)]
fn falls(depth: usize, of: &[u32], drops: &std::cell::Cell<u32>) -> u32 {
    let _mine = Dropped(drops);
    if depth == 0 {
        of[of.len()]
    } else {
        falls(depth - 1, of, drops) + 1
    }
}

fn primes() -> impl Iterator<Item = u32> {
    (2..).filter(|n| (2..).take_while(|d| d * d <= *n).all(|d| n % d != 0))
}

fn main() {
    let mut words: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let mut letters: HashMap<char, u32> = HashMap::new();
    for (line, text) in include_str!("corpus.rs").lines().enumerate() {
        for word in text.split(|c: char| !c.is_alphanumeric()).filter(|w| w.len() > 3) {
            words.entry(word.to_lowercase()).or_default().push(line);
        }
        text.chars().for_each(|c| *letters.entry(c).or_insert(0) += 1);
    }
    let mut often: Vec<_> = words.iter().map(|(w, at)| (at.len(), w)).collect();
    often.sort_by(|a, b| b.cmp(a));
    println!("{} words, {} letters, {:?}", words.len(), letters.len(), &often[..3]);

    for text in ["1 + 2 * (3 - -4) % 5", "7 / (2 - 2)", "2 $ 3", "(1 +", "12345 * 6789"] {
        match tokens(text).and_then(|mut t| sum(&mut t)) {
            Ok(n) => println!("{} = {}", text, n),
            Err(e) => println!("{}: {}", text, e),
        }
    }

    let shapes: Vec<Rc<dyn Shape>> = vec![
        Rc::new(Circle(1.5)),
        Rc::new(Polygon { corners: vec![(0.0, 0.0), (4.0, 0.0), (4.0, 3.0)] }),
    ];
    for s in shapes.iter().cycle().take(5) {
        println!("{}: {:.3}", s.name(), s.area());
    }
    println!("{:?}", primes().skip(100).step_by(50).take(10).collect::<Vec<_>>());

    std::panic::set_hook(Box::new(|_| ()));
    let mut dropped = 0;
    for depth in 0..20 {
        let caught = catch_unwind(|| {
            let drops = std::cell::Cell::new(0);
            let n = catch_unwind(std::panic::AssertUnwindSafe(|| falls(depth, &[1, 2, 3], &drops)));
            assert!(n.is_err());
            drops.get()
        });
        dropped += caught.unwrap();
    }
    println!("{} dropped", dropped);
}
