import { useSignal } from "@preact/signals";
import { apiUrl } from "../api/client.ts";
import type { ImportResult } from "../api/types.ts";
import { useAnnounce, useMuster } from "../state/muster.ts";
import { Field, Form, useWork } from "../ui/form.tsx";
import { Icon } from "../ui/icon.tsx";
import { Section } from "../ui/page.tsx";

/** What the import did, by kind of object. A kind that the file does not have is absent. */
function Report({ result }: { result: ImportResult }) {
  return (
    <ul role="status">
      {Object.entries(result).map(
        ([name, imported]) =>
          imported && (
            <li key={name}>
              {name}: {imported.created} created, {imported.updated} updated
              {imported.incomplete.length > 0 &&
                `; without a password or token, which has to be entered: ${imported.incomplete.join(", ")}`}
            </li>
          ),
      )}
    </ul>
  );
}

/** Export of the configuration as a file, and its import. */
export function TransferSection() {
  const { api } = useMuster();
  const announce = useAnnounce();
  const work = useWork();
  const secrets = useSignal(false);
  const result = useSignal<ImportResult | null>(null);
  const importFile = async (values: FormData) => {
    result.value = await api.upload<ImportResult>("/admin/transfer/import", values);
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
      <Form work={work} submit="Import" onSubmit={importFile}>
        <Field
          label="File to import"
          name="file"
          type="file"
          accept=".json,application/json"
          hint="What is missing is created, what has the same name is updated, nothing is deleted. Users get the passwords of a file that has them"
          required
        />
      </Form>
      {result.value && <Report result={result.value} />}
    </Section>
  );
}
