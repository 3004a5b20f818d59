"""Renders the labels of old parcels again after the check digit changed. Run it once."""

from worker.labels import Address, LabelRenderer
from worker.tracking import is_valid


def migrate(rows):
    renderer = LabelRenderer()
    for row in rows:
        if not is_valid(row["tracking_number"]):
            address = Address(row["name"], row["street"], row["postal_code"], row["city"])
            yield renderer.render(row["tracking_number"], address, row["weight_kg"])
