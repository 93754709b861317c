import { useSignal } from "@preact/signals";
import { ApiError, asApiError } from "../api/client.ts";
import type { HostGroups, SettingsReply, UserRecord } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { CheckboxGroup, checkedValues } from "../ui/choices.tsx";
import { Field } from "../ui/fields.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { textOf } from "../ui/form-values.ts";
import { Page } from "../ui/page.tsx";
import { NewButton } from "../ui/record-list.tsx";
import { Check, Select } from "../ui/select.tsx";
import { Loaded } from "../ui/states.tsx";
import { type Column, SortedTable } from "../ui/table.tsx";
import { useDialog } from "../ui/use-dialog.ts";
import { Avatar } from "./avatar.tsx";
import { LEVELS, USERS } from "./users.texts.ts";

function signInOf({ origin, secondfactor }: UserRecord): string {
  return secondfactor ? USERS.signInWithCode[origin] : USERS.signIn[origin];
}

const COLUMNS: readonly Column<UserRecord>[] = [
  {
    key: "uname",
    label: USERS.columns.user,
    header: true,
    class: "name",
    order: (a, b) => a.uname.localeCompare(b.uname),
    cell: (user) => (
      <a class="person" href={`/users/edit?uname=${encodeURIComponent(user.uname)}`}>
        <Avatar image={user.image} />
        {user.uname}
      </a>
    ),
  },
  {
    key: "fullname",
    label: USERS.columns.fullName,
    class: "grow",
    order: (a, b) => a.fullname.localeCompare(b.fullname),
    cell: (user) => user.fullname,
  },
  { key: "title", label: USERS.columns.title, class: "wide", cell: (user) => user.title },
  { key: "signin", label: USERS.columns.signIn, class: "wide", cell: signInOf },
  { key: "email", label: USERS.columns.email, class: "wide", cell: (user) => user.email },
  { key: "mobile", label: USERS.columns.mobile, class: "wide", cell: (user) => user.mobile },
];

/** Which hosts a new user sees: those of some groups, or by default what the settings say for users without a group. */
function NewUserGroups() {
  const groups = useResource<HostGroups>("/status/hostgroups/list");
  const settings = useResource<SettingsReply>("/admin/settings/get");
  return (
    <fieldset>
      <legend>{USERS.hosts}</legend>
      <Loaded from={settings}>
        {({ settings: all }) => (
          <p class="hint">
            {all.some(({ name, value }) => name === "onlygroups" && Number(value) === 1)
              ? USERS.seesNone
              : USERS.seesAll}
          </p>
        )}
      </Loaded>
      <Loaded from={groups}>
        {({ records }) =>
          records.length > 0 && (
            <>
              <CheckboxGroup
                legend={USERS.onlyGroups}
                name="group"
                options={records.map(({ id, name }) => [id, name] as const)}
                chosen={[]}
              />
              <Select
                label={USERS.level}
                name="level"
                value="view"
                options={LEVELS.levels.filter(([level]) => level !== "")}
              />
            </>
          )
        }
      </Loaded>
    </fieldset>
  );
}

/** The error when a new user may have access to all hosts, because neither their groups nor their deletion was confirmed. */
const maybeUnrestricted = (uname: string) => new ApiError(0, "unreachable", USERS.maybeUnrestricted(uname));

function NewUser({ onClose }: { onClose: (done: boolean) => void }) {
  const { api } = useMuster();
  const isAdmin = useSignal(false);
  const create = async (values: FormData) => {
    const uname = textOf(values, "uname");
    const groups = checkedValues(values, "group").map(Number);
    try {
      await api.post("/admin/users/create", {
        uname,
        fullname: textOf(values, "fullname"),
        password: textOf(values, "password"),
        admin: values.has("admin"),
      });
    } catch (error) {
      throw groups.length > 0 && asApiError(error).unreachable ? maybeUnrestricted(uname) : error;
    }
    if (groups.length === 0) return;
    const grants = { view: [], operate: [], manage: [], [textOf(values, "level")]: groups };
    try {
      await api.post("/admin/grants/set", { uname, ...grants, restricted: true });
    } catch (error) {
      // Otherwise the user would have access to all hosts.
      await api.post("/admin/users/delete", { uname }).catch(() => {
        throw maybeUnrestricted(uname);
      });
      throw error;
    }
  };
  return (
    <FormDialog title={USERS.newUser} verb={USERS.create} act={create} onClose={onClose}>
      <Field
        label={USERS.userName}
        name="uname"
        autoComplete="off"
        autoCapitalize="none"
        required
        maxLength={255}
      />
      <Field label={USERS.fullName} name="fullname" autoComplete="off" required maxLength={255} />
      <Field
        label={USERS.password}
        name="password"
        type="password"
        autoComplete="new-password"
        hint={USERS.passwordHint}
        minLength={8}
        required
        maxLength={255}
      />
      <Check
        label={USERS.admin}
        name="admin"
        checked={isAdmin.value}
        onChange={(checked) => {
          isAdmin.value = checked;
        }}
      />
      {!isAdmin.value && <NewUserGroups />}
    </FormDialog>
  );
}

/** All users, for administrators. */
export function UsersScreen() {
  const users = useResource<UserRecord[]>("/admin/users/list");
  const creating = useDialog(() => users.refresh(), USERS.created);
  return (
    <Page title={USERS.title} aside={<NewButton onClick={creating.open({})}>{USERS.newUser}</NewButton>}>
      <Loaded from={users}>
        {(rows) => (
          <SortedTable
            caption={USERS.title}
            columns={COLUMNS}
            rows={rows}
            rowKey={(user) => user.uname}
            initial={{ key: "uname", dir: "asc" }}
          />
        )}
      </Loaded>
      {creating.dialog && <NewUser onClose={creating.onClose} />}
    </Page>
  );
}
