import { programName } from '../../base/program-name.ts';
import { isObject } from '../../wire/messages.ts';
import { readKeyedServers } from '../dialects/keyed.ts';
import { resolvePath } from '../files/folders.ts';
import { pick, readBoolean, readNonEmptyString, readStrings } from '../json/decode.ts';
import type { JsonValue } from '../json/json-value.ts';
import type { WrittenEntry } from '../write/write-entry.ts';
import { httpPart, oauthPart, readTextMap, timePart, unlessEmpty } from './entry-parts.ts';
import type { ForeignShape } from './foreign-server.ts';
import { readServers, type Translation } from './read-servers.ts';
import { toVariableName, type VariableSyntax } from './variables.ts';

/** opencode: servers directly under `mcp` (version 1), or under `mcp.servers` (version 2). Commands are lists. */
export const opencodeShape: ForeignShape = {
  title: 'opencode',
  matches: ({ content }) => {
    const mcp = isObject(content) ? content['mcp'] : undefined;
    if (!isObject(mcp)) return false;
    const servers = isObject(mcp['servers']) && !isServer(mcp['servers']) ? mcp['servers'] : mcp;
    return Object.values(servers).some(isServer);
  },
  read(root, place) {
    const mcp = pick(root, 'mcp');
    const nested = mcp && pick(mcp, 'servers');
    const servers = nested === undefined || isServer(nested.content) ? mcp : nested;
    return readServers(readKeyedServers(servers), { place, syntax: opencodeSyntax, translate });
  },
};

function isServer(value: unknown): boolean {
  return isObject(value) && (Array.isArray(value['command']) || ['local', 'remote'].includes(String(value['type'])));
}

/** `{env:VAR}` and `{file:path}`. A file's content is known now, so it is copied. */
const opencodeSyntax: VariableSyntax = {
  pattern: /\{(env|file):([^{}]+)\}/g,
  toPart([, kind, subject = ''], { file, environment, readText }) {
    if (kind === 'env') return { kind: 'variable', name: toVariableName(subject) };
    const folder = file.slice(0, Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\'), 0));
    const content = readText(resolvePath(subject, { ...environment, cwd: folder === '' ? environment.cwd : folder }));
    if (content !== undefined)
      return {
        kind: 'text',
        text: content.trim(),
        note: `the content of ${subject} was copied, and later changes have no effect`,
      };
    const name = toVariableName(subject.split(/[/\\]/).at(-1) ?? subject).toUpperCase();
    return { kind: 'variable', name, note: `${subject} cannot be read: run ${programName()} secret set ${name}` };
  },
};

function translate(translation: Translation): WrittenEntry | string {
  const { fields, text } = translation;
  const type = fields.take((value) => value.content, 'type');
  const isRemote = type === 'remote' || (type === undefined && fields.has('url'));
  if (!fields.has(isRemote ? 'url' : 'command')) return 'it has neither a command nor a URL';
  const connection = isRemote ? httpPart(translation, ['url']) : localPart(translation);
  if (typeof connection === 'string') return connection;
  const isOff = fields.take(readBoolean, 'enabled') === false;
  const isDisabled = fields.take(readBoolean, 'disabled') === true;
  const hasNoSignIn = fields.take((value) => value.content, 'oauth') === false;
  if (hasNoSignIn) fields.note('oauth', `Switchboard signs in only when you run ${programName()} mcp login`);
  return {
    ...connection,
    oauth: hasNoSignIn ? undefined : oauthPart(fields.open('oauth'), text, { scope: ['scopes'] }),
    enabled: isOff || isDisabled ? false : undefined,
    ...timeouts(translation),
  };
}

function localPart({ fields, text }: Translation): WrittenEntry {
  const [command, ...args] = fields.take(readCommand, 'command') ?? [];
  return {
    transport: 'stdio',
    command: command === undefined ? undefined : text.translate(command, 'command[0]'),
    args: unlessEmpty(args.map((arg, index) => text.translate(arg, `command[${index + 1}]`))),
    cwd: fields.take((value) => text.translate(readNonEmptyString(value), 'cwd'), 'cwd'),
    env: unlessEmpty(fields.take((value) => readTextMap(value, text), 'environment', 'env') ?? {}),
  };
}

function readCommand(value: JsonValue): readonly string[] {
  return typeof value.content === 'string' ? [readNonEmptyString(value)] : readStrings(value);
}

/** Version 1 has one time, for fetching the tools; version 2 has one for the start and one for requests. */
function timeouts({ fields }: Translation): WrittenEntry {
  const isNumber = typeof fields.take((value) => value.content, 'timeout') === 'number';
  if (isNumber) return { startup_timeout_ms: timePart(fields, 'timeout') };
  const times = fields.open('timeout');
  return {
    startup_timeout_ms: times && timePart(times, 'startup'),
    request_timeout_ms: times && timePart(times, 'request'),
  };
}
