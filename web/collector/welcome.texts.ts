/** All texts of the welcome, which is loaded first: hence a file of their own. */
export const WELCOME = {
  done: "Go to the overview",
  later: "Finish later",
  noHost: "No hosts have reported yet. An administrator can add one.",
} as const;
