"""Models that were published elsewhere, on this machine: fetched, verified, kept, carried."""
