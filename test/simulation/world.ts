/** Time, agents, administrators, disk and network around a server, with the model of what the server should know. */
import { START } from "../support/clock.ts";
import { Random } from "../support/random.ts";
import { Administrators } from "./administrators.ts";
import { type Message, SimulatedAgent } from "./agents.ts";
import { AnswerKeeper } from "./answer-checks.ts";
import { Disk, Killed } from "./disk.ts";
import { Faults } from "./faults.ts";
import { FleetModel } from "./fleet-model.ts";
import { Network } from "./network.ts";
import { NotificationModel } from "./notification-model.ts";
import { Outbox } from "./outbox.ts";
import { PastKeeper } from "./past-checks.ts";
import { DAY, type IncidentKind, type Scenario, stepsOf } from "./plan.ts";
import { Server, type VirtualClock } from "./server.ts";

/** Thrown when something differs from the model. */
export class Violation extends Error {}

/** Source address of all messages. */
export const SOURCE = "198.51.100.7";
/** Seconds for which an agent waits for an answer. */
const AGENT_PATIENCE = 5;
/** Maximum number of messages of one second that form one commit, so that a kill loses all or none of them. */
const ONE_COMMIT = 150;
/** Seconds until work that found nothing to pack or delete runs again. */
const HOUSEKEEPING_INTERVAL = 60;
/** Maximum number of seconds between two turns. */
const MAX_TURN = 3;
/** Maximum number of messages sent in one second, one after another. */
const MAX_TURNS = 100;

export interface Counts {
  messages: number;
  refused: number;
  kills: number;
  outages: number;
  restarts: number;
  /** Failures that were opened although the agent's event was lost or is late. */
  unreported: number;
  /** Facts of answers about moments that were compared with what was answered then. */
  compared: number;
}

interface Incident {
  at: number;
  kind: IncidentKind;
  seed: number;
}

export class World implements VirtualClock {
  #now = START;
  #monotonic = 0;
  readonly disk = new Disk((seconds) => {
    this.pass(seconds);
    this.faults.easeDisk();
  });
  readonly network = new Network(() => this.#now);
  readonly notifications = new NotificationModel();
  readonly fleet = new FleetModel({
    stored: (host, event) => {
      if (event.collectedUsec < 0) this.counts.unreported++;
      this.notifications.stored(host, event);
    },
    ended: (_host, check, date) => this.notifications.ended(check, date),
  });
  readonly outbox = new Outbox(this);
  readonly faults = new Faults(this);
  readonly past = new PastKeeper(this);
  readonly administrators: Administrators;
  readonly answers: AnswerKeeper;
  readonly counts: Counts = {
    messages: 0,
    refused: 0,
    kills: 0,
    outages: 0,
    restarts: 0,
    unreported: 0,
    compared: 0,
  };
  /** False once the clock was set back: times measured with it are then no longer exact to the second. */
  isExact = true;
  server: Server | null = null;
  readonly #agents: SimulatedAgent[];
  readonly #incidents: Incident[];
  /** Counts the runs of the server. */
  #run = 0;
  /** When Muster was last started, its clock set, or its disk full. */
  #disturbedAt = START;
  /** When a stopped server is started again. */
  startsAt = START;
  /** When the server was last started. */
  startedAt = START;
  /** When the stopped server ended; 0 if it never ran or could not record its end. */
  #endedAt = 0;
  /** When it last looked for silent hosts. */
  #tickedAt = START;
  /** Whether an administrator stopped it. */
  #wasStopped = false;
  /** The counts when it was last started. */
  #countsBefore = { messages: 0, refused: 0 };
  readonly #lines: string[] = [];
  readonly end: number;

  constructor(readonly scenario: Scenario) {
    const steps = stepsOf(scenario);
    this.end = START + Math.floor(scenario.days * DAY);
    this.#agents = steps.flatMap((step) => {
      if (!("agent" in step)) return [];
      const id = `agent-${step.number}`;
      const make = (seed: number) =>
        new SimulatedAgent(id, step.agent, new Random(seed), START, scenario.poll);
      return step.agent === "cloned" ? [make(step.seed), make(step.seed + 1)] : [make(step.seed)];
    });
    this.#incidents = steps
      .flatMap((step) =>
        "incident" in step ? [{ at: START + step.at, kind: step.incident, seed: step.seed }] : [],
      )
      .sort((a, b) => a.at - b.at);
    this.administrators = new Administrators(this, scenario.seed);
    this.answers = new AnswerKeeper(this);
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  /** Lets time pass for everyone. */
  pass(seconds: number): void {
    this.#now += seconds;
    this.#monotonic += seconds * 1000;
  }

