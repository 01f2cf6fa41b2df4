import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A DVONN bot that plays any legal ply, each as likely as the others. Begin with {@link #choose}.
 *
 * <p>The arbiter writes one message a line, and this program answers three of them: "dvp" with "dvpok",
 * "isready" with "readyok", and "go" with "move". Whatever it does not know it skips.
 */
public final class Bot {
    private final Random chance = new Random(0);
    private long seed = 0;
    private String board = "";
    private List<String> legal = List.of();

    /**
     * The ply to play: change this first.
     *
     * @param board the position as protocol/SPEC.md writes it (DPOS)
     * @param legal all plies that are allowed, such as "D1", "H1G1" or "PASS"
     * @param clock "time" is what is left for the whole game, in milliseconds
     */
    private String choose(String board, List<String> legal, Map<String, Long> clock) {
        return legal.get(chance.nextInt(legal.size()));
    }

    /** Forget the game before: with the feature reuse there can be several in one process. */
    private void newGame() {
        chance.setSeed(seed);
    }

    /** What goes out for a "go": what you thought, for the record (depth, score, pv, ...), and the ply. */
    private String answer(String clock) {
        String ply = choose(board, legal, keys(clock));
        return "info nodes " + legal.size() + "\nmove " + ply;
    }

    /** Java is slow until it has seen its code run. The arbiter waits for readyok before any clock runs. */
    private void warmUp() {
        for (int i = 0; i < 3000; i++) {
            hear("board ........./..b......./..wrw....../........../......... w m");
            hear("legal C3D3 C3D4 E3D3");
            answer("ply 50 time 58211 opptime 60000");
        }
        newGame();
    }

    private static Map<String, Long> keys(String text) {
        String[] words = text.trim().split("\\s+");
        Map<String, Long> values = new HashMap<>();
        for (int i = 0; i + 1 < words.length; i += 2) {
            if (words[i + 1].matches("\\d+")) {
                values.put(words[i], Long.valueOf(words[i + 1]));
            }
        }
        return values;
    }

    private static void say(String... lines) {
        for (String line : lines) {
            System.out.println(line);
        }
        System.out.flush(); // an answer that stays in a buffer loses on time
    }

    /** Takes one line; false when it is time to go. */
    private boolean hear(String line) {
        String[] parts = line.trim().split("\\s+", 2);
        String rest = parts.length > 1 ? parts[1] : "";
        switch (parts[0]) {
            case "dvp": // say who you are, what can be set, what you can do; the last word is dvpok
                say("id name random-java", "option Seed spin 0 0 2147483647", "feature ready reuse", "dvpok");
                break;
            case "setoption": // the same Seed, the same game
                seed = keys(rest).getOrDefault("Seed", seed);
                break;
            case "newgame":
                newGame();
                break;
            case "isready":
                warmUp();
                say("readyok");
                break;
            case "board":
                board = rest;
                break;
            case "legal":
                legal = List.of(rest.split("\\s+"));
                break;
            case "go": // the clock runs until "move" is out
                say(answer(rest));
                break;
            case "quit":
                return false;
            default:
                break;
        }
        return true;
    }

    public static void main(String[] args) throws IOException {
        Bot bot = new Bot();
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String line = input.readLine();
        while (line != null && bot.hear(line)) { // the end of the input means quit, too
            line = input.readLine();
        }
    }
}
