/** All texts of the services of a host. */
import { counted, formatSpan } from "../text/format.ts";

export const SERVICES = {
  title: "Services",
  caption: "Services by type",
  none: "The agent reports no services.",
  selectAll: "Select all services",
  select: (name: string) => `Select ${name}`,
  selectHint: "Select services to act on",
  selected: (count: number) => `${counted(count, "service")} selected`,
  columns: { service: "Service", state: "State", values: "Latest values", events: "Events" },
  failingFor: (seconds: number) => `for ${formatSpan(seconds)}`,
  every: (schedule: string) => `every ${schedule}`,
  events: (count: number, name: string) => `${counted(count, "event")} of ${name}`,
} as const;
