import { open } from 'node:fs/promises';
import { type Frame, frameText } from '../../wire/frame.ts';
import { isObject } from '../../wire/messages.ts';
import { createLineSplitter } from '../../wire/stream/ndjson.ts';
import type { RolloutFile } from './rollout-files.ts';
import { readPrompt } from './rollout-lines.ts';

/** What the beginning of a session's file tells about it. */
export interface RolloutHead {
  readonly directory: string | undefined;
  readonly source: string | undefined;
  /** What the user said first. */
  readonly prompt: string | undefined;
  readonly forkedFrom: { readonly sessionId: string; readonly before: number } | undefined;
  /** In ISO form. */
  readonly lastUsed: string;
}

/** Instructions and skills stand before the first prompt; one that comes later than this is not looked for. */
const MAX_HEAD_BYTES = 512 * 1024;
const CHUNK_BYTES = 64 * 1024;

/** Undefined for a file that is damaged, empty or of a kind that we do not know. */
export async function readRolloutHead(file: RolloutFile): Promise<RolloutHead | undefined> {
  try {
    return await readBeginning(file);
  } catch {
    // Gone in the meantime, not readable, or no file: there is nothing to show of it.
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
  // A line over the limit is the last that is looked at: what is read ends there too.
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

/** Undefined for what is no JSON object. */
export function parseLine(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const line: unknown = JSON.parse(text);
    return isObject(line) ? line : undefined;
  } catch {
    // Codex was ended while it wrote, or somebody else did.
    return undefined;
  }
}

function metaOf({ type, payload, id, ordinal }: Readonly<Record<string, unknown>>): Meta | undefined {
  // 0.20 writes what it knows of the session without an envelope.
  const isBare = type === undefined && typeof id === 'string';
  if (isBare) return { directory: undefined, source: undefined, forkedFrom: undefined };
  if (type !== 'session_meta' || !isObject(payload)) return undefined;
  const { cwd, source, forked_from_id: parent, forked_from_ordinal_exclusive: exclusive } = payload;
  // A fork goes on counting where it left its origin; one that is a whole copy, as of old, begins anew.
  const before = typeof exclusive === 'number' ? exclusive : ordinal;
  const isReference = typeof parent === 'string' && typeof before === 'number' && before > 0;
  return {
    directory: typeof cwd === 'string' ? cwd : undefined,
    source: sourceOf(source),
    forkedFrom: isReference ? { sessionId: parent, before } : undefined,
  };
}

/** A word, or an object with the word as its key: `{subagent: …}`. */
function sourceOf(source: unknown): string | undefined {
  if (typeof source === 'string') return source;
  return isObject(source) ? Object.keys(source)[0] : undefined;
}
