import { resolve } from "node:path";
import { COMMAND_LINE } from "../../accounts/audit/actor.ts";
import type { Audit } from "../../accounts/audit/audit.service.ts";
import type { Clock } from "../../platform/clock.ts";
import { readNamed } from "../../platform/files/named-file.ts";
import { UnreadableSecret } from "../../platform/secrets/secret-box.ts";
import { StartupError } from "../../platform/startup-error.ts";
import { type OpenFolder, withDatabase, withLockedDatabase } from "../../platform/storage/data-folder.ts";
import { transaction } from "../../platform/storage/open.ts";
import { ownerOfSeal, unreadableText } from "../key-rotation/sealed.repository.ts";
import { auditedResults } from "../transfer/section.ts";
import type { Transfer } from "../transfer/transfer.service.ts";
import type { Command } from "./command.ts";
import { printedLine } from "./printed-line.ts";

const SECRETS = { flag: "--secrets", doc: "include passwords and tokens, in clear text" };

/** Builds the transfer service for an open data folder. Provided by the composition root. */
export type TransferOver = (open: OpenFolder) => { transfer: Transfer; audit: Audit; clock: Clock };

/** @throws StartupError that names a secret which does not open */
function naming<T>({ db }: OpenFolder, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof UnreadableSecret)) throw error;
    throw new StartupError(unreadableText(ownerOfSeal(db.$client, error.sealed)));
  }
}

/** The commands that export and import the configuration of a data folder. The import locks the folder. */
export function transferCommands(transferOver: TransferOver): Command[] {
  return [
    {
      name: "export",
      summary: "print the configuration as JSON: hosts' settings, groups, users, channels, rules",
      options: [SECRETS],
      run: ({ folder, has }, io) => {
        const document = withDatabase(folder, (open) => {
          const { transfer, audit, clock } = transferOver(open);
          const withSecrets = has(SECRETS.flag);
          if (withSecrets)
            audit.add(COMMAND_LINE, {
              operation: "admin/transfer/export",
              subject: "transfer",
              details: { with: "passwords and tokens" },
            });
          // One read transaction, so that what is exported fits together even while a server writes.
          const exported = open.db.$client.transaction(() => transfer.export(withSecrets, clock.now()));
          return naming(open, () => exported.deferred());
        });
        io.print(JSON.stringify(document, null, 2));
        for (const { section, name } of document.leftout)
          io.complain(
            printedLine(`left out: ${section}, "${name}": all that it is about was deleted or has no name`),
          );
        return 0;
      },
    },
    {
      name: "import",
      summary: "import FILE as written by export: all of it or nothing; not while a server runs",
      operands: ["FILE"],
      run: ({ folder, operands }, io) => {
        const bytes = readNamed(resolve(operands[0] ?? ""));
        const results = withLockedDatabase(folder, (open) =>
          transaction(open.db, () => {
            const { transfer, audit } = transferOver(open);
            const imported = naming(open, () => transfer.importFile(bytes, folder.path));
            audit.add(COMMAND_LINE, {
              operation: "command/import",
              subject: "transfer",
              details: auditedResults(imported),
            });
            return imported;
          }),
        );
        for (const [section, { created, updated, same, incomplete }] of Object.entries(results)) {
          io.print(`${section}: ${created} created, ${updated} updated, ${same} unchanged`);
          for (const name of incomplete)
            io.print(
              section === "keys"
                ? printedLine(`  ${name} has a new secret: give its agents the new line`)
                : printedLine(`  ${name} lacks a secret: enter it before it can be used`),
            );
        }
        return 0;
      },
    },
  ];
}
