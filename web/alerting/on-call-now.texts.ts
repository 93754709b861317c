/** Who is on call now, apart from the texts of schedules, which are loaded later. */
export const ON_CALL_NOW = {
  title: "On call",
  nobody: "Nobody",
  now: (name: string, who: string) => `${name}: ${who}`,
  until: (end: string) => `until ${end}`,
  untilThen: ({ end, next }: { end: string; next: string }) => `until ${end}, then ${next}`,
  gap: (from: string, to: string) => `; nobody is on call from ${from} to ${to}`,
} as const;
