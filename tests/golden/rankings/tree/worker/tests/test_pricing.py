from decimal import Decimal

from worker.pricing import Parcel, Tariff, add_tax, quote

TARIFF = Tariff(base=Decimal(4), per_kg=Decimal(1), per_100_km=Decimal("0.5"))


def test_a_large_light_parcel_is_charged_by_volume():
    parcel = Parcel(Decimal(1), Decimal(100), Decimal(50), Decimal(50))
    assert parcel.chargeable_weight() == Decimal(50)


def test_islands_cost_more():
    parcel = Parcel(Decimal(1), Decimal(10), Decimal(10), Decimal(10))
    assert quote(parcel, Decimal(0), TARIFF, is_island=True) > quote(parcel, Decimal(0), TARIFF)


def test_tax_is_rounded_to_cents():
    assert add_tax(Decimal("10.01")) == Decimal("11.91")
