import type { ServerEntry } from '../server-entry.ts';

type Entry = Pick<ServerEntry, 'transport' | 'expandsVariables'>;

/** A variable of our own environment that an entry references. */
export interface VariableUse {
  readonly name: string;
  /** The key that references the variable: `env.KEY`, `headers.Authorization`, `env_vars`. */
  readonly key: string;
}

/** Returns the variables of our own environment that this entry references, by name or as `${NAME}`. */
export function listVariables(entry: Entry): readonly string[] {
  return listVariableUses(entry).map(({ name }) => name);
}

/** Returns the same variables, each with the key that references it. */
export function listVariableUses({ transport, expandsVariables }: Entry): readonly VariableUse[] {
  const { named, texts } = transport.kind === 'http' ? usesOfHttp(transport) : usesOfStdio(transport);
  const expanded = expandsVariables ? texts.flatMap(([key, text]) => namesIn(text).map((name) => ({ name, key }))) : [];
  return [...named, ...expanded];
}

interface Uses {
  readonly named: readonly VariableUse[];
  /** Texts that may contain `${NAME}`, by key. */
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

/**
 * Returns all variable names in a text. Includes those in defaults: whether a default applies depends on the variable
 * before it.
 */
function namesIn(text: string): string[] {
  return [...text.matchAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)/g)].map(([, name = '']) => name);
}
