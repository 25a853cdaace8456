import type { Deciders } from '../../codex/approvals/approvals.ts';
import type { EngineKind } from '../../codex/engines/open-engine.ts';
import { SANDBOX_MODES, type SandboxMode } from '../../codex/item-types.ts';
import type { HttpOptions } from '../../serve/access/address/plan-http.ts';
import { type OptionRules, optionError, parseOptions } from '../arguments/parse-options.ts';
import { HTTP_OPTION, MORE_HTTP_OPTIONS, readHttpOptions } from '../http/http-options.ts';

export type Toolset = 'core' | 'full' | 'compat' | 'all';

export interface CodexOptions {
  readonly tools: Toolset;
  readonly engine: EngineKind;
  /** Undefined when the operator sets no limit. */
  readonly maxSandbox: SandboxMode | undefined;
  readonly allowsDanger: boolean;
  readonly roots: readonly string[];
  /** Who may answer Codex's approval requests; undefined when the operator has not set it. */
  readonly approvals: Deciders | undefined;
  /** In seconds; undefined means that it depends on the client's timeout. */
  readonly maxWaitSeconds: number | undefined;
  /** Whether the drop-in server sends `codex/event` notifications. */
  readonly hasEvents: boolean;
  /** Undefined serves one client on stdin and stdout. */
  readonly http: HttpOptions | undefined;
}

/** Duplicated here, because the approvals module loads after the handshake. */
const DECIDERS: readonly Deciders[] = ['any', 'user', 'none'];
const TOOLSETS: readonly Toolset[] = ['core', 'full', 'compat', 'all'];
const ENGINES: readonly EngineKind[] = ['auto', 'app-server', 'exec'];

/** The last value of an option wins, except for those of an HTTP server. Roots accumulate. */
const RULES: OptionRules = {
  command: 'switchboard codex',
  options: MORE_HTTP_OPTIONS,
  optionsWithDefault: [HTTP_OPTION],
  repeatableOptions: ['--tools', '--engine', '--max-sandbox', '--allow-root', '--max-wait', '--approvals'],
  flags: ['--allow-dangerous', '--no-events'],
};

/**
 * Parses the options of `switchboard codex`. `mcp-server` was the subcommand of the removed server and selects the
 * drop-in.
 */
export function parseCodexOptions(args: readonly string[]): CodexOptions {
  const rest = args.filter((arg) => arg !== 'mcp-server');
  const values = parseOptions(rest, RULES);
  const fallback = rest.length < args.length ? 'compat' : 'core';
  return {
    tools: oneOf('--tools', values.get('--tools')?.at(-1) ?? fallback, TOOLSETS),
    engine: oneOf('--engine', values.get('--engine')?.at(-1) ?? 'auto', ENGINES),
    maxSandbox: parseSandbox(values.get('--max-sandbox')?.at(-1)),
    allowsDanger: values.has('--allow-dangerous'),
    roots: values.get('--allow-root') ?? [],
    approvals: parseDeciders(values.get('--approvals')?.at(-1)),
    maxWaitSeconds: parseSeconds(values.get('--max-wait')?.at(-1)),
    hasEvents: !values.has('--no-events'),
    http: readHttpOptions(values, RULES),
  };
}

function oneOf<Word extends string>(name: string, value: string, words: readonly Word[]): Word {
  const found = words.find((word) => word === value);
  if (found !== undefined) return found;
  throw optionError(`${name} must be one of ${words.join(', ')}, not ${JSON.stringify(value)}.`, RULES);
}

function parseDeciders(value: string | undefined): Deciders | undefined {
  return value === undefined ? undefined : oneOf('--approvals', value, DECIDERS);
}

function parseSandbox(value: string | undefined): SandboxMode | undefined {
  return value === undefined ? undefined : oneOf('--max-sandbox', value, SANDBOX_MODES);
}

function parseSeconds(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,6}$/.test(value) && Number(value) > 0) return Number(value);
  throw optionError(`--max-wait must be a number of seconds above 0, not ${JSON.stringify(value)}.`, RULES);
}
