import { isRegExp } from 'node:util/types';
import { AppError } from '../../base/errors.ts';
import { createGlob } from '../../base/text/glob.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import { isObject } from '../../wire/messages.ts';
import { interpretationsOf } from './argument-interpretations.ts';
import { type FoundText, readPath, textsAtPath } from './argument-path.ts';
import { createExpression, type Match, patternError } from './pattern.ts';
import { HINTS, hintValue, isHint, type ToolHints } from './tool-hints.ts';
import { hasParentSegment, uriInterpretationsOf } from './uri-interpretations.ts';

/** A compiled rule of the application. It is immutable. */
export interface Rule {
  readonly decide: (typeof DECISIONS)[number];
  /** Safe to display. */
  readonly why: string | undefined;
  /** Returns `unclear` when the result depends on how a tool reads its arguments. */
  match(call: RuleSubject): Match;
}

export type CallKind = 'tool' | 'resource' | 'prompt';

export interface RuleSubject {
  readonly server: string;
  readonly kind: CallKind;
  /** Name of the tool or prompt, or URI of the resource. */
  readonly tool: string;
  /** Lazy, because parsing is costly and only some rules use hints and arguments. */
  hints(): ToolHints;
  /** The JSON that is sent. */
  arguments(): string;
}

/** Compiles the rules. Throws `USAGE` with the location of a rule that would not have the effect that it suggests. */
export function readRules(rules: unknown): readonly Rule[] {
  if (rules === undefined) return [];
  if (!Array.isArray(rules)) throw new AppError('USAGE', 'permissions.rules must be a list of rules.');
  // Not `map`, which skips holes in an array.
  return Array.from(rules as readonly unknown[], (rule, index) => readRule(rule, `permissions.rules[${index}]`));
}

function readRule(rule: unknown, location: string): Rule {
  if (!isObject(rule)) throw usageError(location, 'must be an object');
  for (const [key, value] of Object.entries(rule)) {
    if (!KEYS.includes(key)) throw usageError(`${location}.${key}`, `is unknown: a rule may have ${KEYS.join(', ')}`);
    // A value that is undefined by mistake would make the rule match everything.
    if (value === undefined)
      throw usageError(`${location}.${key}`, 'is undefined: give it a value, or leave the key out');
  }
  const decide = DECISIONS.find((word) => word === rule['decide']);
  if (decide === undefined) throw usageError(`${location}.decide`, `must be one of ${DECISIONS.join(', ')}`);
  const { why } = rule;
  if (why !== undefined && typeof why !== 'string') throw usageError(`${location}.why`, 'must be a string');
  const kinds = CALL_KINDS.filter((kind) => rule[kind] !== undefined);
  if (kinds.length > 1)
    throw usageError(location, `names ${kinds.join(' and ')}, but no call is both: write two rules`);
  if (decide === 'allow' && rule['annotations'] !== undefined) requireNamedServers(rule['server'], location);
  const isAllowRule = decide === 'allow';
  const conditions = [
    readNames(rule['server'], `${location}.server`, ({ server }) => [server]),
    ...CALL_KINDS.map((kind) => readNamesOf(kind, rule[kind], { location: `${location}.${kind}`, isAllowRule })),
    readAnnotations(rule['annotations'], `${location}.annotations`),
  ].filter((condition) => condition !== undefined);
  const matchOf = readArguments(rule['arguments'], { location: `${location}.arguments`, isAllowRule });
  const match = (call: RuleSubject) => (conditions.every((holds) => holds(call)) ? matchOf(call) : 'no');
  return { decide, why: why === undefined ? undefined : oneLine(why, MAX_REASON), match };
}

interface RuleOptions {
  readonly location: string;
  /** The rule grants a permission. */
  readonly isAllowRule: boolean;
}

type Condition = (call: RuleSubject) => boolean;

const DECISIONS = ['allow', 'deny', 'confirm'] as const;
const CALL_KINDS = ['tool', 'resource', 'prompt'] as const;
const KEYS: readonly string[] = ['server', ...CALL_KINDS, 'annotations', 'arguments', 'decide', 'why'];
const MAX_REASON = 500;

/** Rejects an allow rule that relies on hints of arbitrary servers: any server may call its own tool harmless. */
function requireNamedServers(server: unknown, location: string): void {
  const names: readonly unknown[] = Array.isArray(server) ? server : [server];
  if (names.every((name) => typeof name === 'string' && !name.includes('*'))) return;
  throw usageError(
    `${location}.annotations`,
    'may allow only together with a server that is named in full, without *: annotations of a server are trusted only if the application names that server',
  );
}

