/** All texts of the overview. */
import { counted } from "../text/format.ts";

export const OVERVIEW = {
  title: "Overview",
  problems: "Problems",
  allProblems: "All problems",
  moreProblems: (count: number) => counted(count, "more problem"),
  noneOpen: "No open problems.",
  dismissedProblems: (count: number) => counted(count, "dismissed problem"),
  noProblems: "No problems. All checks on reporting hosts pass.",
  hosts: "Hosts, worst first",
  allHosts: "All hosts",
  moreHosts: (count: number) => counted(count, "more host"),
} as const;
