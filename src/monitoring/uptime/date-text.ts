/** Date formats by time zone. Creating one costs as much as a hundred uses. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const format = new Intl.DateTimeFormat("en-GB", {
    ...{ timeZone, timeZoneName: "short", hourCycle: "h23" },
    ...{ year: "numeric", month: "2-digit", day: "2-digit" },
    ...{ hour: "2-digit", minute: "2-digit", second: "2-digit" },
  });
  formats.set(timeZone, format);
  return format;
}

/** "2026-11-21 15:03:07 CET". @param timeZone an IANA name */
export function zonedDateText(unixSeconds: number, timeZone: string): string {
  const parts = formatOf(timeZone).formatToParts(unixSeconds * 1000);
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((one) => one.type === type)?.value ?? "";
  const date = `${part("year")}-${part("month")}-${part("day")}`;
  return `${date} ${part("hour")}:${part("minute")}:${part("second")} ${part("timeZoneName")}`;
}
