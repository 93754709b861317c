/** All texts of saved filters. */
export const FILTERS = {
  list: "Saved filters",
  save: "Save this filter",
  saveVerb: "Save",
  saveHint: "Visible to everyone who can see the groups and hosts it filters by.",
  name: "Name",
  rename: "Rename",
  renameOf: (name: string) => `Rename ${name}`,
  delete: "Delete",
  deleteVerb: "Delete filter",
  deleteHint: "Only the saved name is removed. Links that contain the filter keep working.",
  kinds: { hosts: "Host filter", events: "Event filter" },
} as const;
