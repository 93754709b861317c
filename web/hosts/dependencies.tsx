import { useSignal } from "@preact/signals";
import type { Dependency, DependencyList, HostSettings } from "../api/types.ts";
import { useMuster, useNotify } from "../state/muster.ts";
import type { Resource } from "../state/polled-resource.ts";
import { Field } from "../ui/fields.tsx";
import { Form } from "../ui/form.tsx";
import { textOf } from "../ui/form-values.ts";
import { HostChoice } from "../ui/host-choice.tsx";
import { Section } from "../ui/page.tsx";
import { RowButton } from "../ui/record-list.tsx";
import { Loaded } from "../ui/states.tsx";
import { keepFocus } from "../ui/use-dialog.ts";
import { useWork, WorkError } from "../ui/work.tsx";
import { DEPENDENCIES } from "./dependencies.texts.ts";

/** One dependency as a sentence, with a button that deletes it. */
function Row({ dependency, from }: { dependency: Dependency; from: Resource<DependencyList> }) {
  const { api } = useMuster();
  const notify = useNotify();
  const work = useWork();
  const text = DEPENDENCIES.dependsOn(
    DEPENDENCIES.place(dependency.dependent.service, dependency.hostname),
    DEPENDENCIES.place(dependency.cause.service, dependency.causename),
  );
  const remove = () =>
    work.run(async () => {
      await api.post("/admin/dependencies/delete", { id: dependency.id });
      notify(DEPENDENCIES.deleted);
      await from.refresh();
      keepFocus();
    });
  return (
    <li>
      {text}{" "}
      <RowButton label={DEPENDENCIES.deleteOf(text)} disabled={work.busy.value} onClick={() => void remove()}>
        {DEPENDENCIES.delete}
      </RowButton>
      <WorkError work={work} />
    </li>
  );
}

/** What the host and its services depend on, and what depends on them. */
export function HostDependencies({ host, list }: { host: HostSettings; list: Resource<DependencyList> }) {
  const { api } = useMuster();
  const notify = useNotify();
  const work = useWork();
  const cause = useSignal("");
  /** How many were added here. Each empties the fields. */
  const added = useSignal(0);
  const add = async (values: FormData) => {
    await api.send("/admin/dependencies/create", {
      dependent: { host: host.id, service: textOf(values, "service") },
      cause: { host: Number(cause.value), service: textOf(values, "causeservice") },
    });
    cause.value = "";
    added.value++;
    notify(DEPENDENCIES.added);
    await list.refresh();
  };
  return (
    <Section title={DEPENDENCIES.title}>
      <p class="hint">{DEPENDENCIES.hint}</p>
      <Loaded from={list}>
        {({ records }) =>
          records.length > 0 && (
            <ul class="dependencies">
              {records.map((dependency) => (
                <Row key={dependency.id} dependency={dependency} from={list} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <Form work={work} submit={DEPENDENCIES.add} disabled={cause.value === ""} onSubmit={add}>
        <div class="fields">
          <Field
            key={`service ${added.value}`}
            label={DEPENDENCIES.service}
            name="service"
            maxLength={255}
            hint={DEPENDENCIES.serviceHint}
          />
          <HostChoice
            label={DEPENDENCIES.cause}
            name="cause"
            placeholder={DEPENDENCIES.causePlaceholder}
            right="manage"
            value={cause.value}
            onChange={(id) => {
              cause.value = id;
            }}
          />
          <Field
            key={`causeservice ${added.value}`}
            label={DEPENDENCIES.causeService}
            name="causeservice"
            maxLength={255}
            hint={DEPENDENCIES.causeServiceHint}
          />
        </div>
      </Form>
    </Section>
  );
}
