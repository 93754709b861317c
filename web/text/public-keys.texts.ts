/** The setting of the keys to which backups are encrypted, among the settings and in the first steps. */
export const PUBLIC_KEYS = {
  label: "Public keys (age)",
  hint: "“muster backup key FILE” creates one. Empty: backups are not encrypted, and do not contain secret.key",
} as const;
