/** Texts of inputs that choose among many. They are apart from those of the first load, which has no such input. */
export const PICK = {
  searchingFor: (name: string) => `Searching for “${name}”. Try again in a moment.`,
  nothingNamed: (name: string) => `Nothing is named “${name}”. Correct or remove it.`,
  chooseOneOf: (part: string) => `Choose one of the suggestions for “${part}”, or remove it`,
  addAnother: "Type to add another",
  remove: (name: string) => `Remove ${name}`,
  suggestions: "Suggestions",
} as const;
