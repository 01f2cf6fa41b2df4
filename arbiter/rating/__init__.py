"""Ratings and tables: what a set of finished games says about the bots that played them.

``outcome`` is one game, ``tally`` their sums, ``davidson`` the ratings, ``tiebreaks`` the order,
``table`` the league table and ``render`` its four formats. Data flows in that order. Only
``davidson`` needs NumPy, and it is imported when the first table is built.
"""
