import { callSafely } from '../../base/call-safely.ts';
import type { AppError } from '../../base/errors.ts';
import { createLog, type Log } from '../../base/log.ts';
import type { Redactor } from '../../base/redaction/redact.ts';
import type { Environment } from '../../config/files/folders.ts';
import { createConfigRedactor } from '../../config/secrets/config-redactor.ts';
import type { LoadedConfig } from '../../config/server-entry.ts';
import type { RequestParams } from '../../upstream/connection/own-request.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { isObject, RawJson, toJson } from '../../wire/messages.ts';
import type { HostOptions } from '../host-options.ts';
import type { Decision } from '../permissions/permission-options.ts';

/** The log of a host for its application. Masks secrets before anybody reads a line. */
export interface HostLog extends Log {
  readonly redact: (text: string) => string;
  /** Knows the secrets of all servers. */
  readonly redactor: Redactor;
  /** Logs a problem once, however many retries follow, and logs the recovery. */
  state(upstream: Pick<Upstream, 'id' | 'state'>): void;
  /** Logs a `notifications/message` of a server. */
  message(upstream: Upstream, params: unknown): void;
  sent(upstream: Upstream, method: string, params: RequestParams): void;
  failed(upstream: Upstream, method: string, error: AppError): void;
  decided(decision: Decision): void;
}

/** Sources of the secrets to mask. */
export interface LogSecrets {
  readonly config: LoadedConfig;
  readonly environment: Environment;
  /** OAuth tokens of the servers. */
  readonly tokens: () => readonly string[];
}

export function createHostLog(
  { log: write = () => {}, logLevel = 'info' }: HostOptions,
  { config, environment, tokens }: LogSecrets,
): HostLog {
  const secrets = createConfigRedactor(environment, config);
  secrets.setTokenSource(tokens);
  const { redact } = secrets;
  const log = createLog({ level: logLevel, write: (line) => callSafely(() => write(line)), redact });
  // There are many calls, and most applications do not want a line for each.
  const isDebug = logLevel === 'debug';
  const logsDecisions = isDebug || logLevel === 'info';
  /** The last problem reported per server. */
  const problems = new Map<string, string>();
  const reportProblem = (id: string, text: string) => {
    // A stderr tail often begins with a timestamp or contains a process id, and those alone make no new problem.
    const normalized = text.replace(/\d+/g, '0');
    if (problems.get(id) === normalized) return log.debug(`${id}: as before: ${text}`);
    problems.set(id, normalized);
    log.warn(`${id}: ${text}`);
  };
  return {
    ...log,
    redact,
    redactor: secrets,
    state({ id, state }) {
      if (state.kind === 'error') return reportProblem(id, state.error.message);
      if (state.kind === 'auth_required') return reportProblem(id, state.reason);
      if (state.kind === 'ready' && problems.delete(id)) return log.info(`${id}: it has recovered.`);
      log.debug(`${id}: ${state.kind}`);
    },
    message({ id }, params) {
      if (isDebug) log.debug(`${id} says ${writeMessage(params)}`);
    },
    sent({ id }, method, params) {
      if (isDebug) log.debug(`${id}: sent ${method}: ${writeParams(params)}`);
    },
    failed({ id }, method, { code, message }) {
      const what = code === 'CANCELLED' ? 'was cancelled' : code === 'TIMED_OUT' ? 'timed out' : 'failed';
      log.debug(`${id}: ${method} ${what}: ${message}`);
    },
    decided({ server, tool, isAllowed, by, reason }) {
      if (logsDecisions) log.info(`${server}.${tool}: ${isAllowed ? 'allowed' : 'denied'} by ${by}: ${reason}`);
    },
  };
}

function writeParams(params: RequestParams): string {
  return params instanceof RawJson ? params.json : JSON.stringify(params);
}

/** Never throws, whatever the server sent: a log line must not break the connection. */
function writeMessage(params: unknown): string {
  const { level, data } = isObject(params) ? params : {};
  const text = typeof data === 'string' ? data : (toJson(data ?? null) ?? 'data that cannot be shown');
  return `(${typeof level === 'string' ? level.slice(0, MAX_LEVEL) : 'at no level'}): ${text.slice(0, MAX_MESSAGE_LENGTH)}`;
}

/** In characters. The longest MCP level has nine. */
const MAX_LEVEL = 32;
/** In characters, so that masking never searches megabytes; far more than a line shows. */
const MAX_MESSAGE_LENGTH = 64 * 1024;
