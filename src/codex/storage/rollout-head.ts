import { open } from 'node:fs/promises';
import { type Frame, frameText } from '../../wire/frame.ts';
import { isObject } from '../../wire/messages.ts';
import { createLineSplitter } from '../../wire/stream/ndjson.ts';
import type { RolloutFile } from './rollout-files.ts';
import { readPrompt } from './rollout-lines.ts';

/** The information at the start of a session's file. */
export interface RolloutHead {
  readonly directory: string | undefined;
  readonly source: string | undefined;
  /** The user's first message. */
  readonly prompt: string | undefined;
  readonly forkedFrom: { readonly sessionId: string; readonly before: number } | undefined;
  /** In ISO format. */
  readonly lastUsed: string;
}

/** Instructions and skills precede the first prompt. A prompt beyond this position is ignored. */
const MAX_HEAD_BYTES = 512 * 1024;
const CHUNK_BYTES = 64 * 1024;

/** Returns undefined for a file that is damaged, empty or of an unknown format. */
export async function readRolloutHead(file: RolloutFile): Promise<RolloutHead | undefined> {
  try {
    return await readBeginning(file);
  } catch {
    // The file has been deleted, is not readable, or is not a regular file.
    return undefined;
  }
}

async function readBeginning(file: RolloutFile): Promise<RolloutHead | undefined> {
  let meta: Meta | undefined;
  let prompt: string | undefined;
  const readFrame = (frame: Frame): void => {
    const line = prompt === undefined ? parseLine(frameText(frame)) : undefined;
    if (line === undefined) return;
    meta ??= metaOf(line);
    prompt ??= readPrompt(line);
  };
  // A line over the limit is the last one: reading stops there as well.
  const limits = { maxBytes: MAX_HEAD_BYTES, budget: undefined };
  const lines = createLineSplitter({ frame: readFrame, reportError: () => {} }, limits);
  const handle = await open(file.path);
  try {
    const { mtime } = await handle.stat();
    for (let at = 0; at < MAX_HEAD_BYTES && prompt === undefined; ) {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, at);
      if (bytesRead === 0) break;
      at += bytesRead;
      lines.push(buffer.subarray(0, bytesRead));
    }
    const rest = lines.end();
    if (rest !== undefined) readFrame(rest);
    return meta === undefined ? undefined : { ...meta, prompt, lastUsed: mtime.toISOString() };
  } finally {
    await handle.close();
  }
}

type Meta = Pick<RolloutHead, 'directory' | 'source' | 'forkedFrom'>;

/** Returns undefined if the text is not a JSON object. */
export function parseLine(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const line: unknown = JSON.parse(text);
    return isObject(line) ? line : undefined;
  } catch {
    // Codex was stopped while it wrote the line, or another program wrote it.
    return undefined;
  }
}

function metaOf({ type, payload, id, ordinal }: Readonly<Record<string, unknown>>): Meta | undefined {
  // 0.20 writes the session metadata without an envelope.
  const isBare = type === undefined && typeof id === 'string';
  if (isBare) return { directory: undefined, source: undefined, forkedFrom: undefined };
  if (type !== 'session_meta' || !isObject(payload)) return undefined;
  const { cwd, source, forked_from_id: parent, forked_from_ordinal_exclusive: exclusive } = payload;
  // A fork by reference continues the ordinals of its parent. A full copy, as in older versions, starts at 0.
  const before = typeof exclusive === 'number' ? exclusive : ordinal;
  const isReference = typeof parent === 'string' && typeof before === 'number' && before > 0;
  return {
    directory: typeof cwd === 'string' ? cwd : undefined,
    source: sourceOf(source),
    forkedFrom: isReference ? { sessionId: parent, before } : undefined,
  };
}

/** The source is a string, or an object with the string as its key: `{subagent: …}`. */
function sourceOf(source: unknown): string | undefined {
  if (typeof source === 'string') return source;
  return isObject(source) ? Object.keys(source)[0] : undefined;
}
