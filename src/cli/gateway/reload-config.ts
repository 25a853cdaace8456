import { messageOf } from '../../base/errors.ts';
import type { LoadOptions } from '../../config/load-config.ts';
import { formatProblem } from '../../config/problem.ts';
import type { ConfigProblem, ConfiguredServer, LoadedConfig } from '../../config/server-entry.ts';
import { pinFile } from '../../config/trust/pin-store.ts';
import { type ConfigWatcher, watchConfig } from '../../config/watch/watch-config.ts';
import { listConfigFiles } from '../../config/watch/watched-files.ts';
import type { AggregateGateway } from '../../gateway/entry/open-aggregate.ts';
import type { ConfigChange } from '../../gateway/servers/apply-config.ts';

export interface ConfigReload {
  readonly gateway: AggregateGateway;
  /** As it was when the gateway was opened. */
  readonly config: LoadedConfig;
  /** How it was found, and how it is read again. */
  readonly loadOptions: LoadOptions;
  readonly load: (options: LoadOptions) => Promise<LoadedConfig>;
  readonly warn: (text: string) => void;
}

/** Keeps a running gateway in line with its config files, and with what a person trusts meanwhile. */
export function reloadOnChange({ gateway, config, loadOptions, load, warn }: ConfigReload): ConfigWatcher {
  let current = config;
  let lastReported = '';

  /** Ten times the same is one message. */
  const reportOnce = (problem: string) => {
    if (problem !== lastReported && problem !== '') warn(problem);
    lastReported = problem;
  };

  const reload = async () => {
    try {
      const before = current;
      current = await load({ ...loadOptions, mayBeGone: true });
      const line = describeChange(gateway.applyConfig(current));
      const problems = newlyBrokenFiles(current, loadOptions);
      reportOnce(problems.map((problem) => `${formatProblem(problem)} Its servers stay as they are.`).join(' '));
      if (line !== undefined) warn(line);
      for (const reason of newlyUnusable(before, current)) warn(reason);
    } catch (error) {
      const message = messageOf(error);
      gateway.setProblems([
        ...current.problems,
        { file: [loadOptions.explicitFile ?? ''].flat()[0] ?? '', line: 0, message },
      ]);
      reportOnce(`${message} The servers stay as they are.`);
    }
  };

  const scheduleReload = coalesce(reload);
  const files = listConfigFiles(loadOptions);
  const watches = [
    watchConfig({ files, onChange: scheduleReload, onProblem: warn }),
    watchConfig({ files: [pinFile(loadOptions)], onChange: gateway.trustChanged, onProblem: () => {} }),
  ];
  // Changes between the start and now cause no event any more.
  scheduleReload();
  gateway.trustChanged();
  return {
    close() {
      for (const watch of watches) watch.close();
    },
  };
}

/** One at a time; what comes meanwhile is done once more afterwards. */
function coalesce(task: () => Promise<void>): () => void {
  let isRunning = false;
  let isScheduled = false;
  const run = async () => {
    isRunning = true;
    while (isScheduled) {
      isScheduled = false;
      await task();
    }
    isRunning = false;
  };
  return () => {
    isScheduled = true;
    if (!isRunning) void run();
  };
}

/** Why servers are not used that were, or that are new. */
function newlyUnusable(before: LoadedConfig, after: LoadedConfig): readonly string[] {
  const reasonOf = ({ verdict }: ConfiguredServer) => (verdict.kind === 'usable' ? undefined : verdict.reason);
  const known = new Map(before.servers.map((server) => [server.id, reasonOf(server)]));
  return after.servers.flatMap((server) => {
    const reason = reasonOf(server);
    return reason === undefined || known.get(server.id) === reason ? [] : [`${server.id} is not started: ${reason}`];
  });
}

/** Files that could be used once and cannot be any more. */
function newlyBrokenFiles({ files, problems }: LoadedConfig, { lastGood }: LoadOptions): readonly ConfigProblem[] {
  const broken = files.filter(({ file, state }) => state === 'broken' && lastGood?.has(file) === true);
  return broken.flatMap(({ file }) => problems.find((problem) => problem.file === file) ?? []);
}

function describeChange({ started, replaced, adjusted, stopped }: ConfigChange): string | undefined {
  const parts = [
    ['started', started],
    ['restarted', replaced],
    ['adjusted', adjusted],
    ['stopped', stopped],
  ] as const;
  const said = parts.filter(([, ids]) => ids.length > 0).map(([what, ids]) => `${what} ${ids.join(', ')}`);
  return said.length === 0 ? undefined : `The config has changed: ${said.join('; ')}.`;
}
