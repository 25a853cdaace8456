import { tmpdir } from 'node:os';
import { AppError } from '../../../base/errors.ts';
import { neutralise, oneLine } from '../../../base/text/safe-text.ts';
import { visible, visibleWord } from '../../../base/text/visible-text.ts';
import { commandFor } from '../../../config/next-command.ts';
import { isObject } from '../../../wire/messages.ts';
import type { CommandContext } from '../../main.ts';
import { cutText } from '../../terminal/truncate-output.ts';
import { toJson } from '../config/change-result.ts';
import { describeMedia, type Media } from './media.ts';
import type { CallRequest } from './parse-call-arguments.ts';

type Result = Readonly<Record<string, unknown>>;

interface Answered {
  readonly request: CallRequest;
  readonly notes: readonly string[];
  readonly via: 'gateway' | 'direct';
}

/** Prints the result. A tool that failed has its words printed too, and the command fails. */
export async function answerResult(
  result: Result,
  { request, notes, via }: Answered,
  { output }: CommandContext,
): Promise<void> {
  const { entry, tool } = request;
  if (request.isJson) {
    const more = notes.length === 0 ? {} : { notes };
    output.answer(toJson({ server: entry.id, tool, result, via, ...more }));
  } else {
    const text = toText(result, { show: await showMedia(request), isRaw: request.isRaw });
    if (text === '') output.complain('The tool answered with nothing to show.');
    else output.answer(process.stdout.isTTY ? cutText(text) : text);
  }
  if (result['isError'] !== true) return;
  // Its words stand on stdout, and once is enough.
  const name = `${entry.id}.${tool}`;
  const next = commandFor('mcp tool', entry.origin, name);
  throw new AppError('TOOL_FAILED', `${visibleWord(name)}: the tool reports a failure. See: ${next}`, {
    data: { server: entry.id, tool, next },
  });
}

const MAX_UNKNOWN = 2_000;

/** Saved where somebody looks, or asked for it; described at the end of a pipe. */
async function showMedia({ folder }: CallRequest): Promise<(media: Media) => string> {
  if (folder === undefined && !process.stdout.isTTY) return describeMedia;
  const { createSaver } = await import('./save-media.ts');
  return createSaver({ folder, temporary: tmpdir() });
}

interface Manner {
  readonly show: (media: Media) => string;
  /** Texts are not made harmless. */
  readonly isRaw: boolean;
}

/** What a person reads of a result. */
export function toText(result: Result, manner: Manner): string {
  const parts = partsOf(result);
  const lines = parts.map((part) => partText(part, manner));
  const hasText = parts.some((part) => isObject(part) && part['type'] === 'text');
  if (!hasText && result['structuredContent'] !== undefined)
    lines.push(neutralise(JSON.stringify(result['structuredContent'], null, 2), { multiline: true }));
  return lines.join('\n');
}

/** Content that is no list is one part: whatever it is, somebody wants to see it. */
function partsOf({ content }: Result): readonly unknown[] {
  if (content === undefined) return [];
  return Array.isArray(content) ? content : [content];
}

function partText(part: unknown, manner: Manner): string {
  if (!isObject(part)) return visible(oneLine(JSON.stringify(part), MAX_UNKNOWN));
  const { type, text, data, mimeType, resource } = part;
  if (type === 'text' && typeof text === 'string') return plainText(text, manner);
  if ((type === 'image' || type === 'audio') && typeof data === 'string') return manner.show(toMedia(data, mimeType));
  if (type === 'resource_link') return linkText(part);
  if (type === 'resource' && isObject(resource)) return resourceText(resource, manner);
  return `[${visible(oneLine(String(type), 40))}] ${visible(oneLine(JSON.stringify(part), MAX_UNKNOWN))}`;
}

function plainText(text: string, { isRaw }: Manner): string {
  return isRaw ? text : neutralise(text, { multiline: true });
}

function resourceText({ uri, text, blob, mimeType }: Result, manner: Manner): string {
  const head = `[resource ${visible(oneLine(String(uri), MAX_UNKNOWN))}]`;
  if (typeof text === 'string') return `${head}\n${plainText(text, manner)}`;
  return typeof blob === 'string' ? `${head} ${manner.show(toMedia(blob, mimeType))}` : head;
}

function linkText({ uri, name, mimeType }: Result): string {
  const words = [uri, name, mimeType].filter((word) => typeof word === 'string');
  return `[resource_link ${visible(oneLine(words.join(' '), MAX_UNKNOWN))}]`;
}

function toMedia(data: string, mimeType: unknown): Media {
  return { data, mimeType: typeof mimeType === 'string' ? oneLine(mimeType, 100) : 'application/octet-stream' };
}
