/** Who is to be notified of what, and when: the rules of docs/alerts.md applied to the model of the fleet. */
import type { Period } from "../monitoring/uptime/timeline.ts";
import type { CheckModel, HostModel, Point, StoredEvent } from "../monitoring/uptime/uptime-model.ts";
import { CauseModel, RECHECK } from "./cause-model.ts";

const HEARTBEAT = 1_048_576;
const ERROR = 1;
const MINUTE = 60;
const DAY = 86_400;
/** Seconds after which a message has arrived, unless its recipient or the disk is in trouble. */
const SENDING = 30;

/** A rule as an administrator set it; times in minutes, 0 = none. */
export interface RuleSettings {
  name: string;
  delay: number;
  repeat: number;
  recovery: boolean;
  escalateAfter: number;
  flapCount: number;
  flapWindow: number;
  /** Name of a host group; null: all hosts. */
  hostGroup: string | null;
  /** Name of a service group; null: all services. */
  serviceGroup: string | null;
  /** Names of services; none: all. */
  services: readonly string[];
  /** Event classes; 0: all. */
  eventTypes: number;
  /** Hours of the day, UTC, from and to; null: none. */
  quiet: { from: number; to: number } | null;
  channels: readonly string[];
  escalationChannels: readonly string[];
}

/** A period in which notifications about these hosts are paused: maintenance or a mute. */
export interface Maintenance {
  /** Unix seconds. */
  from: number;
  to: number;
  hosts: ReadonlySet<HostModel> | null;
  services: readonly string[];
  /** Names of rules; none: all. */
  rules: readonly string[];
}

/** A user's acknowledgement of a failure. */
interface Acknowledgement {
  /** First event of the failure as known then, which distinguishes it from later failures of the same check. */
  began: Point;
  /** Infinity: until the failure ends. */
  until: number;
}

/** One message as decided, for all channels. */
export interface Told {
  rule: string;
  kind: string;
  channels: Set<string>;
}

/** The notification due for an alert. */
interface Owed {
  kind: string;
  /** Earliest time at which it may be sent. */
  since: number;
}

/** A rule's match of an event. */
export class AlertModel {
  notifiedAt: number | null = null;
  remindedAt = 0;
  /** Nobody may be notified before this time. */
  mutedUntil = 0;
  /** Until then it need not be sent again. */
  remindableFrom = 0;
  isEscalated = false;
  isFlapping = false;
  /** When the failure began that lasted when the check no longer flapped. */
  #followedFrom: number | null = null;
  /** When its failure ended, if the check has failed anew since: it is about that failure only. */
  endedAt: number | null = null;
  /** Whether somebody has acknowledged the failure since the last message. */
  wasAcknowledged = false;
  /** When it is reconsidered, whatever is due. */
  lookAt: number;
  readonly told = new Set<string>();
  /** When each channel was last notified. The message may still be on its way. */
  readonly #toldAt = new Map<string, number>();

  constructor(
    readonly rule: RuleSettings,
    readonly host: HostModel,
    readonly check: CheckModel,
    readonly event: StoredEvent,
  ) {
    this.lookAt = this.createdAt + this.hold + (rule.flapCount > 0 ? 0 : this.#delay);
  }

  get createdAt(): number {
    return this.event.receivedAt;
  }

  get isFailure(): boolean {
    return this.event.state === ERROR;
  }

  /** Seconds that a message waits for others. */
  get hold(): number {
    return this.event.eventType === HEARTBEAT ? 60 : 5;
  }

  get #delay(): number {
    return this.isFailure ? this.rule.delay * MINUTE : 0;
  }

  get isOver(): boolean {
    return this.isFailure && (this.endedAt !== null || !this.check.isFailing);
  }

