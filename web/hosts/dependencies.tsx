import { useSignal } from "@preact/signals";
import type { Dependency, DependencyList, HostSettings } from "../api/types.ts";
import { useMuster, useNotify } from "../state/muster.ts";
import { type Resource, useResource } from "../state/resource.ts";
import { Field, Form, textOf, useWork, WorkError } from "../ui/form.tsx";
import { HostChoice } from "../ui/host-choice.tsx";
import { Section } from "../ui/page.tsx";
import { Loaded } from "../ui/states.tsx";

function place(host: string, service: string): string {
  return service === "" ? host : `${service} on ${host}`;
}

/** One dependency as a sentence, with a button that deletes it. */
function Row({ one, from }: { one: Dependency; from: Resource<DependencyList> }) {
  const { api } = useMuster();
  const work = useWork();
  const dependent = place(one.host, one.service);
  const cause = place(one.causehost, one.causeservice);
  const remove = () =>
    work.run(async () => {
      await api.post("/admin/dependencies/delete", { id: one.id });
      await from.refresh();
    });
  return (
    <li>
      {dependent} depends on {cause}{" "}
      <button type="button" disabled={work.busy.value} onClick={remove}>
        Delete
        <span class="sr-only">
          : {dependent} depends on {cause}
        </span>
      </button>
      <WorkError work={work} />
    </li>
  );
}

/** What the host and its services depend on, and what depends on them. */
export function HostDependencies({ host }: { host: HostSettings }) {
  const { api } = useMuster();
  const notify = useNotify();
  const work = useWork();
  const cause = useSignal("");
  const list = useResource<DependencyList>("/admin/dependencies/list", { hostid: host.id });
  const add = async (values: FormData) => {
    await api.post("/admin/dependencies/create", {
      hostid: host.id,
      service: textOf(values, "service"),
      causehostid: cause.value,
      causeservice: textOf(values, "causeservice"),
    });
    cause.value = "";
    notify("Dependency added");
    await list.refresh();
  };
  return (
    <Section title="Dependencies">
      <p class="muted">
        While a cause fails, what depends on it is named in its message and not notified by itself.
      </p>
      <Loaded from={list}>
        {({ records }) =>
          records.length > 0 && (
            <ul>
              {records.map((one) => (
                <Row key={one.id} one={one} from={list} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <Form work={work} submit="Add dependency" disabled={cause.value === ""} onSubmit={add}>
        <div class="fields">
          <Field label="Service of this host" name="service" maxLength={255} hint="Empty: the whole host" />
          <HostChoice
            label="Depends on host"
            placeholder="Name of the host"
            value={cause.value}
            onChange={(id) => {
              cause.value = id;
            }}
          />
          <Field
            label="Service of that host"
            name="causeservice"
            maxLength={255}
            hint="Empty: the host itself, when it is down"
          />
        </div>
      </Form>
    </Section>
  );
}
