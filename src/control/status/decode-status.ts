import { AppError } from '../../base/errors.ts';
import { isObject } from '../../wire/messages.ts';
import type { HttpStatus, Role, RunningStatus, ServerDetail, ServerState, ServerSummary } from './running-status.ts';

/** Decodes the response to `mcp.list`. Throws `BAD_ANSWER` for the format of an incompatible version. */
export function decodeRunningStatus(response: unknown, pid: number): RunningStatus {
  const fields = readFields(response, pid);
  if (fields.number('v') !== 1) throw badResponse(pid, 'v');
  const { texts, list, text } = fields;
  const sessions = fields.has('sessions') ? list('sessions').map((one) => toSession(readFields(one, pid))) : undefined;
  return {
    v: 1,
    role: fields.oneOf('role', ROLES),
    // The pid from the socket name, which identifies the process that received the request.
    pid,
    version: text('version'),
    startedAt: fields.number('startedAt'),
    cwd: text('cwd'),
    ...fields.optional('configFile', 'string'),
    ...(fields.has('otherConfigFiles') ? { otherConfigFiles: texts('otherConfigFiles') } : {}),
    ...fields.optional('url', 'string'),
    ...(fields.has('http') ? { http: decodeHttp(readFields(fields.value('http'), pid), pid) } : {}),
    clients: texts('clients'),
    servers: list('servers').map((server) => decodeSummary(readFields(server, pid))),
    ...(sessions === undefined ? {} : { sessions }),
    problems: texts('problems'),
  };
}

/** Decodes the response to `mcp.get`. */
export function decodeServerDetail(response: unknown, pid: number): ServerDetail {
  const fields = readFields(response, pid);
  const { text, texts, list, number, optional } = fields;
  const each = (key: string) => list(key).map((one) => readFields(one, pid));
  return {
    ...decodeSummary(fields),
    configured: text('configured'),
    settings: each('settings').map((one) => ({
      key: one.text('key'),
      value: one.text('value'),
      place: one.text('place'),
    })),
    ...optional('where', 'string'),
    ...optional('protocolVersion', 'string'),
    ...(fields.has('era') ? { era: fields.oneOf('era', ERAS) } : {}),
    ...optional('serverInfo', 'string'),
    ...(fields.has('lastError') ? { lastError: toFailure(readFields(fields.value('lastError'), pid)) } : {}),
    lastWords: texts('lastWords'),
    ...optional('lastConnectedAt', 'number'),
    restarts: number('restarts'),
    prompts: number('prompts'),
    resources: number('resources'),
    toolList: each('toolList').map(toTool),
    leftOut: each('leftOut').map((one) => ({ name: one.text('name'), reason: one.text('reason') })),
    remarks: texts('remarks'),
  };
}

function decodeHttp({ number, value }: Fields, pid: number): HttpStatus {
  const refused = value('refused');
  const isCounts = isObject(refused) && Object.values(refused).every((count) => typeof count === 'number');
  if (!isCounts) throw badResponse(pid, 'refused');
  const statuses = Object.entries(refused).map(([status, count]) => [status.slice(0, 3), Number(count)] as const);
  return {
    connections: number('connections'),
    sessions: number('sessions'),
    modernClients: number('modernClients'),
    requests: number('requests'),
    streams: number('streams'),
    refused: Object.fromEntries(statuses),
  };
}

const ROLES: readonly Role[] = ['gateway', 'codex', 'host'];
const STATES: readonly ServerState[] = ['disabled', 'connecting', 'auth_required', 'ready', 'degraded', 'error'];
const TRANSPORTS = ['stdio', 'http'] as const;
const ERAS = ['legacy', 'modern'] as const;

function decodeSummary(fields: Fields): ServerSummary {
  const { text, number, optional } = fields;
  return {
    id: text('id'),
    transport: fields.has('transport') ? fields.oneOf('transport', TRANSPORTS) : undefined,
    source: text('source'),
    enabled: fields.flag('enabled'),
    state: fields.oneOf('state', STATES),
    tools: number('tools'),
    ...optional('hiddenTools', 'number'),
    calls: number('calls'),
    underWay: number('underWay'),
    ...optional('p50Ms', 'number'),
    ...optional('processes', 'number'),
    ...optional('droppedMessages', 'number'),
    ...optional('note', 'string'),
    ...optional('next', 'string'),
  };
}

function toTool({ text, texts, optional }: Fields): ServerDetail['toolList'][number] {
  const hidden = { ...optional('publicName', 'string'), ...optional('hidden', 'string') };
  return { name: text('name'), ...hidden, badges: texts('badges'), rewrites: texts('rewrites') };
}

function toSession({ text, number, optional }: Fields): NonNullable<RunningStatus['sessions']>[number] {
  const more = { ...optional('cwd', 'string'), ...optional('title', 'string') };
  return { id: text('id'), state: text('state'), ...more, questions: number('questions') };
}

function toFailure({ text, number }: Fields): NonNullable<ServerDetail['lastError']> {
  return { code: text('code'), message: text('message'), at: number('at') };
}

interface Kinds {
  readonly string: string;
  readonly number: number;
}

/** Typed accessors for the members of an object. Each throws `BAD_ANSWER` if the member has another type. */
interface Fields {
  has(key: string): boolean;
  value(key: string): unknown;
  text(key: string): string;
  number(key: string): number;
  flag(key: string): boolean;
  list(key: string): readonly unknown[];
  texts(key: string): readonly string[];
  oneOf<Word extends string>(key: string, words: readonly Word[]): Word;
  /** Returns an empty object if the member is missing. */
  optional<Key extends string, Kind extends keyof Kinds>(key: Key, kind: Kind): { readonly [K in Key]?: Kinds[Kind] };
}

function readFields(response: unknown, pid: number): Fields {
  if (!isObject(response)) throw badResponse(pid, 'an object');
  const value = (key: string) => (Object.hasOwn(response, key) ? response[key] : undefined);
  const has = (key: string) => value(key) !== undefined && value(key) !== null;
  const check = <T>(key: string, is: (found: unknown) => found is T): T => {
    const found = value(key);
    if (!is(found)) throw badResponse(pid, key);
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
    oneOf<Word extends string>(key: string, words: readonly Word[]) {
      return check(key, (found): found is Word => words.some((word) => word === found));
    },
    optional<Key extends string, Kind extends keyof Kinds>(key: Key, kind: Kind) {
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

function badResponse(pid: number, key: string): AppError {
  const message = `Process ${pid} reports its status in an unknown format (${key}): it may be another version of Switchboard. Restart it.`;
  return new AppError('BAD_ANSWER', message, { data: { pid } });
}
