import { resolve } from 'node:path';
import { AppError } from '../../base/errors.ts';
import { programName } from '../../base/program-name.ts';
import { escapeInvisible, quoteIfNeeded } from '../../base/text/visible-text.ts';
import { formatLocation } from '../../config/problem.ts';
import type { ConfiguredServer, LoadedConfig } from '../../config/server-entry.ts';
import { openPinStore, type PinRecord } from '../../config/trust/pin-store.ts';
import { unknownServers } from '../../config/unknown-server.ts';
import { type CommandContext, environmentOf } from '../command-context.ts';
import { loadEveryServer } from '../load-every-server.ts';
import { canPrompt, confirm } from '../terminal/confirm.ts';
import { isFolder, type TrustArguments, usageOf } from './parse-arguments.ts';

type ServerContext = Pick<CommandContext, 'output' | 'env' | 'cwd' | 'home'>;

/**
 * Returns the server that a bare word names; undefined when it names a folder. Uses the config of a gateway in the
 * working directory. Throws when it is neither.
 */
export async function findServer(
  { target, config }: TrustArguments,
  { output, ...context }: ServerContext,
): Promise<ConfiguredServer | undefined> {
  if (target === undefined || (config === undefined && isPath(target))) return undefined;
  const folder = resolve(context.cwd, target);
  const isAlsoFolder = config === undefined && isFolder(folder);
  const loaded = await loadEveryServer(context, config === undefined ? {} : { explicitFiles: [config] }).catch(
    (error: unknown) => {
      // A folder does not need a usable config.
      if (isAlsoFolder) return undefined;
      throw error;
    },
  );
  const server = loaded?.servers.find(({ id }) => id === target);
  if (server !== undefined && isAlsoFolder)
    output.report(
      `${quoteIfNeeded(target)} is both a server and a folder: using the server. For the folder, write ./${escapeInvisible(target)}.`,
    );
  if (server !== undefined || isAlsoFolder) return server;
  throw neitherError(target, { loaded, folder: config === undefined ? folder : undefined });
}

/**
 * Runs `switchboard trust <server>`: shows the tools that a gateway holds back, asks for consent, and approves exactly
 * those.
 */
export async function trustServer(
  server: ConfiguredServer,
  { isJson, assumeYes }: TrustArguments,
  context: ServerContext,
): Promise<void> {
  const { id, origin } = server;
  const { output } = context;
  const store = openPinStore(environmentOf(context));
  const shown = store.read(origin.file, id)?.pending ?? {};
  const tools = Object.entries(shown).map(([tool, { difference }]) => ({ tool, difference }));
  if (!isJson) output.answer(toText(server, tools));
  const isAgreed = assumeYes || tools.length === 0 || (!isJson && (await confirmTrust(server, tools.length)));
  if (isAgreed && tools.length > 0) store.update(origin.file, id, (record) => approve(record, shown, server));
  if (isJson) {
    const answer = isAgreed ? { trusted: tools } : { trusted: [], untrusted: tools };
    output.answer(escapeInvisible(JSON.stringify({ server: id, file: origin.file, ...answer })));
  }
  if (!isAgreed) throw notTrustedError(server);
  if (!isJson && tools.length > 0)
    output.answer(
      `\nTrusted ${toolCount(tools.length)} of ${quoteIfNeeded(id)}; a running gateway offers them within a second.`,
    );
}

async function confirmTrust({ id }: ConfiguredServer, count: number): Promise<boolean> {
  if (!canPrompt()) return false;
  return confirm(
    `\nTrust ${toolCount(count)} of ${quoteIfNeeded(id)}? [y/N] `,
    `No tool of ${quoteIfNeeded(id)} was trusted.`,
  );
}

function notTrustedError({ id }: ConfiguredServer): AppError {
  const advice = `To trust them, run ${programName()} trust on a terminal and answer y, or run it with --yes.`;
  return new AppError('DENIED', `No tool of ${quoteIfNeeded(id)} was trusted. ${advice}`);
}

function toolCount(count: number): string {
  return `${count} changed tool${count === 1 ? '' : 's'}`;
}

function isPath(target: string): boolean {
  return /[/\\]/.test(target) || target === '.' || target === '..';
}

function neitherError(
  target: string,
  { loaded, folder }: { readonly loaded: LoadedConfig | undefined; readonly folder: string | undefined },
): AppError {
  const { code, message, data = {} } = unknownServers(target, { servers: loaded?.servers ?? [] });
  const noFolder = folder === undefined ? '' : `This is not a folder: ${escapeInvisible(folder)}. `;
  return new AppError(code, `${noFolder}${message} ${usageOf('trust')}`, { data });
}

/** Approves only the tools that were shown, not those that a gateway has found since. */
function approve(
  record: PinRecord | undefined,
  shown: PinRecord['pending'],
  { id, origin }: ConfiguredServer,
): PinRecord {
  const now = record ?? { file: origin.file, id, tools: {}, pending: shown };
  const isShown = ([tool, { hash }]: [string, { readonly hash: string }]) => shown[tool]?.hash === hash;
  const pending = Object.entries(now.pending);
  const approved = pending.filter(isShown).map(([tool, { hash }]) => [tool, hash] as const);
  return {
    ...now,
    tools: Object.fromEntries([...Object.entries(now.tools), ...approved]),
    pending: Object.fromEntries(pending.filter((tool) => !isShown(tool))),
  };
}

function toText(server: ConfiguredServer, tools: readonly { tool: string; difference: string }[]): string {
  const name = quoteIfNeeded(server.id);
  if (tools.length === 0) return `Nothing to trust: no tool of ${name} is quarantined.${nothingHeldBackReason(server)}`;
  const head = `${name}, ${formatLocation(server.origin.file, server.origin.line)}`;
  const lines = tools.map(({ tool, difference }) => `  ${quoteIfNeeded(tool)}: ${escapeInvisible(difference)}`);
  return [head, ...lines].join('\n');
}

function nothingHeldBackReason({ id, verdict }: ConfiguredServer): string {
  if (verdict.kind !== 'usable') return ` The server itself is not started: ${escapeInvisible(verdict.reason)}.`;
  return verdict.entry.pin ? '' : ` Tools are quarantined only if ${quoteIfNeeded(id)} has "pin": true in its file.`;
}
