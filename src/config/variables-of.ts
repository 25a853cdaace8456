import type { ServerEntry } from './server-entry.ts';

/** Names of variables of our own environment whose values this entry asks for, by name or as `${NAME}`. */
export function variablesOf({ transport, expandsVariables }: ServerEntry): readonly string[] {
  if (transport.kind === 'http') {
    const { url, headers, headerEnv, bearerTokenEnv, oauth } = transport;
    const signIn: readonly (string | undefined)[] = Object.values(oauth ?? {});
    const texts = expandsVariables ? [url, ...Object.values(headers), ...signIn.map((text) => text ?? '')] : [];
    const named = [...Object.values(headerEnv), bearerTokenEnv, oauth?.clientSecretEnv];
    return [...named.filter((name) => name !== undefined), ...texts.flatMap(namesIn)];
  }
  const { command, args, cwd = '', env, envVars } = transport;
  const texts = expandsVariables ? [command, ...args, cwd, ...Object.values(env)] : [];
  return [...envVars, ...texts.flatMap(namesIn)];
}

/** Those of defaults too: whether a default counts depends on the variable before it. */
function namesIn(text: string): string[] {
  return [...text.matchAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)/g)].map(([, name = '']) => name);
}
