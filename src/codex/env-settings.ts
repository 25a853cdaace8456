import { LOG_LEVELS, type LogLevel } from '../base/log.ts';

/** What the codex server takes from its environment. The names of the variables are those of the seed. */
export interface CodexEnvSettings {
  readonly approvalTimeoutMs: number;
  readonly maxSessions: number;
  readonly eventBufferSize: number;
  readonly logLevel: LogLevel;
  readonly allowsDanger: boolean;
  /** Values that were passed over, and why. */
  readonly problems: readonly string[];
}

type Env = Readonly<Record<string, string | undefined>>;

/** A bad value is told and passed over: a server that does not start helps nobody. */
export function readEnvSettings(env: Env): CodexEnvSettings {
  const problems: string[] = [];
  const number = (name: string, fallback: number, max: number): number => {
    const text = env[name]?.trim() ?? '';
    if (text === '') return fallback;
    if (/^\d{1,15}$/.test(text) && Number(text) > 0) return Math.min(Number(text), max);
    problems.push(`${name} must be a whole number above 0, not ${JSON.stringify(text)}: ${fallback} is used.`);
    return fallback;
  };
  return {
    approvalTimeoutMs: number('APPROVAL_TIMEOUT_MS', 300_000, MAX_TIMER_MS),
    maxSessions: number('MAX_SESSIONS', 10, 1000),
    eventBufferSize: number('EVENT_BUFFER_SIZE', 500, 100_000),
    logLevel: readLevel(env, problems),
    allowsDanger: isOn(env['SWITCHBOARD_ALLOW_DANGEROUS']),
    problems,
  };
}

/** What a timer can hold. */
const MAX_TIMER_MS = 2 ** 31 - 1;

function readLevel(env: Env, problems: string[]): LogLevel {
  if (isOn(env['DEBUG'])) return 'debug';
  const text = env['LOG_LEVEL']?.trim().toLowerCase() ?? '';
  if (text === '') return 'info';
  const level = LOG_LEVELS.find((known) => known === text);
  if (level === undefined)
    problems.push(`LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}, not ${JSON.stringify(text)}: info is used.`);
  return level ?? 'info';
}

function isOn(value: string | undefined): boolean {
  return value === '1' || value === 'true';
}
