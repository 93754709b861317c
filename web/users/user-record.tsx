import { useSignal } from "@preact/signals";
import type { ComponentChildren, TargetedInputEvent } from "preact";
import { PROGRAM } from "../../src/alerting/channels/program.ts";
import type { Channel, Records } from "../alerting/types.ts";
import type { ContactList, HostGroups, UserGrants } from "../api/types.ts";
import { useMuster, useNotify } from "../state/muster.ts";
import { type Resource, useResource } from "../state/polled-resource.ts";
import { CheckboxGroup, checkedValues, withChoice } from "../ui/choices.tsx";
import { Field } from "../ui/fields.tsx";
import { Form } from "../ui/form.tsx";
import { textOf } from "../ui/form-values.ts";
import { Section } from "../ui/page.tsx";
import { Check } from "../ui/select.tsx";
import { Loaded } from "../ui/states.tsx";
import { useSaveUnlessChanged } from "../ui/unchanged.ts";
import { useWork, WorkError } from "../ui/work.tsx";
import { Avatar } from "./avatar.tsx";
import { ContactFields, contactIn, NO_PASSWORD, PictureField, type UserFormProps } from "./user-form.tsx";
import { GrantFields, grantsIn } from "./user-grants.tsx";
import { LEVELS, NOTIFY_BY, USER, USERS } from "./users.texts.ts";

/** The sections of the record. Each is saved by an operation of its own, if it was changed. */
type Part = "contact" | "password" | "access" | "channels" | "picture";

/** Which sections were changed since they were saved. */
function useChangedParts() {
  const changed = useSignal<ReadonlySet<Part>>(new Set());
  const mark = (part: Part) => {
    if (!changed.peek().has(part)) changed.value = withChoice(changed.peek(), part, true);
  };
  const clear = (part: Part) => {
    changed.value = withChoice(changed.peek(), part, false);
  };
  return { changed: changed.value, has: (part: Part) => changed.peek().has(part), mark, clear };
}

interface PartProps {
  part: Part;
  title: string;
  parts: ReturnType<typeof useChangedParts>;
  children: ComponentChildren;
}

/** A section of the form, which shows whether it has unsaved changes. */
function PartSection({ part, title, parts, children }: PartProps) {
  // Checkboxes are left to their change event: marking, which renders, would reset them before it.
  const onInput = ({ target }: TargetedInputEvent<HTMLElement>) => {
    if (!(target instanceof HTMLInputElement && target.type === "checkbox")) parts.mark(part);
  };
  return (
    <div onInput={onInput} onChange={() => parts.mark(part)}>
      <Section
        title={title}
        aside={parts.changed.has(part) && <span class="tag tag-unsaved">{USER.unsaved}</span>}
      >
        {children}
      </Section>
    </div>
  );
}

interface UserRecordProps extends UserFormProps {
  /** Whether it is the signed-in user's own record, whose contact details and password are on the account page. */
  isOwn: boolean;
}

/** The channels that were chosen for a user, in the list of all. */
function channelsOf(uname: string, { records }: ContactList) {
  return { channels: records.find((contact) => contact.uname === uname)?.channels ?? [] };
}

/** Writes the changed sections one after the other. If one fails, it and those after it stay changed. */
function useSave(
  { from, user }: UserRecordProps,
  parts: ReturnType<typeof useChangedParts>,
  grants: Resource<UserGrants>,
  contacts: Resource<ContactList>,
) {
  const { api } = useMuster();
  const { uname } = user;
  const saveChanges = useSaveUnlessChanged("/admin/users/get", user);
  const saveGrants = useSaveUnlessChanged("/admin/grants/get", grants.data.value);
  const saveChannels = useSaveUnlessChanged(
    "/admin/contacts/list",
    contacts.data.value && channelsOf(uname, contacts.data.value),
    (reply: ContactList) => channelsOf(uname, reply),
  );
  const update = (values: FormData) => {
    const previous = user.password || NO_PASSWORD;
    const password = textOf(values, "password") || previous;
    const rights = { ...contactIn(values), admin: values.has("admin") };
    return saveChanges({ uname }, Object.keys(rights), () =>
      api.post("/admin/users/update", { uname, password, oldpassword: previous, ...rights }),
    );
  };
  const upload = (values: FormData) => {
    const form = new FormData();
    form.set("uname", uname);
    form.set("image", values.get("image") ?? "");
    return api.upload("/admin/users/image", form);
  };
  const writes: readonly (readonly [
    parts: readonly Part[],
    write: (values: FormData) => Promise<unknown>,
    written: Resource<unknown>,
  ])[] = [
    [["contact", "password"], update, from],
    [
      ["access"],
      (values) =>
        saveGrants({ uname }, ["grants", "restricted"], () =>
          api.post("/admin/grants/set", { uname, ...grantsIn(values) }),
        ),
      grants,
    ],
    [
      ["channels"],
      (values) =>
        saveChannels({}, ["channels"], () =>
          api.send("/admin/contacts/set", { uname, channels: checkedValues(values, "channel").map(Number) }),
        ),
      contacts,
    ],
    [["picture"], upload, from],
  ];
  return async (values: FormData) => {
    for (const [of, write, written] of writes) {
      const changed = of.filter(parts.has);
      if (changed.length === 0) continue;
      // Cleared before it is written, so that what is changed during the request counts as unsaved.
      for (const part of changed) parts.clear(part);
      try {
        await write(values);
      } catch (error) {
        for (const part of changed) parts.mark(part);
        throw error;
      }
      // If a later section fails, this one is compared with what was saved when it is saved again.
      await written.refresh();
    }
  };
}