  /**
   * When its failure ended, if that was before another one; null if it is about that one, too. An alert about a flapping check
   * is about all failures until none has begun for the window of its rule. One that was told goes on after a recovery that lasts
   * no longer than messages are held.
   */
  endBefore({ from }: Period, before: Period | undefined): number | null {
    if (from <= (this.#followedFrom ?? this.event.date)) return null;
    const { flapCount, flapWindow } = this.rule;
    const flappingEnd = flapCount === 0 ? 0 : (before?.from ?? this.event.date) + flapWindow * MINUTE;
    if (this.isFlapping && from < flappingEnd) return null;
    const end = Math.max(before?.to ?? 0, this.event.date);
    return this.notifiedAt === null || from - end >= this.hold ? end : null;
  }

  #endedAt(): number {
    if (this.endedAt !== null) return this.endedAt;
    return this.check.spans().at(-1)?.to ?? this.createdAt;
  }

  /** When the failures of the check began, newest first. */
  #starts(): number[] {
    return this.check
      .spans()
      .map(({ from }) => from)
      .reverse();
  }

  /** Whether as many failures began within the window as the rule requires. */
  flaps(now: number): boolean {
    const { flapCount, flapWindow } = this.rule;
    const first = flapCount === 0 || this.endedAt !== null ? undefined : this.#starts()[flapCount - 1];
    return first !== undefined && first > now - flapWindow * MINUTE;
  }

  get #steadyAt(): number {
    // Flapping was over when the check failed anew.
    if (this.endedAt !== null) return this.createdAt;
    return (this.#starts()[0] ?? this.createdAt) + this.rule.flapWindow * MINUTE;
  }

  /** What is due if nothing keeps Muster from sending it. */
  owed(now: number, isHandled: boolean): Owed | null {
    const reached = (kind: string, since: number) => (since <= now ? { kind, since } : null);
    if (!this.isFailure) return reached("change", this.createdAt);
    const isKnown = this.notifiedAt !== null;
    if (this.isFlapping) {
      const steady = this.#steadyAt;
      if (this.isOver && steady <= now) return this.rule.recovery ? reached("steady", steady) : null;
      if (isHandled) return null;
      return steady > now ? this.#again(now) : reached("problem", steady);
    }
    if (!isHandled && this.flaps(now)) return reached("flapping", this.createdAt);
    if (this.isOver)
      return isKnown && this.rule.recovery ? { kind: "recovery", since: this.#endedAt() } : null;
    if (isHandled) return null;
    return isKnown ? this.#again(now) : reached("problem", this.createdAt + this.#delay);
  }

  #again(now: number): Owed | null {
    // It is no longer acknowledged.
    if (this.wasAcknowledged && !this.isOver) return { kind: "reminder", since: this.createdAt };
    const { escalateAfter, repeat } = this.rule;
    const escalation = this.createdAt + escalateAfter * MINUTE;
    if (escalateAfter > 0 && !this.isEscalated && escalation <= now)
      return { kind: "escalation", since: escalation };
    const reminder = this.remindedAt + repeat * MINUTE;
    return repeat > 0 && reminder <= now ? { kind: "reminder", since: reminder } : null;
  }

