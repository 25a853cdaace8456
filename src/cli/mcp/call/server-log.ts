import { oneLine } from '../../../base/text/safe-text.ts';
import { escapeInvisible, quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { isObject } from '../../../wire/messages.ts';

/** What a server tells while it works, line by line. */
export interface ServerLog {
  notify(method: string, params: unknown): void;
  write(text: string, level?: string): void;
  /** Says what was left out last. */
  close(): void;
}

interface ServerLogOptions {
  print(line: string): void;
  now(): number;
  /** Changed lists are of no interest to someone who calls one tool, unless they ask for everything. */
  readonly isVerbose: boolean;
}

/** One line each. Whoever floods us is counted, not shown. */
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
      if (LIST_CHANGED.test(method) && !isVerbose) return;
      const word = method.replace(/^notifications\//, '');
      write(isObject(params) && Object.keys(params).length > 0 ? `${word} ${toText(params)}` : word);
    },
    write,
    close,
  };
}

const LIST_CHANGED = /\/list_changed$/;
const WINDOW_MS = 1_000;
const MAX_PER_WINDOW = 100;
const MAX_LENGTH = 2_000;

function logText({ logger, data }: Readonly<Record<string, unknown>>): string {
  return `${typeof logger === 'string' && logger !== '' ? `${logger}: ` : ''}${toText(data)}`;
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
