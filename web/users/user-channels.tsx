import { CheckboxGroup, checkedValues, listArgument } from "../alerting/choices.tsx";
import type { Channel, Records } from "../alerting/types.ts";
import type { ContactList } from "../api/types.ts";
import { useMuster, useNotify } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { Form, useWork } from "../ui/form.tsx";
import { Section } from "../ui/page.tsx";
import { Loaded } from "../ui/states.tsx";
import { NOTIFY_BY, USER } from "./users.texts.ts";

/** What runs programs, which is never how a user is notified. */
const PROGRAM = "exec";

/** How a user is notified who is on call, or whom a rule names. For administrators. */
export function UserChannels({ uname }: { uname: string }) {
  const { api } = useMuster();
  const notify = useNotify();
  const work = useWork();
  const contacts = useResource<ContactList>("/admin/contacts/list");
  const channels = useResource<Records<Channel>>("/admin/channels/list");
  const save = async (values: FormData) => {
    const channelid = listArgument(checkedValues(values, "channelid"));
    await api.post("/admin/contacts/set", { uname, channelid });
    notify(USER.saved);
    await contacts.refresh();
  };
  return (
    <Section title={NOTIFY_BY.title}>
      <Loaded from={channels}>
        {({ records: all }) => (
          <Loaded from={contacts}>
            {({ records }) => {
              const contact = records.find((one) => one.uname === uname);
              return (
                <Form work={work} submit={NOTIFY_BY.save} onSubmit={save}>
                  <CheckboxGroup
                    legend={NOTIFY_BY.channels}
                    name="channelid"
                    options={all
                      .filter(({ kind }) => kind !== PROGRAM)
                      .map(({ id, name }) => [id, name] as const)}
                    chosen={contact?.channels ?? []}
                    none={NOTIFY_BY.noChannel}
                    hint={NOTIFY_BY.hint}
                  />
                  {contact?.ways.length === 0 && <p class="hint">{NOTIFY_BY.unreachable}</p>}
                </Form>
              );
            }}
          </Loaded>
        )}
      </Loaded>
    </Section>
  );
}
