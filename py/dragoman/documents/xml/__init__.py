"""Documents in XML, alone or in an archive: only what is translated is written anew."""
