/** All texts of the shortcuts, which are loaded first: hence a file of their own. */
export const SHORTCUTS = {
  find: "Find",
  ctrlK: "Ctrl K",
  reload: "The page could not be loaded. Reload it.",
} as const;
