import { neutralise, oneLine } from '../../base/text/safe-text.ts';
import { argumentsText, type TakenArguments } from './arguments-snapshot.ts';
import { beginningOf, withEscapes } from './escaped-text.ts';
import type { AskedCall, PermissionQuestion } from './permissions.ts';
import type { ToolHints } from './tool-hints.ts';

interface QuestionParts {
  readonly call: AskedCall;
  readonly taken: TakenArguments;
  readonly hints: ToolHints;
  readonly why: string;
}

/** What a person sees. Everything in it that comes from a server is made harmless and kept short. */
export function toQuestion({ call, taken, hints, why }: QuestionParts): PermissionQuestion {
  const { title, description } = call;
  return {
    server: shownName(call.server),
    kind: call.kind,
    tool: shownName(call.tool),
    ...(title === undefined ? {} : { title: oneLine(title, MAX_TITLE) }),
    ...(description === undefined ? {} : { description: shownDescription(description) }),
    arguments: taken.value,
    argumentsText: argumentsText(taken),
    annotations: hints,
    why,
  };
}

/** With escapes for what cannot be seen, so that two names never look the same for that reason. */
export function shownName(name: string): string {
  if (PLAIN_NAME.test(name)) return name;
  const shown = withEscapes(name).replaceAll('\n', '\\u000a');
  return shown.length <= MAX_NAME ? shown : `${beginningOf(shown, MAX_NAME - 1)}…`;
}

/** Nearly all are: looked at for every call. */
const PLAIN_NAME = /^[\w./-]{1,100}$/;
const MAX_NAME = 512;
const MAX_TITLE = 200;
const MAX_DESCRIPTION = 4 * 1024;

function shownDescription(description: string): string {
  const text = neutralise(description, { multiline: true });
  return text.length <= MAX_DESCRIPTION ? text : `${beginningOf(text, MAX_DESCRIPTION - 1)}…`;
}
