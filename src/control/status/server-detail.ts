import { createRedactor, type Redact, type Redactor } from '../../base/redaction/redact.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import { escapeInvisible } from '../../base/text/visible-text.ts';
import { formatLocation } from '../../config/problem.ts';
import type { ConfiguredServer } from '../../config/server-entry.ts';
import { readBadges } from '../../schema/definitions/annotation-badges.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { MODERN_VERSION } from '../../wire/protocol-versions.ts';
import type { LiveServer } from './diagnosis.ts';
import type { ServerDetail, ToolSummary } from './running-status.ts';
import { collectServerFacts, type ServerFacts } from './server-facts.ts';
import { summarizeServer } from './server-summary.ts';

export interface DescribeOptions {
  readonly settings: ServerDetail['settings'];
  /** The tools as the gateway publishes them. Default: as the server lists them. */
  readonly toolList?: readonly ToolSummary[] | undefined;
  readonly remarks?: readonly string[] | undefined;
  /** Masks secrets in text from the server. */
  readonly redactor?: Redactor | undefined;
}

/** Returns all details of a configured server. `live` is undefined if the server is not in use. */
export function describeServer(
  server: ConfiguredServer,
  live: LiveServer | undefined,
  { settings, toolList, remarks = [], redactor = NOTHING_TO_MASK }: DescribeOptions,
): ServerDetail {
  const configured = locationOf(server);
  if (live === undefined) return { ...NOTHING, ...summarizeServer(server, undefined), configured, settings, remarks };
  const { upstream, catalog } = live;
  const { redact, redactTokens } = redactor;
  const facts = collectServerFacts(server, live);
  const { items } = catalog.list('tools');
  const toolSummaries = toolList ?? items.map(({ key, json, repairs }) => toToolSummary(key, json, repairs));
  const tools = toolSummaries.filter(({ hidden }) => hidden === undefined).length;
  const summary = summarizeServer(server, live, { redact, counts: { tools, hiddenTools: items.length - tools } });
  return {
    ...summary,
    configured,
    settings,
    ...identityOf(facts, upstream.initializeResult?.serverInfo, redact),
    restarts: facts.restarts,
    lastWords: facts.stderrTail.slice(-STDERR_TAIL_LINES).map((line) => oneLine(redact(line), MAX_TEXT)),
    ...historyOf(upstream, redact),
    prompts: facts.prompts,
    resources: facts.resources,
    toolList: toolSummaries.map((tool) => maskTool(tool, redactTokens)),
    leftOut: facts.quarantined.map(({ name, reason }) => ({
      name: oneLine(redactTokens(name), MAX_TEXT),
      reason: oneLine(redactTokens(reason), MAX_TEXT),
    })),
    // The note of a degraded server already contains the catalog problems.
    remarks: [
      ...strayOutputRemarks(facts, summary.note),
      ...(summary.state === 'degraded' ? [] : facts.problems.map((text) => oneLine(redact(text), MAX_TEXT))),
      ...facts.warnings.map((text) => oneLine(text, MAX_TEXT)),
      ...remarks.map(redactTokens),
    ],
  };
}

const NOTHING_TO_MASK = createRedactor([]);

function maskTool({ name, publicName, hidden, rewrites, ...tool }: ToolSummary, mask: Redact): ToolSummary {
  return {
    ...tool,
    name: mask(name),
    rewrites: rewrites.map(mask),
    ...(publicName === undefined ? {} : { publicName: mask(publicName) }),
    ...(hidden === undefined ? {} : { hidden: mask(hidden) }),
  };
}

/** Returns the remark about stray output, unless the note already contains it. */
function strayOutputRemarks({ strayOutput }: ServerFacts, note = ''): readonly string[] {
  return strayOutput === undefined || note.includes(strayOutput) ? [] : [strayOutput];
}

const NOTHING = { lastWords: [], restarts: 0, prompts: 0, resources: 0, toolList: [], leftOut: [] };
const MAX_TEXT = 500;
const STDERR_TAIL_LINES = 20;

/** Summarizes a tool as its server lists it. */
export function toToolSummary(name: string, json: string, rewrites: readonly string[]): ToolSummary {
  return {
    name: escapeInvisible(name),
    badges: readBadges(json),
    rewrites: rewrites.map((text) => oneLine(text, MAX_TEXT)),
  };
}

/** Returns the location of the config entry. An entry without a file comes from the command line or a program. */
function locationOf({ origin: { layer, file, line } }: ConfiguredServer): string {
  if (layer === 'command-line') return file === '' ? 'the command line' : 'config';
  return formatLocation(file, line);
}

function identityOf({ where, protocolVersion }: ServerFacts, serverInfo: unknown, redact: Redact) {
  const era: ServerDetail['era'] = protocolVersion === MODERN_VERSION ? 'modern' : 'legacy';
  const info = nameOf(serverInfo, redact);
  return {
    ...(where === undefined ? {} : { where }),
    ...(protocolVersion === undefined ? {} : { protocolVersion: oneLine(protocolVersion, MAX_TEXT), era }),
    ...(info === '' ? {} : { serverInfo: info }),
  };
}

function nameOf(info: unknown, redact: Redact): string {
  const { name, version, title } = Object(info);
  const label = [name, version].filter((part) => typeof part === 'string').join(' ');
  return oneLine(redact(typeof title === 'string' && title !== name ? `${label} (${title})` : label), MAX_TEXT);
}

function historyOf({ history: { lastError, lastConnectedAt } }: Upstream, redact: Redact) {
  const error = lastError && {
    code: lastError.error.code,
    message: oneLine(redact(lastError.error.message), MAX_TEXT),
    at: lastError.at,
  };
  return {
    ...(error === undefined ? {} : { lastError: error }),
    ...(lastConnectedAt === undefined ? {} : { lastConnectedAt }),
  };
}
