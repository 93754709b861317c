/** Texts of the fields that choose hosts, services and days. */
export const SCOPE = {
  hosts: "Hosts",
  allHosts: "All hosts; type to add one",
  addHost: "Type to add another",
  removeHost: (name: string) => `Remove ${name}`,
  groups: "Host groups",
  noGroup: "No group yet.",
  tags: "Tags",
  tagsHint: "Tags of hosts, separated by commas. A name alone matches every value; every name has to match",
  services: "Services",
  servicesHint: "Names separated by commas; * matches anything. Leave empty for all services",
  days: "Days",
  chooseGroup: "Choose a host group",
} as const;
