import type { Redact } from '../../../base/redaction/redact.ts';
import { redactJson } from '../../../base/redaction/redact-json.ts';
import { oneLine } from '../../../base/text/safe-text.ts';
import type { ServerEntry } from '../../../config/server-entry.ts';
import { toolHiddenReason } from '../../../config/tool-filter.ts';
import { badgesOf } from '../../../schema/definitions/annotation-badges.ts';
import type { Definition } from '../../../schema/definitions/definition.ts';
import { isObject } from '../../../wire/messages.ts';

/** A tool as lists show it. Texts are the server's own, with secrets masked. */
export interface DescribedTool {
  readonly server: string;
  /** The server's own name. */
  readonly tool: string;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly badges: readonly string[];
  readonly inputSchema: unknown;
  readonly outputSchema: unknown;
  /** Why the config hides the tool from clients. */
  readonly hidden: string | undefined;
}

export function describeTool(entry: ServerEntry, { key, json }: Definition, mask: Redact): DescribedTool {
  const { title, description, annotations, inputSchema, outputSchema } = parseDefinition(redactJson(json, mask));
  const shortTitle = isObject(annotations) ? annotations['title'] : undefined;
  return {
    server: entry.id,
    tool: mask(key),
    title: nonBlank(title) ?? nonBlank(shortTitle),
    description: nonBlank(description),
    badges: badgesOf(annotations),
    inputSchema,
    outputSchema,
    hidden: toolHiddenReason(entry.tools, key),
  };
}

/** Parses a definition that was validated before: an object, and valid JSON. */
export function parseDefinition(json: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(json);
  return isObject(value) ? value : {};
}

export function nonBlank(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** Returns the text up to the first full stop that another sentence follows, or up to the first empty line. */
export function firstSentence(text: string): string {
  const [paragraph = ''] = text
    .slice(0, MAX_SCANNED_LENGTH)
    .trim()
    .split(/\n[ \t\r]*\n/);
  const line = oneLine(paragraph);
  const end = /[.!?](?= \P{Ll})|。/u.exec(line);
  return end === null ? line : line.slice(0, end.index + 1);
}

/** The displayed text is far shorter. */
const MAX_SCANNED_LENGTH = 2_000;
