import { useRef } from "preact/hooks";
import type { UserDetail } from "../api/types.ts";
import { useMuster, useNotify } from "../state/muster.ts";
import type { Resource } from "../state/polled-resource.ts";
import { Field } from "../ui/fields.tsx";
import { Form } from "../ui/form.tsx";
import { textOf } from "../ui/form-values.ts";
import { Section } from "../ui/page.tsx";
import { useSaveUnlessChanged } from "../ui/unchanged.ts";
import { useWork } from "../ui/work.tsx";
import { Avatar } from "./avatar.tsx";
import { CurrentPassword } from "./current-password.tsx";
import { USER, USERS } from "./users.texts.ts";

/** Fields of a user, with their names for the browser's autofill. */
const FIELDS = [
  ["fullname", "name"],
  ["title", "organization-title"],
  ["email", "email"],
  ["phone", "tel"],
  ["mobile", "tel"],
  ["imname", "off"],
  ["imtype", "off"],
] as const;

/** Sent as the password of a user who has none. */
export const NO_PASSWORD = "none";

/** The contact details in a form. */
export const contactIn = (values: FormData) =>
  Object.fromEntries(FIELDS.map(([name]) => [name, textOf(values, name)]));

/** @param isOwn whether the browser may fill in data about its user */
export function ContactFields({ user, isOwn }: { user: UserDetail; isOwn: boolean }) {
  return (
    <>
      {FIELDS.map(([name, autoComplete]) => (
        <Field
          key={name}
          label={USER.fields[name]}
          name={name}
          type={name === "email" ? "email" : "text"}
          autoComplete={isOwn ? autoComplete : "off"}
          defaultValue={user[name]}
          required={name === "fullname"}
          maxLength={255}
        />
      ))}
    </>
  );
}

/** Properties of each part of a user's record. */
export interface UserFormProps {
  /** Read again after a change. */
  from: Resource<UserDetail>;
  user: UserDetail;
}

/** The user's own contact details. */
export function UserContact({ from, user }: UserFormProps) {
  const { api, session } = useMuster();
  const notify = useNotify();
  const work = useWork();
  const { uname } = user;
  const saveChanges = useSaveUnlessChanged("/admin/users/get", user);
  const save = async (values: FormData) => {
    const contact = contactIn(values);
    // A password that equals the old one is not changed. A user without a password may send any text.
    const password = textOf(values, "oldpassword") || NO_PASSWORD;
    await saveChanges({ uname }, Object.keys(contact), () =>
      api.post("/admin/users/update", { uname, password, oldpassword: password, ...contact }),
    );
    notify(USER.saved);
    await from.refresh();
    await session.refresh();
  };
  return (
    <Section title={USER.contact}>
      <Form work={work} submit={USER.save} onSubmit={save}>
        <div class="fields">
          <ContactFields user={user} isOwn />
          {user.origin === "local" && <CurrentPassword label={USER.confirmPassword} name="oldpassword" />}
        </div>
      </Form>
      {user.origin !== "local" && <p class="hint">{USER.external[user.origin]}</p>}
    </Section>
  );
}

/** Sets the user's own password, which ends the other sessions. */
export function UserPassword({ from, user }: UserFormProps) {
  const { api } = useMuster();
  const notify = useNotify();
  const work = useWork();
  const container = useRef<HTMLDivElement>(null);
  const save = async (values: FormData) => {
    await api.post("/admin/users/update", {
      uname: user.uname,
      fullname: user.fullname,
      password: textOf(values, "password"),
      oldpassword: textOf(values, "oldpassword"),
    });
    container.current?.querySelector("form")?.reset();
    notify(USER.passwordChanged);
    await from.refresh();
  };
  return (
    <Section title={USER.password}>
      <div ref={container}>
        <Form work={work} submit={USER.changePassword} onSubmit={save}>
          <div class="fields">
            <CurrentPassword label={USER.currentPassword} name="oldpassword" />
            <Field
              label={USER.newPassword}
              name="password"
              type="password"
              autoComplete="new-password"
              hint={USERS.passwordHint}
              minLength={8}
              required
            />
          </div>
        </Form>
        <p class="hint">{USER.ownPasswordHint}</p>
      </div>
    </Section>
  );
}

/** A file with a new picture of a user. */
export function PictureField({ required = false }: { required?: boolean }) {
  return (
    <Field
      label={USER.newPicture}
      hint={USER.pictureHint}
      name="image"
      type="file"
      accept="image/png,image/jpeg,image/webp"
      required={required}
    />
  );
}

/** The user's own picture. */
export function UserPicture({ from, user }: UserFormProps) {
  const { api, session } = useMuster();
  const notify = useNotify();
  const work = useWork();
  const changed = async (words: string) => {
    notify(words);
    await from.refresh();
    await session.refresh();
  };
  const save = async (values: FormData) => {
    values.set("uname", user.uname);
    await api.upload("/admin/users/image", values);
    await changed(USER.pictureSaved);
  };
  const remove = () =>
    work.run(async () => {
      await api.post("/admin/users/image", { uname: user.uname, remove: 1 });
      await changed(USER.pictureRemoved);
    });
  return (
    <Section title={USER.picture}>
      <div class="picture">
        <Avatar image={user.image} large />
        <Form
          work={work}
          submit={USER.upload}
          onSubmit={save}
          buttons={
            user.image && (
              <button type="button" onClick={() => void remove()} disabled={work.busy.value}>
                {USER.remove}
              </button>
            )
          }
        >
          <PictureField required />
        </Form>
      </div>
    </Section>
  );
}
