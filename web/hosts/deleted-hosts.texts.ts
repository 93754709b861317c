/** All texts of the list of deleted hosts. */
export const DELETED = {
  title: "Deleted hosts",
  hosts: "Hosts",
  intro: "For 30 days a deleted host can come back with everything that belonged to it. Then it is final.",
  none: "No deleted hosts.",
  columns: { name: "Name", deleted: "Deleted", by: "By", until: "Final on" },
  reportsAs: "Its agent already reports as a new host. Delete that one first:",
  undo: "Undo",
  undoOf: (name: string) => `Undo the deletion of ${name}`,
  undone: (name: string) => `${name} is back`,
  deleteForGood: "Delete for good",
  deleteOf: (name: string) => `Delete ${name} for good`,
  deleteTitle: (name: string) => `Delete ${name} for good?`,
  deleteText: "Its services, values, events, notes and uptime are lost. This cannot be undone.",
  deleted: "Deleted for good",
} as const;
