/** Channels of every kind that sends over HTTP, and a remote for each test that receives their messages. */
import { afterEach, beforeEach, expect } from "bun:test";
import type { ChannelSettings } from "../../../src/alerting/channels/kinds/channel-kind.ts";
import { KINDS } from "../../../src/alerting/channels/kinds/kinds.ts";
import { channelOf, message, Receiver } from "./support.ts";

export const HTTP_KINDS = KINDS.map(({ kind }) => kind).filter((kind) => kind !== "email" && kind !== "exec");

export const LINK = "https://muster.example/events/17";

export const LONG_TEXT = "ä€😀x".repeat(5000);
/** A message longer than any service takes. */
export const LONG = message({ title: LONG_TEXT, text: LONG_TEXT });

export class RemoteService {
  #receiver: Receiver | undefined;

  get receiver(): Receiver {
    if (!this.#receiver) throw new Error("the receiver listens within a test only");
    return this.#receiver;
  }

  async start(): Promise<void> {
    this.#receiver = await Receiver.start();
  }

  async stop(): Promise<void> {
    await this.receiver[Symbol.asyncDispose]();
  }

  /** Settings with which each kind reaches the receiver. */
  settingsOf(kind: string): ChannelSettings {
    const { url } = this.receiver;
    const settingsByKind: Record<string, ChannelSettings> = {
      webhook: { url: `${url}/hook?a=1` },
      slack: { url: `${url}/services/T0/B0/secretpart` },
      teams: { url: `${url}/workflows/1/triggers/manual/run?sig=secretpart` },
      discord: { url: `${url}/api/webhooks/1/secretpart` },
      telegram: { url, token: "123456:ABC-def_1", chat: "-100123" },
      matrix: { url: `${url}/`, token: "syt_token", room: "!abc/d:example.org" },
      ntfy: { url, topic: "alerts" },
      gotify: { url: `${url}/gotify/`, token: "Atoken" },
      pushover: { url, token: "apptoken", user: "userkey" },
      pagerduty: { url, routingkey: "R0UT1NG" },
      apprise: { url: `${url}/apprise/`, key: "oncall" },
    };
    const settings = settingsByKind[kind];
    if (!settings) throw new Error(`no settings for ${kind}`);
    return settings;
  }

  /** Sends through a kind and returns what arrived. */
  async arrived(kind: string, more: ChannelSettings = {}, sent = message()) {
    const answer = await channelOf(kind, { ...this.settingsOf(kind), ...more }).send(sent);
    expect(answer).toEqual({ outcome: "sent", detail: "200 ok" });
    return this.receiver.only;
  }
}

/** A remote service that is started before each test of a file and stopped after it. */
export function remoteOfEachTest(): RemoteService {
  const remote = new RemoteService();
  beforeEach(() => remote.start());
  afterEach(() => remote.stop());
  return remote;
}
