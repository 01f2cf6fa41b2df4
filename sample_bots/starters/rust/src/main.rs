//! A DVONN bot that plays any legal ply, each as likely as the others. Begin with `choose`.
//!
//! The arbiter writes one message a line, and this program answers two of them: "dvp" with
//! "dvpok", and "go" with "move". Whatever it does not know it skips.

use std::collections::HashMap;
use std::io::{self, BufRead, Write};

struct Bot {
    chance: u32, // the state of a pseudo-random sequence of 31 bits
}

impl Bot {
    fn new_game(&mut self, seed: u32) {
        self.chance = seed; // forget the game before
    }

    /// The ply to play: change this first. `board` is the position as protocol/SPEC.md writes it
    /// (DPOS), `legal` all plies that are allowed, such as "D1", "H1G1" or "PASS", and
    /// `clock["time"]` what is left for the whole game, in milliseconds.
    fn choose<'a>(&mut self, _board: &str, legal: &'a [String], _clock: &HashMap<String, u64>) -> &'a str {
        &legal[self.below(legal.len())]
    }

    fn below(&mut self, n: usize) -> usize {
        self.chance = self.chance.wrapping_mul(1_103_515_245).wrapping_add(12_345) & 0x7fff_ffff;
        (self.chance >> 16) as usize % n
    }
}

fn main() -> io::Result<()> {
    let mut bot = Bot { chance: 0 };
    let mut seed = 0;
    let mut board = String::new();
    let mut legal: Vec<String> = Vec::new();
    let mut out = io::stdout();
    // The end of the input means quit, too.
    for line in io::stdin().lock().split(b'\n') {
        let line = String::from_utf8_lossy(&line?).into_owned();
        let mut words = line.split_whitespace();
        match words.next().unwrap_or("") {
            // Say who you are and what can be set; the last word is dvpok.
            "dvp" => writeln!(out, "id name random-rust\noption Seed spin 0 0 2147483647\ndvpok")?,
            // The same Seed, the same game.
            "setoption" => {
                if let (Some("Seed"), Some(value)) = (words.next(), words.next()) {
                    seed = value.parse().unwrap_or(0);
                }
            }
            "newgame" => bot.new_game(seed),
            "board" => board = words.collect::<Vec<_>>().join(" "),
            "legal" => legal = words.map(String::from).collect(),
            // The clock runs until "move" is out.
            "go" if !legal.is_empty() => {
                let keys: Vec<&str> = words.collect();
                let clock = keys
                    .chunks_exact(2)
                    .filter_map(|pair| Some((pair[0].to_string(), pair[1].parse().ok()?)))
                    .collect();
                // What you thought, for the record: depth, score, pv, ...
                writeln!(out, "info nodes {}", legal.len())?;
                writeln!(out, "move {}", bot.choose(&board, &legal, &clock))?;
            }
            "quit" => break,
            _ => {}
        }
        out.flush()?; // an answer that stays in a buffer loses on time
    }
    Ok(())
}
