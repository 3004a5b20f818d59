"""Reads the settings of the worker from the environment."""

import os
from dataclasses import dataclass


class MissingSetting(Exception):
    """A variable without which the worker cannot start."""


@dataclass(frozen=True)
class Settings:
    broker_url: str
    courier_url: str
    printer: str = "none"


def load_settings(environment=os.environ) -> Settings:
    def need(name):
        if name not in environment:
            raise MissingSetting(f"set {name} before you start the worker")
        return environment[name]

    return Settings(
        broker_url=need("WORKER_BROKER_URL"),
        courier_url=need("WORKER_COURIER_URL"),
        printer=environment.get("WORKER_PRINTER", "none"),
    )
