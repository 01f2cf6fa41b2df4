// A DVONN bot that plays any legal ply, each as likely as the others. Begin with choose().
//
// The arbiter writes one message a line, and this program answers two of them: "dvp" with
// "dvpok", and "go" with "move". Whatever it does not know it skips.
#include <iostream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

class Bot {
public:
    void new_game(unsigned seed) { chance_.seed(seed); } // forget the game before

    // The ply to play: change this first. `board` is the position as protocol/SPEC.md writes it
    // (DPOS), `legal` all plies that are allowed, such as "D1", "H1G1" or "PASS", and
    // `clock["time"]` what is left for the whole game, in milliseconds.
    std::string choose(const std::string &board, const std::vector<std::string> &legal,
                       std::map<std::string, long> &clock) {
        (void)board, (void)clock;
        return legal[chance_() % legal.size()];
    }

private:
    std::mt19937 chance_; // the same numbers with every compiler
};

int main() {
    Bot bot;
    unsigned seed = 0;
    std::string board;
    std::vector<std::string> legal;
    for (std::string line; std::getline(std::cin, line);) { // the end of the input means quit, too
        std::istringstream words(line);
        std::string word;
        words >> word;
        if (word == "dvp") { // say who you are and what can be set; the last word is dvpok
            std::cout << "id name random-cpp\noption Seed spin 0 0 2147483647\ndvpok" << std::endl;
        } else if (word == "setoption") { // the same Seed, the same game
            std::string name;
            words >> name;
            if (name == "Seed") words >> seed;
        } else if (word == "newgame") {
            bot.new_game(seed);
        } else if (word == "board") {
            std::getline(words >> std::ws, board);
        } else if (word == "legal") {
            legal.clear();
            for (std::string ply; words >> ply;) legal.push_back(ply);
        } else if (word == "go" && !legal.empty()) { // the clock runs until "move" is out
            std::map<std::string, long> clock;
            std::string key;
            for (long value; words >> key >> value;) clock[key] = value;
            // What you thought, for the record: depth, score, pv, ...
            std::cout << "info nodes " << legal.size() << '\n';
            // endl flushes; with '\n' alone C++ keeps the answer back, and the bot loses on time.
            std::cout << "move " << bot.choose(board, legal, clock) << std::endl;
        } else if (word == "quit") {
            break;
        }
    }
}
