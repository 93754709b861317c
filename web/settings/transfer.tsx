import { useSignal } from "@preact/signals";
import { apiUrl } from "../api/client.ts";
import type { ImportResult } from "../api/types.ts";
import { useMuster, useNotify } from "../state/muster.ts";
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
  const notify = useNotify();
  const work = useWork();
  const secrets = useSignal(false);
  const result = useSignal<ImportResult | null>(null);
  const importFile = async (values: FormData) => {
    result.value = await api.upload<ImportResult>("/admin/transfer/import", values);
    notify("Imported");
  };
  return (
    <Section title="Move settings">
      <div class="form">
        <p>
          One file for another Muster: settings, groups, settings of hosts, local users, channels, rules,
          maintenance, status pages, saved filters and views. The file contains the addresses of status pages.
        </p>
        <label class="check">
          <input
            type="checkbox"
            checked={secrets.value}
            onChange={(event) => {
              secrets.value = event.currentTarget.checked;
            }}
          />
          <span>Include secrets in plain text (logged)</span>
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
          hint="Creates what is missing, updates what has the same name, deletes nothing"
          required
        />
      </Form>
      {result.value && <Report result={result.value} />}
    </Section>
  );
}
