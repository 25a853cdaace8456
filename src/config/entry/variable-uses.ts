import type { ServerEntry } from '../server-entry.ts';

type Entry = Pick<ServerEntry, 'transport' | 'expandsVariables'>;

/** One variable of our own environment whose value an entry asks for. */
export interface VariableUse {
  readonly name: string;
  /** The key of the entry that asks: `env.KEY`, `headers.Authorization`, `env_vars`. */
  readonly key: string;
}

/** Names of variables of our own environment whose values this entry asks for, by name or as `${NAME}`. */
export function listVariables(entry: Entry): readonly string[] {
  return listVariableUses(entry).map(({ name }) => name);
}

/** The same with the key that asks for each of them. */
export function listVariableUses({ transport, expandsVariables }: Entry): readonly VariableUse[] {
  const { named, texts } = transport.kind === 'http' ? usesOfHttp(transport) : usesOfStdio(transport);
  const expanded = expandsVariables ? texts.flatMap(([key, text]) => namesIn(text).map((name) => ({ name, key }))) : [];
  return [...named, ...expanded];
}

interface Uses {
  readonly named: readonly VariableUse[];
  /** Texts in which `${NAME}` may stand, by their key. */
  readonly texts: readonly (readonly [key: string, text: string])[];
}

function usesOfHttp(transport: Extract<ServerEntry['transport'], { kind: 'http' }>): Uses {
  const { url, headers, headerEnv, bearerTokenEnv, oauth } = transport;
  const named = (key: string, name: string | undefined) => (name === undefined ? [] : [{ name, key }]);
  const signIn: Readonly<Record<string, string | undefined>> = { ...oauth };
  return {
    named: [
      ...Object.entries(headerEnv).map(([header, name]) => ({ name, key: `headers.${header}` })),
      ...named('bearer_token_env_var', bearerTokenEnv),
      ...named('oauth.client_secret_env', oauth?.clientSecretEnv),
    ],
    texts: [['url', url], ...keyed('headers', headers), ...keyed('oauth', signIn)],
  };
}

function usesOfStdio(transport: Extract<ServerEntry['transport'], { kind: 'stdio' }>): Uses {
  const { command, args, cwd = '', env, envVars } = transport;
  const words = args.map((arg, index) => [`args[${index}]`, arg] as const);
  return {
    named: envVars.map((name) => ({ name, key: 'env_vars' })),
    texts: [['command', command], ...words, ['cwd', cwd], ...keyed('env', env)],
  };
}

function keyed(
  key: string,
  values: Readonly<Record<string, string | undefined>>,
): readonly (readonly [string, string])[] {
  return Object.entries(values).map(([name, value]) => [`${key}.${name}`, value ?? '']);
}

/** Those of defaults too: whether a default counts depends on the variable before it. */
function namesIn(text: string): string[] {
  return [...text.matchAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)/g)].map(([, name = '']) => name);
}
