/** Dates and times as people read them, in UTC or in a time zone. */

/** "2026-11-21 14:03:07 UTC" */
export function dateText(unixSeconds: number): string {
  return `${new Date(unixSeconds * 1000).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

/** "20261121T140307Z", for names of files: it sorts by time. */
export function stampOf(time: Date): string {
  return time.toISOString().replace(/[-:]|\.\d+/g, "");
}

/** Date formats by time zone. Creating one costs as much as a hundred uses. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const cached = formats.get(timeZone);
  if (cached) return cached;
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    timeZoneName: "short",
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
  formats.set(timeZone, format);
  return format;
}

/** A time in a time zone: its date as "2026-11-21", its minute as "15:03". @param timeZone an IANA name */
export function zonedParts(unixSeconds: number, timeZone: string) {
  const parts = formatOf(timeZone).formatToParts(unixSeconds * 1000);
  const part = (type: Intl.DateTimeFormatPartTypes) =>
    parts.find((candidate) => candidate.type === type)?.value ?? "";
  return {
    date: `${part("year")}-${part("month")}-${part("day")}`,
    minute: `${part("hour")}:${part("minute")}`,
    second: part("second"),
    zone: part("timeZoneName"),
  };
}

/** "2026-11-21 15:03:07 CET". @param timeZone an IANA name */
export function zonedDateText(unixSeconds: number, timeZone: string): string {
  const { date, minute, second, zone } = zonedParts(unixSeconds, timeZone);
  return `${date} ${minute}:${second} ${zone}`;
}

/** "2026-11-21 15:03 CET", or "15:03 CET" on the day of `now`. @param timeZone an IANA name */
export function zonedMinuteText(unixSeconds: number, now: number, timeZone: string): string {
  const { date, minute, zone } = zonedParts(unixSeconds, timeZone);
  return date === zonedParts(now, timeZone).date ? `${minute} ${zone}` : `${date} ${minute} ${zone}`;
}
