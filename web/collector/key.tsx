import { useSignal } from "@preact/signals";
import type {
  ActionHelper,
  AgentKey,
  AgentKeyHost,
  AgentKeyHosts,
  AgentKeyList,
  CollectorLine,
  GroupList,
} from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { match } from "../state/router.ts";
import { groupNameIn } from "../text/names.ts";
import { ConfirmDelete } from "../ui/confirm.tsx";
import { Copyable } from "../ui/copy.tsx";
import { Facts } from "../ui/facts.tsx";
import { Page, Section } from "../ui/page.tsx";
import { Pager } from "../ui/pager.tsx";
import { controlColumn, RowButton } from "../ui/record-list.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { useDialog } from "../ui/use-dialog.ts";
import { useWork, WorkError } from "../ui/work.tsx";
import { AgentLines } from "./agent-lines.tsx";
import { Enrolment } from "./enrolment.tsx";
import { AddHostDialog, EndDialog, KeyDialog, MoveDialog, ReplaceDialog } from "./key-dialogs.tsx";
import { KEYS } from "./keys.texts.ts";
import { KeyEnd } from "./keys.tsx";

const POLL_SECONDS = 5;
const PAGE = 50;
const HOME = "/keys";

function KeyFacts({ agentKey }: { agentKey: AgentKey }) {
  const groups = useResource<GroupList>("/admin/groups/list");
  const { hostgroups, tags, hostpattern, created, lastused, previousuntil, groupsignored } = agentKey;
  const { facts } = KEYS;
  return (
    <Loaded from={groups}>
      {(list) => (
        <Facts
          facts={[
            [facts.groups, hostgroups.map(groupNameIn(list)).join(", ") || KEYS.anyGroup],
            [facts.tags, tags.join(", ")],
            [facts.pattern, hostpattern],
            [facts.created, <Time at={created} />],
            [facts.used, lastused === null ? KEYS.never : <Time at={lastused} />],
            [facts.previous, previousuntil !== null && <Time at={previousuntil} absolute />],
            [facts.ignored, groupsignored > 0 && KEYS.ignored(groupsignored)],
          ]}
        />
      )}
    </Loaded>
  );
}

function hostColumns(
  keyName: (id: number) => string,
  thisKey: number,
  onMove: (host: AgentKeyHost) => () => void,
): readonly Column<AgentKeyHost>[] {
  const { hostColumns: columns } = KEYS;
  return [
    {
      key: "name",
      label: columns.name,
      header: true,
      class: "grow",
      cell: ({ id, hostname, bound, movesto, oldsecret, groupsignored }) => (
        <>
          <a href={`/hosts/${id}`}>{hostname}</a> {!bound && <span class="tag">{KEYS.movedHere}</span>}
          {bound && movesto !== null && movesto !== thisKey && (
            <span class="tag">{KEYS.moving(keyName(movesto))}</span>
          )}{" "}
          {oldsecret && <span class="tag">{KEYS.oldSecret}</span>}{" "}
          {groupsignored > 0 && <span class="tag">{KEYS.ignoredGroups(groupsignored)}</span>}
        </>
      ),
    },
    {
      key: "last",
      label: columns.last,
      class: "number",
      cell: ({ lastmodified }) => <Time at={lastmodified} />,
    },
    controlColumn((host) => (
      <RowButton label={KEYS.moveOf(host.hostname)} onClick={onMove(host)}>
        {KEYS.move}
      </RowButton>
    )),
  ];
}

/** The secret with the lines for a control file. It is read only when asked for, because that is audited. */
function Secret({ id, lines }: { id: number; lines: { value: CollectorLine | null } }) {
  const { api } = useMuster();
  const work = useWork();
  if (lines.value) return <AgentLines lines={lines.value} hasKey />;
  const show = async () => {
    lines.value = await api.send<CollectorLine>("/admin/keys/secret", { id });
  };
  return (
    <>
      <p class="hint">{KEYS.showHint}</p>
      <WorkError work={work} />
      <button type="button" disabled={work.busy.value} onClick={() => void work.run(show)}>
        {KEYS.show}
      </button>
    </>
  );
}

/** What a host needs to ask for its actions. It is read only when asked for, because it contains the secret. */
function Helper({ id, helper }: { id: number; helper: { value: ActionHelper | null } }) {
  const { api } = useMuster();
  const work = useWork();
  const show = async () => {
    helper.value = await api.send<ActionHelper>("/admin/keys/helper", { id });
  };
  return (
    <Section title={KEYS.helper}>
      <p class="hint">{KEYS.helperHint}</p>
      <WorkError work={work} />
      {helper.value ? (
        <>
          <p>{KEYS.helperInstall}</p>
          <Copyable text={helper.value.install} label={KEYS.helperCommands} />
          <p>{KEYS.helperControl}</p>
          <Copyable text={helper.value.control} label={KEYS.helperLines} />
        </>
      ) : (
        <button type="button" disabled={work.busy.value} onClick={() => void work.run(show)}>
          {KEYS.showHelper}
        </button>
      )}
    </Section>
  );
}

