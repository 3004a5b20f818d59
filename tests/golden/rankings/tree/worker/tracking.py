"""Tracking numbers and their check digit."""

import itertools

PREFIX = "77"


def check_digit(number: str) -> int:
    """Modulo 10 with the weights 3 and 1, from the right."""
    weights = itertools.cycle((3, 1))
    total = sum(int(digit) * weight for digit, weight in zip(reversed(number), weights))
    return -total % 10


def is_valid(number: str) -> bool:
    """True if the last digit is the check digit of the others."""
    return number.isdigit() and len(number) > 1 and int(number[-1]) == check_digit(number[:-1])


def next_number(sequence: int) -> str:
    body = f"{PREFIX}{sequence:010d}"
    return body + str(check_digit(body))
