/** All texts of bulk edit. */
import { counted, formatNumber } from "../text/format.ts";

export const CHANGE = {
  title: "Bulk edit",
  hosts: "Hosts",
  chosen: (count: number) => `${counted(count, "host")} chosen`,
  more: (count: number) => `and ${counted(count, "more host")}, all chosen`,
  none: "No host matches the filter.",
  settings: "Changes",
  addTags: "Add tags",
  removeTags: "Remove tags",
  join: "Add to group",
  leave: "Remove from group",
  noGroup: "No change",
  leaveHint: "Hosts whose agents name the group stay in it",
  skewHint: "Empty: no change",
  waiting: "Queue actions until the agent asks",
  waitings: [
    ["", "No change"],
    ["1", "On"],
    ["0", "Off"],
  ] as const,
  status: "Status",
  statuses: [
    ["", "No change"],
    ["1", "Ignored: no events"],
    ["0", "No longer ignored"],
  ] as const,
  change: (count: number) => `Change ${counted(count, "host")}`,
  nothing: "Choose what to change",
  progress: (done: number, all: number) => `${formatNumber(done, 0)} of ${counted(all, "host")} done`,
  changed: (count: number) => `${counted(count, "host")} changed`,
  deletion: "Delete",
  deletionText:
    "Their services, events and history are deleted too. It can be undone for 30 days. If an agent still reports, it becomes a new host.",
  typed: (count: number) => `Type ${count} to delete that many hosts`,
  delete: (count: number) => `Delete ${counted(count, "host")}`,
  notTyped: (count: number) => `Type ${count} first`,
  deleted: (count: number) => `${counted(count, "host")} deleted`,
} as const;
