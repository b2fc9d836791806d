"""Which language a text is in: offline, in every host with the same answer (ADR 22).

    text --ngrams--> windows of n-grams --table--> sums of weights --detector--> Detection

All sums are of whole numbers; `web/src/detection` computes the same ones from the same table.
"""
