/** Gateway settings from the environment. The variable names are those of the original wrapper. */
export interface GatewaySettings {
  readonly isErrorPassthrough: boolean;
  readonly hasSummary: boolean;
  readonly isDebug: boolean;
  readonly listTimeoutMs: number;
  /** Whether the user set the list timeout, which then applies to every client. */
  readonly isListTimeoutSet: boolean;
  readonly initTimeoutMs: number;
}

const DEFAULT_TIMEOUT_MS = 4_000;

export function readSettings(env: Readonly<Record<string, string | undefined>>): GatewaySettings {
  return {
    isErrorPassthrough: isOn(env['WRAPPER_ERROR_PASSTHROUGH']),
    hasSummary:
      env['WRAPPER_SUMMARY'] !== '0' && env['WRAPPER_SUMMARY'] !== 'false' && !isOn(env['WRAPPER_NO_SUMMARY']),
    isDebug: isOn(env['DEBUG']),
    listTimeoutMs: readMs(env['WRAPPER_TOOLS_LIST_TIMEOUT_MS']),
    isListTimeoutSet: toMs(env['WRAPPER_TOOLS_LIST_TIMEOUT_MS']) !== undefined,
    initTimeoutMs: readMs(env['WRAPPER_INIT_TIMEOUT_MS']),
  };
}

function isOn(value: string | undefined): boolean {
  return value === '1' || value === 'true';
}

/** Falls back to the default for an invalid number instead of failing. */
function readMs(value: string | undefined): number {
  return toMs(value) ?? DEFAULT_TIMEOUT_MS;
}

function toMs(value: string | undefined): number | undefined {
  const ms = value === undefined || value.trim() === '' ? Number.NaN : Number(value);
  return Number.isFinite(ms) && ms >= 0 ? Math.min(ms, MAX_TIMEOUT_MS) : undefined;
}

/** The longest delay that a Node.js timer supports. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;
