import { browserTimeZone } from "../text/zoned-time.ts";
import { Field } from "./fields.tsx";

interface TimeZoneFieldProps {
  label: string;
  name: string;
  /** An IANA name; the field begins with that of the browser if absent. */
  value: string | undefined;
  hint?: string;
}

/** A required time zone. */
export function TimeZoneField({ value = browserTimeZone(), ...field }: TimeZoneFieldProps) {
  return <Field {...field} defaultValue={value} required />;
}
