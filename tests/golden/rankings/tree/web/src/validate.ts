// Checks what a customer types before it is sent.

/** True if the last digit is the check digit of the others: modulo 10, weights 3 and 1. */
export function isTrackingNumber(text: string): boolean {
  if (!/^\d{2,}$/.test(text)) return false;
  const digits = [...text].map(Number).reverse();
  const [last, ...rest] = digits;
  const total = rest.reduce((sum, digit, index) => sum + digit * (index % 2 === 0 ? 3 : 1), 0);
  return (10 - (total % 10)) % 10 === last;
}

export function isPostalCode(text: string): boolean {
  return /^\d{5}$/.test(text.trim());
}
