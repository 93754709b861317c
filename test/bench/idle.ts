/** Resources used with almost nothing to do: 20 agents that report every 30 s. */

import { join } from "node:path";
import { Muster, temporaryFolder } from "../e2e/support.ts";
import type { BenchContext } from "./harness/context.ts";
import type { Figure } from "./harness/figures.ts";
import { Watch } from "./harness/process-usage.ts";
import { runLoad } from "./load/load.ts";

const AGENTS = 20;
const POLL = 30;
/** Seconds at the beginning that are left out, since they include the work of a start. */
const WARM_UP = { short: 20, long: 60 } as const;

export async function benchIdle({ long }: BenchContext): Promise<Figure[]> {
  using folder = temporaryFolder();
  await using muster = await Muster.start({ cwd: folder.path });
  const seconds = long ? 300 : 60;
  const warmUp = long ? WARM_UP.long : WARM_UP.short;
  const load = runLoad({
    port: muster.port,
    agents: AGENTS,
    state: "steady",
    seconds: warmUp + seconds,
    loop: { mode: "open", interval: POLL },
  });
  await Bun.sleep(warmUp * 1000);
  const watch = new Watch(muster.pid, join(folder.path, "data", "muster.db"));
  await Bun.sleep(seconds * 1000);
  const taken = watch.end();
  await load;
  await muster.stop();
  return [
    { what: "agents", value: AGENTS },
    { what: "length", value: taken.seconds, unit: "s" },
    {
      what: "CPU, share of one core",
      value: (taken.cpu / taken.seconds) * 100,
      unit: "%",
      target: { atMost: 0.3 },
    },
    { what: "resident memory, most", value: taken.peakMb, unit: "MB", target: { atMost: 80 } },
    { what: "written to disk", value: (taken.writtenMb / taken.seconds) * 3600, unit: "MB/h" },
  ];
}
