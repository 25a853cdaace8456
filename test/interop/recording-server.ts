import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import type { Message } from './inbox.ts';
import { type CommandLine, ownServer } from './programs.ts';

/** A server that writes down what it hears, and what it has written. */
export interface RecordingServer {
  readonly server: CommandLine;
  /** All that it has heard so far, oldest first. */
  received(): readonly Message[];
  /** The first message of this method that it has heard, or hears in time. */
  receives(method: string): Promise<Message>;
}

const MAX_WAIT_MS = 30_000;

export function recordingServer(folder: string): RecordingServer {
  const file = join(folder, 'heard.ndjson');
  const heard = (): readonly Message[] => {
    const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
    // The last may still be on its way.
    return lines.slice(0, -1).map((line): Message => JSON.parse(line));
  };
  const find = (wanted: string): Message => {
    const found = heard().find(({ method }) => method === wanted);
    if (found === undefined) throw new Error(`It has not heard ${wanted}, only ${JSON.stringify(heard())}`);
    return found;
  };
  return {
    server: ownServer('records-input', file),
    received: heard,
    receives: (method) => vi.waitFor(() => find(method), { timeout: MAX_WAIT_MS, interval: 20 }),
  };
}
