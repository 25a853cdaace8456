import { AppError } from '../../base/errors.ts';
import type { Deciders } from '../../codex/approvals/approvals.ts';
import type { EngineKind } from '../../codex/engines/open-engine.ts';
import { SANDBOX_MODES, type SandboxMode } from '../../codex/item-types.ts';
import { unknownOption } from '../arguments/unknown-option.ts';

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
}

/** Duplicated here, because the approvals module loads after the handshake. */
const DECIDERS: readonly Deciders[] = ['any', 'user', 'none'];
const TOOLSETS: readonly Toolset[] = ['core', 'full', 'compat', 'all'];
const ENGINES: readonly EngineKind[] = ['auto', 'app-server', 'exec'];

/**
 * Parses the options of `switchboard codex`. `mcp-server` was the subcommand of the removed server and selects the
 * drop-in.
 */
export function parseCodexOptions(args: readonly string[]): CodexOptions {
  const rest = args.filter((arg) => arg !== 'mcp-server');
  const values = parseOptions(rest);
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
  };
}

const WITH_VALUE = new Set(['--tools', '--engine', '--max-sandbox', '--allow-root', '--max-wait', '--approvals']);
const FLAGS = new Set(['--allow-dangerous', '--no-events']);

const SEE_HELP = 'See: switchboard codex --help';

function parseOptions(args: readonly string[]): Map<string, string[]> {
  const values = new Map<string, string[]>();
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    const [, name = arg, inline] = /^(--[^=]+)=(.*)$/s.exec(arg) ?? [];
    if (FLAGS.has(arg)) values.set(arg, []);
    else if (WITH_VALUE.has(name)) values.set(name, [...(values.get(name) ?? []), inline ?? nextValue(name, rest)]);
    else throw unknownOption(arg, { command: 'switchboard codex', known: [...WITH_VALUE, ...FLAGS, '--help'] });
  }
  return values;
}

function nextValue(name: string, rest: string[]): string {
  const value = rest.shift();
  if (value === undefined || value.startsWith('--')) throw new AppError('USAGE', `${name} needs a value. ${SEE_HELP}`);
  return value;
}

function oneOf<Word extends string>(name: string, value: string, words: readonly Word[]): Word {
  const found = words.find((word) => word === value);
  if (found !== undefined) return found;
  throw new AppError('USAGE', `${name} must be one of ${words.join(', ')}, not ${JSON.stringify(value)}. ${SEE_HELP}`);
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
  throw new AppError(
    'USAGE',
    `--max-wait must be a number of seconds above 0, not ${JSON.stringify(value)}. ${SEE_HELP}`,
  );
}
