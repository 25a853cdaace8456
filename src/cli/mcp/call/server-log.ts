import { oneLine } from '../../../base/text/safe-text.ts';
import { escapeInvisible, quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { isObject } from '../../../wire/messages.ts';

/** Prints log messages and notifications of a server during a call. */
export interface ServerLog {
  notify(method: string, params: unknown): void;
  write(text: string, level?: string): void;
  /** Reports how many messages were omitted last. */
  close(): void;
}

interface ServerLogOptions {
  print(line: string): void;
  now(): number;
  /** Whether to print notifications that are not log messages: changed lists do not matter for a single call. */
  readonly isVerbose: boolean;
}

/** Prints one line per message. Above the rate limit, counts messages instead. */
export function createServerLog(server: string, { print, now, isVerbose }: ServerLogOptions): ServerLog {
  const name = quoteIfNeeded(server);
  let windowFrom = Number.NEGATIVE_INFINITY;
  let count = 0;
  const close = () => {
    if (count > MAX_PER_WINDOW) print(`[mcp ${name}] … and ${count - MAX_PER_WINDOW} more`);
    count = 0;
  };
  const write = (text: string, level = '') => {
    if (now() - windowFrom >= WINDOW_MS) {
      close();
      windowFrom = now();
    }
    if (++count > MAX_PER_WINDOW) return;
    print(
      `[mcp ${name}${level === '' ? '' : ` ${escapeInvisible(oneLine(level, 20))}`}] ${escapeInvisible(oneLine(text, MAX_LENGTH))}`,
    );
  };
  return {
    notify(method, params) {
      if (method === 'notifications/message' && isObject(params))
        return write(logText(params), String(params['level'] ?? ''));
      if (!isVerbose) return;
      const word = method.replace(/^notifications\//, '');
      write(isObject(params) && Object.keys(params).length > 0 ? `${word} ${toText(params)}` : word);
    },
    write,
    close,
  };
}

const WINDOW_MS = 1_000;
const MAX_PER_WINDOW = 100;
const MAX_LENGTH = 2_000;

function logText({ logger, data }: Readonly<Record<string, unknown>>): string {
  return `${typeof logger === 'string' && logger !== '' ? `${logger}: ` : ''}${toText(data)}`;
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
