import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { UserRecord } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { fromLocalInput } from "../text/format.ts";
import { PickOne } from "../ui/combobox.tsx";
import { DateRange } from "../ui/date-range.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Form } from "../ui/form.tsx";
import { textOf } from "../ui/form-values.ts";
import { useWork } from "../ui/work.tsx";
import { ON_CALL } from "./on-call.texts.ts";
import type { OnCallShift } from "./types.ts";

interface OverrideDialogProps {
  scheduleId: number;
  /** The clicked shift: its times, or what is left of them, are the first suggestion. */
  shift: OnCallShift;
  onClose: (done: boolean) => void;
}

/** The full name of a user, with the user name if others have the same. */
function nameOf(users: readonly UserRecord[], uname: string): string {
  const name = users.find((user) => user.uname === uname)?.fullname || uname;
  const isAlone = users.every((user) => user.uname === uname || user.fullname !== name);
  return isAlone ? name : `${name} (${uname})`;
}

/** Puts someone on call for a time, or ends that. */
export function OverrideDialog({ scheduleId, shift, onClose }: OverrideDialogProps) {
  const { api, now } = useMuster();
  const start = useRef(Math.max(shift.from, now.peek())).current;
  const work = useWork();
  const list = useResource<UserRecord[]>("/admin/users/list");
  // The form is there before them, with the focus in its first field.
  const users = list.data.value ?? [];
  const person = useSignal(shift.uname);
  const save = async (values: FormData) => {
    await api.send("/oncall/override/create", {
      schedule: scheduleId,
      user: person.peek(),
      from: fromLocalInput(textOf(values, "from"), start),
      to: fromLocalInput(textOf(values, "to"), shift.to),
    });
    onClose(true);
  };
  const remove = () =>
    work.run(async () => {
      await api.post("/oncall/override/delete", { id: shift.overrideid ?? 0 });
      onClose(true);
    });
  return (
    <Dialog
      title={ON_CALL.overrideTitle}
      record={`${scheduleId} ${shift.from}`}
      onClose={() => onClose(false)}
    >
      <Form
        work={work}
        submit={ON_CALL.put}
        disabled={person.value === ""}
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
        <PickOne
          label={ON_CALL.person}
          name="user"
          value={person.value}
          text={nameOf(users, person.value)}
          options={users.map(({ uname }) => [uname, nameOf(users, uname)] as const)}
          reads={[list]}
          onChange={(uname) => {
            person.value = uname;
          }}
        />
        <div class="fields">
          <DateRange from={start} until={shift.to} required />
        </div>
      </Form>
    </Dialog>
  );
}
