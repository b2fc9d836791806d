"""What is known of plain text alone: sentences, pieces, literals, figures, links between words."""
