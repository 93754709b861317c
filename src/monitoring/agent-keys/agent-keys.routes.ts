import { type AppContext, managedReach, turnOf } from "../../platform/http/context.ts";
import { because, errors, noSuch } from "../../platform/http/errors.ts";
import { type Operation, read, writeJson } from "../../platform/http/operation.ts";
import { resourceOperations } from "../../platform/resources/resource.routes.ts";
import { addressFor, agentConfig } from "./agent-config.ts";
import type { AgentKeyQueries } from "./agent-keys.queries.ts";
import {
  agentKey,
  endArguments,
  endReply,
  hostsArguments,
  hostsReply,
  moveArguments,
  moveReply,
  replaceArguments,
  secretArguments,
  secretReply,
} from "./agent-keys.schemas.ts";
import { type AgentKeys, keyExists } from "./agent-keys.service.ts";

/**
 * Operations on the keys of agents: administrators manage all, managers those of their groups.
 * @param baseUrl public origin of Muster; null if not configured
 */
export function agentKeyOperations(
  keys: AgentKeys,
  queries: AgentKeyQueries,
  baseUrl: () => URL | null,
): Operation[] {
  const unknown = noSuch("key");
  const linesOf = (id: number, c: AppContext, address = addressFor(c, baseUrl())) => {
    const login = keys.login(id, managedReach(c));
    return { ...login, ...agentConfig(login, address) };
  };
  return [
    ...resourceOperations({
      path: "/admin/keys",
      resource: agentKey,
      collection: keys,
      queries: { list: queries.keyList, get: queries.key },
      access: { read: "manage", change: "manage" },
      reach: managedReach,
      subject: "agentkey",
      taken: keyExists,
      summaries: {
        list: "List the keys of agents that the caller manages, without their secrets",
        get: "A key of agents, without its secret",
        create: "Create a key with which agents post",
        update: "Change a key",
        delete: "Delete a key: its secret is refused at once, and its hosts use no key",
      },
    }),
    writeJson("/admin/keys/end", {
      access: "manage",
      summary:
        "End a key: its messages are refused, at once or later; to undo that, change its ends with admin/keys/update",
      request: endArguments,
      response: endReply,
      errors: [unknown],
      audit: { subject: "agentkey", id: ({ id }) => id, details: (_args, { ends }) => ({ ends }) },
      handle: ({ id, overlap }, c) => ({ ends: keys.end(id, overlap, managedReach(c)) }),
    }),
    writeJson("/admin/keys/replace", {
      access: "manage",
      summary: "Give a key a new secret, and show what an agent's control file needs to report with it",
      request: replaceArguments,
      response: secretReply,
      errors: [unknown],
      audit: { subject: "agentkey", id: ({ id }) => id, details: ({ overlap }) => ({ overlap }) },
      handle: ({ id, overlap }, c) => {
        const address = addressFor(c, baseUrl());
        keys.replace(id, overlap, managedReach(c));
        return linesOf(id, c, address);
      },
    }),
    writeJson("/admin/keys/secret", {
      access: "manage",
      summary: "Show the secret of a key, and what an agent's control file needs to report with it",
      request: secretArguments,
      response: secretReply,
      errors: [unknown],
      audit: { subject: "agentkey", id: ({ id }) => id },
      handle: ({ id }, c) => linesOf(id, c),
    }),
    read("/admin/keys/hosts", {
      access: "manage",
      summary: "Hosts that use a key or were moved to it, and which of its secrets they use",
      request: hostsArguments,
      response: hostsReply,
      errors: [unknown],
      handle: ({ id, results, startindex }, c) =>
        queries.keyHosts(turnOf(c), id, managedReach(c), results, startindex),
    }),
    writeJson("/admin/keys/move", {
      access: "manage",
      summary:
        "Move hosts to a key: each keeps its present key until its first message with the new one; the caller has to manage both keys",
      request: moveArguments,
      response: moveReply,
      errors: [unknown, because(errors.notGranted, "The caller does not manage the key that a host uses")],
      audit: {
        subject: "agentkey",
        id: ({ id }) => id,
        details: ({ hosts }, { moved }) => ({ hosts, moved }),
      },
      handle: ({ id, hosts }, c) => ({ moved: keys.move(id, hosts, managedReach(c)) }),
    }),
  ];
}