  /** Sets Muster's clock. */
  setClock(seconds: number): void {
    this.#now += seconds;
    // Work that became due through this has had no time to run yet.
    this.#disturbedAt = this.#now;
    if (seconds < 0) this.isExact = false;
  }

  fail(what: string): never {
    throw new Violation(`at ${this.#now} (second ${this.#now - START}): ${what}`);
  }

  /** Messages stored and refused since the server was last started. */
  get sinceStart() {
    const { messages, refused } = this.#countsBefore;
    return { messages: this.counts.messages - messages, refused: this.counts.refused - refused };
  }

  get agents(): readonly SimulatedAgent[] {
    return this.#agents;
  }

  /** Last lines of the log, which may show the cause. */
  get log(): readonly string[] {
    return this.#lines.slice(-20);
  }

  close(): void {
    this.#run++;
    this.server?.bury();
    this.disk.remove();
  }

  /** One turn of everything: one second, or more when nobody does anything. */
  async advance(): Promise<void> {
    const next = Math.min(this.#incidents[0]?.at ?? this.end, ...this.#agents.map(({ nextAt }) => nextAt));
    this.pass(Math.min(Math.max(next - this.#now, 1), MAX_TURN));
    this.network.tick();
    this.faults.tick();
    if (this.server === null && this.#now >= this.startsAt) await this.#start();
    if (this.server !== null) await this.administrators.goOn();
    while ((this.#incidents[0]?.at ?? Number.POSITIVE_INFINITY) <= this.#now) {
      const incident = this.#incidents.shift();
      if (incident) await this.#happen(incident);
    }
    await this.#report();
    await this.#work();
    this.#checkSecond();
    await this.answers.keepIfDue();
  }

  async #happen({ kind, seed }: Incident): Promise<void> {
    this.#disturbedAt = this.#now;
    const random = new Random(seed);
    if (await this.faults.begin(kind, random)) return;
    if (this.server === null) return;
    await this.administrators.act(kind, random);
  }

  /** Starts the server with the contents of the disk. */
  async #start(): Promise<void> {
    const run = ++this.#run;
    const server = new Server(this, this.disk, this.network, (line) => {
      // Nobody reads the log of a run that is over.
      if (run === this.#run) this.#logged(line);
    });
    this.server = server;
    const aliveAt = server.rows.aliveAt();
    this.faults.checkAlive(aliveAt, this.#endedAt, this.#wasStopped);
    this.#wasStopped = false;
    this.#countsBefore = { ...this.counts };
    // On a slow disk the start itself takes time, which counts as a stall.
    const at = this.#now;
    server.start();
    this.fleet.start(aliveAt, at);
    this.startedAt = this.#now;
    this.counts.restarts++;
    await this.administrators.begin();
  }

  /** Called when the server has ended. @param seconds until it is started again */
  #gone(seconds: number): void {
    this.#run++;
    this.server?.bury();
    this.server = null;
    this.#endedAt = this.faults.mayRefuse ? 0 : this.#now;
    this.startsAt = this.#now + seconds;
    this.faults.diskIsFree();
  }

  /** Called when it was killed while an administrator waited, who then starts it again. */
  async startAgain(): Promise<void> {
    this.faults.downtime = 0;
    await this.#died();
  }

  /** Called when it was killed at a commit. */
  async #died(): Promise<void> {
    this.counts.kills++;
    this.#gone(this.faults.downtime);
    if (this.faults.downtime === 0) await this.#start();
  }

  /** Stops it as an administrator does. */
  async stop(seconds: number): Promise<void> {
    await this.server?.stop();
    this.#run++;
    this.#wasStopped = !this.disk.killed;
    this.disk.cut();
    this.server = null;
    this.#endedAt = this.faults.mayRefuse ? 0 : this.#now;
    this.startsAt = this.#now + seconds;
    this.faults.diskIsFree();
  }

  async stopIfRunning(seconds: number): Promise<void> {
    if (this.server) await this.stop(seconds);
  }

  #logged(line: string): void {
    this.#lines.push(`${this.#now} ${line}`);
    if (this.#lines.length > 1000) this.#lines.splice(0, 900);
    if (line.startsWith("error the database cannot be written")) {
      this.counts.outages++;
      if (!this.faults.isDiskShort) this.fail(`Muster says that nothing can be stored: ${line}`);
      this.fleet.outageSince ??= this.#now;
    } else if (line.includes("nothing could be stored for a while")) {
      this.faults.checkOutageEnd();
      this.fleet.outageEnded(this.#tickedAt);
    } else if (
      /^error (?!message could not be stored|outcome of a message|silence of a host|background)/.test(line) &&
      !this.disk.killed
    )
      this.fail(`Muster logs ${line}`);
  }

  /** All agents post their messages at once. */
  async #report(): Promise<void> {
    const at = this.#now;
    const isUp = this.server !== null;
    const posts: { agent: SimulatedAgent; message: Message }[] = [];
    for (const agent of this.#agents) {
      if (agent.nextAt > at) continue;
      const messages = agent.act(at, isUp && this.faults.isOnline(agent));
      for (const message of messages) posts.push({ agent, message });
    }
    const { server } = this;
    if (server === null || posts.length === 0) return;
    if (posts.length > ONE_COMMIT) this.disk.plan(null);
    const answers = await Promise.all(posts.map(({ message }) => server.post(message.xml, SOURCE)));
    const isTooLate = this.#now - at >= AGENT_PATIENCE;
    const left = this.disk.killed ? this.#storedAt(at) : new Map<string, number>();
    for (const [i, { agent, message }] of posts.entries()) {
      const status = answers[i] ?? 0;
      if (status !== 200 && status !== 503 && status !== 0)
        this.fail(`a message of ${message.agentId} was answered ${status}`);
      const stored = left.get(message.agentId) ?? 0;
      left.set(message.agentId, stored - 1);
      if (status === 200 || (status === 0 && stored > 0)) {
        this.counts.messages++;
        this.fleet.receive(message.agentId, message.report, at);
        this.outbox.noteSample(message.agentId, at);
      } else this.counts.refused++;
      if (status === 503 && !this.faults.mayRefuse) this.fail(`a message of ${message.agentId} was refused`);
      agent.answered(message, status === 200 && !isTooLate && !this.faults.losesAnswer(agent));
    }
    if (this.disk.killed) await this.#died();
  }

  /** Number of messages of each agent stored in a second, according to the file that a kill left. */
  #storedAt(at: number): Map<string, number> {
    const file = this.disk.read();
    const stored = file.samplesAt(at);
    file.close();
    return stored;
  }

  /** Runs background work. */
  async #work(): Promise<void> {
    const { server } = this;
    if (server === null) return;
    try {
      this.#tick(server);
      this.#decide(server);
      server.work("deliveries");
      for (let turns = 0; this.network.isBusy() && turns < MAX_TURNS; turns++) await turn();
      server.work("compaction", HOUSEKEEPING_INTERVAL);
      server.work("counts of groups");
      server.work("groups of agents", HOUSEKEEPING_INTERVAL);
      server.work("deleted hosts");
      server.work("retention", HOUSEKEEPING_INTERVAL);
    } catch (error) {
      if (!(error instanceof Killed) && !this.disk.killed) throw error;
    }
    if (this.disk.killed) await this.#died();
  }

  #decide(server: Server): void {
    const at = this.#now;
    try {
      this.outbox.decided(server.rows, at, server.work("alerts"));
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      const after = this.disk.read();
      this.outbox.decided(after, at, this.disk.killed?.isDurable === true);
      after.close();
      throw error;
    }
  }

  #tick(server: Server): void {
    const at = this.#now;
    this.#tickedAt = at;
    try {
      const isStored = server.tick();
      const isSure = isStored && (this.fleet.outageSince === null || this.fleet.outageSince < at);
      this.fleet.tick(at, isSure ? null : server.rows);
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      const after = this.disk.read();
      const { outageSince } = this.fleet;
      if (outageSince !== null && after.hasOffTime(outageSince, at)) this.fleet.outageEnded(at);
      this.fleet.tick(at, after);
      after.close();
      throw error;
    }
  }

  /** Lets some seconds pass without faults or actions. */
  async calmDown(seconds: number): Promise<void> {
    this.#incidents.length = 0;
    this.faults.endAll();
    this.startsAt = Math.min(this.startsAt, this.#now);
    for (const end = this.#now + seconds; this.#now < end; ) await this.advance();
  }

  /** Whether expired rows must be gone, which takes a while after a start or a jump of the clock. */
  retentionIsDue(): boolean {
    return this.isExact && this.wasCalmFor(2 * 3600);
  }

  /** Whether Muster has run since then without a stop, with a working disk and clock. */
  ranWellSince(at: number): boolean {
    return this.isExact && at > this.startedAt && this.faults.wereNoneSince(at);
  }

  /** Whether there was no fault for this many seconds. */
  wasCalmFor(seconds: number): boolean {
    return this.#now > this.#disturbedAt + seconds;
  }

  #checkSecond(): void {
    if (!this.isExact) return;
    const [problem] = this.notifications.problems;
    if (problem) this.fail(problem);
  }
}

/** Resumes everything that waited for an answer. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
