import { AppError } from '../../../base/errors.ts';
import type { Redact } from '../../../base/redaction/redact.ts';
import { redactJson } from '../../../base/redaction/redact-json.ts';
import { oneLine } from '../../../base/text/safe-text.ts';
import { escapeInvisible, quoteIfNeeded } from '../../../base/text/visible-text.ts';
import type { ServerEntry } from '../../../config/server-entry.ts';
import type { Definition } from '../../../schema/definitions/definition.ts';
import { applyProfile } from '../../../schema/profiles/apply-profile.ts';
import type { ProfileName } from '../../../schema/profiles/profile.ts';
import { PROFILES } from '../../../schema/profiles/registry.ts';
import { findMemberValues } from '../../../wire/json/json-text.ts';
import { type ArgumentRules, parseArguments } from '../../arguments/parse-arguments.ts';
import { parseChoice } from '../../arguments/values.ts';
import { type CommandContext, environmentOf } from '../../command-context.ts';
import { chooseEntryFrom } from '../config/choose-entry.ts';
import { readDefinitions } from '../config/definitions.ts';
import { listFrom, withServer } from '../listing/list-servers.ts';
import { parseRequestOptions, REQUEST_FLAGS, REQUEST_OPTIONS } from '../listing/request-options.ts';
import { unknownToolError, withAvailabilityHint } from '../servers/name-errors.ts';
import { type ReachedServer, withFailureContext } from '../servers/reach-server.ts';
import { findToolName, type ToolName } from '../servers/tool-name.ts';
import { describeTool } from './describe-tool.ts';
import { type ToolReport, toolDocument, toolText } from './tool-text.ts';

const PROFILE_NAMES: readonly ProfileName[] = ['codex', 'codex-legacy', 'none'];

const RULES: ArgumentRules = {
  command: 'switchboard mcp tool',
  positionals: ['<server>.<tool>'],
  requiredPositionals: 1,
  options: ['--as', ...REQUEST_OPTIONS],
  flags: REQUEST_FLAGS,
};

/**
 * Runs `switchboard mcp tool <server>.<tool>`: shows the schema as the server sends it and as a client receives it, and
 * why they differ.
 */
export async function mcpTool(args: readonly string[], context: CommandContext): Promise<void> {
  const parsed = parseArguments(args, RULES);
  const [written = ''] = parsed.positionals;
  const profile = parseChoice(parsed, '--as', { words: PROFILE_NAMES, rules: RULES }) ?? 'codex';
  const options = parseRequestOptions(parsed, RULES, context);
  const definitions = await readDefinitions(environmentOf(context));
  const { server: id, tool, others } = findToolName(written, definitions);
  const entry = await chooseEntryFrom(definitions, { id, action: 'ask' });
  const report = await withFailureContext(entry, () =>
    withServer(entry, options, async (server) => {
      const definition = await findTool({ tool, others }, { server, entry }, options.timeoutMs);
      return toReport(definition, {
        entry,
        profile,
        gatewayPid: server.gatewayPid,
        mask: server.redactor.redactTokens,
      });
    }),
  );
  context.output.answer(parsed.isJson ? toolDocument(report) : toolText(report));
}

async function findTool(
  { tool: name, others }: Pick<ToolName, 'tool' | 'others'>,
  target: { readonly server: ReachedServer; readonly entry: ServerEntry },
  timeoutMs: number | undefined,
): Promise<Definition> {
  const { items, leftOut, heldBack, failure } = await listFrom('tools', target, timeoutMs);
  const found = items.find(({ key }) => key === name);
  if (found !== undefined) return found;
  const unusable = [...leftOut, ...heldBack].find((one) => one.name === name);
  if (unusable !== undefined) throw noDefinitionError(target.entry.id, name, unusable.reason);
  if (failure !== undefined) throw failure;
  const names = items.map(({ key }) => key);
  const { gatewayPid } = target.server;
  throw withAvailabilityHint(unknownToolError(target.entry, name, names, others), { gatewayPid, canPrompt: true });
}

/** Builds the error for a tool that can be called but has an unusable definition. */
function noDefinitionError(server: string, tool: string, reason: string): AppError {
  const message = `${quoteIfNeeded(`${server}.${tool}`)} has no definition to show: ${escapeInvisible(oneLine(reason))}.`;
  return new AppError('TOOL_INVALID', message, { data: { server, tool } });
}

interface ReportOptions extends Pick<ToolReport, 'profile' | 'gatewayPid'> {
  readonly entry: ServerEntry;
  readonly mask: Redact;
}

function toReport(definition: Definition, { entry, profile, gatewayPid, mask }: ReportOptions): ToolReport {
  const profiled = applyProfile(PROFILES[profile], definition);
  const shown = (json: string | undefined) => json && redactJson(json, mask);
  return {
    ...describeTool(entry, definition, mask),
    ...{ profile, gatewayPid },
    repairs: definition.repairs.map(mask),
    rewrites: profiled.rewrites.map((one) => ({ ...one, path: mask(one.path), what: mask(one.what) })),
    before: shown(schemaOf(definition, 'inputSchema')) ?? '{}',
    after: shown(schemaOf(profiled.definition, 'inputSchema')) ?? '{}',
    output: shown(schemaOf(definition, 'outputSchema')),
  };
}

/** Of duplicate members, the last one counts. */
function schemaOf({ json }: Definition, name: string): string | undefined {
  const last = findMemberValues(json, name).at(-1);
  return last === undefined ? undefined : json.slice(last.start, last.end);
}
