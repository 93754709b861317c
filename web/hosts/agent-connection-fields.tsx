import type { HostSettings } from "../api/types.ts";
import { Check, Field, Select } from "../ui/form.tsx";

/** The agent's address. An empty field means the value that the agent reported. */
function AddressFields({ host }: { host: HostSettings }) {
  const reportedPort = host.portin > 0 ? String(host.portin) : "none";
  return (
    <>
      <Field
        label="Address"
        name="ipaddrout"
        defaultValue={host.ipaddrout}
        placeholder={host.ipaddrin}
        maxLength={255}
        hint={`Empty: as reported, ${host.ipaddrin || "none"}`}
      />
      <Field
        label="Port"
        name="portout"
        type="number"
        min={1}
        max={65535}
        defaultValue={host.portout > 0 ? String(host.portout) : ""}
        placeholder={reportedPort}
        hint={`Empty: as reported, ${reportedPort}`}
      />
      <Select
        label="TLS"
        name="sslout"
        value={String(host.sslout)}
        options={[
          ["-1", `As reported: ${host.sslin === 1 ? "on" : "off"}`],
          ["1", "On"],
          ["0", "Off"],
        ]}
      />
    </>
  );
}

/** How Muster reaches the agent's own HTTP interface, which is needed for actions only. */
export function AgentConnectionFields({ host }: { host: HostSettings }) {
  return (
    <fieldset>
      <legend>Connection to the agent, for actions</legend>
      <div class="fields">
        <AddressFields host={host} />
        <Field
          label="User name"
          name="agentuser"
          defaultValue={host.agentuser}
          autoComplete="off"
          maxLength={255}
        />
        <Field
          label="Password"
          name="agentpassword"
          type="password"
          defaultValue={host.agentpassword}
          autoComplete="off"
          maxLength={255}
        />
      </div>
      <Check label="Verify the agent's certificate" name="sslverify" checked={host.sslverify === 1} />
    </fieldset>
  );
}