  /**
   * When it is reconsidered if nothing happens before. Infinity: not before the failure ends.
   * @param handledUntil until when an acknowledgement suppresses it; null if there is none
   * @param remindedAt when the last reminder was sent or left out
   */
  nextLook(handledUntil: number | null, remindedAt = this.remindedAt): number {
    const { escalateAfter, repeat } = this.rule;
    if (this.notifiedAt === null)
      return Math.max(this.createdAt + this.#delay + this.hold, handledUntil ?? 0);
    const due = this.isFlapping ? [this.#steadyAt] : [];
    if (handledUntil === null && repeat > 0) due.push(remindedAt + repeat * MINUTE);
    if (handledUntil === null && escalateAfter > 0 && !this.isEscalated)
      due.push(this.createdAt + escalateAfter * MINUTE);
    return Math.min(handledUntil ?? Number.POSITIVE_INFINITY, Math.min(...due) + this.hold);
  }

  /** The channels that receive a message of a kind. */
  audience(kind: string, now: number): ReadonlySet<string> {
    const { channels, escalationChannels, escalateAfter } = this.rule;
    if (kind === "escalation") return new Set(escalationChannels);
    if (kind === "recovery" || kind === "steady") return this.told;
    if (kind === "reminder")
      return new Set([...this.told].filter((channel) => this.#needsReminder(channel, now)));
    const isLate = escalateAfter > 0 && this.createdAt + escalateAfter * MINUTE <= now;
    // A problem that lasts when its flapping ends is escalated by a message of its own.
    const isBoth = this.isEscalated || (kind === "problem" && this.notifiedAt === null && isLate);
    return new Set(isBoth ? [...channels, ...escalationChannels] : channels);
  }

  /** Whether half the time between reminders has passed for a channel, or the acknowledgement of the failure ended. */
  #needsReminder(channel: string, now: number): boolean {
    const at = this.#toldAt.get(channel) ?? 0;
    const isResumed = this.wasAcknowledged && !this.isOver;
    return isResumed || at > now || at <= now - (this.rule.repeat * MINUTE) / 2;
  }

  /** Whether a message decided some seconds ago may still be on its way to a channel. */
  isOnItsWay(channel: string, now: number): boolean {
    return (this.#toldAt.get(channel) ?? 0) > now - SENDING;
  }

  /** Called when a message about it was decided. @returns whether that was the last one */
  tell(kind: string, channels: ReadonlySet<string>, now: number): boolean {
    const { escalateAfter } = this.rule;
    for (const channel of channels) {
      this.told.add(channel);
      this.#toldAt.set(channel, now);
    }
    if (kind === "change" || kind === "recovery" || kind === "steady") return true;
    const isLate = escalateAfter > 0 && this.createdAt + escalateAfter * MINUTE <= now;
    if (kind === "escalation" || (kind === "problem" && this.notifiedAt === null && isLate))
      this.isEscalated = true;
    if (kind !== "escalation") {
      this.remindedAt = now;
      this.wasAcknowledged = false;
    }
    this.notifiedAt ??= now;
    if (kind === "flapping") this.isFlapping = true;
    if (kind === "problem" && this.isFlapping) {
      this.isFlapping = false;
      this.#followedFrom = this.#starts()[0] ?? null;
    }
    return false;
  }
}

/** The end of the quiet hours that contain a time, unix seconds; null outside quiet hours. */
function quietUntil({ from, to }: { from: number; to: number }, at: number): number | null {
  const midnight = at - (at % DAY);
  for (const day of [midnight - DAY, midnight]) {
    const end = day + to * 3600 + (to <= from ? DAY : 0);
    if (at >= day + from * 3600 && at < end) return end;
  }
  return null;
}

export class NotificationModel {
  rules: RuleSettings[] = [];
  maintenance: Maintenance[] = [];
  alerts: AlertModel[] = [];
  /** Recently closed alerts. */
  #closed: { alert: AlertModel; at: number }[] = [];
  readonly causes = new CauseModel();
  /** First event of the dismissed failure, as known then. */
  readonly #dismissed = new WeakMap<CheckModel, Point>();
  readonly #acknowledged = new WeakMap<CheckModel, Acknowledgement>();
  readonly problems: string[] = [];

  /** Matches an event of a host with the rules. */
  stored(host: HostModel, event: StoredEvent): void {
    const check = host.check(event.service, event.eventType, event.limit);
    if (event.state === ERROR && this.rules.length > 0) this.#endEarlier(check, event.receivedAt);
    for (const rule of this.rules) {
      if (event.state === 0 || !takes(rule, host, event)) continue;
      const open = this.alerts.find(
        (alert) => alert.rule === rule && alert.check === check && alert.isFailure && alert.endedAt === null,
      );
      if (event.state === ERROR && open) {
        // It may be the failure that makes the check flap.
        if (rule.flapCount > 0) open.lookAt = Math.min(open.lookAt, event.receivedAt);
        continue;
      }
      this.alerts.push(new AlertModel(rule, host, check, event));
      if (event.state === ERROR) this.causes.opened(check, rule.name);
    }
  }

  /** If a check fails anew, those who were notified of its earlier failure have yet to be notified of its end. */
  #endEarlier(check: CheckModel, now: number): void {
    const [failure, before] = check.spans().slice(-2).reverse();
    if (!failure || failure.to !== null) return;
    for (const alert of this.alerts.filter((alert) => alert.check === check && alert.isFailure)) {
      const end = alert.endBefore(failure, before);
      if (alert.endedAt !== null || end === null) continue;
      if (alert.notifiedAt === null) this.#close(alert, now);
      else {
        alert.endedAt = end;
        alert.lookAt = now;
        this.#follow(alert, now);
      }
    }
  }

  ended(check: CheckModel, date: number): void {
    for (const alert of this.alerts)
      if (alert.check === check && alert.isFailure) alert.lookAt = Math.min(alert.lookAt, date);
  }

  dismiss(check: CheckModel): void {
    if (check.began) this.#dismissed.set(check, check.began);
  }

  /** @param until unix seconds; null: until the failure ends */
  acknowledge(check: CheckModel, until: number | null, now: number): void {
    const { began } = check;
    if (began) this.#acknowledged.set(check, { began, until: until ?? Number.POSITIVE_INFINITY });
    this.#lookAgain(now, (alert) => alert.check === check);
    for (const alert of this.alerts)
      if (alert.check === check && alert.isFailure) alert.wasAcknowledged = true;
  }

  unacknowledge(check: CheckModel, now: number): void {
    this.#acknowledged.delete(check);
    this.#lookAgain(now, (alert) => alert.check === check);
  }

  /** Ends a mute. What waited for its end waits no longer. */
  endMute(mute: Maintenance, now: number): void {
    mute.to = now;
    this.#lookAgain(now, ({ mutedUntil }) => mutedUntil > now);
  }

  #lookAgain(now: number, which: (alert: AlertModel) => boolean): void {
    for (const alert of this.alerts.filter(which)) {
      alert.lookAt = Math.min(alert.lookAt, now);
      alert.mutedUntil = Math.min(alert.mutedUntil, now);
    }
  }

  forget(host: HostModel): void {
    this.causes.forget(host);
    this.alerts = this.alerts.filter((alert) => alert.host !== host);
  }

  removeRule(name: string): void {
    this.rules = this.rules.filter((rule) => rule.name !== name);
    this.alerts = this.alerts.filter((alert) => alert.rule.name !== name);
  }

  /** Whether the last failure of a check was dismissed, and not one before it. */
  isDismissed(check: CheckModel): boolean {
    const dismissed = this.#dismissed.get(check);
    return dismissed !== undefined && check.isLast(dismissed);
  }

  /** Until when an acknowledgement suppresses an alert, unix seconds; null if there is none. */
  handledUntil(alert: AlertModel, now: number): number | null {
    if (this.isDismissed(alert.check)) return Number.POSITIVE_INFINITY;
    return this.acknowledgedUntil(alert.check, now);
  }

  /** Until when a failure is acknowledged. Infinity: until it ends. Null: it is not. */
  acknowledgedUntil(check: CheckModel, now: number): number | null {
    const care = check.isFailing ? this.#acknowledged.get(check) : undefined;
    return care !== undefined && check.isLast(care.began) && care.until > now ? care.until : null;
  }

  /** Until when an ignored host or a cause suppresses an alert, unix seconds; null if neither does. */
  #endlessUntil(alert: AlertModel, now: number): number | null {
    if (alert.host.status === 2) return now + RECHECK;
    const isFirst = alert.isFailure && alert.notifiedAt === null;
    return isFirst ? this.causes.waitsUntil(alert, now) : null;
  }

  /** Until when an alert is suppressed, unix seconds; null if it is not. */
  #silentUntil(alert: AlertModel, now: number): number | null {
    return this.#endlessUntil(alert, now) ?? this.mutedUntil(alert, now);
  }

