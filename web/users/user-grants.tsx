import type { HostGroups, UserGrants } from "../api/types.ts";
import { useMuster, useNotify } from "../state/muster.ts";
import { useResource } from "../state/resource.ts";
import { Check, Form, Select, textOf, useWork } from "../ui/form.tsx";
import { Section } from "../ui/page.tsx";
import { Empty, Loaded } from "../ui/states.tsx";

const NONE = "";
const LEVELS = [
  [NONE, "None"],
  ["view", "View"],
  ["operate", "Operate: actions, mutes, acknowledgements, notes"],
  ["manage", "Manage: also settings, rules, limits, maintenance, status pages"],
] as const;

/** The level of a user in each host group, for administrators. */
export function UserGrantsForm({ uname }: { uname: string }) {
  const groups = useResource<HostGroups>("/status/hostgroups/list");
  const grants = useResource<UserGrants>("/admin/grants/get", { uname });
  return (
    <Section title="Levels in host groups">
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
    notify("Saved");
    await onSaved();
  };
  return (
    <Form work={work} submit="Save levels" onSubmit={save}>
      {groups.length === 0 && <Empty>There is no host group yet.</Empty>}
      <div class="fields">
        {groups.map(({ id, name }) => (
          <Select
            key={id}
            label={name}
            name={`level-${id}`}
            value={levels.get(id) ?? NONE}
            options={LEVELS}
          />
        ))}
      </div>
      <Check
        label="Sees only the hosts of these groups, even if there is none"
        name="restricted"
        checked={given.restricted}
      />
      <p class="hint">A user with a level in any group sees only the hosts of such groups.</p>
    </Form>
  );
}
