import { expect, test } from "bun:test";
import { openSections, shownAcknowledgement } from "../../../web/incidents/open-sections.ts";

const NOW = 1_767_614_400;
const DAY = 86_400;

const acknowledgedAt = (date: number, ended = 0) => ({ uname: "mia", date, until: null, ended, note: "" });
const incident = (name: string, rest: object = {}) => ({
  name,
  acknowledged: null,
  muted: null,
  dismissed: 0,
  ...rest,
});

test("an acknowledgement that is older than the chosen time is forgotten; what is muted or dismissed stays quiet", () => {
  const old = acknowledgedAt(NOW - DAY - 1);
  const all = [
    incident("new"),
    incident("of yesterday", { acknowledged: old }),
    incident("of a day ago", { acknowledged: acknowledgedAt(NOW - DAY) }),
    incident("given up", { acknowledged: acknowledgedAt(NOW - 2 * DAY, NOW - 5) }),
    incident("muted", { acknowledged: old, muted: { until: NOW, reason: "" } }),
    incident("dismissed", { dismissed: 1 }),
  ];
  const namesWith = (hours: number) =>
    Object.fromEntries(
      Object.entries(openSections(all, NOW - hours * 3600)).map(([section, of]) => [
        section,
        of.map(({ name }) => name),
      ]),
    );
  expect(namesWith(24)).toEqual({
    open: ["new", "given up"],
    forgotten: ["of yesterday"],
    acknowledged: ["of a day ago"],
    quiet: ["muted", "dismissed"],
  });
  expect(namesWith(4).forgotten).toEqual(["of yesterday", "of a day ago"]);
});

test("an acknowledgement that is over is shown only once the incident is, too", () => {
  const [active, over] = [acknowledgedAt(NOW - DAY), acknowledgedAt(NOW - DAY, NOW - 5)];
  const shown = (acknowledged: typeof active | null, ended: number) =>
    shownAcknowledgement({ acknowledged, ended });
  expect(shown(active, 0)).toBe(active);
  expect(shown(over, 0)).toBeNull();
  expect(shown(over, NOW)).toBe(over);
  expect(shown(null, 0)).toBeNull();
});
