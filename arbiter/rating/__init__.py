"""Ratings and tables: what a set of finished games says about the bots that played them.

``outcome`` is one game, ``tally`` their sums, ``davidson`` the ratings, ``tiebreaks`` the order,
``table`` the league table, ``notes`` what stands below it and ``render`` its four formats; ``pages`` are
other views of the tally, each a ``sheet``. Data flows in that order. ``interval`` and ``margins`` say how
sure a score and a mean margin are, ``sprt`` when a match has shown enough. Only ``davidson`` needs NumPy,
and it is imported when the first table is built.
"""
