import { AppError } from '../../base/errors.ts';
import { programName } from '../../base/program-name.ts';
import { nearestNames } from '../../base/text/nearest-names.ts';
import { quoteIfNeeded } from '../../base/text/visible-text.ts';
import { CLIENT_IDS, clients } from '../../clients/clients.ts';
import type { DocumentFormat } from '../../clients/connect/format/document-format.ts';
import { jsonFormat } from '../../clients/connect/format/json-format.ts';
import { loadTomlFormat } from '../../clients/connect/format/toml-format.ts';
import { type ConnectTarget, findTarget, isInstalled } from '../../clients/connect/targets.ts';
import type { Environment } from '../../config/files/folders.ts';

/** Returns the named clients, each once. Throws for an unknown name. */
export function namedTargets(names: readonly string[]): readonly ConnectTarget[] {
  return [...new Set(names)].map((name) => {
    const target = findTarget(name);
    if (target === undefined) throw unknownClient(name);
    return target;
  });
}

/** Returns every client that is installed. Throws if there is none. */
export function installedTargets(environment: Environment): readonly ConnectTarget[] {
  const found = namedTargets(clients.map(({ id }) => id)).filter((target) => isInstalled(target, environment));
  if (found.length > 0) return found;
  throw new AppError('USAGE', `No client was found. Name one: ${programName()} connect ${CLIENT_IDS.join('|')}`);
}

export async function loadFormat(name: 'json' | 'jsonc' | 'toml'): Promise<DocumentFormat> {
  return name === 'toml' ? loadTomlFormat() : jsonFormat;
}

function unknownClient(name: string): AppError {
  const [near] = nearestNames(name, CLIENT_IDS);
  const hint = near === undefined ? `Known clients: ${CLIENT_IDS.join(', ')}.` : `Did you mean ${near}?`;
  return new AppError('USAGE', `There is no client ${quoteIfNeeded(name)}. ${hint}`);
}
