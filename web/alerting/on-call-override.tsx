import type { UserRecord } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { fromLocalInput, toLocalInput } from "../text/format.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Field, Form, Select, textOf, useWork } from "../ui/form.tsx";
import { Loaded } from "../ui/states.tsx";
import { ON_CALL } from "./on-call.texts.ts";
import type { OnCallShift } from "./types.ts";

interface OverrideDialogProps {
  scheduleId: number;
  /** What the click was on: its times are the first suggestion. */
  shift: OnCallShift;
  onClose: (done: boolean) => void;
}

/** Puts somebody on call for a time, or takes that back. */
export function OverrideDialog({ scheduleId, shift, onClose }: OverrideDialogProps) {
  const { api } = useMuster();
  const work = useWork();
  const users = useResource<UserRecord[]>("/admin/users/list");
  const save = async (values: FormData) => {
    const [from, to] = [fromLocalInput(textOf(values, "from")), fromLocalInput(textOf(values, "to"))];
    await api.post("/oncall/override/create", {
      ...{ scheduleid: scheduleId, uname: textOf(values, "uname") },
      ...{ from: from ?? "", to: to ?? "" },
    });
    onClose(true);
  };
  const remove = () =>
    work.run(async () => {
      await api.post("/oncall/override/delete", { id: shift.overrideid ?? 0 });
      onClose(true);
    });
  return (
    <Dialog title={ON_CALL.overrideTitle} onClose={() => onClose(false)}>
      <Loaded from={users}>
        {(all) => (
          <Form
            work={work}
            submit={ON_CALL.put}
            onSubmit={save}
            onCancel={() => onClose(false)}
            buttons={
              shift.overrideid !== null && (
                <button type="button" class="danger" onClick={() => void remove()}>
                  {ON_CALL.remove}
                </button>
              )
            }
          >
            <Select
              label={ON_CALL.person}
              name="uname"
              value={shift.uname}
              options={all.map(({ uname, fullname }) => [uname, fullname || uname] as const)}
            />
            <div class="fields">
              <Field
                label={ON_CALL.from}
                name="from"
                type="datetime-local"
                defaultValue={toLocalInput(shift.from)}
                required
              />
              <Field
                label={ON_CALL.to}
                name="to"
                type="datetime-local"
                defaultValue={toLocalInput(shift.to)}
                required
              />
            </div>
          </Form>
        )}
      </Loaded>
    </Dialog>
  );
}
