"""The entry point of the worker: reads settings, registers handlers, runs until it is told to stop."""

import signal
import sys
import time

from worker.backoff import Backoff
from worker.labels import LabelRenderer
from worker.queue import QueueConsumer
from worker.settings import MissingSetting, load_settings

running = True


def stop(_signal, _frame):
    global running
    running = False


def main(broker_factory):
    try:
        settings = load_settings()
    except MissingSetting as error:
        sys.exit(str(error))
    signal.signal(signal.SIGTERM, stop)
    consumer = QueueConsumer(broker_factory(settings.broker_url), Backoff())
    renderer = LabelRenderer()
    consumer.register("label", lambda payload: renderer.render(**payload))
    while running:
        if not consumer.run_once():
            time.sleep(0.2)
