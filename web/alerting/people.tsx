import type { UserRecord } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { ListField } from "../ui/combobox.tsx";
import { Unread } from "../ui/states.tsx";

interface PeopleFieldProps {
  label: string;
  name: string;
  users: readonly string[];
  hint: string;
  required?: boolean;
}

/** Suggests all users, by name and user name. */
function SuggestedPeople({ users, ...field }: PeopleFieldProps) {
  const list = useResource<UserRecord[]>("/admin/users/list");
  const records = list.data.value ?? [];
  return (
    <>
      <ListField
        {...field}
        items={users}
        suggestions={records.map(({ uname, fullname }) => ({
          value: uname,
          text: fullname || uname,
          ...(fullname && { note: uname }),
        }))}
      />
      <Unread from={list} what={field.label} />
    </>
  );
}

/** User names, separated by commas. Only administrators may list users. */
export function PeopleField(props: PeopleFieldProps) {
  const { session } = useMuster();
  if (session.isAdmin) return <SuggestedPeople {...props} />;
  const { users, ...field } = props;
  return <ListField {...field} items={users} suggestions={[]} />;
}
