/** All texts of the shortcuts, which are loaded first: hence a file of their own. */
export const SHORTCUTS = {
  find: "Find",
  ctrlK: "Ctrl K",
  now: "Now",
  clock: (shown: string) => `Shown: ${shown}. Show another moment`,
  reload: "The page could not be loaded. Reload it.",
} as const;
