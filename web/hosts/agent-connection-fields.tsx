import type { HostSettings } from "../api/types.ts";
import { Field } from "../ui/fields.tsx";
import { Check, Select } from "../ui/select.tsx";
import { HOST_SETTINGS } from "./host-settings.texts.ts";

/** The agent's address. An empty field means the value that the agent reported. */
function AddressFields({ host }: { host: HostSettings }) {
  const reportedPort = host.portin > 0 ? String(host.portin) : HOST_SETTINGS.none;
  return (
    <>
      <Field
        label={HOST_SETTINGS.address}
        name="ipaddrout"
        defaultValue={host.ipaddrout}
        placeholder={host.ipaddrin}
        maxLength={255}
        hint={HOST_SETTINGS.asReported(host.ipaddrin || HOST_SETTINGS.none)}
      />
      <Field
        label={HOST_SETTINGS.port}
        name="portout"
        type="number"
        min={1}
        max={65535}
        defaultValue={host.portout > 0 ? String(host.portout) : ""}
        placeholder={reportedPort}
        hint={HOST_SETTINGS.asReported(reportedPort)}
      />
      <Select
        label={HOST_SETTINGS.tls}
        name="sslout"
        value={String(host.sslout)}
        options={[
          ["-1", HOST_SETTINGS.tlsReported[host.sslin === 1 ? "on" : "off"]],
          ["1", HOST_SETTINGS.on],
          ["0", HOST_SETTINGS.off],
        ]}
      />
    </>
  );
}

/** How Muster reaches the agent's own HTTP interface, which is needed for actions only. */
export function AgentConnectionFields({ host }: { host: HostSettings }) {
  return (
    <fieldset>
      <legend>{HOST_SETTINGS.connection}</legend>
      <div class="fields">
        <AddressFields host={host} />
        <Field
          label={HOST_SETTINGS.user}
          name="agentuser"
          defaultValue={host.agentuser}
          autoComplete="off"
          maxLength={255}
        />
        <Field
          label={HOST_SETTINGS.password}
          name="agentpassword"
          type="password"
          defaultValue={host.agentpassword}
          autoComplete="off"
          maxLength={255}
        />
      </div>
      <Check label={HOST_SETTINGS.verify} name="sslverify" checked={host.sslverify === 1} />
    </fieldset>
  );
}
