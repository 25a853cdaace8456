import { tmpdir } from 'node:os';
import { AppError } from '../../../base/errors.ts';
import { neutralize, oneLine } from '../../../base/text/safe-text.ts';
import { escapeInvisible, quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { commandFor } from '../../../config/next-command.ts';
import { isObject } from '../../../wire/messages.ts';
import type { CommandContext } from '../../command-context.ts';
import { toJson } from '../../output.ts';
import { truncateOutput } from '../../terminal/truncate-output.ts';
import { stringifyExact } from './exact-json.ts';
import { describeMedia, type Media } from './media.ts';
import type { CallRequest } from './parse-call-arguments.ts';

type Result = Readonly<Record<string, unknown>>;

interface ResultContext {
  readonly request: CallRequest;
  readonly notes: readonly string[];
  readonly via: 'gateway' | 'direct';
}

/** Prints the result, integers with all digits. If the tool failed, prints its content too and fails the command. */
export async function printResult(
  result: Result,
  { request, notes, via }: ResultContext,
  { output }: CommandContext,
): Promise<void> {
  const { entry, tool } = request.target;
  const { isJson, isRaw, isPlain, folder } = request.display;
  if (isJson) {
    const more = notes.length === 0 ? {} : { notes };
    output.answer(toJson({ server: entry.id, tool, result, via, ...more }, stringifyExact));
  } else if (isPlain) output.answer(toPayload(result, { isRaw }));
  else {
    const text = toText(result, { renderMedia: await createMediaRenderer(folder), isRaw });
    if (text === '') output.report('The tool returned no content.');
    else output.answer(process.stdout.isTTY ? truncateOutput(text) : text);
  }
  if (result['isError'] !== true) return;
  // The content is already on stdout and is not repeated here.
  const name = `${entry.id}.${tool}`;
  const next = commandFor('mcp tool', entry.origin, name);
  throw new AppError('TOOL_FAILED', `${quoteIfNeeded(name)}: the tool reported a failure. See: ${next}`, {
    data: { server: entry.id, tool, next },
  });
}

const MAX_UNKNOWN_LENGTH = 2_000;

/** Saves media on a terminal or with `--output`; describes them in a pipe. */
async function createMediaRenderer(folder: string | undefined): Promise<(media: Media) => string> {
  if (folder === undefined && !process.stdout.isTTY) return describeMedia;
  const { createMediaSaver } = await import('./save-media.ts');
  return createMediaSaver({ folder, temporary: tmpdir() });
}

interface RenderOptions {
  readonly renderMedia: (media: Media) => string;
  /** Texts are not neutralized. */
  readonly isRaw: boolean;
}

/** Formats a result for a person. */
export function toText(result: Result, options: RenderOptions): string {
  const parts = blocksOf(result);
  const lines = parts.map((part) => blockText(part, options));
  const hasText = parts.some((part) => isObject(part) && part['type'] === 'text');
  if (!hasText && result['structuredContent'] !== undefined)
    lines.push(neutralize(stringifyExact(result['structuredContent'], 2), { multiline: true }));
  return lines.join('\n');
}

/** Returns only the payload: all texts, or without text the structured content as JSON. */
function toPayload(result: Result, { isRaw }: { readonly isRaw: boolean }): string {
  const texts = blocksOf(result).flatMap((part) => (isObject(part) ? payloadText(part) : []));
  if (texts.length > 0) return texts.map((text) => plainText(text, { isRaw })).join('\n');
  const structured = result['structuredContent'];
  return structured === undefined ? '' : neutralize(stringifyExact(structured), { multiline: true });
}

function payloadText({ type, text, resource }: Result): readonly string[] {
  if (type === 'text' && typeof text === 'string') return [text];
  const inner = type === 'resource' && isObject(resource) ? resource['text'] : undefined;
  return typeof inner === 'string' ? [inner] : [];
}

/** Treats content that is not a list as one part, so that it is still shown. */
function blocksOf({ content }: Result): readonly unknown[] {
  if (content === undefined) return [];
  return Array.isArray(content) ? content : [content];
}

function blockText(part: unknown, options: RenderOptions): string {
  if (!isObject(part)) return escapeInvisible(oneLine(stringifyExact(part), MAX_UNKNOWN_LENGTH));
  const { type, text, data, mimeType, resource } = part;
  if (type === 'text' && typeof text === 'string') return plainText(text, options);
  if ((type === 'image' || type === 'audio') && typeof data === 'string')
    return options.renderMedia(toMedia(data, mimeType));
  if (type === 'resource_link') return linkText(part);
  if (type === 'resource' && isObject(resource)) return resourceText(resource, options);
  return `[${escapeInvisible(oneLine(String(type), 40))}] ${escapeInvisible(oneLine(stringifyExact(part), MAX_UNKNOWN_LENGTH))}`;
}

function plainText(text: string, { isRaw }: Pick<RenderOptions, 'isRaw'>): string {
  return isRaw ? text : neutralize(text, { multiline: true });
}

function resourceText({ uri, text, blob, mimeType }: Result, options: RenderOptions): string {
  const head = `[resource ${escapeInvisible(oneLine(String(uri), MAX_UNKNOWN_LENGTH))}]`;
  if (typeof text === 'string') return `${head}\n${plainText(text, options)}`;
  return typeof blob === 'string' ? `${head} ${options.renderMedia(toMedia(blob, mimeType))}` : head;
}

function linkText({ uri, name, mimeType }: Result): string {
  const words = [uri, name, mimeType].filter((word) => typeof word === 'string');
  return `[resource_link ${escapeInvisible(oneLine(words.join(' '), MAX_UNKNOWN_LENGTH))}]`;
}

function toMedia(data: string, mimeType: unknown): Media {
  return { data, mimeType: typeof mimeType === 'string' ? oneLine(mimeType, 100) : 'application/octet-stream' };
}
