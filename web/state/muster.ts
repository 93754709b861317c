import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { Api, type CallArguments } from "../api/client.ts";
import { ReplyCache } from "../api/reply-cache.ts";
import { Session } from "../api/session.ts";
import { Drafts } from "./drafts.ts";
import { momentIn } from "./moment.ts";
import { Router } from "./router.ts";
import { Theme } from "./theme.ts";
import { ViewChoice } from "./view-choice.ts";

/** A message that something was saved or done. */
export interface Notice {
  text: string;
  /** Present if it says something else: what others did, or that something failed. */
  kind?: "news" | "failure";
  /** Undoes it. */
  undo?: () => Promise<unknown>;
}

/** A text that screen readers announce. */
interface Announcement {
  /** Distinguishes it from an earlier one with the same text. */
  id: number;
  text: string;
}

/** The latest announcements stay in the page, so that one does not replace another before it is read. */
const KEPT_ANNOUNCEMENTS = 5;

interface MomentRead {
  path: string;
  args: CallArguments;
}

/** What all screens share. main.tsx creates it once. */
export interface Muster {
  api: Api;
  session: Session;
  replies: ReplyCache;
  router: Router;
  theme: Theme;
  view: ViewChoice;
  /** The moment in the past that screens show, unix seconds; null: now. */
  at: ReadonlySignal<number | null>;
  /** The current time by the clock of the service, unix seconds. It advances every second. */
  present: Signal<number>;
  /** The time that screens are about: the moment that they show, or the current time. */
  now: ReadonlySignal<number>;
  /** The reads of the page about the moment that it shows, so that they can be made ahead for another moment. */
  momentReads: Set<MomentRead>;
  /** The notice on the page; null for none. */
  notice: Signal<Notice | null>;
  /** Form inputs that were kept when the session expired. */
  drafts: Drafts;
  /** What the page's one live region holds, oldest first; see `useAnnounce`. */
  announcements: Signal<readonly Announcement[]>;
}

/** Pages with charts share their range. */
const CHART_RANGE = { pages: /^\/(hosts\/\d+(\/services\/\d+)?|fleet)$/, names: ["range", "from", "to"] };
/** All pages share the moment that is shown, and the incident that is played. */
const MOMENT = { pages: /^/, names: ["at", "play"] };

/** Makes what all screens share. Nothing is requested yet. */
export function createMuster(): Muster {
  const api = new Api();
  const replies = new ReplyCache();
  api.onWritten = () => replies.clear();
  const router = new Router([CHART_RANGE, MOMENT]);
  const at = computed(() => momentIn(router.address.value));
  const present = signal(Math.floor(Date.now() / 1000));
  const isPast = computed(() => at.value !== null);
  api.isPast = () => isPast.peek();
  const session = new Session(api, isPast);
  const drafts = new Drafts();
  const announcements = signal<Muster["announcements"]["value"]>([]);
  const notice = signal<Notice | null>(null);
  session.onOtherUser = () => {
    drafts.clear();
    replies.clear();
    announcements.value = [];
    notice.value = null;
  };
  return {
    api,
    session,
    replies,
    router,
    theme: new Theme(),
    view: new ViewChoice(),
    at,
    present,
    now: computed(() => at.value ?? present.value),
    momentReads: new Set(),
    notice,
    drafts,
    announcements,
  };
}

export const MusterContext = createContext<Muster | null>(null);

/** What all screens share. @throws outside of MusterContext */
export function useMuster(): Muster {
  const muster = useContext(MusterContext);
  if (!muster) throw new Error("useMuster outside of MusterContext");
  return muster;
}

/** Returns a function that has screen readers announce a text. */
export function useAnnounce(): (text: string) => void {
  const { announcements } = useMuster();
  return (text) => {
    const earlier = announcements.peek();
    const id = (earlier.at(-1)?.id ?? 0) + 1;
    announcements.value = [...earlier, { id, text }].slice(-KEPT_ANNOUNCEMENTS);
  };
}

/** Returns a function that shows a notice, and has screen readers announce it. */
export function useNotify(): (text: string, options?: Omit<Notice, "text">) => void {
  const { notice } = useMuster();
  const announce = useAnnounce();
  return (text, options) => {
    announce(text);
    notice.value = { text, ...options };
  };
}
