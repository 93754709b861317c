import type { SettingsReply } from "../api/types.ts";
import { useMuster, useNotify } from "../state/muster.ts";
import type { Resource } from "../state/polled-resource.ts";
import { Form } from "../ui/form.tsx";
import { Section } from "../ui/page.tsx";
import { useWork } from "../ui/work.tsx";
import { BASE_URL } from "./setup.texts.ts";

/**
 * Offers the origin in the browser's address bar as base URL while none is set. Muster takes it from no
 * request header, because then any user could change the links in everyone's messages.
 */
export function BaseUrlOffer({ from }: { from: Resource<SettingsReply> }) {
  const { api } = useMuster();
  const notify = useNotify();
  const work = useWork();
  const baseUrl = from.data.value?.baseurl;
  if (baseUrl?.origin !== "") return null;
  const { origin } = window.location;
  const save = async () => {
    await api.post("/admin/settings/update", { baseurl: origin });
    await from.refresh();
    notify(BASE_URL.saved);
  };
  return (
    <Section title={BASE_URL.title}>
      <p>
        {BASE_URL.hint} <code>{origin}</code>
      </p>
      <Form work={work} submit={BASE_URL.use} onSubmit={save}>
        <p class="hint">{BASE_URL.others}</p>
      </Form>
    </Section>
  );
}
