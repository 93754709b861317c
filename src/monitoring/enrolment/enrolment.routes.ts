import { isDirectFromThisMachine } from "../../platform/http/client-info.ts";
import { type AppContext, managedReach } from "../../platform/http/context.ts";
import { because, errors, noSuch } from "../../platform/http/errors.ts";
import { ask, type Operation, read, writeJson } from "../../platform/http/operation.ts";
import { addressFor, enrolmentLines } from "../agent-keys/agent-config.ts";
import { keyErrors } from "../agent-keys/key-errors.ts";
import {
  arrivalArguments,
  arrivalReply,
  codesArguments,
  codesReply,
  createArguments,
  createReply,
  exchangeArguments,
  exchangeReply,
  revokeArguments,
} from "./enrolment.schemas.ts";
import { type Enrolment, enrolmentErrors } from "./enrolment.service.ts";

const addressOf = (c: AppContext) => c.get("clientInfo").address;

/**
 * Operations on enrolment codes, and those that machines call with a code or a key instead of a session.
 * @param baseUrl public origin of Muster; null if not configured
 * @param allowsPlain whether codes are accepted over plain http from other machines
 */
export function enrolmentOperations(
  enrolment: Enrolment,
  baseUrl: () => URL | null,
  allowsPlain: () => boolean,
): Operation[] {
  return [
    read("/admin/keys/codes/list", {
      access: "manage",
      summary: "List the enrolment codes of a key, and how many uses they have left",
      request: codesArguments,
      response: codesReply,
      errors: [noSuch("key")],
      handle: ({ id }, c) => enrolment.list(id, managedReach(c)),
    }),
    writeJson("/admin/keys/codes/create", {
      access: "manage",
      summary: "Create a code that machines exchange for a key; only this reply contains it",
      request: createArguments,
      response: createReply,
      errors: [noSuch("key"), because(errors.badRequest, "The key has the maximum number of codes")],
      audit: {
        subject: "agentkey",
        id: ({ id }) => id,
        details: ({ uses }, { id, ends }) => ({ code: id, uses, ends }),
      },
      handle: (args, c) => {
        const address = addressFor(c, baseUrl());
        const created = enrolment.create(args, managedReach(c));
        return { ...created, ...enrolmentLines(created.code, address) };
      },
    }),
    writeJson("/admin/keys/codes/delete", {
      access: "manage",
      summary: "Revoke an enrolment code; machines that used it keep the key",
      request: revokeArguments,
      errors: [noSuch("enrolment code")],
      audit: {
        subject: "agentkey",
        id: ({ id }) => enrolment.keyIdOf(id),
        details: ({ id }) => ({ code: id }),
      },
      handle: ({ id }, c) => enrolment.revoke(id, managedReach(c)),
    }),
    writeJson("/enrol/exchange", {
      access: "public",
      summary: "Exchange an enrolment code for the name and secret of its key",
      request: exchangeArguments,
      response: exchangeReply,
      errors: [
        enrolmentErrors.unknownCode,
        enrolmentErrors.needsHttps,
        keyErrors.otherHost,
        enrolmentErrors.over,
        enrolmentErrors.tooManyGuesses,
      ],
      audit: {
        subject: "agentkey",
        id: (_args, reply) => reply?.key,
        details: (_args, { code, counted }) => ({ code, counted }),
      },
      handle: (args, c) => {
        const isPrivate = c.get("clientInfo").secure || isDirectFromThisMachine(c);
        if (!isPrivate && !allowsPlain()) throw enrolmentErrors.needsHttps();
        return enrolment.exchange(args, addressOf(c));
      },
    }),
    ask("/enrol/arrival", {
      access: "public",
      summary: "Whether the host of an agent reports with a key, for anyone who has the key",
      request: arrivalArguments,
      response: arrivalReply,
      errors: [enrolmentErrors.unknownKey, enrolmentErrors.tooManyGuesses],
      handle: (args, c) => enrolment.arrival(args, addressOf(c)),
    }),
  ];
}
