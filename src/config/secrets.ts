import { createRedact, type Redact } from '../base/redact.ts';
import type { Surroundings } from './folders.ts';
import { secretsOf } from './secrets-of.ts';
import type { LoadedConfig, ServerEntry } from './server-entry.ts';

/** Whatever must not be shown, in a log, a trace or a message. */
export interface Secrets {
  readonly redact: Redact;
  /** A config may bring new ones. Those of the one before stay: its servers may still speak. */
  learn(config: LoadedConfig): void;
}

/** Masks what one server is given in confidence. */
export function redactOfEntry(env: Surroundings['env'], entry: ServerEntry): Redact {
  const server = { id: entry.id, origin: entry.origin, verdict: { kind: 'usable', entry } } as const;
  return createSecrets(env, { servers: [server], problems: [], files: [] }).redact;
}

/** The same for what is learned later, like tokens: the expressions are made anew when those are others. */
export function withTokens(redact: Redact, tokens: () => readonly string[]): Redact {
  let known: readonly string[] = [];
  let mask: Redact = redact;
  return (text) => {
    const now = tokens();
    if (now.length !== known.length || now.some((token, at) => token !== known[at])) {
      const masked = createRedact(now);
      mask = (one) => redact(masked(one));
      known = now;
    }
    return mask(text);
  };
}

/** Most runs never have a word to mask: the expressions are made for the first. */
export function createSecrets(env: Surroundings['env'], config?: LoadedConfig): Secrets {
  const configs: (LoadedConfig | undefined)[] = [config];
  let made: Redact | undefined;
  return {
    redact(text) {
      made ??= createRedact(configs.flatMap((one) => [...secretsOf({ config: one, env, platform: process.platform })]));
      return made(text);
    },
    learn(next) {
      if (configs.at(-1) === next) return;
      configs.push(next);
      made = undefined;
    },
  };
}
