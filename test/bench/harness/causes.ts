import type { Causes } from "./report.ts";

/** Why targets are missed: by the benchmark's name and what its figure is called. Written by hand. */
export const CAUSES: Causes = {};
