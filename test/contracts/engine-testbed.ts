import { EventEmitter, on } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openProcesses, type Processes } from '../../src/base/process/processes.ts';
import type {
  Engine,
  EngineEvent,
  EngineListener,
  IncomingApproval,
  OpenedSession,
  SessionSettings,
  StartedTurn,
  TurnEnd,
} from '../../src/codex/engine.ts';
import { type CodexRelease, findCodex } from '../codex/codex-binary.ts';
import { type CodexHome, createCodexHome } from '../codex/home.ts';
import { type Model, openModel } from '../codex/model.ts';
import { script } from '../codex/script.ts';
import type { Step } from '../codex/steps.ts';
import type { ProcessTracker } from '../processes.ts';

/** The inputs of an engine: a Codex version with its own home folder. */
interface EngineParts {
  readonly processes: Processes;
  readonly home: CodexHome;
  readonly env: Readonly<Record<string, string>>;
  readonly command: string;
}

export type OpenEngine = (parts: EngineParts, listener: EngineListener) => Engine;

/** One engine with the real Codex and the scripted model, and all events that it reported. */
export interface EngineTestbed {
  readonly engine: Engine;
  readonly model: Model;
  readonly home: CodexHome;
  /** Oldest first. `opened` is recorded when the session opens, regardless of how. */
  readonly reported: readonly ReportedEvent[];
  readonly questions: readonly Asked[];
  /** Starts a session that plays these steps. */
  start(steps: readonly Step[], settings?: SessionSettings): Promise<ReportedTurn>;
  say(sessionId: string, steps: readonly Step[], settings?: SessionSettings): Promise<ReportedTurn>;
  /** Starts a session and waits for the end of its turn. */
  run(steps: readonly Step[], settings?: SessionSettings): Promise<ReportedTurn>;
  /** Includes the last message as a listener sees it: from the turn's end, else from its items. */
  endOf(turn: ReportedTurn): Promise<TurnEnd>;
  /** Resolves with the first match, including past events. */
  until<Found>(find: () => Found | undefined): Promise<Found>;
  eventsOf(sessionId: string): readonly EngineEvent[];
  /** A folder beside the working folder. */
  folder(name: string): Promise<string>;
  /** Opens another engine in the same home. Close it before this one. */
  another(): Promise<EngineTestbed>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** An approval request from Codex. */
interface Asked extends IncomingApproval {
  readonly sessionId: string;
  /** Only the first answer counts. */
  respond(response: unknown): void;
  /** Aborts when Codex withdraws the request. */
  readonly withdrawn: AbortSignal;
}

/** An old Codex restarts turn numbers at 0 when it resumes a session, so earlier events do not belong to this turn. */
interface ReportedTurn extends StartedTurn {
  readonly since: number;
}

interface ReportedEvent {
  readonly sessionId: string;
  readonly event: EngineEvent;
}

/** Additional Codex configuration. */
export type HomeExtras = Pick<Parameters<typeof createCodexHome>[0], 'mcpServers'>;

interface EngineTestbedOptions extends HomeExtras {
  readonly tracker: ProcessTracker;
  readonly release: CodexRelease;
  readonly open: OpenEngine;
  readonly at?: Pick<EngineTestbed, 'home' | 'model'>;
}

const MAX_WAIT_MS = 30_000;

export async function openEngineTestbed(options: EngineTestbedOptions): Promise<EngineTestbed> {
  const { tracker, release, mcpServers = {} } = options;
  const model = options.at?.model ?? (await openModel());
  const home = options.at?.home ?? (await createCodexHome({ modelUrl: model.url, release, mcpServers }));
  const { command } = findCodex(release);
  const env = tracker.env({ CODEX_CLI_PATH: command, CODEX_HOME: home.codexDir, HOME: home.rootDir });
  const processes = openProcesses({ env });
  const received = openListener();
  const engine = options.open({ processes, home, env, command }, received.listener);
  const { reported, questions, until } = received;

  const follow = async (begin: () => Promise<StartedTurn>): Promise<ReportedTurn> => {
    const since = reported.length;
    return { ...(await begin()), since };
  };
  const start = (steps: readonly Step[], settings: SessionSettings = {}) =>
    follow(() => engine.start({ settings, turn: {}, input: prompt(steps), onTurnReady: received.opened }));

  const endOf = ({ sessionId, turnId, since }: ReportedTurn): Promise<TurnEnd> =>
    until(() => {
      const events = reported.slice(since).filter((one) => one.sessionId === sessionId);
      return toEnd(
        events.map(({ event }) => event),
        turnId,
      );
    });

  return {
    engine,
    model,
    home,
    reported,
    questions,
    start,
    say: (sessionId, steps, settings = {}) =>
      follow(() => engine.say({ sessionId, settings, turn: {}, input: prompt(steps) })),
    async run(steps, settings) {
      const turn = await start(steps, settings);
      await endOf(turn);
      return turn;
    },
    endOf,
    until,
    eventsOf: (sessionId) => reported.filter((one) => one.sessionId === sessionId).map(({ event }) => event),
    async folder(name) {
      const path = join(home.rootDir, name);
      await mkdir(path);
      return path;
    },
    another: () => openEngineTestbed({ ...options, at: { home, model } }),
    async [Symbol.asyncDispose]() {
      await engine.close();
      await processes.close();
      if (options.at !== undefined) return;
      await model.close();
      await home.remove();
    },
  };
}

function toEnd(events: readonly EngineEvent[], turnId: string): TurnEnd | undefined {
  const ended = events.find((event) => event.kind === 'turn-ended' && event.turnId === turnId);
  if (ended?.kind !== 'turn-ended' || ended.end.status !== 'completed')
    return ended?.kind === 'turn-ended' ? ended.end : undefined;
  const messages = events.flatMap((event) =>
    event.kind === 'item' && event.item.text !== undefined ? [event.item.text] : [],
  );
  return { ...ended.end, lastMessage: ended.end.lastMessage ?? messages.at(-1) };
}

function prompt(steps: readonly Step[]) {
  return { text: script(steps, `${firstMessage(steps)} `), images: [] };
}

/** Makes the prompt recognizable in a list of sessions. */
function firstMessage(steps: readonly Step[]): string {
  const messageStep = steps.find((step) => 'message' in step);
  return messageStep === undefined ? 'Go on.' : `Say ${messageStep.message}`;
}

function openListener() {
  const reported: ReportedEvent[] = [];
  const questions: (Asked & { withdraw(): void })[] = [];
  const received = new EventEmitter();
  const tell = (sessionId: string, event: EngineEvent) => {
    reported.push({ sessionId, event });
    received.emit('news');
  };
  const listener: EngineListener = {
    event: tell,
    approvalRequested(sessionId, approval) {
      const controller = new AbortController();
      return new Promise((respond) => {
        const withdraw = () => {
          respond(approval.request.refusal);
          controller.abort();
        };
        questions.push({ ...approval, sessionId, respond, withdraw, withdrawn: controller.signal });
        received.emit('news');
      });
    },
    approvalsWithdrawn(isWithdrawn) {
      for (const question of questions.filter(isWithdrawn)) question.withdraw();
      received.emit('news');
    },
    crashed: (reason) => tell('', { kind: 'warning', message: `fell: ${reason.message}` }),
  };

  async function until<Found>(find: () => Found | undefined): Promise<Found> {
    const signal = AbortSignal.timeout(MAX_WAIT_MS);
    for (let found = find(); ; found = find()) {
      if (found !== undefined) return found;
      for await (const _ of on(received, 'news', { signal })) break;
    }
  }

  const opened = (session: OpenedSession) => tell(session.sessionId, { kind: 'opened', session });
  return { reported, questions, listener, opened, until };
}
