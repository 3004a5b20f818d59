"""Renders the label of a parcel for thermal printers."""

from dataclasses import dataclass

from worker.tracking import check_digit


@dataclass
class Address:
    name: str
    street: str
    postal_code: str
    city: str

    def lines(self):
        return [self.name, self.street, f"{self.postal_code} {self.city}"]


class LabelRenderer:
    """Writes ZPL, the language of thermal printers."""

    def __init__(self, dots_per_mm: int = 8):
        self.dots_per_mm = dots_per_mm

    def render(self, tracking_number: str, recipient: Address, weight_kg: float) -> str:
        parts = ["^XA"]
        for row, line in enumerate(recipient.lines()):
            parts.append(self.text(10, 10 + 6 * row, line))
        parts.append(self.barcode(10, 40, tracking_number + str(check_digit(tracking_number))))
        parts.append(self.text(10, 70, f"{weight_kg:.1f} kg"))
        parts.append("^XZ")
        return "\n".join(parts)

    def text(self, x_mm: int, y_mm: int, text: str) -> str:
        return f"^FO{x_mm * self.dots_per_mm},{y_mm * self.dots_per_mm}^A0N,30^FD{text}^FS"

    def barcode(self, x_mm: int, y_mm: int, digits: str) -> str:
        return f"^FO{x_mm * self.dots_per_mm},{y_mm * self.dots_per_mm}^BCN,100^FD{digits}^FS"
