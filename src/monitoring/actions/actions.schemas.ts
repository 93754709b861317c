import * as v from "valibot";
import { ACTIONS } from "../../monit/agent.client.ts";
import { totalRecords } from "../../platform/http/paging.ts";
import { allowing, described, id, idOf, oneOf } from "../../platform/http/validate.ts";
import { ACTION_STATES } from "../../platform/storage/schema/actions.ts";

/** The most actions of a host that wait at the same time. */
export const MAX_WAITING = 20;
/** The most actions of a host that are kept. */
export const MAX_KEPT = 100;

/**
 * Whether a service name is safe as an argument of the command `monit`, which reads a name that begins with - as an
 * option, and "all" as every service of the host.
 */
function isArgument(name: string): boolean {
  return !/^-|\p{Cc}|^all$/iu.test(name) && name.isWellFormed();
}

const serviceName = allowing(
  v.pipe(v.string(), v.minLength(1), v.maxLength(255), v.check(isArgument)),
  "the name of a service without control characters, which does not begin with - and is not all",
);

export const queueArguments = v.strictObject({
  id: idOf("host"),
  action: described(oneOf(ACTIONS), "what the agent is to do"),
  service: described(
    allowing(
      v.pipe(v.array(serviceName), v.minLength(1), v.maxLength(MAX_WAITING)),
      `1 to ${MAX_WAITING} names of services`,
    ),
    "names of services",
  ),
});
export type QueueArguments = v.InferOutput<typeof queueArguments>;

const number = v.number();
const string = v.string();

export const queueReply = v.object({
  actions: described(v.array(number), "ids of the actions, one for each service"),
  expires: described(number, "when they expire unless the agent asks for them before, unix timestamp"),
});

export const listArguments = v.object({ id: idOf("host") });

const action = v.object({
  id: described(number, "id of the action"),
  service: described(string, "name of the service"),
  action: described(string, "what the agent is to do"),
  state: described(
    v.picklist(ACTION_STATES),
    "waiting: the agent has not asked for it yet; fetched: the agent got it and has not reported a result; ran: Monit accepted it; failed: Monit refused it, or no result came in time; expired: the agent did not ask in time, so it never runs; cancelled: a user cancelled it, so it never runs",
  ),
  uname: described(string, "login name of the user who asked for it"),
  created: described(number, "when it was asked for, unix timestamp"),
  until: described(
    number,
    "when it expires while it waits, and when its result is overdue once it is fetched, unix timestamp",
  ),
  fetched: described(v.nullable(number), "when the agent got it, unix timestamp; null: it did not"),
  ended: described(
    v.nullable(number),
    "when it ran, failed, expired or was cancelled, unix timestamp; null: not yet",
  ),
  code: described(v.nullable(number), "exit code of the command; null without a result"),
  output: described(
    string,
    "first line of the command's output, or why there is none; of a cancelled action, who cancelled it",
  ),
});

export const listReply = v.object({
  enabled: described(v.boolean(), "whether an administrator allows actions to wait for the host"),
  bound: described(
    v.boolean(),
    "whether the host uses an agent key, without which its agent gets no actions",
  ),
  asks: described(v.boolean(), "whether the agent asked within its last cycles"),
  lastasked: described(
    v.nullable(number),
    "when the agent last asked for actions, unix timestamp; null: not since Muster started",
  ),
  totalRecords,
  records: described(v.array(action), `the last ${MAX_KEPT} actions of the host at most, newest first`),
});

export const cancelArguments = v.strictObject({
  id: idOf("host"),
  action: described(id, "id of an action that waits"),
});
export type CancelArguments = v.InferOutput<typeof cancelArguments>;

export const helperArguments = v.strictObject({ id: idOf("key") });

export const helperReply = v.object({
  install: described(
    string,
    "shell commands that install the script and its settings, with the secret of the key",
  ),
  control: described(
    string,
    "lines for an agent's control file: its local socket, and the check that runs the script",
  ),
  loopback: described(v.boolean(), "whether the address in the settings reaches this machine only"),
});
