import { createRedactor, type Redactor } from '../../base/redaction/redact.ts';
import type { Environment } from '../files/folders.ts';
import type { LoadedConfig, ServerEntry } from '../server-entry.ts';
import { collectSecrets } from './collect-secrets.ts';

/** A redactor of config secrets and tokens, for logs, traces and messages. */
export interface ConfigRedactor extends Redactor {
  /** Adds the secrets of a new config. Those of earlier configs stay, because their servers may still be running. */
  addConfig(config: LoadedConfig): void;
  /** Sets the source of tokens, which is read again for each text because tokens are replaced at run time. */
  setTokenSource(tokens: () => readonly string[]): void;
}

/** Creates a redactor for the secrets of one server. */
export function createEntryRedactor(environment: Environment, entry: ServerEntry): ConfigRedactor {
  const server = { id: entry.id, origin: entry.origin, verdict: { kind: 'usable', entry } } as const;
  return createConfigRedactor(environment, { servers: [server], problems: [], files: [] });
}

/**
 * Creates a redactor. It compiles its expressions on first use, because most runs redact nothing, and again when there
 * are new secrets.
 */
export function createConfigRedactor(environment: Environment, config?: LoadedConfig): ConfigRedactor {
  const secrets = new Set<string>();
  const collect = (from: LoadedConfig | undefined) => {
    for (const secret of collectSecrets({ config: from, environment })) secrets.add(secret);
  };
  let isFirstCollected = false;
  const collectFirst = () => {
    if (!isFirstCollected) collect(config);
    isFirstCollected = true;
  };
  let tokensOf: () => readonly string[] = () => [];
  let known: readonly string[] = [];
  let made: Redactor | undefined;
  const redactor = () => {
    const tokens = tokensOf();
    const isSame = tokens.length === known.length && tokens.every((token, at) => token === known[at]);
    if (made !== undefined && isSame) return made;
    known = tokens;
    collectFirst();
    made = createRedactor([...secrets, ...tokens]);
    return made;
  };
  return {
    redact: (text) => redactor().redact(text),
    redactValues: (text) => redactor().redactValues(text),
    redactTokens: (text) => redactor().redactTokens(text),
    addConfig(next) {
      collectFirst();
      const before = secrets.size;
      collect(next);
      if (secrets.size > before) made = undefined;
    },
    setTokenSource(tokens) {
      tokensOf = tokens;
    },
  };
}
