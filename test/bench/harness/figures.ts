/** The result of a benchmark: figures, some of them with a target. */

export type Target = { atMost: number } | { atLeast: number };

export interface Figure {
  /** Unique within its benchmark. */
  what: string;
  value: number | string;
  unit?: string;
  target?: Target;
}

/** Null without a target. */
export function isMet({ value, target }: Figure): boolean | null {
  if (!target) return null;
  return "atMost" in target ? Number(value) <= target.atMost : Number(value) >= target.atLeast;
}

/** Three significant digits, with commas between thousands. */
export function numberText(value: number): string {
  if (!Number.isFinite(value)) return "unknown";
  const size = Math.abs(value);
  const digits = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
  const [whole = "", decimals] = value.toFixed(digits).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  const rest = decimals?.replace(/0+$/, "");
  return rest ? `${grouped}.${rest}` : grouped;
}

const withUnit = (value: number, unit: string | undefined) =>
  unit ? `${numberText(value)} ${unit}` : numberText(value);

export function valueText({ value, unit }: Figure): string {
  return typeof value === "number" ? withUnit(value, unit) : value;
}

/** Empty without a target. */
export function targetText({ target, unit }: Figure): string {
  if (!target) return "";
  return "atMost" in target
    ? `at most ${withUnit(target.atMost, unit)}`
    : `at least ${withUnit(target.atLeast, unit)}`;
}

/** The median; NaN without values. */
export function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
