import { useRef } from "preact/hooks";
import type { UserDetail } from "../api/types.ts";
import { useMuster, useNotify } from "../state/muster.ts";
import type { Resource } from "../state/polled-resource.ts";
import { Check, Field, Form, textOf, useWork } from "../ui/form.tsx";
import { Section } from "../ui/page.tsx";
import { Avatar } from "./avatar.tsx";
import { CurrentPassword } from "./current-password.tsx";
import { USER, USERS } from "./users.texts.ts";

/** Fields of a user, with what browsers call them when they fill in a form. */
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
const NO_PASSWORD = "none";

interface UserFormProps {
  from: Resource<UserDetail>;
  user: UserDetail;
  /**
   * It is the signed-in user's own record: the current password is asked for, and the rights cannot be
   * changed.
   */
  own: boolean;
}

/** Contact details and, in another user's record, the rights. */
export function UserContact({ from, user, own }: UserFormProps) {
  const { api, session } = useMuster();
  const notify = useNotify();
  const work = useWork();
  const save = async (values: FormData) => {
    // The API keeps the password when it equals the old one. For a user without a password, any text will do.
    const password = own ? textOf(values, "oldpassword") || NO_PASSWORD : user.password || NO_PASSWORD;
    await api.post("/admin/users/update", {
      uname: user.uname,
      password,
      oldpassword: password,
      ...Object.fromEntries(FIELDS.map(([name]) => [name, textOf(values, name)])),
      ...(own ? {} : { admin: values.has("admin") }),
    });
    notify(USER.saved);
    await from.refresh();
    if (own) await session.refresh();
  };
  return (
    <Section title={USER.contact}>
      <Form work={work} submit={USER.save} onSubmit={save}>
        <div class="fields">
          {FIELDS.map(([name, autoComplete]) => (
            <Field
              key={name}
              label={USER.fields[name]}
              name={name}
              type={name === "email" ? "email" : "text"}
              autoComplete={own ? autoComplete : "off"}
              defaultValue={user[name]}
              required={name === "fullname"}
              maxLength={255}
            />
          ))}
          {own && user.origin === "local" && (
            <CurrentPassword label={USER.confirmPassword} name="oldpassword" />
          )}
        </div>
        {!own && <Check label={USERS.admin} name="admin" checked={user.admin} />}
      </Form>
      {user.origin !== "local" && <p class="hint">{USER.external[user.origin]}</p>}
    </Section>
  );
}

/** Sets a new password, which ends the user's other sessions. */
export function UserPassword({ from, user, own }: UserFormProps) {
  const { api } = useMuster();
  const notify = useNotify();
  const work = useWork();
  const container = useRef<HTMLDivElement>(null);
  const save = async (values: FormData) => {
    await api.post("/admin/users/update", {
      uname: user.uname,
      fullname: user.fullname,
      password: textOf(values, "password"),
      oldpassword: own ? textOf(values, "oldpassword") : user.password,
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
            {own && <CurrentPassword label={USER.currentPassword} name="oldpassword" />}
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
        <p class="hint">{own ? USER.ownPasswordHint : USER.othersPasswordHint}</p>
      </div>
    </Section>
  );
}

/** The picture beside the user's name. */
export function UserPicture({ from, user, own }: UserFormProps) {
  const { api, session } = useMuster();
  const notify = useNotify();
  const work = useWork();
  const changed = async (words: string) => {
    notify(words);
    await from.refresh();
    if (own) await session.refresh();
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
              <button type="button" onClick={() => void remove()}>
                {USER.remove}
              </button>
            )
          }
        >
          <Field
            label={USER.newPicture}
            hint={USER.pictureHint}
            name="image"
            type="file"
            accept="image/png,image/jpeg,image/webp"
            required
          />
        </Form>
      </div>
    </Section>
  );
}
