import { type Signal, signal } from "@preact/signals";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { Api } from "../api/client.ts";
import { ReplyCache } from "../api/reply-cache.ts";
import { Session } from "../api/session.ts";
import { Router } from "./router.ts";
import { Theme } from "./theme.ts";
import { ViewChoice } from "./view-choice.ts";

/** What all screens share. main.tsx creates it once. */
export interface Muster {
  api: Api;
  session: Session;
  replies: ReplyCache;
  router: Router;
  theme: Theme;
  view: ViewChoice;
  /** The current time by the clock of the service, unix seconds. It advances every second. */
  now: Signal<number>;
  /** Text of the page's one live region; see `useAnnounce`. */
  announcement: Signal<string>;
}

export function createMuster(): Muster {
  const api = new Api();
  const replies = new ReplyCache();
  api.onWritten = () => replies.clear();
  return {
    api,
    session: new Session(api),
    replies,
    router: new Router(),
    theme: new Theme(),
    view: new ViewChoice(),
    now: signal(Math.floor(Date.now() / 1000)),
    announcement: signal(""),
  };
}

export const MusterContext = createContext<Muster | null>(null);

export function useMuster(): Muster {
  const muster = useContext(MusterContext);
  if (!muster) throw new Error("useMuster outside of MusterContext");
  return muster;
}

/** Returns a function that has screen readers announce a text. */
export function useAnnounce(): (text: string) => void {
  const { announcement } = useMuster();
  return (text) => {
    announcement.value = text;
  };
}
