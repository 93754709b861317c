import type { HostOfDetail } from "../api/types.ts";
import { formatBytes, formatNumber } from "../text/format.ts";
import { Facts } from "../ui/facts.tsx";
import { HOST } from "./host.texts.ts";

/** Folded details of a host that rarely matter. */
export function HostFacts({ host }: { host: HostOfDetail }) {
  const { platform, agent, agentkey } = host;
  const { fact } = HOST;
  return (
    <details class="folded">
      <summary>{HOST.facts}</summary>
      <Facts
        facts={[
          [fact.platform, `${platform.name} ${platform.release}`.trim()],
          [fact.machine, platform.machine],
          [fact.processors, host.cpu.count > 0 ? formatNumber(host.cpu.count) : ""],
          [fact.memory, host.memory.size > 0 ? formatBytes(host.memory.size * 1024) : ""],
          [fact.swap, host.swap.size > 0 ? formatBytes(host.swap.size * 1024) : ""],
          [fact.agent, agent.version && HOST.monit(agent.version)],
          [fact.agentUptime, agent.uptime],
          [fact.poll, `${agent.poll} s`],
          [fact.controlFile, agent.controlfile],
          [fact.agentId, agent.id],
          [fact.key, agentkey && <a href={`/keys/${agentkey.id}`}>{agentkey.name}</a>],
          [fact.version, platform.version],
        ]}
      />
    </details>
  );
}
