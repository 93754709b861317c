import type { HostGroups, UserGrants } from "../api/types.ts";
import { textOf } from "../ui/form-values.ts";
import { Check, Select } from "../ui/select.tsx";
import { Empty } from "../ui/states.tsx";
import { LEVELS } from "./users.texts.ts";

const NONE = "";
const LEVEL = "level-";

/** The levels in the form, as `admin/grants/set` takes them. */
export function grantsIn(values: FormData) {
  const withLevel = (level: string) =>
    [...values.keys()]
      .filter((name) => name.startsWith(LEVEL) && textOf(values, name) === level)
      .map((name) => Number(name.slice(LEVEL.length)));
  return {
    view: withLevel("view"),
    operate: withLevel("operate"),
    manage: withLevel("manage"),
    restricted: values.has("restricted"),
  };
}

/** The level of a user in each host group. */
export function GrantFields({ groups, current }: { groups: HostGroups["records"]; current: UserGrants }) {
  const levels = new Map(current.grants.map(({ groupid, level }) => [groupid, level]));
  return (
    <>
      {groups.length === 0 && <Empty>{LEVELS.noGroup}</Empty>}
      <div class="fields">
        {groups.map(({ id, name }) => (
          <Select
            key={id}
            label={name}
            name={`${LEVEL}${id}`}
            value={levels.get(id) ?? NONE}
            options={LEVELS.levels}
          />
        ))}
      </div>
      <Check label={LEVELS.restricted} name="restricted" checked={current.restricted} />
      <p class="hint">{LEVELS.hint}</p>
    </>
  );
}
