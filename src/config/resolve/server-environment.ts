import type { StdioSettings } from '../server-entry.ts';
import { isAllowedVariable } from './inherited-variables.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** Builds the complete environment of a server: inherited variables, then those of its entry, which win. */
export function buildServerEnvironment(
  { envVars, inheritEnv }: Pick<StdioSettings, 'envVars' | 'inheritEnv'>,
  { env, given, platform }: { env: Variables; given: Variables; platform: NodeJS.Platform },
): Readonly<Record<string, string>> {
  const normalizeName = (name: string) => (platform === 'win32' ? name.toUpperCase() : name);
  const wanted = new Set(envVars.map(normalizeName));
  const isInherited = (name: string) =>
    inheritEnv || wanted.has(normalizeName(name)) || isAllowedVariable(name, platform);
  // Keyed by the normalized name: on Windows `Path` and `PATH` are one variable, and a process must not get both.
  const variables = new Map<string, readonly [string, string]>();
  for (const [name, value] of [...Object.entries(env).filter(([name]) => isInherited(name)), ...Object.entries(given)])
    if (value !== undefined) variables.set(normalizeName(name), [name, value]);
  return Object.fromEntries(variables.values());
}

/** Returns the value of a variable, by the platform's rule for names. */
export function lookUpVariable(env: Variables, name: string, platform: NodeJS.Platform): string | undefined {
  if (platform !== 'win32') return Object.hasOwn(env, name) ? env[name] : undefined;
  const found = Object.keys(env).find((candidate) => candidate.toUpperCase() === name.toUpperCase());
  return found === undefined ? undefined : env[found];
}
