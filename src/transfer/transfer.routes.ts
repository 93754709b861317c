import * as v from "valibot";
import { actorOf } from "../audit/actor.ts";
import { callerOf, seesSecrets } from "../http/context.ts";
import { errors } from "../http/errors.ts";
import { type Operation, read, write } from "../http/operation.ts";
import { boolean, nothing } from "../http/validate.ts";
import { documentIn, SECTION_NAMES, type Transfer } from "./transfer.service.ts";

/** A file of 100,000 hosts has about 40 MB. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

const anything = v.array(v.record(v.string(), v.unknown()));
const taken = v.object({ created: v.number(), updated: v.number(), incomplete: v.array(v.string()) });

const exportReply = v.object({
  muster: v.number(),
  version: v.string(),
  exported: v.number(),
  secrets: v.boolean(),
  ...Object.fromEntries(SECTION_NAMES.map((name) => [name, anything])),
});
const importReply = v.object(Object.fromEntries(SECTION_NAMES.map((name) => [name, v.optional(taken)])));

/** Moving what was set up from one Muster to another. */
export function transferOperations(transfer: Transfer): Operation[] {
  return [
    read("/admin/transfer/export", {
      access: "admin",
      summary:
        "Everything that was set up, as one document; with secrets=1 passwords and tokens in the clear",
      takes: v.object({ secrets: v.optional(boolean, false) }),
      gives: exportReply,
      handle: ({ secrets }, c) => {
        if (secrets && !seesSecrets(callerOf(c))) throw errors.tokenReadsOnly();
        return (secrets ? transfer.exportWithSecrets(actorOf(c)) : transfer.export()) as v.InferInput<
          typeof exportReply
        >;
      },
    }),
    write("/admin/transfer/import", {
      access: "admin",
      summary:
        "Take over an exported document: what is missing is created, what has the same name updated, nothing deleted; all of it or nothing",
      takes: nothing,
      upload: { field: "file", maxBytes: MAX_FILE_BYTES },
      gives: importReply,
      audit: { subject: "transfer", details: (_args, reply) => ({ ...reply }) },
      handle: (_args, c) => {
        const file = c.get("upload");
        if (!file) throw errors.missingArgument("file", "a file that admin/transfer/export gave");
        return transfer.import(documentIn(file), callerOf(c).session?.idHash) as v.InferInput<
          typeof importReply
        >;
      },
    }),
  ];
}
