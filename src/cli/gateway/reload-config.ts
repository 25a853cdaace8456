import { messageOf } from '../../base/errors.ts';
import { type LoadOptions, loadConfig } from '../../config/load-config.ts';
import { formatProblem, problemOf } from '../../config/problem.ts';
import type { ConfigRedactor } from '../../config/secrets/config-redactor.ts';
import type { ConfigProblem, ConfiguredServer, LoadedConfig } from '../../config/server-entry.ts';
import { pinFile } from '../../config/trust/pin-store.ts';
import { listConfigFiles } from '../../config/watch/list-config-files.ts';
import { type ConfigWatcher, watchConfig } from '../../config/watch/watch-config.ts';
import type { AggregateGateway } from '../../gateway/open/open-aggregate.ts';
import type { ConfigChange } from '../../gateway/servers/apply-config.ts';

export interface ConfigReload {
  readonly gateway: AggregateGateway;
  /** Options for finding and reloading the config. */
  readonly loadOptions: LoadOptions;
  /** Masks the secrets of each config that is loaded. */
  readonly secrets: Pick<ConfigRedactor, 'addConfig'>;
  readonly warn: (text: string) => void;
}

/** Applies changes of the config files and of the trusted tools to a running gateway. */
export function reloadOnChange({ gateway, loadOptions, secrets, warn }: ConfigReload): ConfigWatcher {
  const files = listConfigFiles(loadOptions);
  let lastReported = '';

  /** Does not repeat a message. */
  const reportOnce = (problem: string) => {
    if (problem !== lastReported && problem !== '') warn(problem);
    lastReported = problem;
  };

  const reload = async () => {
    try {
      const config = await loadConfig({ ...loadOptions, mayBeGone: true });
      // Before any server can receive them.
      secrets.addConfig(config);
      const before = gateway.config();
      const line = describeChange(gateway.applyConfig(config));
      const problems = newlyBrokenFiles(config, loadOptions);
      reportOnce(problems.map((problem) => `${formatProblem(problem)} Its servers remain unchanged.`).join(' '));
      if (line !== undefined) warn(line);
      for (const reason of newlyUnusable(before, config)) warn(reason);
    } catch (error) {
      const problem = problemOf(error) ?? { file: files[0] ?? '', line: 0, message: messageOf(error) };
      gateway.reloadFailed(problem);
      reportOnce(`${formatProblem(problem)} The servers remain unchanged.`);
    }
  };

  const scheduleReload = coalesce(reload);
  const watches = [
    watchConfig({ files, onChange: scheduleReload, onProblem: warn }),
    watchConfig({ files: [pinFile(loadOptions)], onChange: gateway.trustChanged, onProblem: () => {} }),
  ];
  // Changes between the start and now no longer trigger an event.
  scheduleReload();
  gateway.trustChanged();
  return {
    close() {
      for (const watch of watches) watch.close();
    },
  };
}

/** Runs one task at a time; requests during a run cause one more run. */
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

/** Explains why servers are no longer usable, or why new ones are not. */
function newlyUnusable(before: LoadedConfig, after: LoadedConfig): readonly string[] {
  const reasonOf = ({ verdict }: ConfiguredServer) => (verdict.kind === 'usable' ? undefined : verdict.reason);
  const known = new Map(before.servers.map((server) => [server.id, reasonOf(server)]));
  return after.servers.flatMap((server) => {
    const reason = reasonOf(server);
    return reason === undefined || known.get(server.id) === reason ? [] : [`${server.id} is not started: ${reason}`];
  });
}

/** Returns the files that were valid before and no longer are. */
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
  const changes = parts.filter(([, ids]) => ids.length > 0).map(([what, ids]) => `${what} ${ids.join(', ')}`);
  return changes.length === 0 ? undefined : `The config has changed: ${changes.join('; ')}.`;
}
