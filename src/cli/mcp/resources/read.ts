import { existsSync, writeFileSync } from 'node:fs';
import { AppError, messageOf, toAppError } from '../../../base/errors.ts';
import { quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { resolvePath } from '../../../config/files/folders.ts';
import type { ServerEntry } from '../../../config/server-entry.ts';
import { environmentOf } from '../../command-context.ts';
import { toJson } from '../../output.ts';
import { formatBytes } from '../../terminal/byte-size.ts';
import { truncateOutput } from '../../terminal/truncate-output.ts';
import { chooseEntry } from '../config/choose-entry.ts';
import { hasCapability, listFrom, type RequestOptions, withServer } from '../listing/list-servers.ts';
import { type ReachedServer, withFailureContext } from '../servers/reach-server.ts';
import { type Content, contentText, parseContents } from './contents.ts';
import { findResourceServer, unknownResourceError } from './find-server.ts';

interface ReadRequest {
  /** Undefined selects the server that lists the URI. */
  readonly id: string | undefined;
  readonly uri: string;
  /** A server that was typed instead of configured. */
  readonly typed: ServerEntry | undefined;
  /** The file to write to. */
  readonly output: string | undefined;
  /** Prints text unchanged, including terminal control sequences. */
  readonly isRaw: boolean;
  readonly isJson: boolean;
  readonly options: RequestOptions;
}

/**
 * Runs `switchboard mcp resources read [server] <uri>`: prints text on stdout; describes binary content or writes it to
 * a file.
 */
export async function readResource(request: ReadRequest): Promise<void> {
  const { id, uri, typed, isJson } = request;
  const options = typed === undefined ? request.options : { ...request.options, isDirect: true };
  const { context } = options;
  const file = request.output === undefined ? undefined : resolvePath(request.output, environmentOf(context));
  if (file !== undefined) refuseExisting(file);
  const find = () => (id === undefined ? findResourceServer(uri, options, isJson) : chooseEntry(id, context, 'ask'));
  const entry = typed ?? (await find());
  const result = await withFailureContext(entry, () =>
    withServer(entry, options, (server) => read(uri, { server, entry }, options.timeoutMs)),
  );
  const contents = parseContents(result, entry.id);
  const written = file === undefined ? undefined : write(file, contents);
  if (isJson) {
    context.output.answer(toJson({ server: entry.id, uri, ...(written ?? { contents: result['contents'] }) }));
    return;
  }
  if (written !== undefined)
    return context.output.answer(`${formatBytes(written.bytes)} written to ${quoteIfNeeded(written.file)}`);
  if (contents.length === 0) return;
  const text = contents.map((content) => contentText(content, request)).join('\n');
  context.output.answer(process.stdout.isTTY ? truncateOutput(text) : text);
}

async function read(
  uri: string,
  target: { readonly server: ReachedServer; readonly entry: ServerEntry },
  timeoutMs: number | undefined,
): Promise<Readonly<Record<string, unknown>>> {
  const { server, entry } = target;
  if (!hasCapability(server, 'resources'))
    throw new AppError('RESOURCE_NOT_FOUND', `${quoteIfNeeded(entry.id)} does not offer resources.`, {
      data: { server: entry.id, uri },
    });
  try {
    const result = await server.request('resources/read', { uri }, { timeoutMs });
    return Object.fromEntries(Object.entries(result ?? {}));
  } catch (thrown) {
    const error = toAppError(thrown);
    if (!NOT_FOUND.includes(error.data?.['rpcCode'])) throw error;
    const list = await listFrom('resources', target, timeoutMs);
    throw list.items.some(({ key }) => key === uri) ? error : unknownResourceError(uri, [list]);
  }
}

/** Error codes for an unknown resource, in the older and the newer protocol versions. */
const NOT_FOUND: readonly unknown[] = [-32002, -32602];

function write(file: string, contents: readonly Content[]): { readonly file: string; readonly bytes: number } {
  const [content, ...others] = contents;
  if (content === undefined || others.length > 0)
    throw new AppError(
      'USAGE',
      `--output writes one part, but this resource has ${contents.length}: use --json for all.`,
    );
  writeNew(file, content.bytes);
  return { file, bytes: content.bytes.length };
}

/** Checks early, so that no server is queried for content that could not be written. */
function refuseExisting(file: string): void {
  if (existsSync(file)) throw exists(file);
}

/** Writes a new private file. Never overwrites an existing file or link. */
function writeNew(file: string, bytes: Buffer): void {
  try {
    writeFileSync(file, bytes, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') throw exists(file);
    throw new AppError('USAGE', `${quoteIfNeeded(file)} cannot be written: ${messageOf(error)}`, { cause: error });
  }
}

function exists(file: string): AppError {
  const message = `${quoteIfNeeded(file)} already exists and is not overwritten. Name another file with --output.`;
  return new AppError('USAGE', message, { data: { file } });
}
