import { isObject } from '../../wire/messages.ts';
import { errorAt, pick, readList, readOptional, readString } from '../json/decode.ts';
import { type JsonValue, lineOf } from '../json/json-value.ts';
import type { WrittenEntry } from '../write/write-entry.ts';
import type { ForeignShape, NotCarried } from './foreign-server.ts';
import { packageEntry } from './registry-package.ts';
import { createRegistryReader, type RegistryReader } from './registry-values.ts';

/** `server.json` of the MCP registry, in camelCase and in the older snake_case: several ways to run one server. */
export const registryShape: ForeignShape = {
  title: 'a server.json of the MCP registry',
  matches: ({ content }) =>
    isObject(content) &&
    typeof content['name'] === 'string' &&
    ['packages', 'remotes'].some((key) => Array.isArray(content[key])),
  read(root, { project }) {
    const full = readOptional(root, readString, 'name') ?? '';
    const ways = [...listUnder(root, 'packages').map(toPackageWay), ...listUnder(root, 'remotes').map(toRemoteWay)];
    const chosen = ways.find(({ entry }) => typeof entry !== 'string');
    if (chosen === undefined || typeof chosen.entry === 'string') {
      const reasons = ways.map(({ entry }) => String(entry)).join('; ');
      throw errorAt(
        root,
        reasons === '' ? 'The file has neither packages nor remotes.' : `No way to run it: ${reasons}.`,
      );
    }
    const others = ways.filter((way) => way !== chosen);
    const notCarried = others.map(({ key, entry }) => ({
      key,
      reason: typeof entry === 'string' ? entry : `${chosen.key} is used`,
    }));
    const name = full.split('/').at(-1) ?? full;
    const server = { name, line: chosen.line, project, entry: chosen.entry };
    return { servers: [{ ...server, notCarried: [...chosen.notCarried, ...notCarried] }], skipped: [] };
  },
};

/** One way to run the server. A text says why it is not possible. */
interface Way {
  readonly key: string;
  readonly line: number;
  readonly entry: WrittenEntry | string;
  readonly notCarried: readonly NotCarried[];
}

function listUnder(root: JsonValue, key: string): readonly JsonValue[] {
  const found = pick(root, key);
  return found === undefined ? [] : readList(found);
}

function toPackageWay(value: JsonValue, index: number): Way {
  const reader = createRegistryReader(value, `packages[${index}].`);
  return {
    key: `packages[${index}]`,
    line: lineOf(value),
    entry: packageEntry(reader),
    notCarried: reader.notCarried(),
  };
}

function toRemoteWay(value: JsonValue, index: number): Way {
  const reader = createRegistryReader(value, `remotes[${index}].`);
  return { key: `remotes[${index}]`, line: lineOf(value), entry: remoteEntry(reader), notCarried: reader.notCarried() };
}

function remoteEntry(reader: RegistryReader): WrittenEntry | string {
  const type = reader.text('type', 'transportType') ?? 'streamable-http';
  if (!['streamable-http', 'streamable', 'http', 'sse'].includes(type)) return `Switchboard does not speak ${type}`;
  const variables = reader.take('variables');
  const url = reader.expand(reader.text('url') ?? '', variables?.content);
  const headers = reader.list('headers').map((header) => {
    const [name, value, needed] = [header.text('name') ?? '', header.value(), header.variable()];
    return { name, value, needed };
  });
  const fixed = headers.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value] as const]));
  const named = headers.flatMap(({ name, value, needed }) => (value === undefined ? [[name, needed] as const] : []));
  return {
    transport: 'http',
    url,
    ...(fixed.length === 0 ? {} : { headers: Object.fromEntries(fixed) }),
    ...(named.length === 0 ? {} : { header_env: Object.fromEntries(named) }),
    ...(reader.hasVariables() ? { expand_variables: true } : {}),
  };
}
