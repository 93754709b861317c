import type { DependencyList, HostSettings } from "../api/types.ts";
import { useMuster, useNotify } from "../state/muster.ts";
import { type Resource, useResource } from "../state/polled-resource.ts";
import { match } from "../state/router.ts";
import { formatDuration } from "../text/format.ts";
import { Facts } from "../ui/facts.tsx";
import { Field } from "../ui/fields.tsx";
import { Form } from "../ui/form.tsx";
import { Page } from "../ui/page.tsx";
import { Check, Select } from "../ui/select.tsx";
import { Loaded } from "../ui/states.tsx";
import { TagField } from "../ui/tag-field.tsx";
import { Time } from "../ui/time.tsx";
import { useSaveUnlessChanged } from "../ui/unchanged.ts";
import { useWork } from "../ui/work.tsx";
import { AgentConnectionFields } from "./agent-connection-fields.tsx";
import { TestOutcome, useConnectionTest } from "./connection-test.tsx";
import { HostDependencies } from "./dependencies.tsx";
import { hostArguments } from "./host-arguments.ts";
import { HOST_FIELDS } from "./host-fields.texts.ts";
import { HOST_SETTINGS } from "./host-settings.texts.ts";

/** Name, status and deadline of the host. */
function HostFields({ host }: { host: HostSettings }) {
  return (
    <fieldset>
      <legend>{HOST_SETTINGS.host}</legend>
      <div class="fields">
        <Field
          label={HOST_SETTINGS.name}
          name="hostname"
          defaultValue={host.hostname}
          required
          maxLength={255}
        />
        <Select
          label={HOST_SETTINGS.status}
          name="status"
          value={String(host.status)}
          options={HOST_SETTINGS.statuses}
        />
        <Field
          label={HOST_FIELDS.skew}
          name="skew"
          type="number"
          min={1}
          max={1000}
          required
          defaultValue={String(host.skew)}
          hint={HOST_SETTINGS.skewHint(formatDuration(host.poll))}
        />
        <Field
          label={HOST_FIELDS.description}
          name="description"
          defaultValue={host.description}
          maxLength={4096}
        />
        <TagField label={HOST_FIELDS.tags} name="tags" tags={host.tags} hint={HOST_FIELDS.tagsHint} />
      </div>
      <Check label={HOST_SETTINGS.keepName} name="keepname" checked={host.keepname === 1} />
    </fieldset>
  );
}

function SettingsForm({ from, host }: { from: Resource<HostSettings>; host: HostSettings }) {
  const { api, session } = useMuster();
  const isAdmin = session.isAdmin;
  const notify = useNotify();
  const work = useWork();
  const test = useConnectionTest(host);
  const saveChanges = useSaveUnlessChanged("/admin/hosts/get", host);
  const save = async (values: FormData) => {
    const args = hostArguments(host, values, isAdmin);
    const fields = [...Object.keys(args), "tags"];
    await saveChanges({ id: host.id }, fields, () => api.post("/admin/hosts/update", args));
    notify(HOST_SETTINGS.saved);
    await from.refresh();
  };
  return (
    <Form
      work={work}
      submit={HOST_SETTINGS.save}
      onSubmit={save}
      buttons={
        isAdmin && (
          <button type="button" disabled={test.busy} onClick={test.run}>
            {test.busy ? HOST_SETTINGS.testing : HOST_SETTINGS.test}
          </button>
        )
      }
    >
      {host.conflict && (
        <p class="form-error" role="alert">
          {isAdmin
            ? HOST_SETTINGS.conflict(host.conflict)
            : HOST_SETTINGS.conflictNeedsPassword(host.conflict)}
        </p>
      )}
      <HostFields host={host} />
      <AgentConnectionFields host={host} />
      {isAdmin && (
        <Check label={HOST_FIELDS.actionQueue} name="actionqueue" checked={host.actionqueue === 1} />
      )}
      {!isAdmin && <p class="hint">{HOST_SETTINGS.passwordHint}</p>}
      <TestOutcome test={test} />
    </Form>
  );
}

function HostSettingsScreen({ id }: { id: string }) {
  const settings = useResource<HostSettings>("/admin/hosts/get", { id });
  const dependencies = useResource<DependencyList>("/admin/dependencies/list", { hostid: id });
  // A long name makes the heading higher, which would move what is below it: name and body are shown at once.
  const isBodyShown = dependencies.data.value !== null || dependencies.error.value !== null;
  const host = isBodyShown ? settings.data.value : null;
  return (
    <Page
      title={host ? HOST_SETTINGS.titleOf(host.hostname) : HOST_SETTINGS.unnamed}
      breadcrumbs={[
        [HOST_SETTINGS.hosts, "/hosts"],
        [host?.hostname ?? HOST_SETTINGS.host, `/hosts/${id}`],
      ]}
    >
      <Loaded from={settings}>
        {(data) => (
          <>
            <Facts
              facts={[
                [HOST_SETTINGS.lastMessage, <Time at={data.lastmodified} />],
                [HOST_SETTINGS.agentId, data.agentid],
              ]}
            />
            <SettingsForm from={settings} host={data} />
            <HostDependencies host={data} list={dependencies} />
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
