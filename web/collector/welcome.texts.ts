/** All texts of the welcome, which is loaded first: hence a file of their own. */
export const WELCOME = {
  noHost: "No host has reported yet. An administrator can see how to add one.",
} as const;
