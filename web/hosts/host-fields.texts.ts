/** Labels of the settings of hosts, wherever they are shown, changed, or filtered by. */
export const HOST_FIELDS = {
  description: "Description",
  skew: "Down after missed reports",
  actionQueue: "Queue actions until the agent asks for them",
  tags: "Tags",
  tagsHint: "NAME or NAME=VALUE, separated by commas",
} as const;
