import { AppError } from '../../base/errors.ts';
import { isSecretName } from '../../base/redaction/redact.ts';
import type { Environment } from '../files/folders.ts';
import { entryVariables } from '../resolve/entry-variables.ts';
import { expandVariables } from '../resolve/expand-variables.ts';
import { isAllowedVariable } from '../resolve/inherited-variables.ts';
import { lookUpVariable } from '../resolve/server-environment.ts';
import type { LoadedConfig, ServerEntry } from '../server-entry.ts';
import { partsOfCredential, partsOfHeader, passwordInUrl } from './credential-parts.ts';
import { secretsInArgument, secretsInUrl } from './masked-value.ts';

export interface SecretSources {
  /** Undefined for a server of the command line, which inherits our whole environment. */
  readonly config: LoadedConfig | undefined;
  readonly environment: Environment;
}

/**
 * Collects the credentials that servers receive: values of `env` and headers, of arguments whose name suggests a
 * secret, of the query of a URL, of the variables that entries name, and of every variable of our own whose name
 * suggests a secret. Also collects the parts of these that a server may repeat alone, such as the password of a URL.
 */
export function collectSecrets({ config, environment }: SecretSources): ReadonlySet<string> {
  const secrets = new Set<string>();
  const add = (value: string | undefined) => {
    if (value !== undefined) secrets.add(value);
  };
  const { env, platform } = environment;
  for (const [name, value] of Object.entries(env)) if (isSecretName(name)) add(value);
  for (const { verdict } of config?.servers ?? []) {
    if (verdict.kind !== 'usable') continue;
    const variables = variablesOf(verdict.entry, environment);
    const lookup = (name: string) => lookUpVariable(variables, name, platform);
    for (const value of givenValues(verdict.entry)) for (const form of formsOf(value, { lookup, platform })) add(form);
    for (const name of namedVariables(verdict.entry)) {
      const value = lookup(name);
      const partsOf = verdict.entry.transport.kind === 'http' ? partsOfHeader : partsOfCredential;
      for (const form of value === undefined ? [] : [value, ...partsOf(value)]) add(form);
    }
  }
  return secrets;
}

/** A damaged store of secrets must not prevent redaction. Connecting to the server reports it. */
function variablesOf(entry: ServerEntry, environment: Environment): Environment['env'] {
  try {
    return entryVariables(entry, environment);
  } catch {
    return environment.env;
  }
}

function givenValues({ transport }: ServerEntry): readonly string[] {
  if (transport.kind === 'stdio') {
    const { env, args } = transport;
    const inArguments = args.flatMap((arg, at) => [...secretsInArgument(arg, args[at - 1]), ...passwordInUrl(arg)]);
    return [...Object.values(env), ...inArguments];
  }
  const { url, headers, oauth } = transport;
  const secret = oauth?.clientSecret;
  const inHeaders = Object.values(headers).flatMap((value) => [value, ...partsOfHeader(value)]);
  return [...inHeaders, ...secretsInUrl(url), ...(secret === undefined ? [] : [secret])];
}

function namedVariables({ transport }: ServerEntry): readonly string[] {
  if (transport.kind === 'stdio') return transport.envVars;
  const { headerEnv, bearerTokenEnv, oauth } = transport;
  return [...Object.values(headerEnv), bearerTokenEnv, oauth?.clientSecretEnv].filter((name) => name !== undefined);
}

/**
 * Returns all forms of a value: as written, with its variables expanded, the value of each variable alone (except those
 * that every server inherits), and the parts that a server may repeat alone.
 */
function formsOf(value: string, { lookup, platform }: VariableScope): readonly string[] {
  const variables: string[] = [];
  const expanded = expandVariables(value, {
    lookup(name) {
      const found = lookup(name) ?? '';
      if (!isAllowedVariable(name, platform)) variables.push(found);
      return found;
    },
    missingError: (name) => new AppError('INTERNAL', `${name} is missing and is treated as empty here.`),
  });
  const written = VARIABLE_ONLY.test(value) ? [] : [value];
  return [...written, expanded, ...partsOfCredential(expanded), ...variables];
}

/**
 * `${TOKEN}`, `Bearer ${TOKEN}`: the name is no secret, and a user who has not set the variable must be able to read
 * it.
 */
const VARIABLE_ONLY = /^(?:\S+\s+)?\$\{\w+\}$/;

interface VariableScope {
  readonly lookup: (name: string) => string | undefined;
  readonly platform: NodeJS.Platform;
}
