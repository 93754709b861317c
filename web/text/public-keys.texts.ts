/** The setting of the keys to which backups are encrypted, among the settings and in the first steps. */
export const PUBLIC_KEYS = {
  label: "Public keys (age)",
  hint: "muster backup key FILE makes one; empty: not encrypted, and without secret.key",
} as const;
