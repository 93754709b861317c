const ORDER = ["sort", "dir"] as const;

/** What the address of each list may say: its filters and its order, but no page of it. */
export const QUERY_NAMES = {
  hosts: ["text", "led", "state", "group", "tag", ...ORDER],
  events: [
    ...["text", "active", "state", "hostid", "hostgroupid", "tag", "servicenameid", "servicegroupid"],
    ...["servicetype", "eventtype", "datefrom", "dateto", ...ORDER],
  ],
} as const satisfies Record<string, readonly string[]>;
