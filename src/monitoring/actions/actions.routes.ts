import { actorOf } from "../../accounts/audit/actor.ts";
import { managedReach, reachOf, turnOf } from "../../platform/http/context.ts";
import { noSuch } from "../../platform/http/errors.ts";
import { type Operation, read, writeJson } from "../../platform/http/operation.ts";
import { addressFor } from "../agent-keys/agent-config.ts";
import type { AgentKeys } from "../agent-keys/agent-keys.service.ts";
import { hostConflict } from "../hosts/hosts.service.ts";
import type { ActionQueries } from "./actions.queries.ts";
import {
  cancelArguments,
  helperArguments,
  helperReply,
  listArguments,
  listReply,
  queueArguments,
  queueReply,
} from "./actions.schemas.ts";
import { type Actions, hostUnbound, notWaiting, queueFull, queueOff } from "./actions.service.ts";
import { actionHelper } from "./helper.ts";

interface ActionParts {
  actions: Actions;
  agentKeys: AgentKeys;
  /** Public origin of Muster; null if not configured. */
  baseUrl: () => URL | null;
  queries: ActionQueries;
}

/** Operations on actions that wait until the agent of their host asks for them. */
export function queuedActionOperations({
  actions,
  agentKeys: keys,
  baseUrl,
  queries,
}: ActionParts): Operation[] {
  return [
    writeJson("/admin/hosts/action/queue", {
      access: "operate",
      summary: "Queue an action on services until the agent asks for it, for agents that Muster cannot reach",
      request: queueArguments,
      response: queueReply,
      errors: [noSuch("host or service"), queueOff, hostUnbound, hostConflict, queueFull],
      audit: "itself",
      handle: (args, c) => actions.queue(args, actorOf(c), reachOf(c, "operate")),
    }),
    writeJson("/admin/hosts/action/cancel", {
      access: "operate",
      summary: "Cancel a queued action before the agent asks for it",
      request: cancelArguments,
      errors: [noSuch("host or action"), notWaiting],
      audit: "itself",
      handle: (args, c) => actions.cancel(args, actorOf(c), reachOf(c, "operate")),
    }),
    read("/admin/hosts/action/list", {
      access: "operate",
      summary: "Queued actions of a host, and the results of earlier ones",
      request: listArguments,
      response: listReply,
      errors: [noSuch("host")],
      handle: async ({ id }, c) => {
        const { poll, enabled, bound, ...list } = (
          await queries.actionList(turnOf(c), id, reachOf(c, "operate"))
        ).value;
        return { enabled, bound, asks: actions.asks(id, poll), lastasked: actions.lastAsked(id), ...list };
      },
    }),
    writeJson("/admin/keys/helper", {
      access: "manage",
      summary:
        "Show what a host needs to ask for its actions with a key, which includes the secret of the key",
      request: helperArguments,
      response: helperReply,
      errors: [noSuch("key")],
      audit: { subject: "agentkey", id: ({ id }) => id },
      handle: ({ id }, c) => actionHelper(keys.login(id, managedReach(c)), addressFor(c, baseUrl())),
    }),
  ];
}
