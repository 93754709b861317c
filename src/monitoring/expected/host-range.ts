/** Ranges in names of an inventory, as web[01:20] or db-[a:c].example. Pure functions. */

/** START:END or START:END:STEP. */
const RANGE = /\[([a-zA-Z0-9]+):([a-zA-Z0-9]+)(?::(\d+))?\]/;
const A_LETTER = /^[a-z]$|^[A-Z]$/;
const DIGITS = /^\d{1,9}$/;
/** Longest name with ranges, characters. */
const MAX_LENGTH = 1000;

/** Why a name with a range cannot be read. */
export class BadRange extends Error {}

function numbers(
  from: number,
  to: number,
  step: number,
  most: number,
  text: (n: number) => string,
): string[] {
  if (to < from) throw new BadRange("its range ends before it begins");
  const length = Math.floor((to - from) / step) + 1;
  if (length > most) throw new BadRange("it names too many hosts");
  return Array.from({ length }, (_, i) => text(from + i * step));
}

function valuesOf(from: string, to: string, step: number, most: number): string[] {
  if (step === 0) throw new BadRange("its range has a step of 0");
  if (DIGITS.test(from) && DIGITS.test(to)) {
    // A number with leading zeros sets the number of digits.
    const width = from.startsWith("0") ? from.length : 0;
    return numbers(Number(from), Number(to), step, most, (n) => String(n).padStart(width, "0"));
  }
  const isOfLetters = A_LETTER.test(from) && A_LETTER.test(to) && /[a-z]/.test(from) === /[a-z]/.test(to);
  if (!isOfLetters) throw new BadRange("its range is neither of numbers nor of letters");
  return numbers(from.charCodeAt(0), to.charCodeAt(0), step, most, (n) => String.fromCharCode(n));
}

/**
 * The names that a name with ranges stands for.
 * @param most how many it may be @throws BadRange that completes "NAME cannot be read: ..."
 */
export function expandedName(name: string, most: number): string[] {
  const range = RANGE.exec(name);
  if (!range) return [name];
  if (name.length > MAX_LENGTH) throw new BadRange("it is too long for a name with ranges");
  const [whole, from = "", to = "", step] = range;
  const [before, after] = [name.slice(0, range.index), name.slice(range.index + whole.length)];
  const values = valuesOf(from, to, Number(step ?? 1), most);
  const rest = expandedName(after, Math.floor(most / values.length));
  return values.flatMap((value) => rest.map((end) => `${before}${value}${end}`));
}
