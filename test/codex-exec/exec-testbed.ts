import { EventEmitter, on } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openProcesses } from '../../src/base/process/processes.ts';
import type { Engine, EngineEvent, StartRequest, TurnEnd, TurnRef } from '../../src/codex/engine.ts';
import { createExecEngine } from '../../src/codex/engines/exec/engine.ts';
import { type CodexRelease, findCodex } from '../codex/codex-binary.ts';
import { type CodexHome, createCodexHome } from '../codex/home.ts';
import { type Model, openModel } from '../codex/model.ts';
import type { TomlTable } from '../codex/toml.ts';
import type { ProcessTracker } from '../processes.ts';

/** The exec engine with the real Codex and the scripted model, in a separate home. */
export interface ExecTestbed {
  readonly engine: Engine;
  readonly model: Model;
  readonly home: CodexHome;
  /** The folder for the engine's temporary files. */
  readonly scratchDir: string;
  /** All events that the listener received, oldest first. */
  readonly reported: readonly ReportedEvent[];
  readonly warnings: readonly string[];
  /** Resolves with the first matching event of a session, including past ones. */
  waitFor(accept: (event: EngineEvent, sessionId: string) => boolean): Promise<EngineEvent>;
  endOf(turn: TurnRef): Promise<TurnEnd>;
  [Symbol.asyncDispose](): Promise<void>;
}

interface ReportedEvent {
  readonly sessionId: string;
  readonly event: EngineEvent;
}

interface CommandLine {
  readonly command: string;
  readonly args: readonly string[];
}

interface TestbedOptions {
  readonly tracker: ProcessTracker;
  readonly release?: CodexRelease;
  /** A program to run instead of the real Codex. */
  readonly command?: CommandLine;
  /** Shares the home and model of another testbed, which must be closed later. */
  readonly at?: ExecTestbed;
  readonly extra?: TomlTable;
  readonly extraConfig?: () => Promise<Readonly<Record<string, unknown>>>;
}

const MAX_WAIT_MS = 30_000;

export async function openExecTestbed(options: TestbedOptions): Promise<ExecTestbed> {
  const { tracker, release = 'current', extra = {}, extraConfig } = options;
  const model = options.at?.model ?? (await openModel());
  const home = options.at?.home ?? (await createCodexHome({ modelUrl: model.url, release, extra }));
  const scratchDir = join(home.rootDir, 'tmp');
  await mkdir(scratchDir, { recursive: true });
  const env = tracker.env({ CODEX_HOME: home.codexDir, HOME: home.rootDir, TMPDIR: scratchDir });
  const processes = openProcesses({ env });
  const { command, args } = options.command ?? findCodex(release);
  const reported: ReportedEvent[] = [];
  const warnings: string[] = [];
  const received = new EventEmitter();
  const engine = createExecEngine(
    {
      processes,
      program: async () => ({ command, args, env }),
      folders: { codexHome: home.codexDir, home: home.rootDir, scratch: scratchDir, cwd: home.workDir },
      log: { debug: () => {}, warn: (text) => warnings.push(text) },
      ...(extraConfig !== undefined && { extraConfig }),
    },
    {
      event(sessionId, event) {
        reported.push({ sessionId, event });
        received.emit('event');
      },
      approvalRequested: () => {
        throw new Error('the exec engine has no approvals');
      },
      approvalsWithdrawn: () => {},
      crashed: () => {
        throw new Error('the exec engine never crashes');
      },
    },
  );

  async function waitFor(accept: (event: EngineEvent, sessionId: string) => boolean): Promise<EngineEvent> {
    const find = () => reported.find(({ event, sessionId }) => accept(event, sessionId))?.event;
    const signal = AbortSignal.timeout(MAX_WAIT_MS);
    for (let found = find(); ; found = find()) {
      if (found !== undefined) return found;
      for await (const _ of on(received, 'event', { signal })) break;
    }
  }

  async function endOf({ sessionId, turnId }: TurnRef): Promise<TurnEnd> {
    const isEnd = (event: EngineEvent, of: string) =>
      of === sessionId && event.kind === 'turn-ended' && event.turnId === turnId;
    const event = await waitFor(isEnd);
    if (event.kind !== 'turn-ended') throw new Error('not an end');
    return event.end;
  }

  return {
    engine,
    model,
    home,
    scratchDir,
    reported,
    warnings,
    waitFor,
    endOf,
    async [Symbol.asyncDispose]() {
      await engine.close();
      await processes.close();
      if (options.at !== undefined) return;
      await model.close();
      await home.remove();
    },
  };
}

/** A fixture that replaces Codex and misbehaves in one way. */
export function fixture(name: string): CommandLine {
  return { command: process.execPath, args: [fileURLToPath(new URL(`fixtures/${name}.mjs`, import.meta.url))] };
}

/** A request with a prompt and the given overrides. */
export function request(text: string, over: Partial<StartRequest> = {}): StartRequest {
  return { settings: {}, turn: {}, input: { text, images: [] }, onTurnReady: () => {}, ...over };
}
