import { AppError } from '../base/errors.ts';
import { isObject } from '../wire/messages.ts';

/** The levels of MCP's log messages, least urgent first. */
export const LOG_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

export function isLogLevel(value: unknown): value is LogLevel {
  return LOG_LEVELS.some((level) => level === value);
}

/** Reads the level from the params of `logging/setLevel`. Throws `INVALID_PARAMS` for an unknown level. */
export function readLogLevel(params: unknown): LogLevel {
  const level = isObject(params) ? params['level'] : undefined;
  if (isLogLevel(level)) return level;
  throw new AppError('INVALID_PARAMS', `params.level must be one of ${LOG_LEVELS.join(', ')}.`);
}
