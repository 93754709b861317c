/** All texts of the list of what may be forgotten. */
export const FORGOTTEN = {
  title: "Possibly forgotten",
  list: "What is possibly forgotten",
  hint: (age: string) => `Acknowledged, muted, ignored or disabled for more than ${age}.`,
  columns: { what: "What", how: "How", since: "Since" },
  mute: "Mute",
  kinds: { acknowledgement: "Acknowledged", mute: "Muted", host: "Ignored", rule: "Disabled" },
  by: (how: string, who: string) => `${how} by ${who}`,
  more: (n: number) => `And ${n} more, not as old.`,
} as const;
