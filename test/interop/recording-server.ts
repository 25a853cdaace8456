import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import type { Message } from './inbox.ts';
import { type CommandLine, ownServer } from './programs.ts';

/** A server that records its received messages, and access to that record. */
export interface RecordingServer {
  readonly server: CommandLine;
  /** All received messages, oldest first. */
  received(): readonly Message[];
  /** Resolves with the first message of this method, past or future, up to a timeout. */
  receives(method: string): Promise<Message>;
}

const MAX_WAIT_MS = 30_000;

export function recordingServer(folder: string): RecordingServer {
  const file = join(folder, 'heard.ndjson');
  const messages = (): readonly Message[] => {
    const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
    // The last line may be incomplete.
    return lines.slice(0, -1).map((line): Message => JSON.parse(line));
  };
  const find = (wanted: string): Message => {
    const found = messages().find(({ method }) => method === wanted);
    if (found === undefined)
      throw new Error(`The server did not receive ${wanted}, only ${JSON.stringify(messages())}`);
    return found;
  };
  return {
    server: ownServer('records-input', file),
    received: messages,
    receives: (method) => vi.waitFor(() => find(method), { timeout: MAX_WAIT_MS, interval: 20 }),
  };
}
