import { neutralize, oneLine } from '../../../base/text/safe-text.ts';
import { escapeInvisible, quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { isObject } from '../../../wire/messages.ts';
import { formatBytes } from '../../terminal/byte-size.ts';

/** Formats `role: text` per message. Indents further lines, so that a text cannot imitate another message. */
export function messagesText(messages: readonly unknown[]): string {
  if (messages.length === 0) return 'no messages';
  return messages.map(messageText).join('\n');
}

function messageText(message: unknown): string {
  const { role, content } = isObject(message) ? message : {};
  const parts = Array.isArray(content) ? content : [content];
  const who = typeof role === 'string' ? quoteIfNeeded(oneLine(role, MAX_FACT)) : 'nobody';
  return parts.map((part) => `${who}: ${indented(partText(part))}`).join('\n');
}

function partText(part: unknown): string {
  if (!isObject(part)) return '[no content]';
  const { type, text, data, mimeType, resource, uri } = part;
  if (type === 'text' && typeof text === 'string') return text;
  if (type === 'resource' && isObject(resource)) return resourceText(resource);
  if (type === 'resource_link') return `[${textOr(mimeType, 'resource')}: ${quoteIfNeeded(String(uri))}]`;
  return `[${textOr(mimeType, typeof type === 'string' ? type : 'unknown')}${sizeOf(data)}]`;
}

function resourceText({ uri, text, blob, mimeType }: Readonly<Record<string, unknown>>): string {
  const head = `[${textOr(mimeType, 'resource')}${sizeOf(blob)}: ${quoteIfNeeded(String(uri))}]`;
  return typeof text === 'string' ? `${head}\n${text}` : head;
}

function textOr(value: unknown, otherwise: string): string {
  return escapeInvisible(oneLine(typeof value === 'string' ? value : otherwise, MAX_FACT));
}

function sizeOf(base64: unknown): string {
  return typeof base64 === 'string' ? `, ${formatBytes(Buffer.byteLength(base64, 'base64'))}` : '';
}

function indented(text: string): string {
  return neutralize(text, { multiline: true })
    .replaceAll(/\r?\n(?=.)/gs, '\n  ')
    .trimEnd();
}

const MAX_FACT = 60;
