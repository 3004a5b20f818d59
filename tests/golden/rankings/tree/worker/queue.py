"""Consumes events from the queue and hands each to its handler."""

import json
import logging
from dataclasses import dataclass, field
from typing import Callable, Dict

from worker.backoff import Backoff

log = logging.getLogger(__name__)


@dataclass
class Event:
    """One message of the queue."""

    kind: str
    payload: dict
    attempts: int = 0


@dataclass
class QueueConsumer:
    """Takes events one at a time. A handler that raises sends its event back with a delay."""

    broker: "Broker"
    backoff: Backoff
    handlers: Dict[str, Callable[[dict], None]] = field(default_factory=dict)

    def register(self, kind: str, handler: Callable[[dict], None]) -> None:
        self.handlers[kind] = handler

    def run_once(self) -> bool:
        """Handles the next event. Returns False if the queue is empty."""
        raw = self.broker.receive()
        if raw is None:
            return False
        event = Event(**json.loads(raw))
        try:
            self.handlers[event.kind](event.payload)
        except Exception:
            log.exception("event %s failed", event.kind)
            self.requeue(event)
        return True

    def requeue(self, event: Event) -> None:
        """Sends an event back with a delay, or to the dead letters if it failed too often."""
        event.attempts += 1
        if event.attempts >= self.backoff.max_attempts:
            self.broker.dead_letter(json.dumps(event.__dict__))
        else:
            delay = self.backoff.delay(event.attempts)
            self.broker.publish(json.dumps(event.__dict__), delay_seconds=delay)
