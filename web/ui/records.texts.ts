/** Texts of lists and dialogs of records. They are apart from those of the first load, which has none. */
export const RECORDS = {
  changedMeanwhile:
    "Someone else has changed this in the meantime. Save again to replace their changes, or close this and open it again to see them.",
  actions: "Actions",
  edit: "Edit",
  editOf: (name: string) => `Edit ${name}`,
  delete: "Delete",
  deleteOf: (name: string) => `Delete ${name}`,
  deleteTitle: (name: string) => `Delete ${name}?`,
} as const;
