/** All texts of the screen of backups. */
export const BACKUPS = {
  title: "Backups",
  settings: "Settings",
  intro:
    "Muster copies its database, stores the copy, fetches it back, and restores it to prove that it works.",
  documentation: "How backups are stored, encrypted and restored",
  off: "No backups are made. Name a place for them below: the first one begins at once.",
  verifiedOnly:
    "Backups are encrypted, and the private key is not on this machine, so Muster only compares checksums. Restore one yourself from time to time.",
  next: "Next backup",
  last: "Last backup",
  lastProven: "Last proven restore",
  none: "none yet",
  start: "Back up now",
  started: "The backup has begun",
  running: "Now",
  progress: (phase: string, done: string, total: string) => `${phase}: ${done} of ${total}`,
  phases: {
    copying: "Copying the database",
    packing: "Packing",
    storing: "Storing",
    "reading back": "Reading back",
    restoring: "Restoring",
    "tidying up": "Removing outdated backups",
  },
  list: "Stored backups",
  empty: "There are no backups yet.",
  columns: { made: "Made", state: "State", size: "Size", database: "Database", place: "Stored as" },
  states: { proven: "Proven", verified: "Verified", failed: "Failed" },
  plan: "Plan",
} as const;