  /** Until when a mute, maintenance or quiet hours pause an alert; null if none does. */
  mutedUntil(alert: AlertModel, at: number): number | null {
    const { quiet } = alert.rule;
    const ends = [this.#windowUntil(alert, at), quiet && quietUntil(quiet, at)].filter((end) => end !== null);
    return ends.length === 0 ? null : Math.max(...ends);
  }

  /** Until when a mute or maintenance pauses an alert; null if none does. */
  #windowUntil({ rule, host, event }: AlertModel, at: number): number | null {
    const windows = this.maintenance.filter(
      ({ from, to, hosts, services, rules }) =>
        from <= at &&
        at < to &&
        (rules.length === 0 || rules.includes(rule.name)) &&
        (hosts === null || hosts.has(host)) &&
        (services.length === 0 || services.includes(event.service)),
    );
    return windows.length === 0 ? null : Math.max(...windows.map(({ to }) => to));
  }

  /**
   * Handles a second in which Muster decided.
   * @param told the messages as decided, by alert, in the order of their decisions
   * @param isPatient whether a recipient refused messages, so that reminders may be left out
   */
  decided(now: number, told: ReadonlyMap<AlertModel, readonly Told[]>, isPatient: boolean): void {
    for (const alert of [...this.alerts]) {
      const messages = told.get(alert);
      if (!messages) this.#checkNothing(alert, now, isPatient);
      for (const message of messages ?? []) this.#check(alert, message, now, isPatient);
    }
  }

