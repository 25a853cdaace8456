import type { Readable } from 'node:stream';
import { isObject, type JsonObject } from './json.ts';

const MAX_LINE_CHARS = 8 * 1024 * 1024;

/** Reads one JSON object per line to the end of the stream; throws on any other line, or one that is too long. */
export async function* readJsonLines(stream: Readable): AsyncGenerator<JsonObject> {
  let rest = '';
  for await (const chunk of stream.setEncoding('utf8')) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE_CHARS) throw new Error(`a line of Codex is longer than ${MAX_LINE_CHARS} characters`);
    for (const line of lines) yield parseLine(line);
  }
  if (rest !== '') yield parseLine(rest);
}

function parseLine(line: string): JsonObject {
  const value: unknown = JSON.parse(line);
  if (!isObject(value)) throw new Error(`Codex wrote a line that is not an object: ${line.slice(0, 200)}`);
  return value;
}
