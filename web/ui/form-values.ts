/** The values that a form sends. */
import { ApiError } from "../api/client.ts";
import { UI } from "./ui.texts.ts";

/** A value for each of these fields: a form whose arguments satisfy this and lack a field does not compile. */
export type Each<Fields> = { [Name in keyof Fields]-?: unknown };

/** A text value of a form; "" when there is none. */
export function textOf(values: FormData, name: string): string {
  const value = values.get(name);
  return typeof value === "string" ? value : "";
}

/** Commas that separate thousands, or one that could also stand before decimals. */
const THOUSANDS = /^[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/;

/**
 * A typed number, with a comma or a point before decimals; null if there is none. Any other text is sent unchanged,
 * so that the service can report the error.
 * @throws ApiError if the comma could separate thousands: "1,000"
 */
export function decimalOf(values: FormData, name: string): number | string | null {
  const entered = textOf(values, name).trim();
  if (THOUSANDS.test(entered)) throw new ApiError(400, "argument.invalid", UI.whichComma, name);
  const typed = entered.replace(",", ".");
  if (typed === "") return null;
  return Number.isFinite(Number(typed)) ? Number(typed) : typed;
}
