import type { HostGroups, UserGrants } from "../api/types.ts";
import { useMuster, useNotify } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { Check, Form, Select, textOf, useWork } from "../ui/form.tsx";
import { Section } from "../ui/page.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { LEVELS, USER } from "./users.texts.ts";

const NONE = "";

/** The level of a user in each host group, for administrators. */
export function UserGrantsForm({ uname }: { uname: string }) {
  const groups = useResource<HostGroups>("/status/hostgroups/list");
  const grants = useResource<UserGrants>("/admin/grants/get", { uname });
  return (
    <Section title={LEVELS.title}>
      <Loaded from={groups}>
        {({ records }) => (
          <Loaded from={grants}>
            {(given) => (
              <Levels uname={uname} groups={records} given={given} onSaved={() => grants.refresh()} />
            )}
          </Loaded>
        )}
      </Loaded>
    </Section>
  );
}

interface LevelsProps {
  uname: string;
  groups: HostGroups["records"];
  given: UserGrants;
  onSaved: () => Promise<void>;
}

function Levels({ uname, groups, given, onSaved }: LevelsProps) {
  const { api } = useMuster();
  const notify = useNotify();
  const work = useWork();
  const levels = new Map(given.grants.map(({ groupid, level }) => [groupid, level]));
  const save = async (values: FormData) => {
    const withLevel = (level: string) =>
      groups.filter(({ id }) => textOf(values, `level-${id}`) === level).map(({ id }) => id);
    await api.post("/admin/grants/set", {
      uname,
      ...{ view: withLevel("view"), operate: withLevel("operate"), manage: withLevel("manage") },
      restricted: values.has("restricted"),
    });
    notify(USER.saved);
    await onSaved();
  };
  return (
    <Form work={work} submit={LEVELS.save} onSubmit={save}>
      {groups.length === 0 && <Empty>{LEVELS.noGroup}</Empty>}
      <div class="fields">
        {groups.map(({ id, name }) => (
          <Select
            key={id}
            label={name}
            name={`level-${id}`}
            value={levels.get(id) ?? NONE}
            options={LEVELS.levels}
          />
        ))}
      </div>
      <Check label={LEVELS.restricted} name="restricted" checked={given.restricted} />
      <p class="hint">{LEVELS.hint}</p>
    </Form>
  );
}
