#!/bin/sh
# A DVONN bot that plays any legal ply, each as likely as the others. Begin with choose.
#
# The arbiter writes one message a line, and this program answers two of them: "dvp" with
# "dvpok", and "go" with "move". Whatever it does not know it skips.
seed=0 state=0 board="" legal=""

# Sets `below` to a number below $1, the next of a pseudo-random sequence of 31 bits.
chance() {
    state=$(( (state * 1103515245 + 12345) % 2147483648 ))
    below=$(( state / 65536 % $1 ))
}

# Sets `ply` to the ply to play: change this first. $board is the position as protocol/SPEC.md
# writes it (DPOS); $1 $2 ... are all plies that are allowed, such as D1, H1G1 or PASS.
choose() {
    chance $#
    shift $below
    ply=$1
}

while read -r word rest; do # the end of the input means quit, too
    case $word in
    dvp) # say who you are and what can be set; the last word is dvpok
        echo "id name random-sh"
        echo "option Seed spin 0 0 2147483647"
        echo "dvpok" ;;
    setoption) # the same Seed, the same game
        case $rest in "Seed "*) seed=${rest#Seed } ;; esac ;;
    newgame) # forget the game before
        state=$seed ;;
    board)
        board=$rest ;;
    legal)
        legal=$rest ;;
    go) # the clock runs until "move" is out; $rest tells what is left: ply 1 time 5000 ...
        set -- $legal
        choose "$@"
        echo "info nodes $#" # what you thought, for the record: depth, score, pv, ...
        echo "move $ply" ;;
    quit)
        exit ;;
    esac
done
# Trap: echo writes at once, but awk, sed and others keep their output back when it goes to a pipe;
# use those, and the arbiter waits until the time is up.
