import type { LoadedConfig } from '../config/server-entry.ts';

/** Values that a config or our environment gives to servers, and that nobody else should read. */
export function* secretsOf(
  { servers }: LoadedConfig,
  env: Readonly<Record<string, string | undefined>>,
): Generator<string> {
  for (const { verdict } of servers) {
    if (verdict.kind !== 'usable') continue;
    const { transport } = verdict.entry;
    if (transport.kind === 'http') {
      yield* Object.values(transport.headers);
      continue;
    }
    for (const value of Object.values(transport.env)) {
      yield value;
      // A value that names variables is written out when the server is started.
      for (const [, name = ''] of value.matchAll(VARIABLE)) yield env[name] ?? '';
    }
    for (const name of transport.envVars) yield env[name] ?? '';
  }
}

const VARIABLE = /\$\{([A-Za-z_]\w*)/g;
