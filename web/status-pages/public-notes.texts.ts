/** All texts of what the public is told about a host or an incident. */
export const PUBLIC_NOTES = {
  title: "Public notes",
  hint: (pages: string) => `Shown to everyone who opens ${pages}, without your name.`,
  pages: (titles: readonly string[]) =>
    titles.length === 1 ? `the status page ${titles[0]}` : `the status pages ${titles.join(", ")}`,
  none: "Nothing has been published.",
  shown: "Shown now",
  replaced: (who: string) => `Ended by ${who}`,
  over: "In the history",
  about: (service: string) => `on ${service}`,
  text: "New public note",
  publish: "Publish",
  replace: "Publish in place of the last one",
  published: "Published",
  withdraw: "Withdraw",
  withdrawOf: (text: string) => `Withdraw: ${text}`,
  withdrawn: "Withdrawn",
  more: (n: number) => `And ${n} older.`,
} as const;
