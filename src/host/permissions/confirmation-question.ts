import { neutralize, oneLine } from '../../base/text/safe-text.ts';
import { type ArgumentsSnapshot, argumentsText } from './arguments-snapshot.ts';
import { escapeInvisibleLines, truncate } from './escaped-text.ts';
import type { PermissionQuestion, PermissionRequest } from './permission-options.ts';
import type { ToolHints } from './tool-hints.ts';

interface QuestionSource {
  readonly call: PermissionRequest;
  readonly argumentsSnapshot: ArgumentsSnapshot;
  readonly hints: ToolHints;
  readonly why: string;
}

/** Builds the question that a person sees. Text from the server is neutralized and truncated. */
export function toPermissionQuestion({ call, argumentsSnapshot, hints, why }: QuestionSource): PermissionQuestion {
  const { title, description } = call;
  return {
    server: displayName(call.server),
    kind: call.kind,
    tool: displayName(call.tool),
    ...(title === undefined ? {} : { title: oneLine(title, MAX_TITLE) }),
    ...(description === undefined ? {} : { description: displayDescription(description) }),
    arguments: argumentsSnapshot.value,
    argumentsText: argumentsText(argumentsSnapshot),
    annotations: hints,
    why,
  };
}

/** Escapes invisible characters, so that two different names never look the same. */
export function displayName(name: string): string {
  if (PLAIN_NAME.test(name)) return name;
  const escaped = escapeInvisibleLines(name).replaceAll('\n', '\\u000a');
  return escaped.length <= MAX_NAME ? escaped : `${truncate(escaped, MAX_NAME - 1)}…`;
}

/** Fast path: nearly all names match, and every call tests one. */
const PLAIN_NAME = /^[\w./-]{1,100}$/;
const MAX_NAME = 512;
const MAX_TITLE = 200;
const MAX_DESCRIPTION = 4 * 1024;

function displayDescription(description: string): string {
  const text = neutralize(description, { multiline: true });
  return text.length <= MAX_DESCRIPTION ? text : `${truncate(text, MAX_DESCRIPTION - 1)}…`;
}
