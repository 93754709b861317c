/**
 * Operations of our own API that also answer for a past moment: they take the argument `at`. The web UI imports this.
 */
export const MOMENT_PATHS = [
  "/status/hosts/list",
  "/status/hosts/get",
  "/status/hosts/summary",
  "/status/hosts/glance",
  "/status/hostgroups/list",
  "/status/servicegroups/list",
  "/status/tags/list",
  "/reports/events/list",
  "/reports/events/get",
  "/reports/events/summary",
  "/reports/events/alerts",
  "/reports/history/get",
  "/reports/history/top",
  "/reports/history/compare",
  "/reports/uptime/list",
  "/reports/uptime/get",
  "/reports/uptime/bars",
  "/reports/uptime/budget",
  "/incidents/list",
  "/incidents/get",
  "/limits/list",
  "/mutes/list",
  "/oncall/now",
] as const;
