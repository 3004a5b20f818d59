// Dates for people.

/** "today, 14:30" or "Tue, 14:30", in the language of the customer. */
export function formatEta(iso: string, locale: string, now: Date = new Date()): string {
  const date = new Date(iso);
  const time = date.toLocaleTimeString(locale, { hour: "2-digit", minute: "2-digit" });
  if (date.toDateString() === now.toDateString()) return `today, ${time}`;
  return `${date.toLocaleDateString(locale, { weekday: "short" })}, ${time}`;
}

/** Whole days between two dates. */
export function daysBetween(first: Date, second: Date): number {
  return Math.round((second.getTime() - first.getTime()) / 86_400_000);
}