function ChannelFields({ uname, contacts }: { uname: string; contacts: Resource<ContactList> }) {
  const channels = useResource<Records<Channel>>("/admin/channels/list");
  return (
    <Loaded from={channels}>
      {({ records: offered }) => (
        <Loaded from={contacts}>
          {({ records }) => {
            const contact = records.find((candidate) => candidate.uname === uname);
            return (
              <>
                <CheckboxGroup
                  legend={NOTIFY_BY.channels}
                  name="channel"
                  options={offered
                    .filter(({ kind }) => kind !== PROGRAM)
                    .map(({ id, name }) => [id, name] as const)}
                  chosen={contact?.channels ?? []}
                  none={NOTIFY_BY.noChannel}
                  hint={NOTIFY_BY.hint}
                />
                {contact?.ways.length === 0 && <p class="hint">{NOTIFY_BY.unreachable}</p>}
              </>
            );
          }}
        </Loaded>
      )}
    </Loaded>
  );
}

function PictureFields({ from, user }: UserRecordProps) {
  const { api } = useMuster();
  const notify = useNotify();
  const work = useWork();
  const remove = () =>
    work.run(async () => {
      await api.post("/admin/users/image", { uname: user.uname, remove: 1 });
      notify(USER.pictureRemoved);
      await from.refresh();
    });
  return (
    <div class="picture">
      <Avatar image={user.image} large />
      <PictureField />
      {user.image && (
        <button type="button" onClick={() => void remove()} disabled={work.busy.value}>
          {USER.remove}
        </button>
      )}
      <WorkError work={work} />
    </div>
  );
}

/** The parts of a user that administrators set, saved by one button. */
export function UserRecordForm(props: UserRecordProps) {
  const { from, user, isOwn } = props;
  const notify = useNotify();
  const work = useWork();
  const parts = useChangedParts();
  const groups = useResource<HostGroups>("/status/hostgroups/list");
  const grants = useResource<UserGrants>("/admin/grants/get", { uname: user.uname });
  const contacts = useResource<ContactList>("/admin/contacts/list");
  const save = useSave(props, parts, grants, contacts);
  const submit = async (values: FormData) => {
    await save(values);
    notify(USER.saved);
    await Promise.all([from.refresh(), grants.refresh(), contacts.refresh()]);
  };
  return (
    <div class="whole-page-form">
      <Form work={work} submit={USER.save} onSubmit={submit}>
        {!isOwn && (
          <PartSection part="contact" title={USER.contact} parts={parts}>
            <div class="fields">
              <ContactFields user={user} isOwn={false} />
            </div>
            <Check label={USERS.admin} name="admin" checked={user.admin} />
            {user.origin !== "local" && <p class="hint">{USER.external[user.origin]}</p>}
          </PartSection>
        )}
        {!isOwn && user.origin === "local" && (
          <PartSection part="password" title={USER.password} parts={parts}>
            <div class="fields">
              <Field
                label={USER.newPassword}
                name="password"
                type="password"
                autoComplete="new-password"
                hint={USER.emptyKeeps}
                minLength={8}
              />
            </div>
            <p class="hint">{USER.othersPasswordHint}</p>
          </PartSection>
        )}
        {!user.admin && (
          <PartSection part="access" title={LEVELS.title} parts={parts}>
            <Loaded from={groups}>
              {({ records }) => (
                <Loaded from={grants}>
                  {(current) => <GrantFields groups={records} current={current} />}
                </Loaded>
              )}
            </Loaded>
          </PartSection>
        )}
        <PartSection part="channels" title={NOTIFY_BY.title} parts={parts}>
          <ChannelFields uname={user.uname} contacts={contacts} />
        </PartSection>
        <PartSection part="picture" title={USER.picture} parts={parts}>
          <PictureFields {...props} />
        </PartSection>
      </Form>
    </div>
  );
}
