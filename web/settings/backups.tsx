import type { Backup, BackupList, SettingsReply } from "../api/types.ts";
import { useMuster, useNotify } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { formatBytes } from "../text/format.ts";
import { Facts } from "../ui/facts.tsx";
import { Led } from "../ui/led.tsx";
import { Page, Section } from "../ui/page.tsx";
import { Records } from "../ui/record-list.tsx";
import { SettingForm } from "../ui/setting-form.tsx";
import { Loaded } from "../ui/states.tsx";
import type { Column } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { useWork, WorkError } from "../ui/work.tsx";
import { BACKUPS } from "./backups.texts.ts";
import { BACKUP_GROUPS } from "./setting-texts.ts";

/** Poll interval while someone may watch a backup. */
const LIVE_SECONDS = 2;

/** The light of a backup: a warning for one that is stored but has trouble. */
function ledOf({ state, trouble }: Backup) {
  if (state === "failed") return 0;
  return trouble === "" ? 2 : 1;
}

const COLUMNS: readonly Column<Backup>[] = [
  {
    key: "made",
    label: BACKUPS.columns.made,
    header: true,
    class: "tight",
    cell: ({ created }) => <Time at={created} absolute />,
  },
  {
    key: "state",
    label: BACKUPS.columns.state,
    class: "grow",
    cell: (backup) => (
      <>
        <Led led={ledOf(backup)} text={BACKUPS.states[backup.state]} />
        {backup.trouble !== "" && <div class="second">{backup.trouble}</div>}
      </>
    ),
  },
  {
    key: "size",
    label: BACKUPS.columns.size,
    class: "number",
    cell: ({ state, bytes }) => (state === "failed" ? "" : formatBytes(bytes)),
  },
  {
    key: "database",
    label: BACKUPS.columns.database,
    class: "number wide",
    cell: ({ state, databasebytes }) => (state === "failed" ? "" : formatBytes(databasebytes)),
  },
  {
    key: "place",
    label: BACKUPS.columns.place,
    class: "tight wide",
    cell: ({ place, name }) => (
      <>
        {name}
        <div class="second">{place}</div>
      </>
    ),
  },
];

function progressText({ phase, done, total }: NonNullable<BackupList["running"]>): string {
  const text = BACKUPS.phases[phase];
  return total === 0 ? text : BACKUPS.progress(text, formatBytes(done), formatBytes(total));
}

const timeOf = (backup: Backup | undefined) =>
  backup ? <Time key={backup.id} at={backup.created} /> : BACKUPS.none;

function State({ next, running, records, provable }: BackupList) {
  return (
    <>
      <Facts
        facts={[
          [BACKUPS.next, next !== null && <Time at={next} absolute />],
          [BACKUPS.running, running !== null && progressText(running)],
          [BACKUPS.last, timeOf(records.find(({ state }) => state !== "failed"))],
          [BACKUPS.lastProven, timeOf(records.find(({ state }) => state === "proven"))],
        ]}
      />
      {!provable && <p class="hint">{BACKUPS.verifiedOnly}</p>}
    </>
  );
}

/** The schedule of backups, the results of the last ones, and the one that is being made. */
export function BackupsScreen() {
  const { api } = useMuster();
  const notify = useNotify();
  const work = useWork();
  const backups = useResource<BackupList>("/admin/backups/list", {}, { every: LIVE_SECONDS });
  const settings = useResource<SettingsReply>("/admin/settings/get");
  const start = async () => {
    const isDone = await work.run(() => api.post("/admin/backups/start", {}));
    await backups.refresh();
    if (isDone) notify(BACKUPS.started);
  };
  const isRunning = backups.data.value?.running !== null;
  const isOn = (backups.data.value?.next ?? null) !== null;
  return (
    <Page
      title={BACKUPS.title}
      breadcrumbs={[[BACKUPS.settings, "/settings"]]}
      aside={
        isOn && (
          <button
            type="button"
            disabled={work.busy.value}
            // Disabled, it would lose the focus.
            aria-disabled={isRunning}
            onClick={() => {
              if (!isRunning) void start();
            }}
          >
            {BACKUPS.start}
          </button>
        )
      }
    >
      <p class="muted">
        {BACKUPS.intro} <a href="/docs/backups">{BACKUPS.documentation}</a>
      </p>
      <WorkError work={work} />
      <Loaded from={backups}>
        {(list) => (
          <>
            {list.next === null ? <p>{BACKUPS.off}</p> : <State {...list} />}
            <Section title={BACKUPS.list}>
              <Records records={list.records} caption={BACKUPS.list} columns={COLUMNS} none={BACKUPS.empty} />
            </Section>
          </>
        )}
      </Loaded>
      <Section title={BACKUPS.plan}>
        <Loaded from={settings}>
          {(reply) => <SettingForm from={settings} settings={reply.settings} groups={BACKUP_GROUPS} />}
        </Loaded>
      </Section>
    </Page>
  );
}
