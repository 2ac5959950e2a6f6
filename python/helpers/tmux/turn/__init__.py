"""Whose turn it is, and whether something may be typed.

    readings     looks, probes, the line editor's memory; `clocks`: since when nothing moved
    watch        what they mean: the scene, what is near the line, what is new
    verdict      the table, from by_kernel, by_editor and by_screen: a scene -> a verdict
    wait         until a verdict; `pace`: how often is read and looked meanwhile
    whose_turn   the verdict and the line at the cursor together
    dialogue     the other table: what was left open, what is there -> may this be typed; `may_type`
                 reads for it

Both tables are pure. Not decided here: what an answer shows (report/), how it is typed (typing/).
"""
