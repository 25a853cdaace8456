import { AppError } from '../../base/errors.ts';
import { isObject } from '../../wire/messages.ts';
import type { Role, RunningStatus, ServerDetail, ServerState, ServerSummary } from './running-status.ts';

/** What a running switchboard answered to `mcp.list`. Another version may tell of itself in another way: `BAD_ANSWER`. */
export function decodeRunning(answer: unknown, pid: number): RunningStatus {
  const fields = fieldsOf(answer, pid);
  if (fields.number('v') !== 1) throw badAnswer(pid, 'v');
  const { texts, list, text } = fields;
  const sessions = fields.has('sessions') ? list('sessions').map((one) => toSession(fieldsOf(one, pid))) : undefined;
  return {
    v: 1,
    role: fields.word('role', ROLES),
    // As the socket says: it is this process that was asked.
    pid,
    version: text('version'),
    startedAt: fields.number('startedAt'),
    cwd: text('cwd'),
    ...fields.maybe('configFile', 'string'),
    ...(fields.has('otherConfigFiles') ? { otherConfigFiles: texts('otherConfigFiles') } : {}),
    clients: texts('clients'),
    servers: list('servers').map((server) => decodeSummary(fieldsOf(server, pid))),
    ...(sessions === undefined ? {} : { sessions }),
    problems: texts('problems'),
  };
}

/** What it answered to `mcp.get`. */
export function decodeDetail(answer: unknown, pid: number): ServerDetail {
  const fields = fieldsOf(answer, pid);
  const { text, texts, list, number, maybe } = fields;
  const each = (key: string) => list(key).map((one) => fieldsOf(one, pid));
  return {
    ...decodeSummary(fields),
    configured: text('configured'),
    settings: each('settings').map((one) => ({
      key: one.text('key'),
      value: one.text('value'),
      place: one.text('place'),
    })),
    ...maybe('where', 'string'),
    ...maybe('protocolVersion', 'string'),
    ...(fields.has('era') ? { era: fields.word('era', ERAS) } : {}),
    ...maybe('serverInfo', 'string'),
    ...(fields.has('lastError') ? { lastError: toFailure(fieldsOf(fields.value('lastError'), pid)) } : {}),
    lastWords: texts('lastWords'),
    ...maybe('lastConnectedAt', 'number'),
    restarts: number('restarts'),
    prompts: number('prompts'),
    resources: number('resources'),
    toolList: each('toolList').map(toTool),
    leftOut: each('leftOut').map((one) => ({ name: one.text('name'), reason: one.text('reason') })),
    remarks: texts('remarks'),
  };
}

const ROLES: readonly Role[] = ['gateway', 'codex', 'host'];
const STATES: readonly ServerState[] = ['disabled', 'connecting', 'auth_required', 'ready', 'degraded', 'error'];
const TRANSPORTS = ['stdio', 'http'] as const;
const ERAS = ['legacy', 'modern'] as const;

function decodeSummary(fields: Fields): ServerSummary {
  const { text, number, maybe } = fields;
  return {
    id: text('id'),
    transport: fields.has('transport') ? fields.word('transport', TRANSPORTS) : undefined,
    source: text('source'),
    enabled: fields.flag('enabled'),
    state: fields.word('state', STATES),
    tools: number('tools'),
    ...maybe('hiddenTools', 'number'),
    calls: number('calls'),
    underWay: number('underWay'),
    ...maybe('p50Ms', 'number'),
    ...maybe('note', 'string'),
    ...maybe('next', 'string'),
  };
}

function toTool({ text, texts, maybe }: Fields): ServerDetail['toolList'][number] {
  const hidden = { ...maybe('publicName', 'string'), ...maybe('hidden', 'string') };
  return { name: text('name'), ...hidden, badges: texts('badges'), rewrites: texts('rewrites') };
}

function toSession({ text, number, maybe }: Fields): NonNullable<RunningStatus['sessions']>[number] {
  const more = { ...maybe('cwd', 'string'), ...maybe('title', 'string') };
  return { id: text('id'), state: text('state'), ...more, questions: number('questions') };
}

function toFailure({ text, number }: Fields): NonNullable<ServerDetail['lastError']> {
  return { code: text('code'), message: text('message'), at: number('at') };
}

interface Kinds {
  readonly string: string;
  readonly number: number;
}

/** The members of an object, each read as what it must be. */
interface Fields {
  has(key: string): boolean;
  value(key: string): unknown;
  text(key: string): string;
  number(key: string): number;
  flag(key: string): boolean;
  list(key: string): readonly unknown[];
  texts(key: string): readonly string[];
  word<Word extends string>(key: string, words: readonly Word[]): Word;
  /** Nothing where it is missing. */
  maybe<Key extends string, Kind extends keyof Kinds>(key: Key, kind: Kind): { readonly [K in Key]?: Kinds[Kind] };
}

function fieldsOf(answer: unknown, pid: number): Fields {
  if (!isObject(answer)) throw badAnswer(pid, 'an object');
  const value = (key: string) => (Object.hasOwn(answer, key) ? answer[key] : undefined);
  const has = (key: string) => value(key) !== undefined && value(key) !== null;
  const check = <T>(key: string, is: (found: unknown) => found is T): T => {
    const found = value(key);
    if (!is(found)) throw badAnswer(pid, key);
    return found;
  };
  return {
    has,
    value,
    text: (key) => check(key, isText),
    number: (key) => check(key, isNumber),
    flag: (key) => check(key, (found) => typeof found === 'boolean'),
    list: (key) => check(key, (found): found is readonly unknown[] => Array.isArray(found)),
    texts: (key) => check(key, (found): found is readonly string[] => Array.isArray(found) && found.every(isText)),
    word<Word extends string>(key: string, words: readonly Word[]) {
      return check(key, (found): found is Word => words.some((word) => word === found));
    },
    maybe<Key extends string, Kind extends keyof Kinds>(key: Key, kind: Kind) {
      if (!has(key)) return {};
      const found = kind === 'string' ? check(key, isText) : check(key, isNumber);
      return { [key]: found } as { readonly [K in Key]?: Kinds[Kind] };
    },
  };
}

function isText(found: unknown): found is string {
  return typeof found === 'string';
}

function isNumber(found: unknown): found is number {
  return typeof found === 'number';
}

function badAnswer(pid: number, key: string): AppError {
  const message = `Process ${pid} reports its status in an unknown format (${key}): it may be another version of switchboard. Restart it.`;
  return new AppError('BAD_ANSWER', message, { data: { pid } });
}
