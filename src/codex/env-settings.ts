import { LOG_LEVELS, type LogLevel } from '../base/log.ts';

/** The settings that the codex server reads from the environment. The variable names are kept for compatibility. */
export interface CodexEnvSettings {
  readonly approvalTimeoutMs: number;
  readonly maxSessions: number;
  readonly eventBufferSize: number;
  readonly logLevel: LogLevel;
  readonly allowsDanger: boolean;
  /** Values that were ignored, with the reason. */
  readonly problems: readonly string[];
}

type Env = Readonly<Record<string, string | undefined>>;

/** Reads the variables. An invalid value becomes a problem and the default is used, so that the server still starts. */
export function readEnvSettings(env: Env): CodexEnvSettings {
  const problems: string[] = [];
  const number = (name: string, fallback: number, max: number): number => {
    const text = env[name]?.trim() ?? '';
    if (text === '') return fallback;
    if (/^\d{1,15}$/.test(text) && Number(text) > 0) return Math.min(Number(text), max);
    problems.push(`${name} must be a whole number above 0, not ${JSON.stringify(text)}: using ${fallback}.`);
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

/** The longest delay that a timer supports. */
const MAX_TIMER_MS = 2 ** 31 - 1;

function readLevel(env: Env, problems: string[]): LogLevel {
  if (isOn(env['DEBUG'])) return 'debug';
  const text = env['LOG_LEVEL']?.trim().toLowerCase() ?? '';
  if (text === '') return 'info';
  const level = LOG_LEVELS.find((known) => known === text);
  if (level === undefined)
    problems.push(`LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}, not ${JSON.stringify(text)}: using info.`);
  return level ?? 'info';
}

function isOn(value: string | undefined): boolean {
  return value === '1' || value === 'true';
}
