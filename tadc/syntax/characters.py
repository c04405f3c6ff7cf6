from tadc.errors import *


def odd_character(source, piece):
    return None
