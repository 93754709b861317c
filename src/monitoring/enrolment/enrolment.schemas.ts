import * as v from "valibot";
import { DAY } from "../../platform/clock.ts";
import { totalRecords } from "../../platform/http/paging.ts";
import { described, idOf, integer, text } from "../../platform/http/validate.ts";

/** Shortest and longest life of a code, seconds. */
export const MIN_LIFETIME = 60;
export const MAX_LIFETIME = 90 * DAY;
const MAX_USES = 10_000;

export const codesArguments = v.object({ id: idOf("key") });

const code = v.object({
  id: described(v.number(), "id of the code"),
  created: described(v.number(), "when it was created, unix timestamp"),
  ends: described(v.number(), "when it ends, unix timestamp"),
  uses: described(v.number(), "how many machines may use it"),
  left: described(v.number(), "how many of these uses are left"),
  lastused: described(v.nullable(v.number()), "when it was last used, unix timestamp; null: not yet"),
});

export const codesReply = v.object({
  totalRecords,
  records: described(v.array(code), "enrolment codes of the key, oldest first, without their text"),
});

export const createArguments = v.strictObject({
  id: idOf("key"),
  uses: described(v.optional(integer(1, MAX_USES), 1), "how many machines may use it"),
  lifetime: described(v.optional(integer(MIN_LIFETIME, MAX_LIFETIME), DAY), "seconds after which it ends"),
});

export const createReply = v.object({
  id: described(v.number(), "id of the code"),
  code: described(v.string(), "the code; it is never shown again"),
  ends: described(v.number(), "when it ends, unix timestamp"),
  shell: described(v.string(), "line that installs Monit on a machine and points it here, to be run as root"),
  cloudinit: described(v.string(), "user data with which cloud-init does that on a new machine"),
});

export const revokeArguments = v.strictObject({ id: idOf("enrolment code") });

const optionalText = (max: number, meaning: string) => described(v.optional(text(0, max), ""), meaning);

export const exchangeArguments = v.strictObject({
  code: described(text(1, 255), "the enrolment code"),
  name: optionalText(64, "name of the key that the machine already has, if any"),
  secret: optionalText(128, "its secret: a machine that has the key of the code already is not counted"),
  hostname: optionalText(
    255,
    "name that the machine's agent reports, if known: if the key is not for such names, no use of the code is counted",
  ),
});

export const exchangeReply = v.object({
  key: described(v.number(), "id of the key"),
  name: described(v.string(), "name of the key: the user name with which agents post"),
  secret: described(v.string(), "its secret: the password with which agents post"),
  code: described(v.number(), "id of the code"),
  counted: described(v.boolean(), "whether a use of the code was counted"),
});

export const arrivalArguments = v.strictObject({
  name: described(text(1, 64), "name of a key"),
  secret: described(text(1, 128), "its secret"),
  agentid: described(text(1, 255), "id of the agent, as monit --id prints it"),
  hostname: optionalText(255, "name that its host reports, if known"),
});

export const arrivalReply = v.object({
  arrived: described(
    v.boolean(),
    "whether the last message of the agent's host came with this key and secret",
  ),
  reported: described(
    v.nullable(v.number()),
    "when that message came, unix timestamp; null if no host uses the key for this agent",
  ),
  refused: described(
    v.nullable(v.string()),
    "why messages of this host with the key are refused, as far as that is known; null if they are not",
  ),
  hostname: described(
    v.nullable(v.string()),
    "name by which Muster knows the host; null if no host uses the key for this agent",
  ),
  shared: described(
    v.boolean(),
    "whether two agents were seen to report with this id, as cloned machines do, and nobody has confirmed the host since",
  ),
});
