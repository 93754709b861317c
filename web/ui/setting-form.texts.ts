/** All texts of the form of settings. */
export const SETTING_FORM = {
  save: "Save settings",
  saved: "Settings saved",
  nothingSaved: "Nothing was saved. Check the marked field.",
} as const;
