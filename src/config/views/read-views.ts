import type { AppError } from '../../base/errors.ts';
import { nearestNames } from '../../base/text/nearest-names.ts';
import { escapeInvisible } from '../../base/text/visible-text.ts';
import { checkOwnName } from '../entry/entry-name.ts';
import { errorAt, formatLines, pickUnique, readList, readMembers, readNonEmptyString } from '../json/decode.ts';
import { formatJsonPath, type JsonMember, type JsonValue } from '../json/json-value.ts';
import { toProblem } from '../problem.ts';
import type { ConfigProblem, Origin } from '../server-entry.ts';
import type { ViewLimit } from './view.ts';

/** One view of one file. */
export interface FileView {
  readonly name: string;
  readonly origin: Origin;
  /** The raw form, with the position of every value. */
  readonly value: JsonValue;
  readonly content:
    | { readonly kind: 'limit'; readonly limit: ViewLimit }
    | { readonly kind: 'broken'; readonly problem: ConfigProblem };
}

export interface FileViews {
  readonly views: readonly FileView[];
  /** Why views could not be read, or have an unusable name. */
  readonly problems: readonly ConfigProblem[];
}

export const NO_VIEWS: FileViews = { views: [], problems: [] };

/** More than any real config has. */
const MAX_VIEWS = 1000;

/** Reads the views of a file in our own dialect. Never throws for the content: a broken view affects no server. */
export function readViews(root: JsonValue, source: Pick<Origin, 'layer' | 'file'>): FileViews {
  try {
    const value = pickUnique(root, 'views');
    const members = value === undefined ? [] : readMembers(value);
    if (value !== undefined && members.length > MAX_VIEWS)
      throw errorAt(value, `The file has ${members.length} views, but the limit is ${MAX_VIEWS}: remove some.`);
    const isUsable = ({ key }: JsonMember) => checkOwnName(key) === undefined;
    const names = [...new Set(members.filter(isUsable).map(({ key }) => key))];
    return {
      views: names.flatMap((name) => readView(name, members, source)),
      problems: members.filter((member) => !isUsable(member)).map(nameProblem),
    };
  } catch (error) {
    return { views: [], problems: [toProblem(error)] };
  }
}

function nameProblem({ key, value }: JsonMember): ConfigProblem {
  return toProblem(errorAt(value, `${formatJsonPath(value)} is left out: ${checkOwnName(key)}.`));
}

function readView(
  name: string,
  members: readonly JsonMember[],
  { layer, file }: Pick<Origin, 'layer' | 'file'>,
): readonly FileView[] {
  const found = members.filter(({ key }) => key === name);
  const [first] = found;
  if (first === undefined) return [];
  const { line, value } = first;
  const view = { name, origin: { layer, file, line }, value };
  try {
    if (found.length > 1)
      throw errorAt(
        value,
        `The view "${escapeInvisible(name)}" appears more than once, in lines ${formatLines(found)}: keep one.`,
      );
    return [{ ...view, content: { kind: 'limit', limit: readLimit(value) } }];
  } catch (error) {
    return [{ ...view, content: { kind: 'broken', problem: toProblem(error) } }];
  }
}

function readLimit(value: JsonValue): ViewLimit {
  refuseUnknownKeys(value, ['servers', 'tools']);
  const tools = pickUnique(value, 'tools');
  if (tools !== undefined) refuseUnknownKeys(tools, ['allow', 'deny']);
  return {
    servers: readNames(value, 'servers'),
    tools: {
      allow: tools && readNames(tools, 'allow'),
      deny: (tools && readNames(tools, 'deny')) ?? [],
    },
  };
}

function readNames(value: JsonValue, key: string): readonly string[] | undefined {
  const list = pickUnique(value, key);
  return list && readList(list).map(readNonEmptyString);
}

/** A misspelled limit would not limit anything, so an unknown key makes the view unusable. */
function refuseUnknownKeys(value: JsonValue, known: readonly string[]): void {
  const unknown = readMembers(value).find(({ key }) => !known.includes(key));
  if (unknown !== undefined) throw unknownKey(unknown, known);
}

function unknownKey({ key, value }: JsonMember, known: readonly string[]): AppError {
  const [near] = nearestNames(key, known);
  const hint = near === undefined ? `The keys are ${known.join(' and ')}.` : `Did you mean "${near}"?`;
  return errorAt(value, `${formatJsonPath(value)} is not a known key of a view. ${hint}`);
}
