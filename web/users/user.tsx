import { useSignal } from "@preact/signals";
import type { UserDetail } from "../api/types.ts";
import { NoSuchPage } from "../shell/no-such-page.tsx";
import { useMuster, useNotify } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { FormDialog } from "../ui/form-dialog.tsx";
import { Icon } from "../ui/icon.tsx";
import { Page } from "../ui/page.tsx";
import { Loaded } from "../ui/states.tsx";
import { OthersSecondFactor } from "./second-factor.tsx";
import { UserRecordForm } from "./user-record.tsx";
import { USER, USERS } from "./users.texts.ts";

/**
 * The record of the user in the address, for administrators. A user name may contain anything, so it is in the
 * query: in the path, one with a dot would look like a file.
 */
export function UserOfAddress() {
  const { router } = useMuster();
  const uname = router.address.value.query.get("uname") ?? "";
  return uname === "" ? <NoSuchPage /> : <UserScreen key={uname} uname={uname} />;
}

function UserScreen({ uname }: { uname: string }) {
  const { api, router, session } = useMuster();
  const notify = useNotify();
  const deleting = useSignal(false);
  const user = useResource<UserDetail>("/admin/users/get", { uname });
  const isOwn = session.user.value?.uname === uname;
  return (
    <Page
      title={uname}
      breadcrumbs={[[USERS.title, "/users"]]}
      aside={
        !isOwn && (
          <div class={user.data.value ? undefined : "awaited"}>
            <button
              type="button"
              onClick={() => {
                deleting.value = true;
              }}
            >
              <Icon name="trash" />
              {USERS.delete}
            </button>
          </div>
        )
      }
    >
      <Loaded from={user}>
        {(data) => (
          <>
            {isOwn && (
              <p>
                {USER.ownRecord} <a href="/account">{USER.account}</a>
              </p>
            )}
            {data.secondfactor && !isOwn && <OthersSecondFactor from={user} user={data} />}
            <UserRecordForm from={user} user={data} isOwn={isOwn} />
          </>
        )}
      </Loaded>
      {deleting.value && (
        <FormDialog
          title={USERS.deleteTitle(uname)}
          verb={USERS.deleteVerb}
          danger
          act={() => api.post("/admin/users/delete", { uname })}
          onClose={(done) => {
            deleting.value = false;
            if (!done) return;
            notify(USERS.deleted(uname));
            router.go("/users");
          }}
        >
          <p>{USERS.deleteHint}</p>
        </FormDialog>
      )}
    </Page>
  );
}
