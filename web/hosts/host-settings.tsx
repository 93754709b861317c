import type { HostSettings } from "../api/types.ts";
import { useMuster, useNotify } from "../state/muster.ts";
import { type Resource, useResource } from "../state/resource.ts";
import { match } from "../state/router.ts";
import { Facts } from "../ui/facts.tsx";
import { Check, Field, Form, Select, useWork } from "../ui/form.tsx";
import { Page } from "../ui/page.tsx";
import { Loaded } from "../ui/states.tsx";
import { TagField } from "../ui/tag-field.tsx";
import { Time } from "../ui/time.tsx";
import { AgentConnectionFields } from "./agent-connection-fields.tsx";
import { TestOutcome, useConnectionTest } from "./connection-test.tsx";
import { HostDependencies } from "./dependencies.tsx";
import { hostArguments } from "./host-arguments.ts";

const STATUS = [
  ["0", "Active"],
  ["1", "Inactive"],
  ["2", "Ignored: no events"],
] as const;

/** Name, status and deadline of the host. */
function HostFields({ host }: { host: HostSettings }) {
  return (
    <fieldset>
      <legend>Host</legend>
      <div class="fields">
        <Field label="Name" name="hostname" defaultValue={host.hostname} required maxLength={255} />
        <Select label="Status" name="status" value={String(host.status)} options={STATUS} />
        <Field
          label="Down after missed reports"
          name="skew"
          type="number"
          min={1}
          max={1000}
          required
          defaultValue={String(host.skew)}
          hint={`One report is due every ${host.poll} s`}
        />
        <Field label="Description" name="description" defaultValue={host.description} maxLength={4096} />
        <TagField
          label="Tags"
          name="tags"
          value={host.tags.join(", ")}
          hint="NAME or NAME=VALUE, separated by commas"
        />
      </div>
      <Check
        label="Keep this name even if the agent reports another"
        name="keepname"
        checked={host.keepname === 1}
      />
    </fieldset>
  );
}

function SettingsForm({ from, host }: { from: Resource<HostSettings>; host: HostSettings }) {
  const { api, session } = useMuster();
  const isAdmin = session.user.value?.admin === true;
  const notify = useNotify();
  const work = useWork();
  const test = useConnectionTest(host);
  const save = async (values: FormData) => {
    await api.post("/admin/hosts/update", hostArguments(host, values));
    notify("Host settings saved");
    await from.refresh();
  };
  return (
    <Form
      work={work}
      submit="Save"
      onSubmit={save}
      buttons={
        isAdmin && (
          <button type="button" disabled={test.busy} onClick={test.run}>
            {test.busy ? "Testing..." : "Test connection"}
          </button>
        )
      }
    >
      {host.conflict && (
        <p class="form-error" role="alert">
          Actions on this host are held back. {host.conflict}. Saving these settings
          {isAdmin ? " confirms them." : " with the agent's password confirms them."}
        </p>
      )}
      <HostFields host={host} />
      <AgentConnectionFields host={host} />
      {!isAdmin && (
        <p class="hint">
          The agent's password is not shown; empty keeps it. Another address, port or TLS setting needs it
          anew.
        </p>
      )}
      <TestOutcome test={test} />
    </Form>
  );
}

function HostSettingsScreen({ id }: { id: string }) {
  const settings = useResource<HostSettings>("/admin/hosts/get", { id });
  const host = settings.data.value;
  return (
    <Page
      title={host ? `Settings of ${host.hostname}` : "Host settings"}
      breadcrumbs={[
        ["Hosts", "/hosts"],
        [host?.hostname ?? "Host", `/hosts/${id}`],
      ]}
    >
      <Loaded from={settings}>
        {(data) => (
          <>
            <Facts
              facts={[
                ["Last message", <Time at={data.lastmodified} />],
                ["Agent id", data.agentid],
              ]}
            />
            <SettingsForm from={settings} host={data} />
            <HostDependencies host={data} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** The settings of the host in the address. */
export function HostSettingsOfAddress() {
  const { router } = useMuster();
  const { id = "" } = match("/hosts/:id/settings", router.address.value.path) ?? {};
  return <HostSettingsScreen key={id} id={id} />;
}