/** A rule that names tools matches no prompt and no resource, even one of the same name. */
function readNamesOf(kind: CallKind, value: unknown, { location, isAllowRule }: RuleOptions): Condition | undefined {
  for (const [method, key] of METHODS)
    if (kind === 'tool' && [value].flat().includes(method))
      throw usageError(location, `is not a tool: use ${key} instead`);
  // A rule that forbids a resource forbids it under every spelling of its URI.
  const isSpelled = kind === 'resource' && !isAllowRule;
  const isNamed = readNames(value, location, ({ tool }) => (isSpelled ? [...uriInterpretationsOf(tool)] : [tool]));
  // A pattern that allows a folder does not allow `..` out of it.
  const isInside = ({ tool }: RuleSubject) => !isAllowRule || [value].flat().includes(tool) || !hasParentSegment(tool);
  return isNamed && ((call) => call.kind === kind && isNamed(call) && (kind !== 'resource' || isInside(call)));
}

/** Protocol methods and the matching rule keys. A deny rule with the wrong word would deny nothing. */
const METHODS = [
  ['resources/read', 'resource'],
  ['prompts/get', 'prompt'],
] as const;

function readNames(
  value: unknown,
  location: string,
  namesOf: (call: RuleSubject) => readonly string[],
): Condition | undefined {
  if (value === undefined) return undefined;
  const names: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (names.length === 0)
    throw usageError(location, 'is an empty list, which no call matches: name something, or leave it out');
  const globs = Array.from(names, (name) => {
    if (typeof name !== 'string' || name === '') throw usageError(location, 'must be a name, or a list of names');
    const error = patternError(name);
    if (error !== undefined) throw usageError(location, error);
    return createGlob(name);
  });
  return (call) => namesOf(call).some((name) => globs.some((matches) => matches(name)));
}

function readAnnotations(value: unknown, location: string): Condition | undefined {
  if (value === undefined) return undefined;
  const wanted = membersOf(value, location).map(([hint, claim]) => {
    if (!isHint(hint)) throw usageError(`${location}.${hint}`, `is unknown: use ${HINTS.join(', ')}`);
    if (typeof claim !== 'boolean') throw usageError(`${location}.${hint}`, 'must be true or false');
    return { hint, claim };
  });
  return (call) => {
    const hints = call.hints();
    return wanted.every(({ hint, claim }) => hintValue(hints, hint) === claim);
  };
}

function readArguments(value: unknown, { location, isAllowRule }: RuleOptions): Rule['match'] {
  if (value === undefined) return () => 'yes';
  const wanted = membersOf(value, location).map(([path, pattern]) => {
    const keys = readPath(path);
    if (keys === undefined) throw usageError(`${location}["${path}"]`, `must be a path like a.b, or ${DOTTED}`);
    return { keys, fitOf: readPattern(pattern, { location: `${location}["${path}"]`, isAllowRule }) };
  });
  return (call) => {
    const json = call.arguments();
    const matches = wanted.map(({ keys, fitOf: matchOf }) => {
      const { exact, all } = textsAtPath(json, keys);
      const readings = all.map((found) => (isAllowRule ? matchOf(found.text) : strictest(found, matchOf)));
      // A tool that reads only the exact path finds nothing there.
      return agreement(exact === undefined ? ['no', ...readings] : readings);
    });
    return matches.includes('no') ? 'no' : agreement(matches);
  };
}

/**
 * Returns `unclear` when only another interpretation matches: a deny rule then denies, and a confirm rule ignores
 * remembered permissions.
 */
function strictest({ text, json }: FoundText, matchOf: (text: string) => Match): Match {
  const match = matchOf(text);
  if (match !== 'no') return match;
  return [...interpretationsOf(json)].some((reading) => matchOf(reading) !== 'no') ? 'unclear' : 'no';
}

/** Returns the common value of all matches, of which there is at least one; `unclear` when they differ. */
function agreement([first = 'no', ...others]: readonly Match[]): Match {
  return others.every((other) => other === first) ? first : 'unclear';
}

const DOTTED = 'a\\.b where the dot is a part of the key';

function readPattern(pattern: unknown, { location, isAllowRule }: RuleOptions): (text: string) => Match {
  const error = patternError(pattern);
  if (error !== undefined) throw usageError(location, error);
  if (isRegExp(pattern)) return createExpression(pattern, { isAllowRule });
  const matches = createGlob(String(pattern));
  return (text) => (matches(text) ? 'yes' : 'no');
}

function membersOf(value: unknown, location: string): readonly (readonly [string, unknown])[] {
  if (!isObject(value)) throw usageError(location, 'must be an object');
  const members = Object.entries(value);
  if (members.length === 0)
    throw usageError(location, 'is empty, which every call matches: name something, or leave it out');
  return members;
}

function usageError(location: string, what: string): AppError {
  return new AppError('USAGE', oneLine(`${location} ${what}.`));
}
