import { useSignal } from "@preact/signals";
import { apiUrl } from "../api/client.ts";
import type { ImportResult } from "../api/types.ts";
import { useMuster, useNotify } from "../state/muster.ts";
import { Field } from "../ui/fields.tsx";
import { Form } from "../ui/form.tsx";
import { Icon } from "../ui/icon.tsx";
import { Section } from "../ui/page.tsx";
import { Check } from "../ui/select.tsx";
import { useWork } from "../ui/work.tsx";
import { TRANSFER } from "./settings.texts.ts";

/** The result of the import, by kind of object. Kinds that the file lacks are absent. */
function Report({ result }: { result: ImportResult }) {
  return (
    <ul class="spaced">
      {Object.entries(result).map(
        ([name, imported]) =>
          imported && (
            <li key={name}>
              {TRANSFER.result(name, imported.created, imported.updated, imported.same)}{" "}
              {imported.incomplete.length > 0 && TRANSFER.incomplete(name, imported.incomplete.join(", "))}
            </li>
          ),
      )}
    </ul>
  );
}

/**
 * Export of the configuration as a file, and its import.
 * @param onImported called after an import, to read the settings on the page again
 */
export function TransferSection({ onImported }: { onImported: () => Promise<void> }) {
  const { api } = useMuster();
  const notify = useNotify();
  const work = useWork();
  const secrets = useSignal(false);
  const result = useSignal<ImportResult | null>(null);
  const importFile = async (values: FormData) => {
    result.value = null;
    result.value = await api.upload<ImportResult>("/admin/transfer/import", values);
    notify(TRANSFER.imported);
    await onImported();
  };
  return (
    <Section title={TRANSFER.title}>
      <div class="form">
        <p>{TRANSFER.hint}</p>
        <Check
          label={TRANSFER.secrets}
          checked={secrets.value}
          onChange={(checked) => {
            secrets.value = checked;
          }}
        />
        <div class="toolbar">
          <a
            class="button"
            href={apiUrl("/admin/transfer/export", { secrets: secrets.value ? 1 : 0 })}
            download="muster.json"
          >
            <Icon name="download" />
            {TRANSFER.export}
          </a>
        </div>
      </div>
      <Form work={work} submit={TRANSFER.import} onSubmit={importFile}>
        <Field
          label={TRANSFER.file}
          name="file"
          type="file"
          accept=".json,application/json"
          hint={TRANSFER.fileHint}
          required
        />
      </Form>
      <div role="status">{result.value && <Report result={result.value} />}</div>
    </Section>
  );
}
