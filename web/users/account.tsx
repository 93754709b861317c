import type { UserDetail } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { Page } from "../ui/page.tsx";
import { Loaded } from "../ui/states.tsx";
import { OwnSecondFactor } from "./second-factor.tsx";
import { Sessions } from "./sessions.tsx";
import { Tokens } from "./tokens.tsx";
import { UserContact, UserPassword, UserPicture } from "./user-form.tsx";
import { USER } from "./users.texts.ts";

/** The signed-in user's own record. */
export function AccountScreen() {
  const { session } = useMuster();
  const uname = session.user.value?.uname ?? "";
  const user = useResource<UserDetail>("/admin/users/get", { uname });
  return (
    <Page title={USER.account}>
      <Loaded from={user}>
        {(data) => (
          <>
            <UserContact from={user} user={data} />
            {data.origin === "local" && (
              <>
                <UserPassword from={user} user={data} />
                <OwnSecondFactor from={user} user={data} />
              </>
            )}
            <UserPicture from={user} user={data} />
          </>
        )}
      </Loaded>
      <Sessions />
      <Tokens />
    </Page>
  );
}
