// A DVONN bot: plays any legal ply. It reads lines from the arbiter, one message a line,
// and prints its answers. Whatever it does not know it skips.
const lines = require("readline").createInterface({ input: process.stdin });
const say = (text) => process.stdout.write(text + "\n"); // every answer needs its line end

let plies = [];
let seed = 0;

lines.on("line", (line) => {
  const [word, ...rest] = line.trim().split(/\s+/); // the first word says what it is about
  if (word === "dvp") { // "are you there?" Say who you are, end with dvpok
    say("id name random-js");
    say("option Seed spin 0 0 2147483647");
    say("dvpok");
  } else if (word === "setoption" && rest[0] === "Seed") { // same seed, same game
    seed = Number(rest[1]);
  } else if (word === "legal") { // every ply allowed now: "legal A1B1 A1A2 ..."
    plies = rest;
  } else if (word === "go") { // your turn: the clock runs until "move" is printed
    seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff; // pseudo-random, 31 bits
    say("move " + plies[(seed >>> 16) % plies.length]);
  } else if (word === "quit") {
    process.exit();
  }
}); // when the input ends nothing is left to wait for, and node stops by itself
// For messages to yourself use console.error: only protocol lines belong on stdout.
