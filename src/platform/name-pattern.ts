/** Whether `name` matches `pattern`, in which * stands for any text. Takes time linear in both, for any pattern. */
export function matchesName(pattern: string, name: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return name === pattern;
  if (!name.startsWith(first) || !name.endsWith(last)) return false;
  let at = first.length;
  for (const part of rest) {
    const index = name.indexOf(part, at);
    if (index < 0) return false;
    at = index + part.length;
  }
  return at <= name.length - last.length;
}
