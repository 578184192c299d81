// Times as RFC 3339 writes them, strictly: Date.parse takes the 30th of February for the 2nd of March.

const form = /^(\d{4})-(\d{2})-(\d{2})(?:[Tt]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[-+]\d{2}:\d{2}))?$/;

/** Milliseconds of the Unix epoch; a date alone is its midnight in UTC. Undefined for a text that is no time. */
export function parseRfc3339(text: string): number | undefined {
  const [, year, month, day] = form.exec(text) ?? [];
  if (day === undefined) return undefined;
  const ms = Date.parse(text);
  const noon = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day), 12));
  return Number.isNaN(ms) || noon.getUTCDate() !== Number(day) ? undefined : ms;
}
