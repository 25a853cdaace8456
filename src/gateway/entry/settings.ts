/** What a gateway takes from its surroundings. The names of the variables are those of the seed. */
export interface GatewaySettings {
  readonly isErrorPassthrough: boolean;
  readonly hasSummary: boolean;
  readonly isDebug: boolean;
  readonly listTimeoutMs: number;
  /** Somebody has said how long a list may take: then it is so for every client. */
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

/** A number that is none is not a reason to fail: the default is what its author would have got anyway. */
function readMs(value: string | undefined): number {
  return toMs(value) ?? DEFAULT_TIMEOUT_MS;
}

function toMs(value: string | undefined): number | undefined {
  const ms = value === undefined || value.trim() === '' ? Number.NaN : Number(value);
  return Number.isFinite(ms) && ms >= 0 ? Math.min(ms, MAX_TIMEOUT_MS) : undefined;
}

/** What a timer can hold. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;
