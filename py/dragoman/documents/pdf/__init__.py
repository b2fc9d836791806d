"""PDF: where letters stand becomes lines, paragraphs and headings, and these a page in HTML."""
