from tadc.errors import *


def explained(error, source, piece):
    at = error.token.start_pos if hasattr(error, "token") else error.pos_in_stream
    return SyntaxError(
        Span(source, piece.start + at, piece.start + at + 1), "this cannot stand here", fix=""
    )
