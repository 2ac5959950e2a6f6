"""How far the agent has seen the pane, and what came since.

    mark   what is stored on the pane between two calls: rows and digests, never typed text
    news   where a marked cell is now, and the lines after it

Decided here: where output begins, by the cell in which Enter was pressed; rows that have moved are
found by equality. A mark that is not found is lost, and the answer says so. Not decided here:
where output ends (report/ending).
"""
