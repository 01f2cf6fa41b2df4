#!/bin/sh
# A DVP bot that costs next to nothing: for tests that need many real games, not good ones.
#   quick.sh first|last|resign|late|crash|frail [SALT]
# first, last: of the legal plies; resign: at its first turn; late: answers after a second; crash: exits at its
# second turn; frail: as last, but as White it exits at its second turn. SALT makes two bots of one kind differ by their command.
# Games from the number on that stands in the file `hold`, if there is one, are not played while it is there.
turn=0
while read -r word rest; do
    case $word in
    dvp) echo dvpok ;;
    isready) echo readyok ;;
    newgame)
        [ -e hold ] && read -r held <hold && number=${rest#* game } && number=${number%% *} || held=
        while [ -n "$held" ] && [ "$number" -ge "$held" ] && [ -e hold ]; do sleep 0.1; done ;;
    legal) plies=$rest ;;
    go)
        turn=$((turn + 1))
        case $1:$turn in
        resign:*) echo resign; continue ;;
        late:*) sleep 1 ;;
        frail:*)
            case $rest in "ply 3 "*) exit 3 ;; esac
            echo "move ${plies##* }"; continue ;;
        crash:2) exit 3 ;;
        last:*) echo "move ${plies##* }"; continue ;;
        esac
        echo "move ${plies%% *}" ;;
    quit) exit ;;
    esac
done
