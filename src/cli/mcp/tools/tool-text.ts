import { neutralize, oneLine } from '../../../base/text/safe-text.ts';
import { escapeInvisible } from '../../../base/text/visible-text.ts';
import type { ProfileName, Rewrite } from '../../../schema/profiles/profile.ts';
import { signatureOf } from '../../input-schema/signature.ts';
import { formatJson } from '../../terminal/format-json.ts';
import type { DescribedTool } from './describe-tool.ts';
import { badgeText, toolName } from './tool-line.ts';

/** All information about one tool. Schemas are JSON text, because parsing would change numbers. */
export interface ToolReport extends DescribedTool {
  readonly profile: ProfileName;
  readonly repairs: readonly string[];
  readonly rewrites: readonly Rewrite[];
  readonly before: string;
  readonly after: string;
  readonly output: string | undefined;
  /** Process id of the gateway in between; undefined for a direct connection. */
  readonly gatewayPid: number | undefined;
}

export function toolText(tool: ToolReport): string {
  const { title, description, hidden, output } = tool;
  return [
    `${toolName(tool)}${signatureOf(tool.inputSchema, MAX_SIGNATURE)}${badgeText(tool)}`,
    ...(title === undefined ? [] : [escapeInvisible(oneLine(title, MAX_LINE))]),
    ...(hidden === undefined ? [] : [`hidden: ${hidden}`]),
    ...(description === undefined ? [] : ['', ...paragraphs(description)]),
    '',
    'input schema:',
    formatJson(tool.before, '  '),
    '',
    ...aboutProfile(tool),
    ...(output === undefined ? [] : ['', 'output schema:', formatJson(output, '  ')]),
  ].join('\n');
}

const MAX_SIGNATURE = 1_000;
const MAX_LINE = 300;
/** Descriptions are written for models and may be very long. */
const MAX_DESCRIPTION = 4_000;

function paragraphs(description: string): readonly string[] {
  const text = neutralize(description.slice(0, MAX_DESCRIPTION), { multiline: true }).trim();
  const cut = description.length > MAX_DESCRIPTION ? ['  … (--json shows all of it)'] : [];
  return [...text.split(/\r?\n/).map((line) => `  ${escapeInvisible(line)}`.trimEnd()), ...cut];
}

function aboutProfile({ profile, repairs, rewrites, before, after }: ToolReport): readonly string[] {
  const repaired = repairs.map((repair) => `  repaired: ${line(repair)}`);
  if (before === after && rewrites.length === 0) return [`for ${profile}: unchanged`, ...repaired];
  return [
    `for ${profile}: rewritten`,
    ...repaired,
    ...rewrites.map(rewriteLine),
    ...(rewrites.some(({ isNarrowing }) => isNarrowing)
      ? ['  [narrows]: the server accepts more than the schema that the client sees.']
      : []),
    ...(before === after ? [] : [formatJson(after, '  ')]),
  ];
}

function rewriteLine({ path, what, why, isNarrowing }: Rewrite): string {
  return `  ${line(path === '' ? 'top' : path)}: ${line(what)} (${line(why)})${isNarrowing ? ' [narrows]' : ''}`;
}

function line(text: string): string {
  return escapeInvisible(oneLine(text, MAX_LINE));
}

/** Formats one JSON document; copies the schemas as text. */
export function toolDocument({ inputSchema, outputSchema: _, before, after, output, ...tool }: ToolReport): string {
  const { gatewayPid, ...rest } = tool;
  const signature = `${tool.tool}${signatureOf(inputSchema, MAX_SIGNATURE)}`;
  const head = escapeInvisible(
    JSON.stringify({ v: 1, ...rest, signature, via: gatewayPid === undefined ? 'direct' : 'gateway' }),
  );
  const schemas = [
    `"inputSchema":{"before":${formatJson(before, '')},"after":${formatJson(after, '')}}`,
    ...(output === undefined ? [] : [`"outputSchema":${formatJson(output, '')}`]),
  ];
  return `${head.slice(0, -1)},${schemas.join(',')}}`;
}
