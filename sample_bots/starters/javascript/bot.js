// A DVONN bot that plays any legal ply, each as likely as the others. Begin with choose.
//
// The arbiter writes one message a line, and this program answers two of them: "dvp" with
// "dvpok", and "go" with "move". Whatever it does not know it skips.
const readline = require("readline");

let state = 0; // of a pseudo-random sequence of 31 bits; Math.random cannot be given a seed
let seed = 0;
let board = "";
let legal = [];

function below(n) {
  state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
  return (state >>> 16) % n;
}

// The ply to play: change this first. `board` is the position as protocol/SPEC.md writes it (DPOS),
// `legal` all plies that are allowed, such as "D1", "H1G1" or "PASS", and `clock.time` what is left
// for the whole game, in milliseconds.
function choose(board, legal, clock) {
  return legal[below(legal.length)];
}

function say(text) {
  process.stdout.write(text + "\n"); // for messages to yourself use console.error
}

function hear(line) {
  const [word, ...rest] = line.trim().split(/\s+/);
  if (word === "dvp") { // say who you are and what can be set; the last word is dvpok
    say("id name random-js");
    say("option Seed spin 0 0 2147483647");
    say("dvpok");
  } else if (word === "setoption" && rest[0] === "Seed") { // the same Seed, the same game
    seed = Number(rest[1]);
  } else if (word === "newgame") { // forget the game before
    state = seed;
  } else if (word === "board") {
    board = rest.join(" ");
  } else if (word === "legal") {
    legal = rest;
  } else if (word === "go") { // the clock runs until "move" is out
    const clock = {};
    for (let i = 0; i + 1 < rest.length; i += 2) clock[rest[i]] = Number(rest[i + 1]);
    say("info nodes " + legal.length); // what you thought, for the record: depth, score, pv, ...
    say("move " + choose(board, legal, clock));
  } else if (word === "quit") {
    process.exit();
  }
}

// When the input ends nothing is left to wait for, and node stops by itself.
readline.createInterface({ input: process.stdin }).on("line", hear);
