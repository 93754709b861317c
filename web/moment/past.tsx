import type { ComponentChildren } from "preact";
import { HOUR } from "../../src/platform/clock.ts";
import type { Moment } from "../api/types.ts";
import { addressAt, showMoment } from "../state/moment.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { formatMoment } from "../text/format.ts";
import { Icon } from "../ui/icon.tsx";
import { LazyScreen } from "../ui/lazy-screen.tsx";
import { Page } from "../ui/page.tsx";
import { Loading } from "../ui/states.tsx";
import { MOMENT, UNKNOWN } from "./moment.texts.ts";

const play = async () => (await import("./play.tsx")).Play;

/** Returns to the present of the same page. */
function BackToNow() {
  const { present, router } = useMuster();
  return (
    <button type="button" onClick={() => showMoment(router, null, present.peek())}>
      {MOMENT.back}
    </button>
  );
}

/** How long an offered moment stays known, seconds: the earliest known moment moves on while the user reads. */
const KNOWN_FOR = 600;

/** The start of the first hour to offer. @param known the earliest known moment; both unix seconds */
const firstHour = (known: number) => Math.ceil((known + KNOWN_FOR) / HOUR) * HOUR;

interface BannerProps {
  at: number;
  /** Null until it is read, or if nothing is known about it. */
  moment: Moment | null;
}

/** Says that the page is about the past, how exact its values are, and what is not known. */
function Banner({ at, moment }: BannerProps) {
  const unknown = moment?.unknown.map((name) => UNKNOWN[name]) ?? [];
  return (
    <>
      <div class="past-banner">
        <Icon name="clock" />
        <p>
          <strong>{MOMENT.asOf(formatMoment(at))}</strong> {MOMENT.known}
        </p>
        <BackToNow />
      </div>
      <div class="past-details hint">
        {MOMENT.unchanged} {moment && MOMENT.values[moment.values]}
        {unknown.length > 0 && (
          <details>
            <summary>{MOMENT.unknown(unknown.length)}</summary>
            {MOMENT.unknownList(unknown)}
          </details>
        )}
      </div>
    </>
  );
}

/** Stands in for a screen about a moment of which nothing is known: one that is too long ago, or yet to come. */
function NotKnown({ at, isFuture }: { at: number; isFuture: boolean }) {
  const { router } = useMuster();
  const knownSince = useResource<Moment>("/moment/get", {}, { present: true }).data.value?.known;
  const first = knownSince === undefined ? undefined : firstHour(knownSince);
  const { path } = router.address.value;
  return (
    <Page title={isFuture ? MOMENT.future : MOMENT.notKnown}>
      <p>{isFuture ? MOMENT.futureText(formatMoment(at)) : MOMENT.notKnownText(formatMoment(at))}</p>
      <p class="past-ways">
        {!isFuture && first !== undefined && (
          <a class="button" href={addressAt(path, first)}>
            {MOMENT.earliest(formatMoment(first))}
          </a>
        )}
        <BackToNow />
      </p>
    </Page>
  );
}

interface PastProps {
  /** Whether the screen shows the past. */
  hasPast: boolean;
  /** The screen. */
  children: ComponentChildren;
}

/** A screen as of the moment in the address, or why there is none. */
export function Past({ hasPast, children }: PastProps) {
  const { now, router } = useMuster();
  const at = now.value;
  const read = useResource<Moment>("/moment/get");
  const moment = read.data.value;
  const code = read.error.value?.code;
  const isRefused = code === "moment.not_known" || code === "moment.future";
  if (!moment && !read.error.value) return <Loading />;
  if (isRefused) return <NotKnown at={at} isFuture={code === "moment.future"} />;
  return (
    <>
      <Banner at={at} moment={moment} />
      {hasPast ? (
        children
      ) : (
        <Page title={MOMENT.onlyPresent}>
          <BackToNow />
        </Page>
      )}
      {hasPast && router.address.value.query.has("play") && <LazyScreen load={play} />}
    </>
  );
}
