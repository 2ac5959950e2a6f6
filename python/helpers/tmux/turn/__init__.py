"""Whose turn it is, and whether text may be typed.

    readings     looks, probes, the line editor's memory; `clocks`: for how long nothing has moved
    watch        what they mean: the scene, the line's surroundings, what is new
    verdict      the table, from by_kernel, by_editor and by_screen: a scene -> a verdict
    wait         waits for a verdict; `pace`: how often to read and look meanwhile
    whose_turn   the verdict and the line at the cursor together
    rest         a look that shows every key typed before it
    dialogue     the other table: what was left open, and what is there now -> whether text may be
                 typed; `may_type` takes the readings for it

Both tables are pure. Not decided here: what an answer shows (report/), how it is typed (typing/).
"""
