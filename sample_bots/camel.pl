#!/usr/bin/perl
# A DVONN bot in the CodeCup dialect, which tells a bot next to nothing: "Start" to White,
# then the opponent's plies, then "Quit". So this bot carries the rules on its own back:
# whose turn it is, what is legal, what a stack move cuts off, and when the game is over.
#
# How it plays: the reds and its pieces go to random spaces; then each turn it tries every
# stack move and takes the one after which it is best off, in pieces and in moves to choose from.
#
#   perl camel.pl          plays differently each time
#   perl camel.pl 42       a seed: the same answers lead to the same game
use strict;
use warnings;

$| = 1;    # write each answer at once: one kept in a buffer is never read
srand($ARGV[0]) if @ARGV;

# ---- The board: 49 named spaces, and the straight lines that leave each of them.

my %columns = (1 => 'A-I', 2 => 'A-J', 3 => 'A-K', 4 => 'B-K', 5 => 'C-K');
my @steps = ([1, 0], [-1, 0], [0, 1], [0, -1], [1, 1], [-1, -1]);    # (column, row)

my (@spaces, %is_space);
for my $row (1 .. 5) {
    my ($first, $last) = split /-/, $columns{$row};
    push @spaces, map { "$_$row" } $first .. $last;
}
@is_space{@spaces} = (1) x @spaces;

my %lines;    # space => six lists of spaces: the n-th of a list is n steps away
for my $space (@spaces) {
    for my $step (@steps) {
        my @line;
        my $next = $space;
        push @line, $next while $is_space{ $next = beside($next, @$step) };
        push @{ $lines{$space} }, \@line;
    }
}

my %neighbours = map { my $space = $_; ($space => [ map { @$_ ? $_->[0] : () } @{ $lines{$space} } ]) } @spaces;

sub beside {
    my ($space, $right, $up) = @_;
    my ($column, $row) = split //, $space;
    return chr(ord($column) + $right) . ($row + $up);
}

# ---- The rules. A board maps the occupied spaces to stacks [height, colour on top, holds a red].

sub other { return $_[0] eq 'white' ? 'black' : 'white' }

# The stack moves of one colour.
sub stack_moves {
    my ($board, $colour) = @_;
    my @moves;
    for my $from (@spaces) {
        my $stack = $board->{$from} or next;
        next if $stack->[1] ne $colour || is_surrounded($board, $from);
        for my $line (@{ $lines{$from} }) {
            my $to = $line->[ $stack->[0] - 1 ];    # exactly as far as the stack is high
            push @moves, "$from$to" if defined $to && $board->{$to};
        }
    }
    return @moves;
}

# A stack at the edge has fewer than six neighbours and can always leave.
sub is_surrounded {
    my ($board, $space) = @_;
    my $around = $neighbours{$space};
    return @$around == 6 && !grep { !$board->{$_} } @$around;
}

# The board after a stack move; the old one stays as it is.
sub after_move {
    my ($board, $move) = @_;
    my ($from, $to) = $move =~ /../g;
    my %next = %$board;
    my ($upper, $lower) = (delete $next{$from}, $next{$to});
    $next{$to} = [ $upper->[0] + $lower->[0], $upper->[1], $upper->[2] || $lower->[2] ];
    return keep_connected(\%next);
}

# Only stacks with a chain of neighbours to a red stay on the board.
sub keep_connected {
    my ($board) = @_;
    my @reached = grep { $board->{$_}[2] } keys %$board;
    my %kept = map { $_ => $board->{$_} } @reached;
    while (defined(my $space = pop @reached)) {
        for my $near (@{ $neighbours{$space} }) {
            next if $kept{$near} || !$board->{$near};
            $kept{$near} = $board->{$near};
            push @reached, $near;
        }
    }
    return \%kept;
}

# ---- How good a board is: pieces won, and half a piece for each stack move to choose from.

sub value {
    my ($board, $colour) = @_;
    my $pieces = 0;
    for my $stack (values %$board) {
        $pieces += $stack->[0] if $stack->[1] eq $colour;
        $pieces -= $stack->[0] if $stack->[1] eq other($colour);
    }
    return $pieces + (stack_moves($board, $colour) - stack_moves($board, other($colour))) / 2;
}

sub choose_move {
    my ($board, $colour, @moves) = @_;
    my ($best, $best_value) = ('PASS');
    for my $move (@moves) {
        my $value = value(after_move($board, $move), $colour) + rand(0.01);    # chance breaks ties
        ($best, $best_value) = ($move, $value) if !defined $best_value || $value > $best_value;
    }
    return $best;
}

# ---- The conversation.

sub hear {
    while (defined(my $line = <STDIN>)) {
        $line =~ s/\s+//g;
        next if $line eq '';
        exit if $line eq 'Quit';
        return $line;
    }
    exit;    # the arbiter is gone
}

my $heard = hear();    # only White is told to start; the first thing Black hears is a ply
my $me = $heard eq 'Start' ? 'white' : 'black';
my @unread = $me eq 'black' ? ($heard) : ();

# The ply of one side: mine is found and written, the opponent's is read.
sub next_ply {
    my ($colour, $find) = @_;
    return @unread ? shift @unread : hear() if $colour ne $me;
    my $ply = $find->();
    print "$ply\n";
    return $ply;
}

my $board = {};
for my $number (1 .. 49) {    # placement: three reds first, then everyone their own colour
    my $colour = $number % 2 ? 'white' : 'black';
    my @empty = grep { !$board->{$_} } @spaces;
    my $space = next_ply($colour, sub { $empty[ rand @empty ] });
    $board->{$space} = $number <= 3 ? [ 1, 'red', 1 ] : [ 1, $colour, 0 ];
}

my $colour = 'white';    # White put the 49th piece and moves again, without hearing anything
while (1) {
    my @moves = stack_moves($board, $colour);
    last if !@moves && !stack_moves($board, other($colour));    # neither can move: the game is over
    my $ply = next_ply($colour, sub { choose_move($board, $colour, @moves) });
    $board = after_move($board, $ply) if $ply ne 'PASS';
    $colour = other($colour);
}
hear() while 1;    # nothing is left to say; hear() exits at Quit