  #check(alert: AlertModel, { kind, channels }: Told, now: number, isPatient: boolean): void {
    const owed = alert.owed(now, this.handledUntil(alert, now) !== null);
    if (owed?.kind !== kind) this.#complain(alert, now, `was told as ${kind}, not ${owed?.kind ?? "left"}`);
    if (alert.host.status === 2) this.#complain(alert, now, `was told as ${kind}, though ignored`);
    if (this.#silentUntil(alert, now) !== null)
      this.#complain(alert, now, `was told as ${kind}, though muted or due to another failure`);
    if (this.#isBehind(alert))
      this.#complain(alert, now, `was told as ${kind} before the end of the failure before it`);
    const audience = alert.audience(kind, now);
    // A recipient who has not received the previous message is not reminded.
    const needed = [...audience].filter((channel) => kind !== "reminder" || !alert.isOnItsWay(channel, now));
    const isRight =
      channels.isSubsetOf(audience) &&
      ((kind === "reminder" && isPatient) || needed.every((channel) => channels.has(channel)));
    if (!isRight)
      this.#complain(alert, now, `was told as ${kind} to ${[...channels]} instead of ${[...audience]}`);
    if (alert.tell(kind, channels, now)) this.#close(alert, now);
    else alert.lookAt = alert.nextLook(this.handledUntil(alert, now));
  }

  #checkNothing(alert: AlertModel, now: number, isPatient: boolean): void {
    const isLookedAt = alert.lookAt <= now;
    // The alert ended with a failure of a flapping check, so the next one is suppressed.
    if (isLookedAt && alert.isFlapping && alert.isOver) alert.wasAcknowledged = false;
    const handledUntil = this.handledUntil(alert, now);
    const owed = alert.owed(now, handledUntil !== null);
    const isLeftOut = () => owed?.kind === "reminder" && now <= alert.remindableFrom + alert.hold;
    // A reminder that was left out is reconsidered when the next one is due.
    const isDue = owed !== null && !isLeftOut() && Math.max(owed.since + alert.hold, alert.mutedUntil) <= now;
    // It is reconsidered each minute, at an unspecified second.
    if (owed !== null && owed.since + alert.hold <= now)
      alert.mutedUntil = Math.max(alert.mutedUntil, this.#endlessUntil(alert, now) ?? 0);
    const mutedUntil = owed && this.#silentUntil(alert, now);
    if (owed !== null && mutedUntil !== null) {
      if (owed.kind === "change" && isDue) this.#close(alert, now);
      else if (isLookedAt || isDue) {
        alert.mutedUntil = mutedUntil;
        // It is reconsidered when that ends, and each minute during a mute or maintenance, which its host may leave.
        const isOfWindow = this.#windowUntil(alert, now) === mutedUntil;
        alert.lookAt = isOfWindow ? Math.min(mutedUntil, now + RECHECK) : mutedUntil;
      }
      return;
    }
    if (owed === null) {
      const isQuietEnd = alert.isOver && !alert.isFlapping && isLookedAt;
      const isSteady = alert.isOver && alert.isFlapping && !alert.rule.recovery;
      if (isQuietEnd || (isSteady && isLookedAt && this.#isSteady(alert, now))) this.#close(alert, now);
      else if (isLookedAt) {
        const next = alert.nextLook(handledUntil);
        alert.lookAt = next > now ? next : Number.POSITIVE_INFINITY;
      }
      return;
    }
    if (this.#isBehind(alert)) return;
    // A recipient who is not notified of the failure, or was a moment ago, is not reminded of it. The next reminder is due one interval later.
    if (owed.kind === "reminder" && (isPatient || alert.audience("reminder", now).size === 0)) {
      alert.remindableFrom = now + alert.rule.repeat * MINUTE;
      if (isDue || isLookedAt) alert.wasAcknowledged = false;
      if (isLookedAt) alert.lookAt = alert.nextLook(handledUntil, now);
    }
    if (owed.kind === "flapping") {
      if (isLookedAt && isDue) this.#complain(alert, now, "was not told as flapping");
    } else if (isDue && !isLeftOut() && alert.audience(owed.kind, now).size > 0)
      this.#complain(alert, now, `was not told as ${owed.kind}, owed since ${owed.since}`);
    else if (isDue && alert.audience(owed.kind, now).size === 0 && alert.tell(owed.kind, new Set(), now))
      this.#close(alert, now);
  }

  /** Alerts that are open or were open at or after a time, unix seconds. Those closed before are forgotten. */
  openSince(at: number): AlertModel[] {
    this.#closed = this.#closed.filter((closed) => closed.at >= at);
    return [...this.alerts, ...this.#closed.map(({ alert }) => alert)];
  }

  #isSteady(alert: AlertModel, now: number): boolean {
    if (alert.endedAt !== null) return true;
    const start = alert.check.spans().at(-1)?.from ?? alert.createdAt;
    return start + alert.rule.flapWindow * MINUTE <= now;
  }

  /** Other alerts of its rule about failures of its check. */
  #siblings({ rule, check, isFailure }: AlertModel): AlertModel[] {
    if (!isFailure) return [];
    return this.alerts.filter((other) => other.rule === rule && other.check === check && other.isFailure);
  }

  /** Whether the end of the failure before it has yet to be told. */
  #isBehind(alert: AlertModel): boolean {
    return this.#siblings(alert).some((other) => other !== alert && other.endedAt !== null);
  }

  #close(alert: AlertModel, now: number): void {
    this.alerts.splice(this.alerts.indexOf(alert), 1);
    this.#follow(alert, now);
    this.#closed.push({ alert, at: now });
    if (alert.endedAt === null) return;
    for (const next of this.#siblings(alert)) {
      next.mutedUntil = Math.max(next.mutedUntil, now + 1);
      next.lookAt = Math.max(next.lookAt, now + 1);
    }
  }

  /** Notes whether the rule of an alert still follows its check. */
  #follow(alert: AlertModel, now: number): void {
    if (!alert.isFailure) return;
    const siblings = this.#siblings(alert);
    if (siblings.some(({ endedAt }) => endedAt === null)) return;
    if (siblings.length > 0) this.causes.ended(alert.check, alert.rule.name);
    else this.causes.closed(alert.check, alert.rule.name, now);
  }

  #complain({ rule, host, event }: AlertModel, now: number, what: string): void {
    this.problems.push(
      `${now}: ${event.service} ${event.eventType} of ${host.name} at ${event.date} by ${rule.name} ${what}`,
    );
  }
}

function takes(
  { hostGroup, serviceGroup, services, eventTypes }: RuleSettings,
  host: HostModel,
  { service, eventType }: StoredEvent,
): boolean {
  const isMember = serviceGroup === null || host.membersOf(serviceGroup).includes(service);
  const isPlace = isMember && (services.length === 0 || services.includes(service));
  const isHost = hostGroup === null || host.groups.includes(hostGroup);
  return isHost && isPlace && (eventTypes === 0 || (eventTypes & eventType) !== 0);
}
