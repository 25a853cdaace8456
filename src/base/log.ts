import { oneLine } from './text/safe-text.ts';

/** Logger for stderr: one line per message, secrets masked, messages below the configured level dropped. */
export interface Log {
  debug(text: string): void;
  info(text: string): void;
  warn(text: string): void;
  error(text: string): void;
}

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LogOptions {
  readonly level: LogLevel;
  readonly write: (line: string) => void;
  readonly redact: (text: string) => string;
}

const MAX_LENGTH = 2000;

export function createLog({ level, write, redact }: LogOptions): Log {
  const lowest = LOG_LEVELS.indexOf(level);
  const writerFor = (messageLevel: LogLevel) => {
    if (LOG_LEVELS.indexOf(messageLevel) < lowest) return () => {};
    // `info` messages are for every reader and need no label.
    const label = messageLevel === 'info' ? '' : `${messageLevel}: `;
    return (text: string) => write(`[switchboard] ${label}${oneLine(redact(text), MAX_LENGTH)}`);
  };
  return { debug: writerFor('debug'), info: writerFor('info'), warn: writerFor('warn'), error: writerFor('error') };
}
