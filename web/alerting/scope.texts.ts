/** Texts of the fields that choose hosts, services and days. */
export const SCOPE = {
  hosts: "Hosts",
  allHosts: "All hosts; type to add one",
  allGroups: "All groups; type to add one",
  add: "Type to add one",
  groups: "Host groups",
  noGroup: "No groups yet.",
  tags: "Tags",
  tagsHint: "Host tags, separated by commas. A name alone matches any value; all names must match",
  services: "Services",
  servicesHint:
    'Separated by commas; a name with a comma in quotes: "a, b". * matches anything. Leave empty for all',
  days: "Days",
  chooseGroup: "Choose a host group",
} as const;
