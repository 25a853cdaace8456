import { createRedactor, type Redactor } from '../../base/redaction/redact.ts';
import type { Environment } from '../files/folders.ts';
import type { LoadedConfig, ServerEntry } from '../server-entry.ts';
import { collectSecrets } from './collect-secrets.ts';

/** Whatever must not be shown, in a log, a trace or a message. */
export interface ConfigRedactor extends Redactor {
  /** A config may bring new ones. Those of the one before stay: its servers may still speak. */
  addConfig(config: LoadedConfig): void;
  /** Tokens are replaced while we run: asked again for each text. */
  setTokenSource(tokens: () => readonly string[]): void;
}

/** Masks what one server is given in confidence. */
export function createEntryRedactor(env: Environment['env'], entry: ServerEntry): ConfigRedactor {
  const server = { id: entry.id, origin: entry.origin, verdict: { kind: 'usable', entry } } as const;
  return createConfigRedactor(env, { servers: [server], problems: [], files: [] });
}

/** Most runs never have a word to mask: the expressions are made for the first, and again when there is more to mask. */
export function createConfigRedactor(env: Environment['env'], config?: LoadedConfig): ConfigRedactor {
  const configs: (LoadedConfig | undefined)[] = [config];
  let tokensOf: () => readonly string[] = () => [];
  let known: readonly string[] = [];
  let made: Redactor | undefined;
  const redactor = () => {
    const tokens = tokensOf();
    const isSame = tokens.length === known.length && tokens.every((token, at) => token === known[at]);
    if (made !== undefined && isSame) return made;
    known = tokens;
    const values = configs.flatMap((one) => [...collectSecrets({ config: one, env, platform: process.platform })]);
    made = createRedactor([...values, ...tokens]);
    return made;
  };
  return {
    redact: (text) => redactor().redact(text),
    redactValues: (text) => redactor().redactValues(text),
    redactTokens: (text) => redactor().redactTokens(text),
    addConfig(next) {
      if (configs.at(-1) === next) return;
      configs.push(next);
      made = undefined;
    },
    setTokenSource(tokens) {
      tokensOf = tokens;
    },
  };
}
