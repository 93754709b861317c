/** All texts of the screen that changes many hosts. */
import { counted, formatNumber } from "../text/format.ts";

export const CHANGE = {
  title: "Change hosts",
  hosts: "Hosts",
  chosen: (count: number) => `${counted(count, "host")} chosen`,
  more: (count: number) => `and ${counted(count, "more host")}, all chosen`,
  none: "No host matches the filter.",
  settings: "Changes",
  addTags: "Add tags",
  removeTags: "Remove tags",
  tagsHint: "NAME or NAME=VALUE, separated by commas",
  join: "Add to group",
  leave: "Remove from group",
  noGroup: "No change",
  leaveHint: "Hosts whose agents name the group stay",
  skew: "Down after missed reports",
  skewHint: "Empty: no change",
  status: "Status",
  statuses: [
    ["", "No change"],
    ["1", "Ignored: no events"],
    ["0", "No longer ignored"],
  ] as const,
  change: (count: number) => `Change ${counted(count, "host")}`,
  nothing: "Choose something to change",
  progress: (done: number, all: number) => `${formatNumber(done, 0)} of ${counted(all, "host")} done`,
  changed: (count: number) => `${counted(count, "host")} changed`,
  deletion: "Delete",
  deletionText:
    "Their services, events and history are deleted too. An agent that still reports comes back as new.",
  typed: (count: number) => `Type ${count} to delete that many hosts`,
  delete: (count: number) => `Delete ${counted(count, "host")}`,
  notTyped: (count: number) => `Type ${count} first`,
  deleted: (count: number) => `${counted(count, "host")} deleted`,
} as const;
