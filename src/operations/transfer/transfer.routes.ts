import * as v from "valibot";
import { actorOf } from "../../accounts/audit/actor.ts";
import { accountErrors } from "../../accounts/users/users.errors.ts";
import { callerOf, seesSecrets, turnOf } from "../../platform/http/context.ts";
import { because, errors } from "../../platform/http/errors.ts";
import { type Operation, read, write } from "../../platform/http/operation.ts";
import type { PreparedReply } from "../../platform/http/prepared.ts";
import { boolean, described } from "../../platform/http/validate.ts";
import { importRunning, type ServedTransfer } from "./served-transfer.service.ts";
import { SECTION_NAMES } from "./transfer.service.ts";

/** Largest file. One of 100,000 hosts has about 40 MB. */
export const MAX_FILE_BYTES = 64 * 1024 * 1024;

const section = v.array(v.record(v.string(), v.unknown()));
const imported = v.object({
  created: described(v.number(), "number of objects created"),
  updated: described(v.number(), "number of objects updated"),
  same: described(v.number(), "number of objects that were as in the file"),
  incomplete: described(v.array(v.string()), "names of objects that lack something, such as a secret"),
});

const exportReply = v.object({
  muster: described(v.number(), "version of the document's format"),
  version: described(v.string(), "version of Muster that wrote it"),
  exported: described(v.number(), "when it was written, unix timestamp"),
  secrets: described(v.boolean(), "whether it contains passwords and tokens"),
  leftout: described(
    v.array(
      v.object({
        section: described(v.string(), "the section that it would be in"),
        name: described(v.string(), "its name"),
      }),
    ),
    "objects that are not exported, since everything that they applied to was deleted or has no name",
  ),
  ...Object.fromEntries(
    SECTION_NAMES.map((name) => [name, described(section, `objects of the section ${name}`)]),
  ),
});
export const importReply = v.object(
  Object.fromEntries(
    SECTION_NAMES.map((name) => [
      name,
      described(v.optional(imported), `result of importing the section ${name}`),
    ]),
  ),
);

/**
 * Operations that export and import the configuration, for administrators. A token that only reads exports no
 * secrets.
 */
export function transferOperations(transfer: ServedTransfer): Operation[] {
  return [
    read("/admin/transfer/export", {
      access: "admin",
      summary:
        "Export the configuration as one document; with secrets=1, passwords and tokens are included in clear text",
      request: v.object({
        secrets: described(v.optional(boolean, false), "true: with passwords and tokens, in clear text"),
      }),
      response: exportReply,
      errors: [errors.tokenReadsOnly],
      handle: ({ secrets }, c) => {
        if (secrets && !seesSecrets(callerOf(c))) throw errors.tokenReadsOnly();
        return transfer.export(turnOf(c), secrets ? actorOf(c) : null) as Promise<PreparedReply<never>>;
      },
    }),
    write("/admin/transfer/import", {
      access: "admin",
      summary:
        "Import an exported document: creates and updates objects, matched by name, and deletes none; if any of it is wrong, nothing is imported",
      upload: {
        field: "file",
        maxBytes: MAX_FILE_BYTES,
        meaning: "a document that admin/transfer/export wrote",
      },
      response: importReply,
      errors: [
        because(errors.missingArgument, "No file was given"),
        because(
          errors.badRequest,
          "The file was not exported by Muster, or something in it is wrong; the message says where",
        ),
        because(errors.loginNeeded, "The file changes the user of the API token that imports it"),
        accountErrors.lastAdmin,
        importRunning,
      ],
      audit: "itself",
      handle: (_args, c) => {
        const file = c.get("upload");
        if (!file) throw errors.missingArgument("file", "a file from admin/transfer/export");
        return transfer.import(turnOf(c), file, actorOf(c), callerOf(c).session?.idHash);
      },
    }),
  ];
}
