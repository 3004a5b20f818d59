"""How long an event waits before it is handled again."""

import random
from dataclasses import dataclass


@dataclass(frozen=True)
class Backoff:
    """Exponential delays with jitter. After `max_attempts` an event is a dead letter."""

    base_seconds: float = 1.0
    limit_seconds: float = 300.0
    max_attempts: int = 5

    def delay(self, attempt: int) -> float:
        raw = min(self.limit_seconds, self.base_seconds * 2**attempt)
        return raw * random.uniform(0.5, 1.0)
