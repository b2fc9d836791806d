"""What LibreTranslate's clients call, beside our own API.

    /translate  /detect                       `routes`
    /languages  /frontend/settings  /health   `about`: what it can; /spec describes all of it
    /translate_file                           `files`: a form (`upload`) becomes a request for
    /download_file/NAME                       /v1/documents, its answer is kept a while (`kept`)

Its own description is at https://docs.libretranslate.com. Errors are `{"error": "a sentence"}`,
which `sentences` makes of ours.
"""
