import { messageOf } from '../base/errors.ts';
import type { LoadOptions } from '../config/load-config.ts';
import { pinFile } from '../config/pin-store.ts';
import type { ConfigProblem, LoadedConfig } from '../config/server-entry.ts';
import { type ConfigWatch, watchConfig } from '../config/watch-config.ts';
import { configFilesOf } from '../config/watched-files.ts';
import type { ConfigChange } from '../gateway/apply-config.ts';
import type { AggregateGateway } from '../gateway/open-aggregate.ts';

export interface Followed {
  readonly gateway: AggregateGateway;
  /** As it was when the gateway was opened. */
  readonly config: LoadedConfig;
  /** How it was found, and how it is read again. */
  readonly loadOptions: LoadOptions;
  readonly load: (options: LoadOptions) => Promise<LoadedConfig>;
  readonly warn: (text: string) => void;
}

/** Keeps a running gateway in line with its config files, and with what a person trusts meanwhile. */
export function followConfig({ gateway, config, loadOptions, load, warn }: Followed): ConfigWatch {
  let current = config;
  let lastFault = '';

  const refuse = (problems: readonly ConfigProblem[], what: string) => {
    gateway.keep([...current.problems, ...problems]);
    // Ten times the same is one message.
    if (what !== lastFault) warn(`${what} The servers stay as they are.`);
    lastFault = what;
  };

  const reload = async () => {
    try {
      const next = await load(loadOptions);
      const broken = next.files.find(({ file, state }) => state === 'broken' && wasUsable(current, file));
      if (broken !== undefined) {
        const problems = next.problems.filter(({ file }) => file === broken.file);
        return refuse(problems, `${problems[0]?.message ?? 'It cannot be read.'} (${broken.file})`);
      }
      lastFault = '';
      current = next;
      const line = describeChange(gateway.apply(next));
      if (line !== undefined) warn(line);
    } catch (error) {
      const message = messageOf(error);
      refuse([{ file: loadOptions.explicitFile ?? '', line: 0, message }], message);
    }
  };

  const reloadInTurn = inTurn(reload);
  const files = configFilesOf(loadOptions);
  const watches = [
    watchConfig({ files, onChange: reloadInTurn, onProblem: warn }),
    watchConfig({ files: [pinFile(loadOptions)], onChange: gateway.trustChanged, onProblem: () => {} }),
  ];
  // What changed between the start and now is no event any more.
  reloadInTurn();
  return {
    close() {
      for (const watch of watches) watch.close();
    },
  };
}

/** One at a time; what comes meanwhile is done once more afterwards. */
function inTurn(work: () => Promise<void>): () => void {
  let isRunning = false;
  let isWanted = false;
  const run = async () => {
    isRunning = true;
    while (isWanted) {
      isWanted = false;
      await work();
    }
    isRunning = false;
  };
  return () => {
    isWanted = true;
    if (!isRunning) void run();
  };
}

function wasUsable({ files }: LoadedConfig, file: string): boolean {
  return files.some((known) => known.file === file && known.state === 'usable');
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
