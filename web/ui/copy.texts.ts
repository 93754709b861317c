/** Texts of what can be copied. */
export const COPY = {
  copy: "Copy",
  copyOf: (what: string) => `Copy ${what}`,
  copied: "Copied",
  selectIt: "Select",
  notCopied: "Could not copy; select the text instead",
} as const;
