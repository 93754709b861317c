import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { HostSettings } from "../api/types.ts";
import { useAnnounce, useMuster } from "../state/muster.ts";
import type { Resource } from "../state/resource.ts";
import { useResource } from "../state/resource.ts";
import { Facts } from "../ui/facts.tsx";
import { Check, Field, Form, Select, textOf, useWork } from "../ui/form.tsx";
import { Led } from "../ui/led.tsx";
import { Page } from "../ui/page.tsx";
import { Loaded } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";

const STATUS = [
  ["0", "Active"],
  ["1", "Inactive"],
  ["2", "Ignored: no events"],
] as const;

interface TestResult {
  status: "green" | "red";
  description: string;
}

/** What is used to reach the agent: what is set here, else what the agent reported. */
export function effectiveAddress(host: HostSettings, values: FormData) {
  const port = Number(textOf(values, "portout"));
  const ssl = textOf(values, "sslout");
  return {
    ipaddr: textOf(values, "ipaddrout") || host.ipaddrin,
    port: port > 0 ? port : host.portin,
    ssl: ssl === "-1" ? host.sslin : Number(ssl),
    sslverify: values.has("sslverify") ? 1 : 0,
    agentuser: textOf(values, "agentuser"),
    agentpassword: textOf(values, "agentpassword"),
  };
}

function SettingsForm({ from, host }: { from: Resource<HostSettings>; host: HostSettings }) {
  const { api } = useMuster();
  const announce = useAnnounce();
  const work = useWork();
  const testing = useWork();
  const result = useSignal<TestResult | null>(null);
  const holder = useRef<HTMLDivElement>(null);
  const save = async (values: FormData) => {
    const address = effectiveAddress(host, values);
    await api.post("/admin/hosts/update", {
      id: host.id,
      hostname: textOf(values, "hostname"),
      keepname: values.has("keepname") ? 1 : 0,
      description: textOf(values, "description"),
      ...(Number(textOf(values, "status")) === host.status ? {} : { status: textOf(values, "status") }),
      skew: textOf(values, "skew"),
      ipaddrout: textOf(values, "ipaddrout"),
      portout: Number(textOf(values, "portout")) || -1,
      sslout: textOf(values, "sslout"),
      sslverify: address.sslverify,
      agentuser: address.agentuser,
      agentpassword: address.agentpassword,
    });
    announce("Host settings saved");
    await from.refresh();
  };
  const test = () =>
    testing.run(async () => {
      const form = holder.current?.querySelector("form");
      if (!form) return;
      result.value = null;
      result.value = await api.post<TestResult>(
        "/admin/hosts/test",
        effectiveAddress(host, new FormData(form)),
      );
    });
  const reported = host.portin > 0 ? String(host.portin) : "none";
  return (
    <div ref={holder}>
      <Form
        work={work}
        submit="Save"
        onSubmit={save}
        buttons={
          <button type="button" disabled={testing.busy.value} onClick={() => void test()}>
            {testing.busy.value ? "Testing..." : "Test connection"}
          </button>
        }
      >
        {host.conflict && (
          <p class="form-problem" role="alert">
            Actions on this host are held back. {host.conflict}. Saving these settings confirms them.
          </p>
        )}
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
          </div>
          <Check
            label="Keep this name even if the agent reports another"
            name="keepname"
            checked={host.keepname === 1}
          />
        </fieldset>
        <fieldset>
          <legend>Connection to the agent, for actions</legend>
          <div class="fields">
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
              placeholder={reported}
              hint={`Empty: as reported, ${reported}`}
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
        <div role="status">
          {testing.problem.value && <p class="form-problem">{testing.problem.value.message}</p>}
          {result.value && (
            <p class="test-result">
              <Led led={result.value.status === "green" ? 2 : 0} text={result.value.description} />
            </p>
          )}
        </div>
      </Form>
    </div>
  );
}

export function HostSettingsScreen({ id }: { id: string }) {
  const settings = useResource<HostSettings>("/admin/hosts/get", { id });
  const host = settings.data.value;
  return (
    <Page
      title={host ? `Settings of ${host.hostname}` : "Host settings"}
      trail={[
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
          </>
        )}
      </Loaded>
    </Page>
  );
}
