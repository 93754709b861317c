/** All texts of the enrolment codes of a key. */
import { DAY, HOUR } from "../../src/platform/clock.ts";

export const ENROLMENT = {
  title: "Enrol machines",
  hint: "A code lets machines fetch this key. The line installs Monit, points it here, and waits until the host reports.",
  uses: "Machines",
  lifetime: "Valid for",
  lifetimes: [
    [String(DAY), "1 day"],
    [String(HOUR), "1 hour"],
    [String(7 * DAY), "7 days"],
    [String(30 * DAY), "30 days"],
  ],
  create: "Create code",
  shown: "The code is shown only now. Anyone who has it can fetch the key.",
  ways: "Way to enrol",
  shell: "Shell",
  shellHint: "Run this as root on each machine. Running it again changes nothing.",
  shellLine: "the line that enrols a machine",
  cloudInit: "cloud-init",
  cloudInitHint: "Give this user data to new machines.",
  cloudInitText: "the user data for cloud-init",
  plain:
    "This address is not https: codes are accepted only on this machine unless the settings allow plain http.",
  caption: "Enrolment codes",
  columns: { created: "Created", ends: "Ends", left: "Uses left", used: "Last used" },
  leftOf: (left: number, uses: number) => `${left} of ${uses}`,
  never: "never",
  revoke: "Revoke",
  revokeOf: (id: number) => `Revoke code ${id}`,
  revoked: "Code revoked",
  revokeTitle: "Revoke the code?",
  revokeHint: "No further machine can use it. Machines that used it keep the key.",
} as const;
