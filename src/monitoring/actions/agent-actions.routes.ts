/**
 * Where agents ask for actions and report what came of them: plain text that a shell script can read. The first line of
 * a request is the agent id.
 */
import { Hono } from "hono";
import { MAX_AGENT_ID } from "../../monit/message-bounds.ts";
import { readBody } from "../../platform/http/arguments.ts";
import type { AppContext, AppEnv } from "../../platform/http/context.ts";
import { ApiError, errors } from "../../platform/http/errors.ts";
import { serveOnly } from "../../platform/http/mount.ts";
import { NO_STORE } from "../../platform/http/reply.ts";
import type { AgentLogins } from "../agent-keys/agent-logins.ts";
import type { Credential } from "../agent-keys/host-binding.ts";
import type { RejectedMessages } from "../collector/rejected-messages.ts";
import type { ActionResult, Actions } from "./actions.service.ts";

/** Largest request, bytes. */
const MAX_BODY_BYTES = 4096;

/** A line of a result: id, exit code and output. */
const RESULT = /^(\d{1,15})\t(\d{1,3})\t([^\t\n]*)$/;

interface AgentEndpoints {
  actions: Actions;
  logins: AgentLogins;
  rejectedMessages: RejectedMessages;
}

/** The lines of a request. The credential is checked before its body is read. @throws ApiError 400, 401, 413, 429 */
async function readLines(c: AppContext, logins: AgentLogins): Promise<[Credential, string, string[]]> {
  const { address } = c.get("clientInfo");
  const key = logins.credentialOf({ authorization: c.req.header("Authorization"), address });
  const text = new TextDecoder().decode(await readBody(c, MAX_BODY_BYTES));
  const [agentId = "", ...lines] = text.replace(/\n$/, "").split("\n");
  if (agentId === "" || agentId.length > MAX_AGENT_ID)
    throw errors.badRequest("The first line must be the id of the agent");
  return [key, agentId, lines];
}

/** @throws ApiError 400 */
function resultIn(lines: readonly string[]): ActionResult {
  const [, id, code, output] = (lines.length === 1 && RESULT.exec(lines[0] ?? "")) || [];
  if (id === undefined || output === undefined || Number(code) > 255)
    throw errors.badRequest(
      "The second line must be the id of an action, its exit code from 0 to 255 and its output, with tabs between",
    );
  return { id: Number(id), code: Number(code), output };
}

/** `POST /agent/actions` and `POST /agent/actions/result`. */
export function agentActionRoutes({ actions, logins, rejectedMessages }: AgentEndpoints): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  const answer = async (c: AppContext, work: (...request: [Credential, string, string[]]) => string) => {
    try {
      const text = work(...(await readLines(c, logins)));
      return c.body(text, 200, { "Content-Type": "text/plain; charset=utf-8", ...NO_STORE });
    } catch (error) {
      if (error instanceof ApiError && error.status < 500)
        rejectedMessages.add(c.get("clientInfo").address, error.message);
      throw error;
    }
  };
  serveOnly(["POST"], routes, "/actions", (c) =>
    answer(c, (key, agentId) => {
      const fetched = actions.fetch(key, agentId);
      return fetched.map(({ id, action, service }) => `${id}\t${action}\t${service}\n`).join("");
    }),
  );
  serveOnly(["POST"], routes, "/actions/result", (c) =>
    answer(c, (key, agentId, lines) => {
      actions.report(key, agentId, resultIn(lines));
      return "";
    }),
  );
  return routes;
}
