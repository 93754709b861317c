import { useRef } from "preact/hooks";
import type { UserDetail } from "../api/types.ts";
import { useMuster, useNotify } from "../state/muster.ts";
import type { Resource } from "../state/resource.ts";
import { Check, Field, Form, textOf, useWork } from "../ui/form.tsx";
import { Section } from "../ui/page.tsx";
import { Avatar } from "./avatar.tsx";

const TEXTS = [
  ["fullname", "Full name", "name"],
  ["title", "Title", "organization-title"],
  ["email", "E-mail", "email"],
  ["phone", "Phone", "tel"],
  ["mobile", "Mobile", "tel"],
  ["imname", "Messenger address", "off"],
  ["imtype", "Messenger", "off"],
] as const;

const EXTERNAL_SIGN_IN = {
  oidc: "Signs in with the OpenID provider, which sets full name and e-mail again at each sign-in.",
  proxy: "Is signed in by the proxy in front, without a password.",
} as const;

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
      ...Object.fromEntries(TEXTS.map(([name]) => [name, textOf(values, name)])),
      ...(own ? {} : { admin: values.has("admin") }),
    });
    notify("Saved");
    await from.refresh();
    if (own) await session.refresh();
  };
  return (
    <Section title="Contact">
      <Form work={work} submit="Save" onSubmit={save}>
        <div class="fields">
          {TEXTS.map(([name, label, autoComplete]) => (
            <Field
              key={name}
              label={label}
              name={name}
              type={name === "email" ? "email" : "text"}
              autoComplete={own ? autoComplete : "off"}
              defaultValue={user[name]}
              required={name === "fullname"}
              maxLength={255}
            />
          ))}
          {own && user.origin === "local" && (
            <Field
              label="Your password, to confirm"
              name="oldpassword"
              type="password"
              autoComplete="current-password"
              required
            />
          )}
        </div>
        {!own && (
          <Check
            label="Administrator: may change hosts, users and settings"
            name="admin"
            checked={user.admin}
          />
        )}
      </Form>
      {user.origin !== "local" && <p class="hint">{EXTERNAL_SIGN_IN[user.origin]}</p>}
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
    notify("Password changed");
    await from.refresh();
  };
  return (
    <Section title="Password">
      <div ref={container}>
        <Form work={work} submit="Change password" onSubmit={save}>
          <div class="fields">
            {own && (
              <Field
                label="Current password"
                name="oldpassword"
                type="password"
                autoComplete="current-password"
                required
              />
            )}
            <Field
              label="New password"
              name="password"
              type="password"
              autoComplete="new-password"
              hint="At least 8 characters"
              minLength={8}
              required
            />
          </div>
        </Form>
        <p class="hint">
          {own
            ? "Signs out your other sessions. API tokens stay valid."
            : "Signs out all sessions of this user. API tokens stay valid."}
        </p>
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
    await changed("Picture saved");
  };
  const remove = () =>
    work.run(async () => {
      await api.post("/admin/users/image", { uname: user.uname, remove: 1 });
      await changed("Picture removed");
    });
  return (
    <Section title="Picture">
      <div class="picture">
        <Avatar image={user.image} large />
        <Form
          work={work}
          submit="Upload"
          onSubmit={save}
          buttons={
            user.image && (
              <button type="button" onClick={() => void remove()}>
                Remove
              </button>
            )
          }
        >
          <Field
            label="New picture"
            hint="PNG, JPEG or WebP, at most 1 MiB"
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
