/**
 * Patterns of names: `*` stands for any text, and `\*` for a star. Of backslashes before a star, two stand for one. Others
 * stand for themselves.
 */

/** Stands for a star of the name while a pattern is split. No name has this character. */
const LITERAL_STAR = "\0";

/** The texts of a pattern between those that may be anything. */
function partsOf(pattern: string): string[] {
  if (!pattern.includes("\\*")) return pattern.split("*");
  return pattern
    .replace(
      /(\\+)\*/g,
      (_, { length }: string) => "\\".repeat(length / 2) + (length % 2 ? LITERAL_STAR : "*"),
    )
    .split("*")
    .map((part) => part.replaceAll(LITERAL_STAR, "*"));
}

/** Whether `name` matches `pattern`. Takes time linear in both, for any pattern. */
export function matchesName(pattern: string, name: string): boolean {
  const [first = "", ...rest] = partsOf(pattern);
  const last = rest.pop();
  if (last === undefined) return name === first;
  if (!name.startsWith(first) || !name.endsWith(last)) return false;
  let at = first.length;
  for (const part of rest) {
    const index = name.indexOf(part, at);
    if (index < 0) return false;
    at = index + part.length;
  }
  return at <= name.length - last.length;
}

/** The pattern that only this name matches. */
export function patternOf(name: string): string {
  return name.replace(/(\\*)\*/g, "$1$1\\*");
}
