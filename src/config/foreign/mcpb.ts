import { isObject } from '../../wire/messages.ts';
import { platformPath } from '../files/folders.ts';
import { errorAt, pick, readNonEmptyString, readString, readStrings } from '../json/decode.ts';
import { type JsonValue, lineOf } from '../json/json-value.ts';
import type { WrittenEntry } from '../write/write-entry.ts';
import { readTextMap, unlessEmpty } from './entry-parts.ts';
import type { Fields } from './fields.ts';
import type { ForeignPlace, ForeignShape } from './foreign-server.ts';
import { readServers, type Translation } from './read-servers.ts';
import { type TextPart, toVariableName, type VariableSyntax } from './variables.ts';

/** The `manifest.json` of an unpacked MCP bundle (MCPB, earlier DXT): one server, and questions for the user. */
export const mcpbShape: ForeignShape = {
  title: 'an MCP bundle',
  matches: ({ content }) =>
    isObject(content) &&
    isObject(content['server']) &&
    ['manifest_version', 'dxt_version'].some((key) => key in content),
  read(root, place) {
    const server = pick(root, 'server');
    const value = server && pick(server, 'mcp_config');
    if (value === undefined)
      throw errorAt(root, 'The manifest has no "server.mcp_config", which says how to start it.');
    const name = pick(root, 'name');
    const id = name === undefined ? undefined : readString(name);
    const answers = readAnswers(root);
    return readServers([{ id, line: lineOf(value), value }], {
      place,
      syntax: bundleSyntax(answers),
      translate: (translation) => translate(translation, answers),
    });
  },
};

/** The defaults of `user_config` by name; undefined for a question without a default. */
type Answers = ReadonlyMap<string, unknown>;

function readAnswers(root: JsonValue): Answers {
  const questions = pick(root, 'user_config')?.content;
  const entries = isObject(questions) ? Object.entries(questions) : [];
  return new Map(entries.map(([key, question]) => [key, isObject(question) ? question['default'] : undefined]));
}

function translate({ fields, text, place }: Translation, answers: Answers): WrittenEntry {
  const overrides = fields.open('platform_overrides');
  const { platform } = place.environment;
  for (const other of ['darwin', 'linux', 'win32'])
    if (other !== platform) overrides?.drop(other, 'it is for another platform');
  const override = overrides?.open(platform);
  const args = readEither(fields, override, (from) => from.take(readStrings, 'args')) ?? [];
  return {
    transport: 'stdio',
    command: readEither(fields, override, (from) =>
      from.take((value) => text.translate(readNonEmptyString(value), 'command'), 'command'),
    ),
    args: unlessEmpty(
      args.flatMap((arg) => spreadList(arg, answers)).map((arg, index) => text.translate(arg, `args[${index}]`)),
    ),
    env: unlessEmpty({
      ...fields.take((value) => readTextMap(value, text), 'env'),
      ...override?.take((value) => readTextMap(value, text), 'env'),
    }),
  };
}

/** Reads a key from the override of this platform, else from the config itself. */
function readEither<T>(
  fields: Fields,
  override: Fields | undefined,
  read: (from: Fields) => T | undefined,
): T | undefined {
  const own = read(fields);
  return (override && read(override)) ?? own;
}

/** An argument that is one answer becomes several if the answer is a list. */
function spreadList(arg: string, answers: Answers): readonly string[] {
  const [, key = ''] = /^\$\{user_config\.([\w.-]+)\}$/.exec(arg) ?? [];
  const answer = answers.get(key);
  return Array.isArray(answer) ? answer.map(String) : [arg];
}

function bundleSyntax(answers: Answers): VariableSyntax {
  return {
    pattern: /\$\{(user_config\.)?([\w./-]+)\}/g,
    toPart([, isAnswer, name = ''], place) {
      if (isAnswer === undefined) return folderPart(name, place);
      const answer = answers.get(name);
      // A default may itself name a folder.
      if (typeof answer === 'string')
        return {
          kind: 'text',
          text: answer.replace(FOLDER, (whole, key: string) => folderPart(key, place)?.text ?? whole),
        };
      if (typeof answer === 'number' || typeof answer === 'boolean') return { kind: 'text', text: String(answer) };
      return { kind: 'variable', name: toVariableName(name).toUpperCase() };
    },
  };
}

const FOLDER = /\$\{([\w/]+)\}/g;

function folderPart(
  name: string,
  { file, environment }: ForeignPlace,
): (TextPart & { readonly kind: 'text' }) | undefined {
  const { dirname, join, sep } = platformPath(environment.platform);
  const text = (found: string) => ({ kind: 'text', text: found }) as const;
  switch (name) {
    case '__dirname':
      return text(dirname(file));
    case 'HOME':
      return text(environment.home);
    case 'DESKTOP':
      return text(join(environment.home, 'Desktop'));
    case 'DOCUMENTS':
      return text(join(environment.home, 'Documents'));
    case 'DOWNLOADS':
      return text(join(environment.home, 'Downloads'));
    case '/':
    case 'pathSeparator':
      return text(sep);
    default:
      return undefined;
  }
}
