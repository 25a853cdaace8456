import { createRedactor, type Redact, type Redactor } from '../../base/redaction/redact.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import { escapeInvisible } from '../../base/text/visible-text.ts';
import { entryWarnings } from '../../config/entry/entry-warnings.ts';
import { formatLocation } from '../../config/problem.ts';
import type { ConfiguredServer } from '../../config/server-entry.ts';
import { readBadges } from '../../schema/definitions/annotation-badges.ts';
import type { DefinitionList } from '../../schema/definitions/definition-list.ts';
import type { UpstreamCatalog } from '../../upstream/catalog/catalog.ts';
import { LIST_KINDS } from '../../upstream/catalog/listing.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { MODERN_VERSION } from '../../wire/protocol-versions.ts';
import type { ServerDetail, ServerSummary, ToolSummary } from './running-status.ts';
import { summariseServer } from './server-summary.ts';

export interface DetailSource {
  readonly upstream: Upstream;
  readonly catalog: UpstreamCatalog;
}

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
  live: DetailSource | undefined,
  { settings, toolList, remarks = [], redactor = NOTHING_TO_MASK }: DescribeOptions,
): ServerDetail {
  const configured = locationOf(server);
  if (live === undefined) return { ...NOTHING, ...summariseServer(server, undefined), configured, settings, remarks };
  const { upstream, catalog } = live;
  const { redact, redactTokens } = redactor;
  const lists = LIST_KINDS.map((kind) => catalog.list(kind));
  const tools =
    toolList ?? catalog.list('tools').items.map(({ key, json, repairs }) => toToolSummary(key, json, repairs));
  const offered = tools.filter(isOffered).length;
  const hiddenTools = catalog.list('tools').items.length - offered;
  const summary: ServerSummary = summariseServer(server, { upstream, catalog, tools: offered, hiddenTools, redact });
  return {
    ...summary,
    configured,
    settings,
    ...identityOf(upstream, redact),
    ...historyOf(upstream, redact),
    prompts: catalog.list('prompts').items.length,
    resources: catalog.list('resources').items.length,
    toolList: tools.map((tool) => maskTool(tool, redactTokens)),
    leftOut: lists.flatMap((list) => leftOut(list, redactTokens)),
    // The note of a degraded server already contains the catalog problems.
    remarks: [
      ...strayOutputRemarks(upstream, summary.note),
      ...(summary.state === 'degraded' ? [] : catalog.problems().map((text) => oneLine(redact(text), MAX_TEXT))),
      ...warningsOf(server, catalog).map((text) => oneLine(text, MAX_TEXT)),
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
function strayOutputRemarks(upstream: Upstream, note = ''): readonly string[] {
  const stray = upstream.strayOutput();
  return stray === undefined || note.includes(stray) ? [] : [stray];
}

const NOTHING = { lastWords: [], restarts: 0, prompts: 0, resources: 0, toolList: [], leftOut: [] };
const MAX_TEXT = 500;
const STDERR_TAIL_LINES = 20;

/** Summarises a tool as its server lists it. */
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

function warningsOf({ verdict }: ConfiguredServer, catalog: UpstreamCatalog): readonly string[] {
  if (verdict.kind !== 'usable') return [];
  const tools = catalog.isFresh('tools') ? catalog.list('tools').items.map(({ key }) => key) : undefined;
  return entryWarnings(verdict.entry, tools);
}

function isOffered({ hidden }: ToolSummary): boolean {
  return hidden === undefined;
}

function leftOut({ quarantined }: DefinitionList, mask: Redact): ServerDetail['leftOut'] {
  return quarantined.map(({ name = '(no name)', reason }) => ({
    name: oneLine(mask(name), MAX_TEXT),
    reason: oneLine(mask(reason), MAX_TEXT),
  }));
}

function identityOf({ where, initializeResult }: Upstream, redact: (text: string) => string): Partial<ServerDetail> {
  const era: ServerDetail['era'] = initializeResult?.protocolVersion === MODERN_VERSION ? 'modern' : 'legacy';
  const info = initializeResult === undefined ? '' : nameOf(initializeResult.serverInfo, redact);
  return {
    ...(where === undefined ? {} : { where }),
    ...(initializeResult === undefined
      ? {}
      : { protocolVersion: oneLine(initializeResult.protocolVersion, MAX_TEXT), era }),
    ...(info === '' ? {} : { serverInfo: info }),
  };
}

function nameOf(info: unknown, redact: (text: string) => string): string {
  const { name, version, title } = Object(info);
  const label = [name, version].filter((part) => typeof part === 'string').join(' ');
  return oneLine(redact(typeof title === 'string' && title !== name ? `${label} (${title})` : label), MAX_TEXT);
}

function historyOf(upstream: Upstream, redact: (text: string) => string) {
  const { restarts } = upstream;
  const { lastError, lastConnectedAt } = upstream.history;
  const error = lastError && {
    code: lastError.error.code,
    message: oneLine(redact(lastError.error.message), MAX_TEXT),
    at: lastError.at,
  };
  return {
    restarts,
    lastWords: upstream
      .stderrTail()
      .slice(-STDERR_TAIL_LINES)
      .map((line) => oneLine(redact(line), MAX_TEXT)),
    ...(error === undefined ? {} : { lastError: error }),
    ...(lastConnectedAt === undefined ? {} : { lastConnectedAt }),
  };
}
