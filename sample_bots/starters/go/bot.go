// A DVONN bot that plays any legal ply, each as likely as the others. Begin with choose.
//
// The arbiter writes one message a line, and this program answers two of them: "dvp" with
// "dvpok", and "go" with "move". Whatever it does not know it skips.
package main

import (
	"bufio"
	"fmt"
	"math/rand"
	"os"
	"strconv"
	"strings"
)

// chance gives the same numbers in every version of Go.
var chance = rand.New(rand.NewSource(0))

// choose gives the ply to play: change this first. board is the position as protocol/SPEC.md writes it
// (DPOS), legal all plies that are allowed, such as "D1", "H1G1" or "PASS", and clock["time"] what is
// left for the whole game, in milliseconds.
func choose(board string, legal []string, clock map[string]int) string {
	return legal[chance.Intn(len(legal))]
}

func main() {
	seed, board, legal := int64(0), "", []string{}
	input := bufio.NewScanner(os.Stdin)
	input.Buffer(nil, 1<<20) // a Scanner gives up, without a word, at lines beyond its limit
	for input.Scan() {       // the end of the input means quit, too
		words := strings.Fields(input.Text())
		if len(words) == 0 {
			continue
		}
		rest := words[1:]
		switch words[0] {
		case "dvp": // say who you are and what can be set; the last word is dvpok
			fmt.Println("id name random-go")
			fmt.Println("option Seed spin 0 0 2147483647")
			fmt.Println("dvpok")
		case "setoption": // the same Seed, the same game
			if len(rest) == 2 && rest[0] == "Seed" {
				seed, _ = strconv.ParseInt(rest[1], 10, 64)
			}
		case "newgame": // forget the game before
			chance.Seed(seed)
		case "board":
			board = strings.Join(rest, " ")
		case "legal":
			legal = rest
		case "go": // the clock runs until "move" is out
			clock := map[string]int{}
			for i := 0; i+1 < len(rest); i += 2 {
				clock[rest[i]], _ = strconv.Atoi(rest[i+1])
			}
			// What you thought, for the record: depth, score, pv, ...
			fmt.Println("info nodes", len(legal))
			// fmt.Println writes at once. If you print through a bufio.Writer, flush it after each
			// answer, or the bot loses on time.
			fmt.Println("move", choose(board, legal, clock))
		case "quit":
			return
		}
	}
}
