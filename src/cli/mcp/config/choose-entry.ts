import { AppError } from '../../../base/errors.ts';
import { escapeInvisible, quoteIfNeeded } from '../../../base/text/visible-text.ts';
import type { Definitions } from '../../../config/load-config.ts';
import { type Candidate, trustCommand } from '../../../config/merge-files.ts';
import { formatLocation } from '../../../config/problem.ts';
import type { ConfiguredServer, ServerEntry } from '../../../config/server-entry.ts';
import { unknownServer } from '../../../config/unknown-server.ts';
import { type CommandContext, environmentOf } from '../../command-context.ts';
import { canPrompt } from '../../terminal/confirm.ts';
import { type Action, confirmUse } from './consent.ts';
import { readDefinitions, type Scope } from './definitions.ts';
import { disabledError } from './entry-errors.ts';

/** Returns the effective entry of this id. Shows an untrusted entry on the terminal and uses it after consent. */
export async function chooseEntry(id: string, context: CommandContext, action: Action): Promise<ServerEntry> {
  return chooseEntryFrom(await readDefinitions(environmentOf(context)), { id, action });
}

/** Does the same with definitions that are already read, or with those of one scope. */
export async function chooseEntryFrom(
  definitions: Definitions,
  { id, action, scope }: { readonly id: string; readonly action: Action; readonly scope?: Scope | undefined },
): Promise<ServerEntry> {
  const server = definitions.servers.find((one) => one.id === id);
  if (server === undefined) throw unknownServer(id, definitions, scope);
  const { verdict } = server;
  if (verdict.kind === 'usable') return verdict.entry;
  const name = `${quoteIfNeeded(id)} (${formatLocation(server.origin.file, server.origin.line)})`;
  const reason = escapeInvisible(verdict.reason);
  if (verdict.kind === 'error') throw new AppError('CONFIG_INVALID', `${name} cannot be used: ${reason}`);
  if (verdict.isUntrusted) return confirmUntrusted(definitions.chosen.get(id), server, action);
  throw disabledError(server, verdict.reason);
}

async function confirmUntrusted(
  candidate: Candidate | undefined,
  { id, origin }: ConfiguredServer,
  action: Action,
): Promise<ServerEntry> {
  const content = candidate?.entry.content;
  const where = formatLocation(origin.file, origin.line);
  const refusal = () =>
    new AppError(
      'DENIED',
      `${quoteIfNeeded(id)} (${where}) is not trusted, so it is not started. Run: ${trustCommand(origin)}`,
    );
  if (content?.kind !== 'on' || !canPrompt()) throw refusal();
  if (!(await confirmUse(action, content.entry, where))) throw refusal();
  return content.entry;
}
