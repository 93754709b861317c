import type { SettingsReply } from "../api/types.ts";
import { useMuster, useNotify } from "../state/muster.ts";
import type { Resource } from "../state/resource.ts";
import { Form, useWork } from "../ui/form.tsx";
import { Section } from "../ui/page.tsx";

/**
 * Offers the origin in the browser's address bar as base URL while none is set. Muster takes it from no
 * request header, because then any user could change the links in everyone's messages.
 */
export function BaseUrlOffer({ from }: { from: Resource<SettingsReply> }) {
  const { api } = useMuster();
  const notify = useNotify();
  const work = useWork();
  const known = from.data.value?.baseurl;
  if (known?.origin !== "") return null;
  const { origin } = window.location;
  const save = async () => {
    await api.post("/admin/settings/update", { baseurl: origin });
    await from.refresh();
    notify("Messages link to this address now");
  };
  return (
    <Section title="Address of Muster">
      <p>
        Messages to people have no links yet, as Muster was not told under which address people reach it.
        Yours is <code>{origin}</code>.
      </p>
      <Form work={work} submit="Use this address in messages" onSubmit={save}>
        <p class="hint">Another one can be entered in the settings, or given at the start with --base-url.</p>
      </Form>
    </Section>
  );
}
