import manifest from "../../package.json" with { type: "json" };

export const VERSION: string = manifest.version;

/** What the build of an executable knows and the program does not; written by scripts/build-info.ts. */
export interface BuildInfo {
  /** Full hash of the commit, followed by `-dirty` if files differed from it; null outside of a git checkout. */
  commit: string | null;
  /** Every package in the executable, directly or indirectly imported. */
  dependencies: { name: string; version: string }[];
}

/** The bundler puts the value in its place. */
declare const MUSTER_BUILD: BuildInfo | undefined;

/** Null when Muster runs from source. */
export const BUILD: BuildInfo | null = typeof MUSTER_BUILD === "undefined" ? null : MUSTER_BUILD;
