import type { Causes } from "./report.ts";

/** Why targets are missed: by the benchmark's name and what its figure is called. Written by hand. */
export const CAUSES: Causes = {
  "idle: resident memory, most":
    "Over 50 MB of it are pages of the executable itself, the JavaScript runtime above all, which the kernel can drop at any " +
    "time; Muster's own memory is about 30 MB.",
};
