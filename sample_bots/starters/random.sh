#!/bin/sh
# A DVONN bot: plays any legal ply. It reads lines from the arbiter, one message a line,
# and prints its answers. Whatever it does not know it skips.
seed=0
while read -r word rest; do          # the first word says what the line is about
    case $word in
    dvp)                             # "are you there?" Say who you are, end with dvpok
        echo "id name random-sh"
        echo "option Seed spin 0 0 2147483647"
        echo "dvpok" ;;
    setoption)                       # "setoption Seed 42": the same seed, the same game
        case $rest in "Seed "*) seed=${rest#Seed } ;; esac ;;
    legal)                           # every ply allowed now: "legal A1B1 A1A2 ..."
        plies=$rest ;;
    go)                              # your turn: the clock runs until "move" is printed
        set -- $plies                # now $1 $2 ... are the plies and $# counts them
        seed=$(( (seed * 1103515245 + 12345) % 2147483648 ))
        shift $(( seed / 65536 % $# ))
        echo "move $1" ;;
    quit)
        exit ;;
    esac
done                                 # no more input means quit, too
# Trap: the echo of a shell writes at once. Programs like awk and sed keep their output
# back when it goes to a pipe; use those, and the arbiter waits until your time is up.
