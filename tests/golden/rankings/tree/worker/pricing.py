"""Computes the price of a shipment from weight, size and distance."""

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

VOLUMETRIC_DIVISOR = Decimal(5000)


@dataclass(frozen=True)
class Parcel:
    weight_kg: Decimal
    length_cm: Decimal
    width_cm: Decimal
    height_cm: Decimal

    def volumetric_weight(self) -> Decimal:
        """The weight that a carrier charges for the room that a parcel takes."""
        return self.length_cm * self.width_cm * self.height_cm / VOLUMETRIC_DIVISOR

    def chargeable_weight(self) -> Decimal:
        return max(self.weight_kg, self.volumetric_weight())


@dataclass(frozen=True)
class Tariff:
    base: Decimal
    per_kg: Decimal
    per_100_km: Decimal
    island_surcharge: Decimal = Decimal("8.50")


def quote(parcel: Parcel, distance_km: Decimal, tariff: Tariff, is_island: bool = False) -> Decimal:
    """The price with tax, rounded to cents."""
    net = tariff.base + parcel.chargeable_weight() * tariff.per_kg
    net += distance_km / 100 * tariff.per_100_km
    if is_island:
        net += tariff.island_surcharge
    return add_tax(net)


def add_tax(net: Decimal, rate: Decimal = Decimal("0.19")) -> Decimal:
    return (net * (1 + rate)).quantize(Decimal("0.01"), rounding=ROUND_HALF_UP)
