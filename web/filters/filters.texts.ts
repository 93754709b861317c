/** All texts of saved filters. */
export const FILTERS = {
  list: "Saved filters",
  save: "Save this filter",
  saveVerb: "Save",
  saveHint: "Everyone who sees what it filters by can read its name and open it.",
  name: "Name",
  rename: "Rename",
  renameOf: (name: string) => `Rename ${name}`,
  delete: "Delete",
  deleteOf: (name: string) => `Delete ${name}?`,
  deleteVerb: "Delete filter",
  deleteHint: "Only the name goes. Addresses with the filter keep working.",
  kinds: { hosts: "Filter of hosts", events: "Filter of events" },
} as const;