/** The hosts that use a key, or were moved to it. */
function KeyHosts({ agentKey }: { agentKey: AgentKey }) {
  const { id } = agentKey;
  const list = useResource<AgentKeyList>("/admin/keys/list");
  const keys = list.data.value?.records ?? [];
  const start = useSignal(0);
  const hosts = useResource<AgentKeyHosts>(
    "/admin/keys/hosts",
    { id, results: PAGE, startindex: start.value },
    { every: POLL_SECONDS, keepPrevious: true },
  );
  const { dialog, open, onClose } = useDialog<{ host: AgentKeyHost | null }>(() => hosts.refresh());
  const keyName = (other: number) =>
    other === 0 ? KEYS.first : (keys.find((key) => key.id === other)?.name ?? KEYS.deletedKey(other));
  return (
    <Section
      title={KEYS.hosts}
      aside={
        <button type="button" class="small" onClick={open({ host: null })}>
          {KEYS.addHost}
        </button>
      }
    >
      <Loaded from={hosts}>
        {({ records, totalRecords }) =>
          totalRecords === 0 ? (
            <Empty>{KEYS.noHosts}</Empty>
          ) : (
            <>
              <Loaded from={list}>
                {() => (
                  <Table
                    caption={KEYS.hosts}
                    columns={hostColumns(keyName, id, (host) => open({ host }))}
                    rows={records}
                    rowKey={(host) => host.id}
                  />
                )}
              </Loaded>
              {(totalRecords > PAGE || start.value > 0) && (
                <Pager
                  start={start.value}
                  size={PAGE}
                  total={totalRecords}
                  onGo={(next) => {
                    start.value = next;
                  }}
                />
              )}
            </>
          )
        }
      </Loaded>
      {dialog?.host === null && <AddHostDialog agentKey={agentKey} onClose={onClose} />}
      {dialog?.host && (
        <MoveDialog host={dialog.host} keys={keys.filter((key) => key.id !== id)} onClose={onClose} />
      )}
    </Section>
  );
}

type Action = "change" | "replace" | "end" | "delete";

/** The buttons beside the heading. */
function KeyActions({
  agentKey,
  open,
  refresh,
}: {
  agentKey: AgentKey;
  open: (action: Action) => () => void;
  refresh: () => Promise<void>;
}) {
  const { api, now } = useMuster();
  const resuming = useWork();
  const resume = () =>
    resuming.run(async () => {
      await api.send("/admin/keys/update", { id: agentKey.id, ends: null });
      await refresh();
    });
  return (
    <>
      <button type="button" onClick={open("change")}>
        {KEYS.change}
      </button>
      <button type="button" onClick={open("replace")}>
        {KEYS.replace}
      </button>
      {agentKey.ends === null ? (
        <button type="button" onClick={open("end")}>
          {KEYS.end}
        </button>
      ) : (
        <button type="button" disabled={resuming.busy.value} onClick={() => void resume()}>
          {agentKey.ends > now.value ? KEYS.cancelEnd : KEYS.resume}
        </button>
      )}
      <button type="button" onClick={open("delete")}>
        {KEYS.delete}
      </button>
      <WorkError work={resuming} />
    </>
  );
}

interface ActionDialogProps {
  action: Action;
  agentKey: AgentKey;
  onReplaced: (lines: CollectorLine) => void;
  onClose: (done: boolean) => void;
}

function ActionDialog({ action, agentKey, onReplaced, onClose }: ActionDialogProps) {
  const { router } = useMuster();
  if (action === "change") return <KeyDialog agentKey={agentKey} onClose={onClose} />;
  if (action === "end") return <EndDialog agentKey={agentKey} onClose={onClose} />;
  if (action === "replace")
    return <ReplaceDialog agentKey={agentKey} onReplaced={onReplaced} onClose={onClose} />;
  // `onClose` would read the key again, which is gone.
  const onDeleted = (done: boolean) => (done ? router.go(HOME) : onClose(false));
  return (
    <ConfirmDelete operation="/admin/keys/delete" record={agentKey} texts={KEYS} onClose={onDeleted}>
      <p>{KEYS.deleteHint}</p>
    </ConfirmDelete>
  );
}

function KeyScreen({ id }: { id: number }) {
  const agentKey = useResource<AgentKey>("/admin/keys/get", { id }, { every: POLL_SECONDS });
  const lines = useSignal<CollectorLine | null>(null);
  const helper = useSignal<ActionHelper | null>(null);
  const { dialog, open, onClose } = useDialog<{ action: Action }>(() => agentKey.refresh());
  const record = agentKey.data.value;
  return (
    <Page
      title={record?.name ?? KEYS.title}
      breadcrumbs={[[KEYS.title, HOME]]}
      heading={
        record && (
          <>
            {record.name} <KeyEnd ends={record.ends} />
          </>
        )
      }
      aside={
        record && (
          <KeyActions
            agentKey={record}
            open={(action) => open({ action })}
            refresh={() => agentKey.refresh()}
          />
        )
      }
    >
      <Loaded from={agentKey}>
        {(loaded) => (
          <>
            <KeyFacts agentKey={loaded} />
            <Section title={KEYS.connect}>
              <Secret id={id} lines={lines} />
            </Section>
            <Enrolment id={id} />
            <Helper id={id} helper={helper} />
            <KeyHosts agentKey={loaded} />
          </>
        )}
      </Loaded>
      {record && dialog && (
        <ActionDialog
          action={dialog.action}
          agentKey={record}
          onReplaced={(replaced) => {
            lines.value = replaced;
            // What is shown of it contains the old secret.
            helper.value = null;
          }}
          onClose={onClose}
        />
      )}
    </Page>
  );
}

/** The key of the address. */
export function KeyOfAddress() {
  const { router } = useMuster();
  const { id = "" } = match("/keys/:id", router.address.value.path) ?? {};
  return <KeyScreen key={id} id={Number(id)} />;
}
