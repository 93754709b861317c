import { BUILD, VERSION } from "../../platform/version.ts";
import type { Command } from "./command.ts";

/** Everything that identifies this build. Commit and dependencies are null when Muster runs from source. */
function describeBuild(): object {
  return {
    name: "muster",
    version: VERSION,
    commit: BUILD?.commit ?? null,
    runtime: { name: "bun", version: Bun.version, revision: Bun.revision },
    platform: `${process.platform}-${process.arch}`,
    dependencies: BUILD?.dependencies ?? null,
  };
}

export const versionCommand: Command = {
  name: "version",
  usesNoData: true,
  summary: "print the version",
  options: [{ flag: "--json", doc: "also commit, runtime and dependencies, as JSON" }],
  run: (args, io) => {
    io.print(args.has("--json") ? JSON.stringify(describeBuild(), null, 2) : VERSION);
    return 0;
  },
};
