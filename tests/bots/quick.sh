#!/bin/sh
# A DVP bot that costs next to nothing: for tests that need many real games, not good ones.
#   quick.sh first|last|resign|late|crash|frail [SALT]
# first, last: of the legal plies; resign: at its first turn; late: answers after a second; crash: exits at its
# second turn; frail: as last, but as White it exits at its second turn. SALT makes two bots of one kind differ by their command.
turn=0
while read -r word rest; do
    case $word in
    dvp) echo dvpok ;;
    isready) echo readyok ;;
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
