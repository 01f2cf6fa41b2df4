"""The referee: launches bots, keeps their clocks, judges every ply, plays tournaments, writes tables.

Layers, each importing only what stands below it::

    cli          one module a subcommand
    live | bench what one sees while a tournament runs; the bench of a bot's author
    check        does a bot keep to its protocol?
    tournament   the YAML file, the schedule, the runner
    store|rating the results database; ratings and tables
    match        one game between two processes
    isolation    launching a program and killing its whole tree
"""
