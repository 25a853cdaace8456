import type { Requirement } from '../requirements.ts';

export interface Citation {
  readonly file: string;
  /** Undefined if the first argument of the call contains anything other than string literals. */
  readonly ids: readonly string[] | undefined;
}

/** Returns the mismatches between clauses and the tests that cite them, each with its fix. */
export function findFaults(requirements: readonly Requirement[], citations: readonly Citation[]): readonly string[] {
  const known = new Set(requirements.map(({ id }) => id));
  const files = filesById(citations);
  const unreadable = citations.filter(({ ids }) => ids === undefined);
  return [
    ...malformed(requirements).map((id) => `${id}: malformed id. Write area:topic:detail in lower case, with hyphens.`),
    ...repeated(requirements).map((id) => `${id}: listed more than once. Rename or remove one of them.`),
    ...unreadable.map(
      ({ file }) =>
        `${file}: verifies() without literal ids. Write the ids as string literals, so that they can be found.`,
    ),
    ...[...files].flatMap(([id, [file]]) =>
      known.has(id)
        ? []
        : [`${id}: cited by ${file} but unknown. Correct the id or add the clause to test/requirements/.`],
    ),
    ...requirements.flatMap(({ id, state }) => stateFault(id, state, files.get(id)?.[0])),
  ];
}

/** Returns the `verifies` calls in a test file. Ignores those inside comments and strings. */
export function readCitations(file: string, text: string): readonly Citation[] {
  const starts = [...text.matchAll(TOKEN)].filter((match) => match.groups?.['call'] !== undefined);
  return starts.map((match) => ({ file, ids: readIds(text.slice(match.index + match[0].length)) }));
}

const STRING = String.raw`'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|\x60(?:\\[\s\S]|[^\x60\\])*\x60`;
const COMMENT = String.raw`\/\/[^\n]*|\/\*[\s\S]*?\*\/`;
// A regular expression may contain a lone quote, which must not start a string.
const PATTERN = String.raw`(?<=[(,=:[!&|?{};>]\s*)\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^\/\\\n[])+\/`;
const GAP = String.raw`(?:\s|${COMMENT})*`;
const TOKEN = new RegExp(String.raw`${STRING}|${COMMENT}|${PATTERN}|(?<call>(?<![\w$.])verifies${GAP}\()`, 'g');
const ONE_ID = new RegExp(`^${GAP}(?<id>${STRING})${GAP},`);
const ID_LIST = new RegExp(String.raw`^${GAP}\[(?<list>(?:${GAP}(?:${STRING})${GAP},?)+${GAP})\]${GAP},`);
const LITERAL = new RegExp(`${COMMENT}|(?<id>${STRING})`, 'g');
const ID = /^[a-z0-9]+(-[a-z0-9]+)*(:[a-z0-9]+(-[a-z0-9]+)*){2}$/;

function readIds(rest: string): readonly string[] | undefined {
  const list = ONE_ID.exec(rest)?.groups?.['id'] ?? ID_LIST.exec(rest)?.groups?.['list'];
  if (list === undefined) return undefined;
  const ids = [...list.matchAll(LITERAL)].flatMap((match) => match.groups?.['id']?.slice(1, -1) ?? []);
  return ids.some((id) => id.includes('${')) ? undefined : ids;
}

function filesById(citations: readonly Citation[]): ReadonlyMap<string, readonly string[]> {
  const files = new Map<string, readonly string[]>();
  for (const { file, ids = [] } of citations) {
    for (const id of ids) files.set(id, [...(files.get(id) ?? []), file]);
  }
  return files;
}

function malformed(requirements: readonly Requirement[]): readonly string[] {
  return requirements.map(({ id }) => id).filter((id) => !ID.test(id));
}

function repeated(requirements: readonly Requirement[]): readonly string[] {
  const ids = requirements.map(({ id }) => id);
  return [...new Set(ids.filter((id, index) => ids.indexOf(id) !== index))];
}

function stateFault(id: string, state: Requirement['state'], citedBy: string | undefined): readonly string[] {
  if (state === 'done' && citedBy === undefined)
    return [`${id}: marked done, but no test cites it. Write one with verifies(), or mark it planned.`];
  if (state === 'planned' && citedBy !== undefined)
    return [`${id}: cited by ${citedBy} but still planned. Mark it done.`];
  return [];
}
