import { openProcesses, type Processes } from '../../src/base/process/processes.ts';
import type { SessionSettings, TurnSettings } from '../../src/codex/engine.ts';
import { AppServerEngine } from '../../src/codex/engines/app-server/engine.ts';
import { DELTA_NOTIFICATIONS } from '../../src/codex/engines/app-server/protocol/methods.ts';
import { type CodexRelease, findCodex } from '../codex/codex-binary.ts';
import { createCodexHome } from '../codex/home.ts';
import { SILENT_LISTENER } from '../contracts/engine-in-memory.ts';
import { eventually } from './testbed.ts';

interface SentMessage {
  readonly method: string;
  readonly id?: number | string;
  readonly params?: unknown;
}

/**
 * Returns every message that the engine sends to a real app-server when all its methods are called with every setting.
 * Codex's responses do not matter. There is no model, so turns fail immediately.
 */
export async function recordMessages(
  release: CodexRelease,
  env: Readonly<Record<string, string>>,
): Promise<readonly SentMessage[]> {
  await using home = await createCodexHome({ release, modelUrl: 'http://127.0.0.1:9/v1' });
  const processes = openProcesses({ env });
  const sent: string[] = [];
  const { command, args } = findCodex(release);
  const own = { ...env, HOME: home.rootDir, CODEX_HOME: home.codexDir };
  const engine = new AppServerEngine(
    {
      processes: listening(processes, sent),
      program: async () => ({ command, args, env: own, depth: 1 }),
      cwd: home.workDir,
      optOut: DELTA_NOTIFICATIONS,
      log: { debug: () => undefined, warn: () => undefined },
      idleMs: 2_000,
    },
    SILENT_LISTENER,
  );
  try {
    await callEveryMethod(engine, home.workDir);
    // The engine unsubscribes from a session after its turn has ended.
    await eventually(() => (sent.join('').includes('thread/unsubscribe') ? true : undefined));
  } finally {
    await engine.close();
    await processes.close();
  }
  return sent.join('').trimEnd().split('\n').map(toMessage);
}

/** Wraps `processes` to record everything written to stdin. */
function listening(processes: Processes, sent: string[]): Processes {
  return {
    ...processes,
    async spawn(options) {
      const started = await processes.spawn(options);
      const write = started.stdin.write.bind(started.stdin);
      started.stdin.write = (chunk: unknown, ...others: readonly unknown[]) => {
        sent.push(String(chunk));
        return Reflect.apply(write, undefined, [chunk, ...others]);
      };
      return started;
    },
  };
}

async function callEveryMethod(engine: AppServerEngine, cwd: string): Promise<void> {
  const input = { text: 'do it', images: [`${cwd}/a.png`] };
  const name = { sessionId: '01a10000-0000-7000-8000-000000000000', turnId: 'u' };
  const onTurnReady = () => undefined;
  // Codex rejects some requests, but they were sent.
  const ask = (what: Promise<unknown>) => what.catch(() => undefined);
  const opened = await engine.open({ cwd });
  // Call this first: the engine soon unloads an idle session.
  await ask(engine.stopCommands(opened.sessionId));
  await ask(engine.start({ settings: everySetting(cwd), turn: everyTurnSetting, input, onTurnReady }));
  for (const sandbox of ['read-only', 'danger-full-access'] as const)
    await ask(
      engine.start({ settings: { cwd, sandbox }, turn: { sandbox }, input: { ...input, images: [] }, onTurnReady }),
    );
  const ended = await engine.start({ settings: { cwd }, turn: {}, input: { text: 'end', images: [] }, onTurnReady });
  await ask(engine.interrupt(ended, AbortSignal.timeout(5_000)));
  await ask(engine.say({ sessionId: name.sessionId, settings: everySetting(cwd), turn: {}, input }));
  await ask(engine.steer(name, input));
  await ask(engine.interrupt(name, AbortSignal.timeout(50)));
  await ask(engine.killIfUnresponsive(5_000));
  await ask(engine.fork({ sessionId: name.sessionId, settings: everySetting(cwd), lastTurnId: 'u' }));
  for (const target of targets) await ask(engine.review(name.sessionId, target));
  await ask(engine.list({ limit: 1 }));
  await ask(engine.list({ limit: 1, cursor: 'c', search: 's', workingDirectory: cwd }));
  await ask(engine.read({ sessionId: opened.sessionId, limit: 1 }));
  await ask(engine.read({ sessionId: opened.sessionId, limit: 1, cursor: 'c' }));
  await ask(engine.models());
  await ask(engine.rateLimits());
}

const everySetting = (cwd: string): SessionSettings => ({
  cwd,
  model: 'm',
  effort: 'high',
  approvalPolicy: 'on-request',
  sandbox: 'workspace-write',
  config: { features: { plugins: false }, tui: { notifications: ['a'] } },
  profile: { name: 'p', overrides: {} },
  baseInstructions: 'b',
  developerInstructions: 'd',
  compactPrompt: 'c',
  addDirs: ['/more'],
  name: 'n',
});

const everyTurnSetting: TurnSettings = {
  model: 'm',
  effort: 'low',
  approvalPolicy: 'never',
  sandbox: 'workspace-write',
  outputSchema: { type: 'object' },
};

const targets = [
  { type: 'uncommittedChanges' },
  { type: 'baseBranch', branch: 'main' },
  { type: 'commit', sha: 'abc' },
  { type: 'custom', instructions: 'i' },
] as const;

/** Messages have no `jsonrpc` member. The app-server neither sends nor requires it. */
function toMessage(line: string): SentMessage {
  const { jsonrpc: _, ...message } = JSON.parse(line);
  return message;
}
