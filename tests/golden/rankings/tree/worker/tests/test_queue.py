import json
import unittest

from worker.backoff import Backoff
from worker.queue import Event, QueueConsumer


class FakeBroker:
    def __init__(self, messages):
        self.messages, self.published, self.dead = messages, [], []

    def receive(self):
        return self.messages.pop(0) if self.messages else None

    def publish(self, message, delay_seconds):
        self.published.append((message, delay_seconds))

    def dead_letter(self, message):
        self.dead.append(message)


class QueueConsumerTest(unittest.TestCase):
    def test_a_failing_event_is_sent_back_with_a_delay(self):
        broker = FakeBroker([json.dumps({"kind": "label", "payload": {}})])
        consumer = QueueConsumer(broker, Backoff())
        self.assertTrue(consumer.run_once())
        self.assertEqual(len(broker.published), 1)

    def test_an_event_that_failed_too_often_is_a_dead_letter(self):
        broker = FakeBroker([])
        QueueConsumer(broker, Backoff()).requeue(Event("label", {}, attempts=4))
        self.assertEqual(len(broker.dead), 1)
