import { useSignal } from "@preact/signals";
import { apiUrl } from "../api/client.ts";
import { useAnnounce, useMuster } from "../state/muster.ts";
import { Field, Form, useWork } from "../ui/form.tsx";
import { Icon } from "../ui/icon.tsx";
import { Section } from "../ui/page.tsx";

type Taken = Readonly<Record<string, { created: number; updated: number; incomplete: string[] }>>;

function Report({ taken }: { taken: Taken }) {
  return (
    <ul role="status">
      {Object.entries(taken).map(([name, { created, updated, incomplete }]) => (
        <li key={name}>
          {name}: {created} created, {updated} updated
          {incomplete.length > 0 &&
            `; without a password or token, which has to be entered: ${incomplete.join(", ")}`}
        </li>
      ))}
    </ul>
  );
}

/** What people set up, as a file, and back. */
export function TransferSection() {
  const { api } = useMuster();
  const announce = useAnnounce();
  const work = useWork();
  const secrets = useSignal(false);
  const taken = useSignal<Taken | null>(null);
  const take = async (values: FormData) => {
    taken.value = await api.upload<Taken>("/admin/transfer/import", values);
    announce("Imported");
  };
  return (
    <Section title="Move settings">
      <div class="form">
        <p>
          Settings, groups, hosts' settings, users with a password here, channels, rules, maintenance and
          status pages, as one file for another Muster. Whoever has the file has the addresses of the status
          pages.
        </p>
        <label class="check">
          <input
            type="checkbox"
            checked={secrets.value}
            onChange={(event) => {
              secrets.value = event.currentTarget.checked;
            }}
          />
          <span>With passwords and tokens, in the clear; the audit log keeps that you had them</span>
        </label>
        <div class="toolbar">
          <a
            class="button"
            href={apiUrl("/admin/transfer/export", { secrets: secrets.value ? 1 : 0 })}
            download="muster.json"
          >
            <Icon name="download" />
            Export
          </a>
        </div>
      </div>
      <Form work={work} submit="Import" onSubmit={take}>
        <Field
          label="File to import"
          name="file"
          type="file"
          accept=".json,application/json"
          hint="What is missing is created, what has the same name is updated, nothing is deleted. Users get the passwords of a file that has them"
          required
        />
      </Form>
      {taken.value && <Report taken={taken.value} />}
    </Section>
  );
}
